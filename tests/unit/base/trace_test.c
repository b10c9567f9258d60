/* trace_test.c - the traceparent header: what is valid, and what is sent back. */
#include "base/trace.h"
#include "unit/assert_str.h"

#define TRACE "4bf92f3577b34da6a3ce929d0e0e4736"
#define PARENT "00f067aa0ba902b7"

static void
valid_headers_have_a_trace_id(void **state)
{
    static const char *const valid[] = {
        "00-" TRACE "-" PARENT "-00",
        "00-" TRACE "-" PARENT "-01",
        "00-" TRACE "-" PARENT "-ff",
        "01-" TRACE "-" PARENT "-01",
        "cc-" TRACE "-" PARENT "-01-what-the-future",
        "fe-" TRACE "-" PARENT "-01-",
    };
    (void)state;
    for (size_t i = 0; i < ROWS(valid); i++)
        assert_str(trace_id(str_of(valid[i])), STR(TRACE), valid[i]);
}

static void
others_are_ignored(void **state)
{
    static const char *const invalid[] = {
        "",
        "00",
        "00-" TRACE "-" PARENT "-0",
        "00-" TRACE "-" PARENT "-01-", /* version 00 has no more fields */
        "00-" TRACE "-" PARENT "-01-more",
        "01-" TRACE "-" PARENT "-01.more",
        "ff-" TRACE "-" PARENT "-01",
        "0-" TRACE "-" PARENT "-001",
        "0x-" TRACE "-" PARENT "-01",
        "00-00000000000000000000000000000000-" PARENT "-01",
        "00-" TRACE "-0000000000000000-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-" PARENT "-01",
        "00-" TRACE "-00F067AA0BA902B7-01",
        "00-" TRACE "-" PARENT "-0X",
        "00_" TRACE "-" PARENT "-01",
        "00-" TRACE "_" PARENT "-01",
        "00-" TRACE "-" PARENT "_01",
        " 00-" TRACE "-" PARENT "-01",
        "00-" TRACE "-" PARENT "-01 ",
        "00-" TRACE "\n" PARENT "-01",
    };
    (void)state;
    assert_false(str_present(trace_id(STR_NONE)));
    for (size_t i = 0; i < ROWS(invalid); i++)
        assert_row(!str_present(trace_id(str_of(invalid[i]))), invalid[i]);
}

static void
the_trace_is_continued_with_our_span(void **state)
{
    static const char *const sent[][2] = {
        { "00-" TRACE "-" PARENT "-01", "00-" TRACE "-0123456789abcdef-01" },
        { "00-" TRACE "-" PARENT "-00", "00-" TRACE "-0123456789abcdef-00" },
        { "00-" TRACE "-" PARENT "-fe", "00-" TRACE "-0123456789abcdef-00" },
        { "cc-" TRACE "-" PARENT "-0b-x", "00-" TRACE "-0123456789abcdef-01" },
    };
    (void)state;
    for (size_t i = 0; i < ROWS(sent); i++) {
        char out[TRACEPARENT_LENGTH + 1];
        trace_continue(str_of(sent[i][0]), "0123456789abcdef", out);
        assert_string_equal(out, sent[i][1]);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_headers_have_a_trace_id),
        cmocka_unit_test(others_are_ignored),
        cmocka_unit_test(the_trace_is_continued_with_our_span),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
