#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/row_key.h"

static void
a_persons_places_begin_with_bits_of_the_id(void **state)
{
    (void)state;
    static const struct {
        const char *why, *id;
        int64_t expected;
    } rows[] = {
        { "the smallest", "usr_AAAAAAAAAAAAAAAAAAAAAA", 0 },
        { "the ninth character counts one", "usr_AAAAAAAABAAAAAAAAAAAAA", 256 },
        { "the eighth counts sixty-four", "usr_AAAAAAABAAAAAAAAAAAAAA", (int64_t)64 * 256 },
        { "the tenth does not count", "usr_AAAAAAAAA_____________", 0 },
        { "the largest has room for all its places", "usr_______________________",
          INT64_C(0x3fffffffffffff) * 256 },
        { "in the order of base64url", "usr_AAAAAAAAaAAAAAAAAAAAAA", 26 * 256 },
        { "digits behind letters", "usr_AAAAAAAA0AAAAAAAAAAAAA", 52 * 256 },
        { "no id at all", "usr_", 0 },
        { "nothing", "", 0 },
        { "characters that no id has", "usr_AAAAAAAA!AAAAAAAAAAAAA", 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (row_key_of_user(str_of(rows[i].id)) != rows[i].expected)
            fail_msg("%s: %lld", rows[i].why, (long long)row_key_of_user(str_of(rows[i].id)));
    assert_true(row_key_of_user(STR("usr_______________________")) <=
                INT64_MAX - ROW_KEYS_PER_USER);
}

static void
a_hash_is_counted_by_its_first_ten_characters(void **state)
{
    (void)state;
    assert_int_equal(row_key_of_hash(STR("AAAAAAAAAB_________________________________")), 1);
    assert_int_equal(row_key_of_hash(STR("BAAAAAAAAA")), INT64_C(1) << 54);
    assert_int_equal(row_key_of_hash(STR("__________")), (INT64_C(1) << 60) - 1);
    assert_int_equal(row_key_of_hash(STR("B")), INT64_C(1) << 54);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_persons_places_begin_with_bits_of_the_id),
        cmocka_unit_test(a_hash_is_counted_by_its_first_ten_characters),
    };
    return cmocka_run_group_tests_name("store/row_key", tests, NULL, NULL);
}
