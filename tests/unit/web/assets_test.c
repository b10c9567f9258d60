#include "unit/web/by_hand.h"

#include "base/embedded.h"
#include "web/assets.h"

static void
an_asset_is_sent_as_embedded(void **state)
{
    (void)state;
    assert_int_equal(get("/assets/style.css"), 200);
    assert_true(str_eq(hand.exchange.response.body, embedded_find("pages/style.css")));
    assert_header("Content-Type", "text/css; charset=utf-8");
    assert_header("Cache-Control", "public, max-age=3600");
    assert_header("X-Content-Type-Options", "nosniff");
    assert_int_equal(get("/assets/act.js"), 200);
    assert_true(str_eq(hand.exchange.response.body, embedded_find("pages/act.js")));
    assert_int_equal(get("/assets/icon.svg"), 200);
    assert_header("Content-Type", "image/svg+xml");
    assert_header("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
}

static void
a_client_that_has_it_gets_304(void **state)
{
    (void)state;
    get("/assets/style.css");
    const char *tag = answer_header("ETag");
    assert_non_null(tag);
    assert_int_equal(tag[0], '"');
    const struct {
        const char *sent;
        int status;
    } table[] = {
        { tag, 304 },
        { str_format(hand.mem, "W/%s", tag).ptr, 304 },
        { str_format(hand.mem, "\"old\", %s", tag).ptr, 304 },
        { "*", 304 },
        { "\"old\"", 200 },
        { "", 200 },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        prepare("GET", "/assets/style.css");
        with("If-None-Match", table[i].sent);
        assert_int_equal(send_it(), table[i].status);
        assert_header("ETag", tag);
        assert_header("Cache-Control", "public, max-age=3600");
        assert_int_equal(hand.exchange.response.body.len == 0, table[i].status == 304);
    }
    get("/assets/icon.svg");
    assert_string_not_equal(answer_header("ETag"), tag);
}

static void
other_files_are_not_served(void **state)
{
    (void)state;
    static const char *const targets[] = {
        "/assets/signup.html",
        "/assets/head.html",
        "/assets/nothing.css",
        "/assets/",
        "/assets",
        "/assets/../schema/0001_initial.sql",
        "/assets/..%2fschema",
        "/assets/%2e%2e/x.css",
        "/assets/style.css%00",
        "/assets/style%2Ecss",
        "/assets//etc/passwd",
        "/assets/%2Fetc%2Fpasswd",
        "/assets/pages/style.css",
        "/assets/STYLE.CSS",
        "/assets/.css",
        "/assets/%c0%ae%c0%ae",
        "/pages/style.css",
        "/assets/style.css/",
    };
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (get(targets[i]) != 404)
            fail_msg("%s: %d", targets[i], hand.exchange.response.status);
}

static void
pages_name_the_files_of_this_release(void **state)
{
    (void)state;
    struct str release = assets_release(hand.web->assets);
    assert_int_equal(release.len, 16);
    assert_int_equal(get("/"), 200);
    static const char *const files[] = { "style.css", "start.css", "code.css" };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        assert_true(response_contains(
            str_format(hand.mem, "href=\"/assets/%s?v=%.*s\"", files[i], STR_ARG(release)).ptr));
    assert_int_equal(get("/assets/style.css?v=anything"), 200);
}

static void
a_page_and_its_assets_stay_small(void **state)
{
    (void)state;
    size_t assets = embedded_find("pages/style.css").len + embedded_find("pages/icon.svg").len;
    static const char *const targets[] = { "/", "/signup", "/signin", "/nothing" };
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        prepare("GET", targets[i]);
        with("Accept", BROWSER);
        send_it();
        assert_true(answer_is_page());
        assert_in_range(hand.exchange.response.body.len + assets, 1000, 60 * 1000);
    }
}

static void
what_a_page_loads_is_known_to_the_byte(void **state)
{
    (void)state;
    const struct assets *assets = hand.web->assets;
    size_t style = (get("/assets/style.css"), hand.exchange.response.body.len);
    size_t script = (get("/assets/act.js"), hand.exchange.response.body.len);
    assert_int_equal(assets_loaded_by(assets, STR("")), 0);
    assert_int_equal(assets_loaded_by(assets, STR("<link href=\"/assets/style.css?v=1\">")), style);
    assert_int_equal(assets_loaded_by(assets, STR("<a href=\"/x\"><link href=\"/assets/style.css\">"
                                                  "<script src=\"/assets/act.js?v=2\">")),
                     style + script);
    assert_int_equal(assets_loaded_by(assets, STR("\"/assets/none.css\" /assets/style.css \"")), 0);
    assert_int_equal(assets_loaded_by(assets, STR("<link href=\"/assets/style.css")), style);
}

static void
no_page_needs_what_its_policy_forbids(void **state)
{
    (void)state;
    static const char *const targets[] = { "/", "/signup", "/signin", "/nothing" };
    static const char *const forbidden[] = { "<style",     " style=",     "<script>",
                                             " onclick=",  " src=\"http", " href=\"http",
                                             "javascript:" };
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        prepare("GET", targets[i]);
        with("Accept", BROWSER);
        send_it();
        for (size_t f = 0; f < sizeof forbidden / sizeof *forbidden; f++)
            if (response_contains(forbidden[f]))
                fail_msg("%s: %s", targets[i], forbidden[f]);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_web, tear_down_web)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_asset_is_sent_as_embedded),
        TEST(a_client_that_has_it_gets_304),
        TEST(other_files_are_not_served),
        TEST(pages_name_the_files_of_this_release),
        TEST(a_page_and_its_assets_stay_small),
        TEST(what_a_page_loads_is_known_to_the_byte),
        TEST(no_page_needs_what_its_policy_forbids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
