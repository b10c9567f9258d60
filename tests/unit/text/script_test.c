#include "text/script.h"

#include "base/arena.h"
#include "base/embedded.h"
#include "unit/assert_str.h"

static void
what_is_only_for_the_reader_is_left_out(void **state)
{
    static const struct {
        const char *why, *script, *sent;
    } cases[] = {
        { "nothing", "", "" },
        { "only comments", "// a\n\n  // b", "" },
        { "a line without an end", "a();", "a();\n" },
        { "blanks at both ends", "\tif (a) {\n    b(); \n}\n", "if (a) {\nb();\n}\n" },
        { "an address is no comment", "x = \"https://a\";\n", "x = \"https://a\";\n" },
        { "a comment behind code", "a(); // why\n", "a(); // why\n" },
    };
    struct arena *mem = arena_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_str(script_squeeze(mem, str_of(cases[i].script)), str_of(cases[i].sent),
                   cases[i].why);
    arena_free(mem);
    (void)state;
}

/* Blanks at the beginning of a line would belong to it; but for an expression inside of a text,
 * which may go over several lines. */
static void
no_script_of_ours_has_a_text_over_several_lines(void **state)
{
    size_t scripts = 0;
    for (size_t i = 0; embedded_files[i].name != NULL; i++) {
        struct str text = embedded_find(embedded_files[i].name), line;
        if (!str_ends(str_of(embedded_files[i].name), STR(".js")))
            continue;
        scripts++;
        while (str_cut(&text, '\n', &line)) {
            size_t ticks = 0;
            for (size_t c = 0; c < line.len; c++)
                ticks += line.ptr[c] == '`';
            bool expression = str_ends(line, STR("{")) || str_starts(str_trim(line), STR("}"));
            if ((ticks % 2 != 0 && !expression) || str_ends(line, STR("\\")))
                fail_msg("%s: %.*s", embedded_files[i].name, STR_ARG(line));
        }
    }
    assert_true(scripts > 2);
    (void)state;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_only_for_the_reader_is_left_out),
        cmocka_unit_test(no_script_of_ours_has_a_text_over_several_lines),
    };
    return cmocka_run_group_tests_name("script", tests, NULL, NULL);
}
