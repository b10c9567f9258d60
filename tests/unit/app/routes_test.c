/* All routes of the service. */
#include "unit/web/by_hand.h"

#include "app/routes.h"
#include "text/json_write.h"

static void
every_route_is_described_as_text_and_json(void **state)
{
    (void)state;
    struct buf text = buf_in(hand.mem, 65536);
    struct buf bytes = buf_in(hand.mem, 65536);
    struct json json = json_into(&bytes);
    routes_describe(&text);
    routes_write(&json);
    const char *people = str_c(hand.mem, buf_str(&text));
    const char *programs = str_c(hand.mem, buf_str(&bytes));
    assert_int_equal(programs[0], '[');
    assert_int_equal(programs[bytes.len - 1], ']');
    for (size_t t = 0; routes_public[t] != NULL; t++)
        for (const struct route *row = routes_public[t]; row->path != NULL; row++) {
            assert_non_null(strstr(people, row->path));
            assert_non_null(strstr(people, row->summary));
            assert_non_null(
                strstr(programs, str_format(hand.mem, "\"path\":\"%s\"", row->path).ptr));
        }
    assert_non_null(strstr(
        programs,
        "{\"method\":\"POST\",\"path\":\"/signup\",\"caller\":\"anyone\","
        "\"blocks\":true,\"hashes\":true,\"body\":\"form\",\"body_max\":16384,\"summary\":\""));
    assert_non_null(strstr(people, "/metrics"));
}

static void
every_summary_is_a_sentence(void **state)
{
    (void)state;
    for (size_t t = 0; routes_public[t] != NULL; t++)
        for (const struct route *row = routes_public[t]; row->path != NULL; row++)
            assert_int_equal(row->summary[strlen(row->summary) - 1], '.');
}

/* "/account/apps/{app}/end" -> "/account/apps/.app./end" */
static const char *
without_braces(const char *path)
{
    static char out[200];
    size_t length = 0;
    for (; path[length] != '\0' && length + 1 < sizeof out; length++)
        out[length] = path[length] == '{' || path[length] == '}' ? '.' : path[length];
    out[length] = '\0';
    return out;
}

static void
every_page_rejects_forms_of_other_sites(void **state)
{
    (void)state;
    size_t asked = 0;
    for (size_t t = 0; routes_public[t] != NULL; t++)
        for (const struct route *row = routes_public[t]; row->path != NULL; row++) {
            if (!row->page || row->method != POST)
                continue;
            prepare("POST", without_braces(row->path));
            if (row->body == BODY_FILE)
                with("Content-Type", "multipart/form-data; boundary=x");
            else
                with_form("");
            with("Origin", "https://evil.example");
            assert_int_equal(send_it(), 403);
            asked++;
        }
    assert_true(asked > 0);
}

/* Without it browsers send "Origin: null" with our own forms, and guard.c rejects them. */
static void
every_page_sends_its_origin_with_forms(void **state)
{
    (void)state;
    static const char *const targets[] = { "/", "/signup", "/signin", "/nothing" };
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        prepare("GET", targets[i]);
        with("Accept", BROWSER);
        send_it();
        assert_true(response_contains("<meta name=\"referrer\" content=\"same-origin\">"));
        assert_header("Referrer-Policy", "no-referrer");
    }
}

static void
a_route_without_a_caller_fails_at_startup(void **state)
{
    (void)state;
    static const struct route rows[] = {
        { GET, "/open", .handle = (enum err(*)(struct call *))(void (*)(void))abort,
          .summary = "Forgot who." },
        { 0 },
    };
    static const struct route *const tables[] = { rows, NULL };
    static const struct route *const none[] = { NULL };
    struct web_settings settings = {
        .public = tables, .private = none, .base_url = STR("http://a"), .auth_url = STR("http://a")
    };
    struct web *web = NULL;
    struct why why = { 0 };
    assert_int_equal(web_new(&settings, &web, &why), ERR_INVALID);
    assert_null(web);
    assert_string_equal(why.text, "route GET /open has no caller");
    settings.public = none;
    settings.private = tables;
    assert_int_equal(web_new(&settings, &web, &why), ERR_INVALID);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_web, tear_down_web)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_route_is_described_as_text_and_json),
        TEST(every_summary_is_a_sentence),
        TEST(every_page_rejects_forms_of_other_sites),
        TEST(every_page_sends_its_origin_with_forms),
        TEST(a_route_without_a_caller_fails_at_startup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
