/* Any request target with the real routes: no crash, no 500, and each routed path has one spelling.
 * Input: lines with the target, Accept, If-None-Match, and the body. */
#include "app/routes.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/log.h"
#include "db/driver.h"
#include "dispatch/web.h"
#include "flow/accounts.h"
#include "http/server.h"
#include "store/tx.h"
#include "text/url.h"
#include "web/path.h"
#include "web/router.h"

#include <strings.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)       \
    do {                      \
        if (!(condition))     \
            __builtin_trap(); \
    } while (0)

/* ---- replacements for http/ and the flows ---- */

struct str
http_header(const struct http_request *request, const char *name)
{
    if (strcasecmp(name, "Content-Type") == 0)
        return STR("application/x-www-form-urlencoded");
    if (strcasecmp(name, "Accept") == 0 || strcasecmp(name, "If-None-Match") == 0)
        return request->body;
    return STR_NONE;
}

size_t
http_header_count(const struct http_request *request, const char *name)
{
    return str_present(http_header(request, name));
}

void
http_response_header(struct http_response *response, const char *name, const char *value)
{
    MUST(response->header_count < HTTP_HEADERS_MAX);
    MUST(strpbrk(value, "\r\n") == NULL);
    response->headers[response->header_count].name = name;
    response->headers[response->header_count++].value = value;
}

/* Without a store, every transaction is unavailable. */
enum err
tx_write(struct db *db, tx_work *work, void *argument)
{
    (void)db;
    (void)work;
    (void)argument;
    return ERR_UNAVAILABLE;
}

enum err
tx_write_urgent(struct db *db, tx_work *work, void *argument)
{
    (void)db;
    (void)work;
    (void)argument;
    return ERR_UNAVAILABLE;
}

struct db_tx *
tx_begin_read(struct db *db)
{
    static struct db_tx away = { .broken = ERR_UNAVAILABLE };
    (void)db;
    return &away;
}

enum err
tx_end_read(struct db_tx *tx, enum err result)
{
    return result ? result : tx->broken;
}

enum err
store_ping(struct db *db, struct why *why)
{
    (void)db;
    (void)why;
    return ERR_NONE;
}

bool
store_reads_block(const struct db *db)
{
    (void)db;
    return false;
}

bool
store_versions_lag(const struct db *db)
{
    (void)db;
    return false;
}

enum err
account_make(struct db *db, struct arena *mem, const struct account_params *params, int64_t now,
             struct user *out, struct account_problems *problems)
{
    (void)db;
    (void)mem;
    (void)now;
    (void)out;
    MUST(str_present(params->password));
    problems->username = "No.";
    return ERR_INVALID;
}

/* ---- properties ---- */

static const struct route patterns[] = {
    { GET, "/a/{x}", (enum err(*)(struct call *))(void (*)(void))abort, CALLER_ANYONE,
      .summary = "A." },
    { GET, "/a/b", (enum err(*)(struct call *))(void (*)(void))abort, CALLER_ANYONE,
      .summary = "B." },
    { GET, "/a/{x}/{y}", (enum err(*)(struct call *))(void (*)(void))abort, CALLER_ANYONE,
      .summary = "C." },
    { 0 },
};

static void
param_is_harmless(struct str param)
{
    MUST(param.len > 0 && !str_eq_c(param, ".") && !str_eq_c(param, ".."));
    for (size_t i = 0; i < param.len; i++) {
        unsigned char c = (unsigned char)param.ptr[i];
        MUST(c >= 0x20 && c != 0x7f && c != '/' && c != '\\');
    }
}

/* A matched path can be rebuilt from the match and matches the same route again. */
static void
routed_means_canonical(const struct router *router, struct arena *mem, struct str path)
{
    struct endpoint_match match;
    if (!router_find(router, mem, path, &match))
        return;
    MUST(path_is_canonical(path));
    struct buf again = buf_in(mem, 1024 * 1024);
    size_t param = 0;
    for (size_t i = 0; i < match.endpoint->segment_count; i++) {
        buf_add_c(&again, "/");
        if (str_present(match.endpoint->segments[i])) {
            buf_add(&again, match.endpoint->segments[i]);
        } else {
            param_is_harmless(match.params[param]);
            url_encode(&again, match.params[param++]);
        }
    }
    struct endpoint_match second;
    MUST(router_find(router, mem, buf_str(&again), &second));
    MUST(second.endpoint == match.endpoint);
    for (size_t i = 0; i < param; i++)
        MUST(str_eq(second.params[i], match.params[i]));
}

static void
an_answer_is_never_our_fault(struct web *web, struct arena *mem, struct str target, struct str rest,
                             const char *method)
{
    struct http_exchange exchange = { .mem = mem,
                                      .request = { .id = STR("id"),
                                                   .method = str_of(method),
                                                   .target = target,
                                                   .body = rest,
                                                   .client = STR("192.0.2.1") } };
    struct http_service service = web_service(web);
    service.head(service.context, &exchange);
    if (exchange.response.status == 0)
        service.handle(service.context, &exchange);
    int status = exchange.response.status;
    MUST(status >= 200 && status < 500);
    struct str path = str_first(target, str_index(target, '?'));
    MUST(path_is_canonical(path) || status == 404 || status == 400);
    service.done(service.context, &exchange);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct web *web;
    static struct router *router;
    static struct arena *mem;
    if (web == NULL) {
        struct why why = { 0 };
        struct web_settings settings = { .public = routes_public,
                                         .private = routes_private,
                                         .base_url = STR("https://id.example"),
                                         .auth_url = STR("https://id.example"),
                                         .registration_open = true };
        log_setup(LOG_AS_TEXT, LOG_ERROR);
        MUST(web_new(&settings, &web, &why) == ERR_NONE);
        MUST(router_new((const struct route *const[]){ patterns, NULL }, &router, &why) ==
             ERR_NONE);
        mem = arena_new();
    }
    struct str input = { size == 0 ? "" : (const char *)data, size };
    struct str target = str_first(input, str_index(input, '\n'));
    struct str rest = str_from(input, target.len + 1);
    routed_means_canonical(router, mem, str_first(target, str_index(target, '?')));
    an_answer_is_never_our_fault(web, mem, target, rest, "GET");
    an_answer_is_never_our_fault(web, mem, target, rest, "POST");
    an_answer_is_never_our_fault(web, mem, target, rest, "OPTIONS");
    arena_reset(mem);
    return 0;
}
