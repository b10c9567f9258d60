/* wire.h - a server with a small test service, and a client that sends raw bytes.
 *
 * The service echoes the request and counts the calls of the server. Paths:
 *   /block…   runs on a worker            /gate     on a worker, waits until the gate is opened
 *   /big?N    sends N bytes               /none, /same   send 204, 304
 *   /early    sends 404 at the head       /nobody   accepts no body    /close   closes the
 * connection /wide     sends 2000 bytes of headers, /wider 20,000
 * /stranger and /block/stranger refuse a large body, /large accepts 60 MiB. Every wait is bounded.
 */
#ifndef TESTS_UNIT_HTTP_WIRE_H
#define TESTS_UNIT_HTTP_WIRE_H

#include "base/arena.h"
#include "base/clock.h"
#include "base/fault_injection.h"
#include "http/limits.h"
#include "http/server.h"
#include "http/server_state.h"
#include "unit/workers_kit.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define WAIT_MS 60000 /* enough under a sanitizer and QEMU on a busy machine */
#define BODY_MAX ((size_t)64 * 1024)

struct world {
    struct http_server *server;
    struct workers *workers;
    uint16_t port;
    atomic_int heads, identified, handled, refused, done, gated;
    atomic_int last_refusal;
    atomic_bool gate_open;
};

static inline size_t
open_connections(const struct world *world)
{
    return atomic_load(&world->server->connections.open);
}

static inline void
pause_briefly(void)
{
    nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

#define WAIT_UNTIL(condition)                                             \
    do {                                                                  \
        int64_t wait_end = clock_ticks_ns() + (int64_t)WAIT_MS * 1000000; \
        while (!(condition) && clock_ticks_ns() < wait_end)               \
            pause_briefly();                                              \
        assert_true(condition);                                           \
    } while (0)

/* ---- the service ---- */

static inline bool
asks(const struct http_exchange *x, const char *path)
{
    return str_starts(x->request.target, str_of(path));
}

static inline void
answer_text(struct http_exchange *x, int status, struct str body)
{
    x->response.status = status;
    x->response.body = body;
    http_response_header(&x->response, "Content-Type", "text/plain");
}

static inline void
service_head(void *context, struct http_exchange *x)
{
    struct world *world = context;
    atomic_fetch_add(&world->heads, 1);
    x->owner = world;
    x->body_max = asks(x, "/nobody") ? 0 : BODY_MAX;
    x->blocks = asks(x, "/block") || asks(x, "/gate");
    x->identify_blocks = x->blocks;
    if (asks(x, "/large") || asks(x, "/gate/large"))
        x->body_max = x->memory_max = (size_t)60 * 1024 * 1024;
    if (asks(x, "/early"))
        answer_text(x, 404, STR("early"));
}

static inline void
service_identify(void *context, struct http_exchange *x)
{
    struct world *world = context;
    atomic_fetch_add(&world->identified, 1);
    if (asks(x, "/stranger") || asks(x, "/block/stranger"))
        answer_text(x, 401, STR("a stranger"));
}

static inline void
service_handle(void *context, struct http_exchange *x)
{
    struct world *world = context;
    const struct http_request *r = &x->request;
    atomic_fetch_add(&world->handled, 1);
    if (asks(x, "/gate")) {
        atomic_fetch_add(&world->gated, 1);
        while (!atomic_load(&world->gate_open))
            pause_briefly();
    }
    if (asks(x, "/none") || asks(x, "/same")) {
        x->response.status = asks(x, "/none") ? 204 : 304;
        return;
    }
    x->response.close = asks(x, "/close");
    int64_t size;
    if (asks(x, "/big?") && str_to_int(str_from(r->target, 5), 0, 1 << 28, &size)) {
        char *body = arena_alloc(x->mem, (size_t)size);
        memset(body, 'b', (size_t)size);
        answer_text(x, 200, (struct str){ body, (size_t)size });
        return;
    }
    if (asks(x, "/wide")) {
        size_t length = asks(x, "/wider") ? 20000 : 2000;
        char *wide = arena_alloc(x->mem, length + 1);
        memset(wide, 'w', length);
        http_response_header(&x->response, "X-Wide", wide);
    }
    struct str agent = http_header(r, "user-agent");
    answer_text(x, 200,
                str_format(x->mem, "%.*s %.*s from %.*s agent %.*s body %.*s", STR_ARG(r->method),
                           STR_ARG(r->target), STR_ARG(r->client), (int)agent.len,
                           agent.ptr == NULL ? "" : agent.ptr, (int)r->body.len,
                           r->body.ptr == NULL ? "" : r->body.ptr));
}

static inline void
service_refuse(void *context, struct http_exchange *x, enum http_refusal refusal,
               const char *detail)
{
    static const int status[] = { 400, 413, 414, 431, 417, 503, 503 };
    struct world *world = context;
    atomic_fetch_add(&world->refused, 1);
    atomic_store(&world->last_refusal, (int)refusal);
    answer_text(x, status[refusal],
                str_format(x->mem, "refused: %s", detail == NULL ? "-" : detail));
}

static inline void
service_done(void *context, struct http_exchange *x)
{
    struct world *world = context;
    (void)x;
    atomic_fetch_add(&world->done, 1);
}

/* ---- the world ---- */

static inline struct http_settings
usual_settings(void)
{
    return (struct http_settings){
        .listen = "127.0.0.1:0",
        .threads = 2,
        .connections_max = HTTP_CONNECTIONS_MAX,
        .connections_per_address_max = HTTP_CONNECTIONS_PER_ADDRESS_MAX,
        .name = "main",
    };
}

static inline void
world_open_with(struct world *world, struct http_settings settings, size_t workers, size_t queue)
{
    struct http_service service = { world,          service_head,   service_identify,
                                    service_handle, service_refuse, service_done,
                                    NULL,           NULL,           NULL };
    struct why why = { "" };
    *world = (struct world){ .workers = workers_start("workers", workers, queue, 0) };
    settings.workers = world->workers;
    enum err err = http_server_start(&settings, &service, &world->server, &why);
    if (err)
        fail_msg("cannot start: %s", why.text);
    const char *port = strrchr(http_server_address(world->server), ':');
    world->port = (uint16_t)strtoul(port + 1, NULL, 10);
}

static inline void
world_open(struct world *world)
{
    world_open_with(world, usual_settings(), 8, 2000);
}

static inline void
world_close(struct world *world)
{
    atomic_store(&world->gate_open, true);
    http_server_drain(world->server, WAIT_MS);
    workers_stop(world->workers);
    /* Every exchange that began has ended once. */
    int seen = atomic_load(&world->done);
    assert_true(seen >= atomic_load(&world->heads));
    assert_true(seen <= atomic_load(&world->heads) + atomic_load(&world->refused));
}

/* ---- the clock ---- */

static _Atomic int64_t *fault_numbers; /* shared with the clock */

static inline void
control_clock(void)
{
    char path[] = "/tmp/penchant-http-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    int64_t numbers[5] = { 0, 0, -1, 0, 0 };
    assert_int_equal(write(fd, numbers, sizeof numbers), sizeof numbers);
    fault_numbers = mmap(NULL, sizeof numbers, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    setenv("PENCHANT_FAULT_INJECTION", path, 1);
    fault_injection_start();
    close(fd);
    unlink(path);
}

static inline void
forward_ms(int64_t ms)
{
    atomic_fetch_add(&fault_numbers[1], ms);
}

/* ---- the client ---- */

/* -1: refused. */
static inline int
wire_try_connect(const struct world *world)
{
    struct sockaddr_in to = { .sin_family = AF_INET,
                              .sin_port = htons(world->port),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int on = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(fd, (const struct sockaddr *)&to, sizeof to) == 0)
        return fd;
    close(fd);
    return -1;
}

static inline int
wire_connect(const struct world *world)
{
    int fd = wire_try_connect(world);
    assert_true(fd >= 0);
    return fd;
}

/* False: the server has closed. */
static inline bool
wire_send_bytes(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        struct pollfd poll_fd = { .fd = fd, .events = POLLOUT };
        if (poll(&poll_fd, 1, WAIT_MS) <= 0)
            return false;
        ssize_t sent = send(fd, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EAGAIN)
            return false;
        if (sent > 0) {
            bytes += sent;
            length -= (size_t)sent;
        }
    }
    return true;
}

static inline bool
wire_send(int fd, const char *text)
{
    return wire_send_bytes(fd, text, strlen(text));
}

/* Returns up to `max` bytes; 0 at the end or after a reset, -1 at the deadline. */
static inline ssize_t
wire_receive(int fd, char *out, size_t max, int timeout_ms)
{
    struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
    if (poll(&poll_fd, 1, timeout_ms) <= 0)
        return -1;
    ssize_t got = recv(fd, out, max, 0);
    return got < 0 ? 0 : got;
}

struct answer {
    int status;
    bool closed;     /* the connection was closed after it */
    char head[4096]; /* with the status line; ends in NUL */
    size_t body_len;
    char body[8192]; /* its beginning; ends in NUL */
};

static inline const char *
answer_header(const struct answer *answer, const char *name, char out[256])
{
    size_t length = strlen(name);
    for (const char *line = answer->head; line != NULL; line = strstr(line, "\r\n")) {
        if (line[0] == '\r')
            line += 2;
        if (strncasecmp(line, name, length) != 0 || line[length] != ':')
            continue;
        snprintf(out, 256, "%.*s", (int)strcspn(line + length + 2, "\r"), line + length + 2);
        return out;
    }
    return NULL;
}

/* Reads one response, byte by byte up to its body, so that nothing of the next one is read. False:
 * none came. */
static inline bool
wire_answer_to(int fd, struct answer *answer, bool head_only)
{
    size_t length = 0;
    char value[256];
    *answer = (struct answer){ 0 };
    while (length < sizeof answer->head - 1 &&
           (length < 4 || memcmp(answer->head + length - 4, "\r\n\r\n", 4) != 0)) {
        if (wire_receive(fd, answer->head + length, 1, WAIT_MS) <= 0)
            return false;
        length++;
    }
    assert_int_equal(sscanf(answer->head, "HTTP/1.1 %d", &answer->status), 1);
    const char *text = answer_header(answer, "Content-Length", value);
    size_t whole = text == NULL || head_only ? 0 : strtoul(text, NULL, 10);
    while (answer->body_len < whole) {
        char piece[65536];
        size_t want = whole - answer->body_len;
        ssize_t got = wire_receive(fd, piece, want < sizeof piece ? want : sizeof piece, WAIT_MS);
        if (got <= 0)
            return false;
        size_t available = sizeof answer->body - 1;
        if (answer->body_len < available) {
            size_t keep = available - answer->body_len;
            memcpy(answer->body + answer->body_len, piece, (size_t)got < keep ? (size_t)got : keep);
        }
        answer->body_len += (size_t)got;
    }
    return true;
}

static inline bool
wire_answer(int fd, struct answer *answer)
{
    return wire_answer_to(fd, answer, false);
}

/* Whether the server closes the connection in that time; drops bytes before that. */
static inline bool
wire_ends_within(int fd, int timeout_ms)
{
    char dropped[4096];
    ssize_t got;
    do
        got = wire_receive(fd, dropped, sizeof dropped, timeout_ms);
    while (got > 0);
    return got == 0;
}

static inline bool
wire_ends(int fd)
{
    return wire_ends_within(fd, WAIT_MS);
}

/* Sends a request on its own connection. True: a response came; `closed` tells if it was closed. */
static inline bool
ask_bytes(const struct world *world, const char *bytes, size_t length, struct answer *answer)
{
    int fd = wire_connect(world);
    wire_send_bytes(fd, bytes, length);
    bool answered = wire_answer(fd, answer);
    char value[256];
    const char *connection = answered ? answer_header(answer, "Connection", value) : NULL;
    answer->closed = !answered || (connection != NULL && strcasecmp(connection, "close") == 0);
    if (answer->closed)
        assert_true(wire_ends(fd));
    close(fd);
    return answered;
}

static inline bool
ask(const struct world *world, const char *text, struct answer *answer)
{
    return ask_bytes(world, text, strlen(text), answer);
}

#define GET(path) "GET " path " HTTP/1.1\r\nHost: a\r\n\r\n"

static inline size_t
open_descriptors(void)
{
    size_t count = 0;
    DIR *dir = opendir("/proc/self/fd");
    while (readdir(dir) != NULL)
        count++;
    closedir(dir);
    return count;
}

#endif
