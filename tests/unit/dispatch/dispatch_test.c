/* The order of checks in dispatch.c, on one test route of each kind. */
#include "unit/web/by_hand.h"

#include "text/json_write.h"
#include "web/response.h"

static size_t handled;
static enum err outcome;

static enum err
answer(struct call *call)
{
    handled++;
    if (outcome != ERR_NONE)
        return outcome;
    struct json *out = response_json(call, 200);
    json_open_object(out);
    json_put_str(out, "param", call_param(call, 0));
    json_close_object(out);
    return ERR_NONE;
}

static enum err
say_nothing(struct call *call)
{
    (void)call;
    return ERR_NONE;
}

static enum err
fail_halfway(struct call *call)
{
    json_open_object(response_json(call, 200));
    response_header(call, "ETag", "\"x\"");
    return ERR_UNAVAILABLE;
}

static const struct field fields[] = {
    { "limit", FIELD_INTEGER, .min = 1, .max = 100, .fallback = 20 },
};

static const struct route rows[] = {
    { GET, "/api/{x}", answer, CALLER_ANYONE, .summary = "An API row.", .cors = true,
      ROUTE_FIELDS(fields) },
    { POST, "/api/{x}", answer, CALLER_ANYONE, .summary = "A JSON row.", .cors = true,
      .body = BODY_JSON, .body_max = 64 * KIB, .blocks = true },
    { GET, "/page", answer, CALLER_ANYONE, .summary = "A page.", .page = true,
      .reads_store = true },
    { POST, "/page", answer, CALLER_ANYONE, .summary = "A form.", .page = true, .body = BODY_FORM,
      .body_max = 16 * KIB, .blocks = true },
    { GET, "/mute", say_nothing, CALLER_ANYONE, .summary = "A defect." },
    { GET, "/half", fail_halfway, CALLER_ANYONE, .summary = "Fails late." },
    { 0 },
};
static const struct route *const tables[] = { rows, NULL };

#define US "https://id.example"

static int
setup(void **state)
{
    (void)state;
    open_web(tables, US, true);
    handled = 0;
    outcome = ERR_NONE;
    return 0;
}

static void
assert_error(int status, const char *name)
{
    assert_int_equal(hand.exchange.response.status, status);
    assert_header("Content-Type", "application/json");
    assert_header("Cache-Control", "no-store");
    assert_header("X-Content-Type-Options", "nosniff");
    const char *start =
        str_format(hand.mem, "{\"error\":\"%s\",\"error_description\":\"", name).ptr;
    if (!str_starts(hand.exchange.response.body, str_of(start)))
        fail_msg("%s", answer_body());
}

static void
a_route_is_found_and_its_handler_runs(void **state)
{
    (void)state;
    assert_int_equal(get("/api/Bj%C3%B6rk?unknown=1"), 200);
    assert_string_equal(answer_body(), "{\"param\":\"Bj\xc3\xb6rk\"}");
    assert_header("Content-Type", "application/json");
    assert_header("X-Content-Type-Options", "nosniff");
    assert_header("Strict-Transport-Security", "max-age=31536000");
    assert_int_equal(hand.exchange.body_max, 0);
    assert_false(hand.exchange.blocks);
}

static void
a_head_is_a_get(void **state)
{
    (void)state;
    prepare("HEAD", "/api/x");
    assert_int_equal(send_it(), 200);
    assert_int_equal(handled, 1);
}

static void
an_unknown_path_is_not_found(void **state)
{
    (void)state;
    static const char *const targets[] = { "/nothing", "/api",      "/api/",       "//page",
                                           "/page/",   "/page;x=1", "/%70age",     "/page%00",
                                           "/page%2F", "/PAGE",     "/api/../page" };
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        get(targets[i]);
        assert_error(404, "not_found");
    }
    assert_int_equal(handled, 0);
}

static void
a_target_that_is_not_a_path_is_rejected(void **state)
{
    (void)state;
    static const char *const targets[] = { "http://evil/page", "*", "evil:443", "", "page" };
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        get(targets[i]);
        assert_error(400, "invalid_request");
    }
    assert_int_equal(handled, 0);
}

static void
another_method_gets_405_with_allow(void **state)
{
    (void)state;
    static const char *const methods[] = { "PUT", "DELETE", "TRACE", "get", "X", "CONNECT" };
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        prepare(methods[i], "/page");
        send_it();
        assert_error(405, "method_not_allowed");
        assert_header("Allow", "GET, HEAD, POST, OPTIONS");
    }
    prepare("POST", "/mute");
    send_it();
    assert_header("Allow", "GET, HEAD, OPTIONS");
    assert_int_equal(handled, 0);
}

static void
options_returns_the_cors_headers(void **state)
{
    (void)state;
    prepare("OPTIONS", "/api/x");
    with("Origin", "https://app.example");
    with("Access-Control-Request-Method", "POST");
    assert_int_equal(send_it(), 204);
    assert_header("Allow", "GET, HEAD, POST, OPTIONS");
    assert_header("Access-Control-Allow-Origin", "*");
    assert_header("Access-Control-Allow-Methods", "GET, POST");
    assert_header("Access-Control-Allow-Headers",
                  "Authorization, Content-Type, Accept, If-None-Match, MCP-Protocol-Version, "
                  "Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID, traceparent, tracestate");
    assert_non_null(answer_header("Access-Control-Max-Age"));
    assert_header("Access-Control-Allow-Credentials", NULL);
    assert_int_equal(hand.exchange.response.body.len, 0);
    assert_int_equal(handled, 0);
}

static void
errors_of_cors_routes_have_cors_headers(void **state)
{
    (void)state;
    get("/api/x?limit=0");
    assert_error(400, "invalid_request");
    assert_header("Access-Control-Allow-Origin", "*");
    assert_header("Access-Control-Allow-Credentials", NULL);
}

static void
pages_have_no_cors_headers(void **state)
{
    (void)state;
    prepare("OPTIONS", "/page");
    with("Origin", "https://evil.example");
    assert_int_equal(send_it(), 204);
    assert_header("Allow", "GET, HEAD, POST, OPTIONS");
    assert_header("Access-Control-Allow-Origin", NULL);
    assert_header("Access-Control-Allow-Methods", NULL);
    get("/page");
    assert_header("Access-Control-Allow-Origin", NULL);
    get("/nothing");
    assert_header("Access-Control-Allow-Origin", NULL);
}

static void
the_route_sets_body_limit_and_blocking(void **state)
{
    (void)state;
    prepare("POST", "/page");
    with_form("a=b");
    assert_int_equal(send_it(), 200);
    assert_int_equal(hand.exchange.body_max, 16 * KIB);
    assert_true(hand.exchange.blocks);
    get("/page");
    assert_false(hand.exchange.blocks);
}

static void
a_route_that_reads_a_remote_store_blocks(void **state)
{
    (void)state;
    close_web();
    fake.reads_block = true;
    open_web(tables, US, true);
    get("/page");
    assert_true(hand.exchange.blocks);
    get("/api/x");
    assert_false(hand.exchange.blocks);
}

static void
a_body_of_the_wrong_type_is_not_read(void **state)
{
    (void)state;
    prepare("POST", "/page");
    with("Content-Type", "text/plain");
    send_it();
    assert_error(415, "unsupported_media_type");
    assert_true(response_contains("application/x-www-form-urlencoded"));
    prepare("POST", "/api/x");
    with("Content-Type", "application/x-www-form-urlencoded");
    send_it();
    assert_error(415, "unsupported_media_type");
    assert_int_equal(handled, 0);
}

static void
a_form_of_another_site_is_rejected(void **state)
{
    (void)state;
    prepare("POST", "/page");
    with_form("a=b");
    with("Origin", "https://evil.example");
    send_it();
    assert_error(403, "access_denied");

    prepare("POST", "/page");
    with_form("a=b");
    with("Sec-Fetch-Site", "cross-site");
    with("Accept", BROWSER);
    assert_int_equal(send_it(), 403);
    assert_true(answer_is_page());
    assert_true(response_contains("not sent from a page of this service"));
    assert_true(response_contains(US));
    assert_int_equal(handled, 0);
}

static void
a_link_from_another_site_is_accepted(void **state)
{
    (void)state;
    prepare("GET", "/page");
    with("Sec-Fetch-Site", "cross-site");
    assert_int_equal(send_it(), 200);
}

static void
api_routes_do_not_check_the_origin(void **state)
{
    (void)state;
    prepare("POST", "/api/x");
    with("Content-Type", "application/json");
    with("Origin", "https://app.example");
    assert_int_equal(send_it(), 200);
}

static void
an_invalid_field_is_reported_by_name(void **state)
{
    (void)state;
    get("/api/x?limit=0");
    assert_error(400, "invalid_request");
    assert_string_equal(answer_body(),
                        "{\"error\":\"invalid_request\","
                        "\"error_description\":\"limit must be a whole number from 1 to 100\","
                        "\"details\":[{\"at\":\"limit\","
                        "\"problem\":\"must be a whole number from 1 to 100\"}]}");
    assert_int_equal(handled, 0);
}

static void
an_err_of_a_handler_has_its_status(void **state)
{
    (void)state;
    static const struct {
        enum err err;
        int status;
        const char *name;
    } table[] = {
        { ERR_INVALID, 400, "invalid_request" },
        { ERR_UNAUTHENTICATED, 401, "invalid_token" },
        { ERR_FORBIDDEN, 403, "access_denied" },
        { ERR_NOT_FOUND, 404, "not_found" },
        { ERR_TAKEN, 400, "invalid_request" },
        { ERR_TOO_LARGE, 413, "payload_too_large" },
        { ERR_RATE, 429, "rate_limited" },
        { ERR_UNAVAILABLE, 503, "temporarily_unavailable" },
        { ERR_INTERNAL, 500, "server_error" },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        outcome = table[i].err;
        get("/api/x");
        assert_error(table[i].status, table[i].name);
        assert_int_equal(answer_header("Retry-After") != NULL,
                         table[i].status == 503 || table[i].status == 429);
    }
    outcome = ERR_UNAUTHENTICATED;
    get("/api/x");
    assert_header("WWW-Authenticate", "Bearer");
}

static void
a_handler_without_a_response_is_an_internal_error(void **state)
{
    (void)state;
    get("/mute");
    assert_error(500, "server_error");
}

static void
a_failed_handler_leaves_no_partial_response(void **state)
{
    (void)state;
    get("/half");
    assert_error(503, "temporarily_unavailable");
    assert_header("ETag", NULL);
}

static void
a_browser_gets_error_pages(void **state)
{
    (void)state;
    prepare("GET", "/nothing<script>?error_description=<img>");
    with("Accept", BROWSER);
    assert_int_equal(send_it(), 404);
    assert_true(answer_is_page());
    assert_true(response_contains("Page not found"));
    assert_true(response_contains("req_1"));
    assert_false(response_contains("<img>"));
    assert_false(response_contains("<script>"));
    assert_header("X-Frame-Options", "DENY");
    assert_header("Referrer-Policy", "no-referrer");
    assert_header("Cache-Control", "no-store");

    prepare("DELETE", "/page");
    with("Accept", BROWSER);
    assert_int_equal(send_it(), 405);
    assert_true(answer_is_page());
    assert_header("Allow", "GET, HEAD, POST, OPTIONS");

    outcome = ERR_UNAVAILABLE;
    prepare("GET", "/page");
    with("Accept", BROWSER);
    assert_int_equal(send_it(), 503);
    assert_true(answer_is_page());
    assert_non_null(answer_header("Retry-After"));
}

static void
api_routes_send_json_to_browsers_too(void **state)
{
    (void)state;
    prepare("GET", "/api/x?limit=0");
    with("Accept", BROWSER);
    send_it();
    assert_error(400, "invalid_request");
}

static void
server_refusals_have_the_same_format(void **state)
{
    (void)state;
    static const struct {
        enum http_refusal refusal;
        int status;
        const char *name;
    } table[] = {
        { HTTP_BAD_REQUEST, 400, "invalid_request" },
        { HTTP_BODY_TOO_LARGE, 413, "payload_too_large" },
        { HTTP_TARGET_TOO_LONG, 414, "uri_too_long" },
        { HTTP_HEAD_TOO_LARGE, 431, "request_header_fields_too_large" },
        { HTTP_BAD_EXPECTATION, 417, "expectation_failed" },
        { HTTP_OVERLOADED, 503, "temporarily_unavailable" },
        { HTTP_TOO_MANY_CONNECTIONS, 503, "temporarily_unavailable" },
    };
    struct http_service service = web_service(hand.web);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        prepare("GET", "/page");
        service.refuse(service.context, &hand.exchange, table[i].refusal, "Host is missing.");
        assert_error(table[i].status, table[i].name);
        assert_int_equal(response_contains("Host is missing."),
                         table[i].refusal == HTTP_BAD_REQUEST);
        assert_int_equal(answer_header("Retry-After") != NULL, table[i].status == 503);
        service.done(service.context, &hand.exchange);
    }
    hand.exchange =
        (struct http_exchange){ .mem = hand.mem }; /* no part of the request was readable */
    service.refuse(service.context, &hand.exchange, HTTP_BAD_REQUEST, NULL);
    assert_error(400, "invalid_request");
    service.done(service.context, &hand.exchange);
}

static void
a_connection_may_close_before_its_head(void **state)
{
    (void)state;
    struct http_service service = web_service(hand.web);
    prepare("GET", "/page");
    service.done(service.context, &hand.exchange);
    assert_int_equal(hand.exchange.response.status, 0);
}

static void
plain_http_sends_no_hsts(void **state)
{
    (void)state;
    close_web();
    open_web(tables, "http://127.0.0.1:8080", true);
    get("/page");
    assert_header("Strict-Transport-Security", NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, tear_down_web)

int
main(void)
{
    log_setup(LOG_AS_TEXT, LOG_ERROR);
    const struct CMUnitTest tests[] = {
        TEST(a_route_is_found_and_its_handler_runs),
        TEST(a_head_is_a_get),
        TEST(an_unknown_path_is_not_found),
        TEST(a_target_that_is_not_a_path_is_rejected),
        TEST(another_method_gets_405_with_allow),
        TEST(options_returns_the_cors_headers),
        TEST(errors_of_cors_routes_have_cors_headers),
        TEST(pages_have_no_cors_headers),
        TEST(the_route_sets_body_limit_and_blocking),
        TEST(a_route_that_reads_a_remote_store_blocks),
        TEST(a_body_of_the_wrong_type_is_not_read),
        TEST(a_form_of_another_site_is_rejected),
        TEST(a_link_from_another_site_is_accepted),
        TEST(api_routes_do_not_check_the_origin),
        TEST(an_invalid_field_is_reported_by_name),
        TEST(an_err_of_a_handler_has_its_status),
        TEST(a_handler_without_a_response_is_an_internal_error),
        TEST(a_failed_handler_leaves_no_partial_response),
        TEST(a_browser_gets_error_pages),
        TEST(api_routes_send_json_to_browsers_too),
        TEST(server_refusals_have_the_same_format),
        TEST(a_connection_may_close_before_its_head),
        TEST(plain_http_sends_no_hsts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
