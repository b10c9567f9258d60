/* Forms of English words. */
#include "unit/assert_str.h"

#include "value/inflect.h"
#include "wording/shape.h"
#include "base/arena.h"

static void
words_get_the_form_that_a_sentence_needs(void **state)
{
    (void)state;
    static const struct {
        struct str (*form)(struct arena *mem, struct str text);
        const char *text, *expected;
    } rows[] = {
        { inflect_gerund, "bake bread", "baking bread" },
        { inflect_gerund, "run", "running" },
        { inflect_gerund, "lie", "lying" },
        { inflect_gerund, "see", "seeing" },
        { inflect_gerund, "draw", "drawing" },
        { inflect_gerund, "running", "running" },
        { inflect_gerund, "flying kites", "flying kites" },
        { inflect_gerund, "sing the blues", "singing the blues" },
        { inflect_gerund, "bring friends", "bringing friends" },
        { inflect_gerund, "be alone", "being alone" },
        { inflect_gerund, "nth try", "nth try" },
        { inflect_gerund, "Run DMC", "Run DMC" },
        { inflect_gerund, "read, swim", "read, swim" },
        { inflect_gerund, "", "" },
        { shape_with_article, "golden retriever", "a golden retriever" },
        { shape_with_article, "oven", "an oven" },
        { shape_with_article, "an oven", "an oven" },
        { shape_with_article, "two cats", "two cats" },
        { shape_with_article, "dumbbells", "dumbbells" },
        { shape_with_article, "Rex", "Rex" },
        { shape_with_article, "", "" },
        { shape_decade, "80s", "the 1980s" },
        { shape_decade, "early 2000s", "the early 2000s" },
        { shape_decade, "the 1980s", "the 1980s" },
        { shape_decade, "1984", "1984" },
        { shape_decade, "s", "s" },
        { shape_proper, "spanish, some french", "Spanish, some French" },
        { shape_proper, "polish", "polish" },
        { shape_proper, "japón", "japón" },
    };
    struct arena *mem = arena_new();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct str once = rows[i].form(mem, str_of(rows[i].text));
        assert_str(once, str_of(rows[i].expected), rows[i].text);
        assert_str(rows[i].form(mem, once), once, "a second time");
    }
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_get_the_form_that_a_sentence_needs),
    };
    return cmocka_run_group_tests_name("value/inflect", tests, NULL, NULL);
}
