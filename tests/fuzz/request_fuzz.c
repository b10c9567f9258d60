/* Any bytes on a connection to the whole service: parser, routes, flows, and store. Whatever
 * arrives is answered as HTTP or not at all, never with 500, and the service still serves others.
 */
#include "fuzz_store.h"

#include "api/openapi.h"
#include "app/routes.h"
#include "base/workers.h"
#include "crypt/password.h"
#include "dispatch/web.h"
#include "http/server.h"
#include "portal/reference_pages.h"

#include <arpa/inet.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#define REQUEST_MS 20 /* to wait for a response to a request that may be incomplete */
#define RESPONSE_MS 10000
#define CHECK_EVERY 50

static uint16_t port;

/* ---- replacements: hashing is slow ---- */

struct str
password_hash(struct arena *mem, struct str password)
{
    return str_copy(mem, password.len > 0 ? STR("$fuzz") : STR_NONE);
}

bool
password_matches(struct str hash, struct str password)
{
    return str_present(hash) && password.len == 1;
}

/* ---- the service ---- */

static void
begin(void)
{
    static struct web *web;
    static struct http_server *server;
    struct why why = { 0 };
    if (web != NULL)
        return;
    open_store();
    struct web_settings settings = { .public = routes_public,
                                     .private = routes_private,
                                     .db = db,
                                     .domains = kit_domains(),
                                     .base_url = STR("http://127.0.0.1"),
                                     .auth_url = STR("http://127.0.0.1"),
                                     .on_loopback = true,
                                     .cache_bytes = 1024 * 1024,
                                     .registration_open = true };
    struct arena *scratch = arena_new();
    struct openapi_params place = { settings.base_url, settings.auth_url, settings.domains };
    MUST(openapi_make(scratch, &place, &settings.openapi, &why) == ERR_NONE);
    MUST(web_new(&settings, &web, &why) == ERR_NONE);
    arena_free(scratch);
    reference_pages_start(web);
    struct http_settings http = { .listen = "127.0.0.1:0",
                                  .threads = 1,
                                  .connections_max = 64,
                                  .connections_per_address_max = 64,
                                  .workers = workers_start("workers", 2, 64, 0),
                                  .name = "main" };
    struct http_service service = web_service(web);
    MUST(http_server_start(&http, &service, &server, &why) == ERR_NONE);
    port = (uint16_t)strtoul(strrchr(http_server_address(server), ':') + 1, NULL, 10);
}

/* ---- the client ---- */

static void
send_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t sent = send(fd, bytes, length, MSG_NOSIGNAL);
        if (sent <= 0)
            return; /* the service has closed the connection */
        bytes += sent;
        length -= (size_t)sent;
    }
}

/* Sends the bytes and returns everything that comes back until the connection is closed. */
static size_t
converse(struct str bytes, char *out, size_t max)
{
    struct sockaddr_in to = { .sin_family = AF_INET,
                              .sin_port = htons(port),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    struct linger reset = { 1, 0 }; /* leaves no socket in TIME_WAIT */
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    MUST(fd >= 0 && connect(fd, (const struct sockaddr *)&to, sizeof to) == 0);
    send_all(fd, bytes.ptr, bytes.len);
    struct pollfd readable = { .fd = fd, .events = POLLIN };
    poll(&readable, 1, REQUEST_MS);
    shutdown(fd, SHUT_WR);
    size_t length = 0;
    while (poll(&readable, 1, RESPONSE_MS) > 0 && length < max) {
        ssize_t got = recv(fd, out + length, max - length, 0);
        if (got <= 0)
            break;
        length += (size_t)got;
    }
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    close(fd);
    return length;
}

static int
status_of(struct str response)
{
    int64_t status = 0;
    MUST(str_starts(response, STR("HTTP/1.1 ")));
    MUST(str_to_int(str_first(str_from(response, 9), 3), 100, 599, &status));
    return (int)status;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char out[1024 * 1024];
    static unsigned inputs;
    begin();
    struct str bytes = { size == 0 ? "" : (const char *)data, size };
    size_t length = converse(bytes, out, sizeof out);
    if (length > 0)
        MUST(status_of((struct str){ out, length }) != 500);
    if (++inputs % CHECK_EVERY == 0) {
        static const struct str health =
            STR("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
        length = converse(health, out, sizeof out);
        MUST(length > 0 && status_of((struct str){ out, length }) == 200);
    }
    return 0;
}
