#include "unit/web/by_hand.h"

#include "text/json_write.h"
#include "template/template.h"
#include "web/error.h"
#include "web/page.h"
#include "web/response.h"

static enum err
show_page(struct call *call)
{
    struct values *values = values_new(call->mem);
    values_text(values, "sentence", STR("<script>alert('x')</script> & \"quotes\""));
    values_flag(values, "not_found", true);
    return page_send(call, 200, "error", values);
}

static enum err
show_no_such_page(struct call *call)
{
    return page_send(call, 200, "no_such_page", NULL);
}

static enum err
go_elsewhere(struct call *call)
{
    response_redirect(call, "/page");
    return ERR_NONE;
}

static enum err
say_twice(struct call *call)
{
    response_redirect(call, "/page");
    response_bytes(call, 200, "text/plain; charset=utf-8", STR("second"));
    response_header(call, "cache-control", "private, no-cache");
    return ERR_NONE;
}

static enum err
say_too_much(struct call *call)
{
    static const char filler[1024 * 1024 + 1] = { 0 };
    struct json *out = response_json(call, 200);
    json_open_array(out);
    for (int i = 0; i < 32 && !call->out.overflow; i++)
        json_str(out, (struct str){ filler, sizeof filler });
    json_close_array(out);
    return ERR_NONE;
}

static enum err
complain(struct call *call)
{
    for (int i = 0; i < 100; i++)
        error_add_detail(call, STR("preferences.genres[3]"), STR("is \"too\" long\n"));
    return ERR_INVALID;
}

#define ROW(path, handler)                                                   \
    {                                                                        \
        GET, path, handler, CALLER_ANYONE, .summary = "A row.", .page = true \
    }

static const struct route rows[] = {
    ROW("/page", show_page),
    ROW("/none", show_no_such_page),
    ROW("/elsewhere", go_elsewhere),
    ROW("/twice", say_twice),
    ROW("/much", say_too_much),
    ROW("/complain", complain),
    { 0 },
};

static int
setup(void **state)
{
    (void)state;
    open_web((const struct route *const[]){ rows, NULL }, "https://id.example", true);
    return 0;
}

static void
a_page_has_all_required_headers(void **state)
{
    (void)state;
    assert_int_equal(get("/page"), 200);
    assert_header("Content-Type", "text/html; charset=utf-8");
    assert_header("Content-Security-Policy",
                  "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; "
                  "frame-ancestors 'none'; base-uri 'none'; form-action 'self'");
    assert_header("X-Frame-Options", "DENY");
    assert_header("Referrer-Policy", "no-referrer");
    assert_header("Cache-Control", "no-store");
    assert_header("Cross-Origin-Opener-Policy", "same-origin");
    assert_header("X-Content-Type-Options", "nosniff");
    assert_header("Strict-Transport-Security", "max-age=31536000");
    assert_non_null(answer_header("Permissions-Policy"));
}

static void
a_value_on_a_page_is_only_text(void **state)
{
    (void)state;
    get("/page");
    assert_false(response_contains("<script>"));
    assert_true(response_contains("&lt;script&gt;"));
}

static void
a_missing_template_is_an_internal_error(void **state)
{
    (void)state;
    assert_int_equal(get("/none"), 500);
    assert_true(response_contains("server_error"));
    assert_false(response_contains("no_such_page"));
}

static void
a_redirect_is_a_303(void **state)
{
    (void)state;
    assert_int_equal(get("/elsewhere"), 303);
    assert_header("Location", "/page");
    assert_header("Cache-Control", "no-store");
    assert_int_equal(hand.exchange.response.body.len, 0);
}

static void
a_later_response_replaces_an_earlier_one(void **state)
{
    (void)state;
    assert_int_equal(get("/twice"), 200);
    assert_string_equal(answer_body(), "second");
    assert_header("Location", NULL);
    assert_header("Cache-Control", "private, no-cache");
}

static void
a_response_over_its_limit_is_not_sent_in_part(void **state)
{
    (void)state;
    assert_int_equal(get("/much"), 500);
    assert_true(response_contains("server_error"));
}

static void
details_are_bounded_and_escaped(void **state)
{
    (void)state;
    assert_int_equal(get("/complain"), 400);
    size_t count = 0;
    for (const char *at = answer_body(); (at = strstr(at, "\"at\":\"preferences")) != NULL; at++)
        count++;
    assert_int_equal(count, CALL_DETAILS_MAX);
    assert_true(response_contains("is \\\"too\\\" long\\n"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, tear_down_web)

int
main(void)
{
    log_setup(LOG_AS_TEXT, LOG_ERROR);
    const struct CMUnitTest tests[] = {
        TEST(a_page_has_all_required_headers),
        TEST(a_value_on_a_page_is_only_text),
        TEST(a_missing_template_is_an_internal_error),
        TEST(a_redirect_is_a_303),
        TEST(a_later_response_replaces_an_earlier_one),
        TEST(a_response_over_its_limit_is_not_sent_in_part),
        TEST(details_are_bounded_and_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
