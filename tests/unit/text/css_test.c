#include "unit/assert_str.h"

#include "base/arena.h"
#include "base/embedded.h"
#include "text/css.h"

static void
what_means_nothing_goes_and_the_rest_stays(void **state)
{
    static const struct {
        const char *why;
        const char *written;
        const char *sent;
    } rows[] = {
        { "nothing", "", "" },
        { "only blanks", " \n\t ", "" },
        { "a rule", "a {\n  color: red;\n  top: 0;\n}\n", "a{color:red;top:0}" },
        { "a comment", "/* why */\na { top: 0 } /* b { } */", "a{top:0}" },
        { "a comment is a blank", "a/**/b { margin: 0/* x */1px; }", "a b{margin:0 1px}" },
        { "a star inside a comment", "/* * / **/a{}", "a{}" },
        { "descendants", "ul   li,\nol li { top: 0; }", "ul li,ol li{top:0}" },
        { "a descendant that is a pseudo-class", "a :focus { top: 0; }", "a :focus{top:0}" },
        { "combinators", "a > b ~ c + d { top: 0; }", "a > b ~ c + d{top:0}" },
        { "calc", "a { width: calc(100% - 3rem); }", "a{width:calc(100% - 3rem)}" },
        { "media", "@media (min-width: 2rem) and (color) {\n  a { top: 0; }\n}",
          "@media (min-width:2rem) and (color){a{top:0}}" },
        { "a string", "a::before { content: \"+ ; /* } \" / \"\"; }",
          "a::before{content:\"+ ; /* } \" / \"\"}" },
        { "a quote in a string", "a { content: \"\\\" { \"; b: ' \" '; }",
          "a{content:\"\\\" { \";b:' \" '}" },
        { "an unfinished comment", "a { top: 0; } /* b", "a{top:0}" },
        { "an unfinished comment of nothing", "a{}/*", "a{}" },
        { "an unfinished string", "a { content: \"b ", "a{content:\"b " },
        { "a string that ends in a backslash", "a { content: \"b\\", "a{content:\"b\\" },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_str(css_squeeze(mem, str_of(rows[i].written)), str_of(rows[i].sent), rows[i].why);
    arena_free(mem);
}

static void
squeezing_twice_is_squeezing_once(void **state)
{
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; embedded_files[i].name != NULL; i++)
        if (str_ends(str_of(embedded_files[i].name), STR(".css"))) {
            struct str written = embedded_find(embedded_files[i].name);
            struct str once = css_squeeze(mem, written);
            assert_true(once.len > 0 && once.len < written.len);
            assert_str(css_squeeze(mem, once), once, embedded_files[i].name);
        }
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_means_nothing_goes_and_the_rest_stays),
        cmocka_unit_test(squeezing_twice_is_squeezing_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
