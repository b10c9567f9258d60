#include "unit/assert_str.h"

#include "base/arena.h"
#include "text/html.h"

#define BAD "\xef\xbf\xbd"

static void
text_is_safe_in_text_and_in_quotes(void **state)
{
    static const struct {
        const char *why;
        struct str in;
        const char *out;
    } rows[] = {
        { "empty", { "", 0 }, "" },
        { "absent", { NULL, 0 }, "" },
        { "plain", { "Ada", 3 }, "Ada" },
        { "the five", { "&<>\"'", 5 }, "&amp;&lt;&gt;&quot;&#39;" },
        { "a script",
          { "<script>alert('x')</script>", 27 },
          "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;" },
        { "a reference is text too", { "&amp;", 5 }, "&amp;amp;" },
        { "white space", { "a\tb\nc\rd\fe", 9 }, "a\tb\nc\rd\fe" },
        { "NUL", { "a\0b", 3 }, "a" BAD "b" },
        { "escape, vertical tab, DEL", { "\x1b\v\x7f", 3 }, BAD BAD BAD },
        { "C1 control",
          { "a\xc2\x9b"
            "b",
            4 },
          "a" BAD "b" },
        { "last C1 control", { "\xc2\x9f", 2 }, BAD },
        { "no-break space", { "\xc2\xa0", 2 }, "\xc2\xa0" },
        { "UTF-8",
          { "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 9 },
          "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80" },
        { "overlong <", { "\xc0\xbc", 2 }, BAD BAD },
        { "surrogate", { "\xed\xa0\x80", 3 }, BAD BAD BAD },
        { "cut off, then <", { "\xe2\x82<", 3 }, BAD BAD "&lt;" },
        { "bad at the end", { "a\xff", 2 }, "a" BAD },
        { "lead byte does not eat a quote", { "\xc3\"", 2 }, BAD "&quot;" },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct buf out = buf_in(mem, 1000);
        html_escape(&out, rows[i].in);
        assert_str(buf_str(&out), str_of(rows[i].out), rows[i].why);
    }
    arena_free(mem);
}

static void
past_the_ceiling_nothing_more_comes(void **state)
{
    struct arena *mem = arena_new();
    struct buf out = buf_in(mem, 6);
    (void)state;
    html_escape(&out, STR("ab<c"));
    assert_true(out.overflow == false || out.len <= 6);
    html_escape(&out, STR("<<<<<<<"));
    assert_true(out.overflow);
    assert_true(out.len <= 6);
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_safe_in_text_and_in_quotes),
        cmocka_unit_test(past_the_ceiling_nothing_more_comes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
