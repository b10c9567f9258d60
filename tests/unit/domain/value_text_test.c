/* Folding of texts and numbers. */
#include "unit/assert_str.h"

#include "base/arena.h"
#include "domain/value_text.h"

static void
equal_spellings_fold_to_one_form(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        struct str input, expected;
    } rows[] = {
        { "case", STR("Trip Hop"), STR("trip hop") },
        { "a hyphen", STR("trip-hop"), STR("trip hop") },
        { "an underscore", STR("trip_hop"), STR("trip hop") },
        { "a hyphen with blanks", STR("trip - hop"), STR("trip hop") },
        { "several", STR("trip--_ hop"), STR("trip hop") },
        { "blanks around and within", STR("  trip \t\n hop "), STR("trip hop") },
        { "a no-break space", STR("trip\xc2\xa0hop"), STR("trip hop") },
        { "an ideographic space", STR("trip\xe3\x80\x80hop"), STR("trip hop") },
        { "a mark of its own", STR("Bjo\xcc\x88rk"), STR("bj\xc3\xb6rk") },
        { "one character", STR("BJ\xc3\x96RK"), STR("bj\xc3\xb6rk") },
        { "sharp s",
          STR("Stra\xc3\x9f"
              "e"),
          STR("strasse") },
        { "a typographic apostrophe", STR("Levi\u2019s"), STR("levi's") },
        { "a quotation mark as an apostrophe", STR("Levi\u2018s"), STR("levi's") },
        { "a letter as an apostrophe", STR("Levi\u02bcs"), STR("levi's") },
        { "final sigma", STR("\xce\xa3\xce\x8a\xce\xa3"), STR("\xcf\x83\xce\xaf\xcf\x83") },
        { "a sign at the end", STR("C--"), STR("c--") },
        { "a sign at the start", STR("-M-"), STR("-m-") },
        { "a sign at the start after spaces", STR("  _x"), STR("_x") },
        { "signs and blanks at an end", STR("a -  -"), STR("a - -") },
        { "nothing but signs", STR("--"), STR("--") },
        { "nothing but blanks", STR(" \t "), STR("") },
        { "empty", STR(""), STR("") },
        { "not UTF-8", STR("a\xff"), STR_NONE },
    };
    struct arena *mem = arena_new();
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct str folded = value_fold(mem, rows[i].input);
        assert_str(folded, rows[i].expected, rows[i].why);
        if (str_present(folded))
            assert_str(value_fold(mem, folded), folded, rows[i].why);
    }
    arena_free(mem);
}

static void
different_names_stay_different(void **state)
{
    (void)state;
    static const char *const names[] = { "C", "C++", "C#", "C--", "-C", "R", "R&B", "!!!", "!!" };
    struct arena *mem = arena_new();
    for (size_t i = 0; i < ROWS(names); i++)
        for (size_t j = 0; j < i; j++)
            assert_row(
                !str_eq(value_fold(mem, str_of(names[i])), value_fold(mem, str_of(names[j]))),
                names[i]);
    arena_free(mem);
}

static void
numbers_have_one_shortest_text(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool fine;
    } rows[] = {
        { "0", true },    { "3", true },      { "2.5", true }, { "3.0", false }, { "03", false },
        { "+3", false },  { " 3", false },    { "3 ", false }, { "", false },    { "nan", false },
        { "inf", false }, { "0x2", false },   { "4", false },  { "-1", false },  { "1e0", false },
        { "-0", false },  { "three", false },
    };
    const struct member stops = { .has_minimum = true, .has_maximum = true, .maximum = 3 };
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_row(value_is_number_text(&stops, str_of(rows[i].text)) == rows[i].fine,
                   rows[i].text);
    assert_false(value_is_number_text(&stops, STR("1\0")));
    assert_true(value_number_fits(1e15));
    assert_true(value_number_fits(-1e15));
    assert_false(value_number_fits(1.1e15));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_spellings_fold_to_one_form),
        cmocka_unit_test(different_names_stay_different),
        cmocka_unit_test(numbers_have_one_shortest_text),
    };
    return cmocka_run_group_tests_name("domain/value_text", tests, NULL, NULL);
}
