/* Lengths of hints, which are computed from the definition and not stored. */
#include "unit/hint/hint_kit.h"

#include "hint/hint.h"

#define FACTS 5000 /* more than a domain may have */

static void
lengths_grow_to_all_values_and_never_omit_one(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    const struct domain *domain = hint_kit_fare(mem);
    for (size_t m = 0; m < domain->member_count; m++) {
        const struct member *member = &domain->members[m];
        for (int total = 1; total <= FACTS; total++) {
            size_t count = 0;
            int last = 0;
            for (int items = hint_fewest_items(member, total); items != 0;
                 items = hint_more_items(member, total, items)) {
                assert_true(items > last && items <= total && items != total - 1);
                last = items;
                count++;
            }
            assert_int_equal(last, total);
            assert_int_equal(hint_length_count(member, total), count);
            assert_true(count <= HINT_LENGTHS_MAX);
        }
    }
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_grow_to_all_values_and_never_omit_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
