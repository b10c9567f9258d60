#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "model/usage.h"
#include "text/utf8.h"

#include <string.h>

static void
untrusted_text_becomes_one_line_without_secrets(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        struct str text;
        const char *expected;
    } rows[] = {
        { "as it is", STR("redirect_uri: https://c.example/cb"),
          "redirect_uri: https://c.example/cb" },
        { "absent", STR_NONE, "" },
        { "empty", STR(""), "" },
        { "not text", STR("\xff\xfe"), "" },
        { "lines", STR("one\r\ntwo\ttab"), "one??two?tab" },
        { "a NUL", STR("a\0b"), "a?b" },
        { "turned around", STR("a\u202eb"), "a?b" },
        { "a code in an address", STR("https://c.example/cb?code=pn_ac_AAAABBBBCCCC&state=1"),
          "https://c.example/cb?code=pn_ac_…&state=1" },
        { "a secret and a token", STR("pn_cs_xyz pn_at_abc"), "pn_cs_… pn_at_…" },
        { "of every kind", STR("pn_rt_x pn_ac_y pn_li_z"), "pn_rt_… pn_ac_… pn_li_…" },
        { "a refresh token", STR("was pn_rt_"), "was pn_rt_…" },
        { "letters of everywhere", STR("Zürich 東京"), "Zürich 東京" },
    };
    struct arena *mem = arena_new();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct str clean = refusal_clean(mem, rows[i].text, 100);
        if (!str_present(clean) || !str_eq_c(clean, rows[i].expected))
            fail_msg("%s: %.*s", rows[i].why, STR_ARG(clean));
    }
    arena_free(mem);
}

static void
long_texts_are_cut_at_a_character(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    char text[600];
    for (size_t i = 0; i < sizeof text; i += 3)
        memcpy(text + i, "東", 3);
    for (size_t max = 12; max < 60; max++) {
        struct str clean = refusal_clean(mem, (struct str){ text, sizeof text }, max);
        assert_true(clean.len <= max && clean.len + 6 > max);
        assert_true(utf8_valid(clean) && str_ends(clean, STR("…")));
        struct str mixed =
            refusal_clean(mem, str_format(mem, "%.*spn_at_AAAA", (int)(max / 3 * 3), text), max);
        assert_true(mixed.len <= max && utf8_valid(mixed));
    }
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(untrusted_text_becomes_one_line_without_secrets),
        cmocka_unit_test(long_texts_are_cut_at_a_character),
    };
    return cmocka_run_group_tests_name("model/usage", tests, NULL, NULL);
}
