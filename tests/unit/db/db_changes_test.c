/* The texts of change rows. */
#include "unit/assert_str.h"

#include "postgres/postgres.h"

#include <string.h>

static void
rows_name_slots_or_everything(void **state)
{
    static const struct {
        const char *rows;
        bool all;
        size_t count;
        uint16_t slots[3];
    } cases[] = {
        { "", true, 0, { 0 } },
        { "0", false, 1, { 0 } },
        { "12,16383 7", false, 3, { 12, 16383, 7 } },
        { "12 <1000", false, 1, { 12 } }, /* deleted: only what the snapshot had seen */
        { "<1001", true, 0, { 0 } },      /* perhaps more */
        { "<", true, 0, { 0 } },
        { "*", true, 0, { 0 } },
        { "16384", true, 0, { 0 } },
        { "-1", true, 0, { 0 } },
        { "1,,2", true, 1, { 1 } },
        { "1,x", true, 1, { 1 } },
        { " ", true, 0, { 0 } },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static struct touched touched;
        memset(&touched, 0, sizeof touched);
        postgres_changes_read(str_of(cases[i].rows), 1000, &touched);
        assert_int_equal(touched.all, cases[i].all);
        assert_int_equal(touched.count, cases[i].count);
        assert_memory_equal(touched.slots, cases[i].slots, cases[i].count * sizeof(uint16_t));
    }
}

static void
a_transaction_names_each_slot_once(void **state)
{
    static struct touched touched;
    char text[POSTGRES_CHANGES_MAX];
    (void)state;
    for (size_t i = 0; i < 6; i++)
        touched_add(&touched, 4000 + i % 3);
    postgres_changes_write(&touched, text);
    assert_string_equal(text, "4000,4001,4002");
    for (size_t i = 0; i < 1000; i++)
        touched_add(&touched, i);
    assert_false(touched.all);
    postgres_changes_write(&touched, text);
    assert_string_equal(text, "*");
    for (size_t i = 0; i < 5000; i++)
        touched_add(&touched, 1);
    assert_true(touched.all);
}

static void
versions_are_the_last_commit_that_changed_an_id(void **state)
{
    static struct touched touched;
    struct versions versions = { 0 };
    const struct db_value values[] = { db_text(STR("usr_a")), db_text(STR("text")), db_int(5) };
    (void)state;
    versions_start(&versions);
    uint64_t before = versions_commits(&versions);
    assert_true(versions_of(&versions, STR("usr_a")) <= before);
    touched_add_values(&touched, values, 3);
    assert_int_equal(touched.count, 1);
    versions_raise(&versions, &touched);
    assert_false(touched_any(&touched));
    assert_true(versions_of(&versions, STR("usr_a")) > before);
    assert_true(versions_of(&versions, STR("usr_b")) <= before);
    touched.all = true;
    versions_raise(&versions, &touched);
    assert_int_equal(versions_of(&versions, STR("usr_b")), versions_commits(&versions));
    versions_stop(&versions);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_name_slots_or_everything),
        cmocka_unit_test(a_transaction_names_each_slot_once),
        cmocka_unit_test(versions_are_the_last_commit_that_changed_an_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
