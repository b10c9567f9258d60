#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/shard.h"

static void
an_id_leads_to_its_shard(void **state)
{
    (void)state;
    static const struct {
        const char *why, *id, *shard;
        int number;
    } rows[] = {
        { "the first", "usr_AAAAAAAAAAAAAAAAAAAAAA", "AA", 0 },
        { "the second", "usr_ABAAAAAAAAAAAAAAAAAAAA", "AB", 1 },
        { "the first character counts sixty-four", "usr_BAAAAAAAAAAAAAAAAAAAAA", "BA", 64 },
        { "the last", "usr_______________________", "__", SHARD_COUNT - 1 },
        { "other characters do not count", "fam_a0______--____________", "a0", 26 * 64 + 52 },
        { "a prefix of any length", "mail_-zAAAAAAAAAAAAAAAAAAAA", "-z", 62 * 64 + 51 },
        { "no prefix", "AbAAAA", "AA", 0 },
        { "too short", "req_B", "AA", 0 },
        { "nothing after the prefix", "req_", "AA", 0 },
        { "nothing", "", "AA", 0 },
        { "no digit in the first place", "req_'BCDE", "AA", 0 },
        { "no digit in the second place",
          "req_B\xff"
          "CDE",
          "AA", 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct str shard = shard_of(str_of(rows[i].id));
        if (!str_eq_c(shard, rows[i].shard) || shard_number(shard) != rows[i].number)
            fail_msg("%s: %.*s is %d", rows[i].why, STR_ARG(shard), shard_number(shard));
    }
    assert_true(str_eq_c(shard_of(STR_NONE), "AA"));
    assert_true(str_eq_c(shard_at_start(STR("xyz")), "xy"));
    assert_true(str_eq_c(shard_at_start(STR("x")), "AA"));
}

static void
a_hash_belongs_to_one_shard(void **state)
{
    (void)state;
    struct str id = STR("usr_xyAAAAAAAAAAAAAAAAAAAA");
    assert_true(shard_holds(STR("xy0123"), id));
    assert_false(shard_holds(STR("xz0123"), id));
    assert_false(shard_holds(STR("yy0123"), id));
    assert_false(shard_holds(STR("XY0123"), id));
    assert_false(shard_holds(STR_NONE, id));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_id_leads_to_its_shard),
        cmocka_unit_test(a_hash_belongs_to_one_shard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
