#include "unit/web/call_by_hand.h"

#include "text/base64url.h"
#include "web/flash.h"

#define COOKIE "__Host-penchant-flash"

/* The name and value of the cookie that was set. */
static const char *
cookie_of_answer(void)
{
    struct str set = str_of(answer_header("Set-Cookie"));
    return str_c(hand.mem, str_first(set, str_index(set, ';')));
}

static struct str
message_of(const char *cookie, bool *must_clear)
{
    struct call call = call_by_hand();
    struct values *values = values_new(hand.mem);
    prepare("GET", "/account");
    if (cookie != NULL)
        with("Cookie", cookie);
    *must_clear = flash_put(&call, values);
    return values_in(values, "{{flash}}");
}

static void
redirect(const struct flash *flash)
{
    struct call call = call_by_hand();
    prepare("POST", "/account");
    flash_redirect(&call, "/account", flash);
}

static void
a_flash_message_is_shown_on_the_next_page(void **state)
{
    static const struct {
        struct flash flash;
        const char *expected;
    } rows[] = {
        { { .key = "flash.fact_added", .what = STR("Björk & <b>co</b>; a=b&c") },
          "Added: Björk &amp; &lt;b&gt;co&lt;/b&gt;; a=b&amp;c" },
        { { .key = "flash.imported", .count = STR("12") }, "Facts imported: 12" },
        { { .key = "flash.session_ended" }, "Device signed out." },
    };
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        bool must_clear;
        redirect(&rows[i].flash);
        assert_int_equal(hand.exchange.response.status, 303);
        assert_header("Location", "/account");
        const char *set = answer_header("Set-Cookie");
        assert_non_null(set);
        assert_true(str_starts(str_of(set), STR(COOKIE "=")));
        assert_non_null(strstr(set, "; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure"));
        struct str shown = message_of(cookie_of_answer(), &must_clear);
        assert_str(shown, str_of(rows[i].expected), rows[i].flash.key);
        assert_true(must_clear);
    }
}

static void
a_forged_cookie_shows_only_catalog_messages(void **state)
{
    static const struct {
        const char *why;
        const char *pairs; /* NULL: no cookie at all */
        const char *expected;
        bool clears;
    } rows[] = {
        { "none", NULL, "", false },
        { "a key of another page", "key=signin.title", "", true },
        { "a sentence instead of a key", "key=You+have+won", "", true },
        { "no key", "what=You+have+won", "", true },
        { "empty pairs", "&&", "", true },
        { "a key twice", "key=flash.imported&key=flash.session_ended", "Facts imported: ", true },
        { "text for a place that the sentence does not have",
          "key=flash.session_ended&what=You+have+won", "Device signed out.", true },
    };
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        bool must_clear = !rows[i].clears;
        const char *cookie = NULL;
        if (rows[i].pairs != NULL) {
            struct str value = base64url_encode(hand.mem, str_of(rows[i].pairs));
            cookie = str_format(hand.mem, COOKIE "=%.*s", STR_ARG(value)).ptr;
        }
        assert_str(message_of(cookie, &must_clear), str_of(rows[i].expected), rows[i].why);
        assert_row(must_clear == rows[i].clears, rows[i].why);
    }
    bool must_clear = false;
    assert_str(message_of(COOKIE "=***", &must_clear), STR(""), "what cannot be read");
    assert_true(must_clear);
    assert_str(message_of("penchant-flash=a2V5PWZsYXNoLmltcG9ydGVk", &must_clear), STR(""),
               "the name it has without https, which anybody on the way could set");
    assert_false(must_clear);
}

static void
a_message_too_long_for_a_cookie_is_dropped(void **state)
{
    static char much[4000];
    (void)state;
    memset(much, 'x', sizeof much - 1);
    redirect(&(struct flash){ .key = "flash.fact_added", .what = str_of(much) });
    assert_int_equal(hand.exchange.response.status, 303);
    assert_null(answer_header("Set-Cookie"));
}

static void
a_shown_message_is_cleared(void **state)
{
    (void)state;
    struct call call = call_by_hand();
    flash_clear(&call);
    const char *set = answer_header("Set-Cookie");
    assert_non_null(set);
    assert_true(str_starts(str_of(set), STR(COOKIE "=; Path=/; Max-Age=0;")));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        CALL_TEST(a_flash_message_is_shown_on_the_next_page),
        CALL_TEST(a_forged_cookie_shows_only_catalog_messages),
        CALL_TEST(a_message_too_long_for_a_cookie_is_dropped),
        CALL_TEST(a_shown_message_is_cleared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
