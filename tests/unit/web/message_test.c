#include "unit/web/call_by_hand.h"

#include "web/message.h"

static void
a_number_has_thousands_separators(void **state)
{
    static const struct {
        int64_t number;
        const char *expected;
    } rows[] = {
        { 0, "0" },
        { 7, "7" },
        { 999, "999" },
        { 1000, "1,000" },
        { 5417, "5,417" },
        { 12345, "12,345" },
        { 999999, "999,999" },
        { 1000000, "1,000,000" },
        { INT64_MAX, "9,223,372,036,854,775,807" },
        { -123, "-123" },
        { -1234, "-1,234" },
    };
    (void)state;
    struct call call = call_by_hand();
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_str(message_number(&call, rows[i].number), str_of(rows[i].expected),
                   rows[i].expected);
}

MESSAGE(one, "account.facts.one");
MESSAGE(other, "account.facts.other");

static void
one_has_its_own_message(void **state)
{
    (void)state;
    struct call call = call_by_hand();
    assert_str(message_count(&call, one, other, 0), STR("0 facts"), "none");
    assert_str(message_count(&call, one, other, 1), STR("1 fact"), "one");
    assert_str(message_count(&call, one, other, 1001), STR("1,001 facts"), "many");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        CALL_TEST(a_number_has_thousands_separators),
        CALL_TEST(one_has_its_own_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
