/* by_hand.h - builds requests and checks responses in the tests of web, dispatch, and handlers.
 *
 * Replaces three functions of http/ (defined here, so that the linker leaves out the real ones),
 * the store's readiness, account_make(), which records its parameters, and session_start(). Include
 * it once in a test program. */
#ifndef TESTS_UNIT_WEB_BY_HAND_H
#define TESTS_UNIT_WEB_BY_HAND_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "api/openapi.h"
#include "app/routes.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "dispatch/web.h"
#include "flow/accounts.h"
#include "flow/sessions.h"
#include "http/server.h"
#include "store/tx.h"
#include "web/call.h"
#include "web/state.h"

#include <strings.h>

/* ---- http/ ---- */

#define BY_HAND_HEADERS 12

struct sent {
    const char *name;
    const char *value;
};

struct str
http_header(const struct http_request *request, const char *name)
{
    for (const struct sent *sent = request->headers; sent != NULL && sent->name != NULL; sent++)
        if (strcasecmp(sent->name, name) == 0)
            return str_of(sent->value);
    return STR_NONE;
}

size_t
http_header_count(const struct http_request *request, const char *name)
{
    size_t count = 0;
    for (const struct sent *sent = request->headers; sent != NULL && sent->name != NULL; sent++)
        count += strcasecmp(sent->name, name) == 0;
    return count;
}

void
http_response_header(struct http_response *response, const char *name, const char *value)
{
    assert_true(response->header_count < HTTP_HEADERS_MAX);
    assert_null(strpbrk(value, "\r\n"));
    response->headers[response->header_count].name = name;
    response->headers[response->header_count++].value = value;
}

/* ---- fake store and account flow ---- */

static struct {
    enum err ping;
    bool reads_block;
    enum err made;    /* result of account_make() */
    enum err started; /* result of session_start() */
    struct account_problems problems;
    size_t calls; /* of account_make(), and the last parameters */
    struct account_params params;
} fake;

enum err
store_ping(struct db *db, struct why *why)
{
    (void)why;
    (void)db;
    return fake.ping;
}

bool
store_reads_block(const struct db *db)
{
    (void)db;
    return fake.reads_block;
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
    *out = (struct user){ .id = STR("usr_1") };
    assert_true(now > 0);
    fake.calls++;
    fake.params = *params;
    *problems = fake.problems;
    return fake.made;
}

enum err
session_start(struct db *db, struct arena *mem, const struct sign_in *params, struct user *user,
              struct str *key)
{
    (void)db;
    (void)mem;
    assert_true(params->now > 0);
    assert_true(str_eq_c(user->id, "usr_1"));
    *key = STR("key");
    return fake.started;
}

/* ---- one exchange ---- */

static struct {
    struct arena *mem;
    struct web *web;
    struct http_exchange exchange;
    struct sent sent[BY_HAND_HEADERS + 1];
} hand;

/* The service of these tables, or the real one if they are NULL. */
static inline void
open_web(const struct route *const *public, const char *auth_url, bool registration_open)
{
    static const struct route *const none[] = { NULL };
    struct web_settings settings = { .public = public == NULL ? routes_public : public,
                                     .private = public == NULL ? routes_private : none,
                                     .base_url = str_of(auth_url),
                                     .auth_url = str_of(auth_url),
                                     .registration_open = registration_open };
    struct why why = { 0 };
    struct openapi_params place = { settings.base_url, settings.auth_url, NULL };
    hand.mem = arena_new();
    if (public == NULL && openapi_make(hand.mem, &place, &settings.openapi, &why) != ERR_NONE)
        fail_msg("openapi_make: %s", why.text);
    if (web_new(&settings, &hand.web, &why) != ERR_NONE)
        fail_msg("web_new: %s", why.text);
}

static inline void
close_web(void)
{
    web_free(hand.web);
    arena_free(hand.mem);
    memset(&hand, 0, sizeof hand);
    memset(&fake, 0, sizeof fake);
}

/* For cmocka: a service with all routes, and its end. */
static inline int
set_up_web(void **state)
{
    (void)state;
    open_web(NULL, "http://127.0.0.1:8080", true);
    return 0;
}

static inline int
tear_down_web(void **state)
{
    (void)state;
    close_web();
    return 0;
}

static inline void
prepare(const char *method, const char *target)
{
    hand.exchange = (struct http_exchange){
        .mem = hand.mem,
        .request = { .id = STR("req_1"),
                     .method = str_of(method),
                     .target = str_of(target),
                     .body = STR(""),
                     .client = STR("192.0.2.7"),
                     .headers = hand.sent },
        .started_ns = clock_ticks_ns(),
    };
    memset(hand.sent, 0, sizeof hand.sent);
}

static inline void
with(const char *name, const char *value)
{
    size_t i = 0;
    while (hand.sent[i].name != NULL)
        i++;
    assert_true(i < BY_HAND_HEADERS);
    hand.sent[i] = (struct sent){ name, value };
}

static inline void
with_form(const char *body)
{
    with("Content-Type", "application/x-www-form-urlencoded");
    hand.exchange.request.body = str_of(body);
}

/* Like the server: head, then the handler unless there is a response, then done. Returns the
 * status. */
static inline int
send_to(struct http_service service)
{
    service.head(service.context, &hand.exchange);
    if (hand.exchange.response.status == 0)
        service.handle(service.context, &hand.exchange);
    service.done(service.context, &hand.exchange);
    return hand.exchange.response.status;
}

static inline int
send_it(void)
{
    return send_to(web_service(hand.web));
}

static inline int
get(const char *target)
{
    prepare("GET", target);
    return send_it();
}

/* ---- response ---- */

/* NULL: not sent. Fails if it was sent twice. */
static inline const char *
answer_header(const char *name)
{
    const char *value = NULL;
    for (size_t i = 0; i < hand.exchange.response.header_count; i++)
        if (strcasecmp(hand.exchange.response.headers[i].name, name) == 0) {
            assert_null(value);
            value = hand.exchange.response.headers[i].value;
        }
    return value;
}

static inline void
assert_header(const char *name, const char *expected)
{
    const char *value = answer_header(name);
    if (expected == NULL) {
        assert_null(value);
        return;
    }
    if (value == NULL)
        fail_msg("no %s", name);
    assert_string_equal(value, expected);
}

static inline const char *
answer_body(void)
{
    return str_c(hand.mem, hand.exchange.response.body);
}

static inline bool
response_contains(const char *text)
{
    return strstr(answer_body(), text) != NULL;
}

static inline bool
answer_is_page(void)
{
    const char *type = answer_header("Content-Type");
    return type != NULL && strcmp(type, "text/html; charset=utf-8") == 0;
}

#define BROWSER "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

#endif
