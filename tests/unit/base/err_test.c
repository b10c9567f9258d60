#include "unit/assert_str.h"

#include "base/err.h"

static void
every_error_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (int a = ERR_NONE; a <= ERR_INTERNAL; a++) {
        assert_string_not_equal(err_name((enum err)a), "unknown");
        for (int b = ERR_NONE; b < a; b++)
            assert_string_not_equal(err_name((enum err)a), err_name((enum err)b));
    }
    assert_string_equal(err_name((enum err)99), "unknown");
    assert_int_equal(ERR_NONE, 0);
}

static void
the_first_reason_is_kept(void **state)
{
    struct why why = { 0 };
    (void)state;
    why_set(&why, "port %d is taken", 80);
    why_set(&why, "the service did not start");
    assert_string_equal(why.text, "port 80 is taken");
    why_set(NULL, "not needed");
}

static void
a_long_reason_is_cut(void **state)
{
    struct why why = { 0 };
    (void)state;
    why_set(&why, "%1000d", 1);
    assert_int_equal(strlen(why.text), sizeof why.text - 1);
}

static void
a_cut_reason_ends_with_a_whole_character(void **state)
{
    (void)state;
    for (int before = 390; before < 402; before++) {
        struct why why = { 0 };
        why_set(&why, "%*s\u265e\u00e9\U0001f9c0", before, "");
        for (size_t i = (size_t)before; i < strlen(why.text); i++)
            assert_int_equal(why.text[i], "\u265e\u00e9\U0001f9c0"[i - (size_t)before]);
        size_t shown = strlen(why.text) - (size_t)(before < 399 ? before : 399);
        assert_true(shown == 0 || shown == 3 || shown == 5 || shown == 9);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_error_has_a_name_of_its_own),
        cmocka_unit_test(the_first_reason_is_kept),
        cmocka_unit_test(a_long_reason_is_cut),
        cmocka_unit_test(a_cut_reason_ends_with_a_whole_character),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
