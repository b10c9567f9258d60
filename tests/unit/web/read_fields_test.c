#include "unit/web/by_hand.h"

#include "web/field.h"
#include "web/read_fields.h"

enum { LIMIT, MESSAGE, STATE, NEEDED };

static const struct field fields[] = {
    [LIMIT] = { "limit", FIELD_INTEGER, .min = 1, .max = 100, .fallback = 20 },
    [MESSAGE] = { "word", FIELD_LINE, .max = 5 },
    [STATE] = { "state", FIELD_TEXT, .max = 5 },
    [NEEDED] = { "needed", FIELD_LINE, .max = 5, .required = true },
};
static const struct route row = { GET, "/x", .caller = CALLER_ANYONE, ROUTE_FIELDS(fields) };

static const struct field form_fields[] = {
    { "name", FIELD_LINE, FIELD_IN_FORM, .max = 20 },
    { "page", FIELD_INTEGER, FIELD_IN_QUERY, .min = 1, .max = 9, .fallback = 1 },
};
static const struct route form_row = { POST, "/x", .caller = CALLER_ANYONE,
                                       ROUTE_FIELDS(form_fields) };

static struct http_exchange exchange;
static struct call call;

static enum err
read_from(const struct route *route, const char *target, struct str body)
{
    arena_reset(hand.mem);
    exchange = (struct http_exchange){ .mem = hand.mem,
                                       .request = { .target = str_of(target), .body = body } };
    call = (struct call){ .mem = hand.mem, .exchange = &exchange, .route = route };
    return read_fields(&call);
}

static void
an_integer_must_be_within_its_bounds(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        const char *target;
        int64_t expected; /* -1: refused */
    } table[] = {
        { "the least", "/x?needed=a&limit=1", 1 },
        { "the most", "/x?needed=a&limit=100", 100 },
        { "not sent", "/x?needed=a", 20 },
        { "sent without a value", "/x?needed=a&limit=", 20 },
        { "blanks around it", "/x?needed=a&limit=+7+", 7 },
        { "too small", "/x?needed=a&limit=0", -1 },
        { "too large", "/x?needed=a&limit=101", -1 },
        { "negative", "/x?needed=a&limit=-1", -1 },
        { "past 64 bits", "/x?needed=a&limit=18446744073709551617", -1 },
        { "a fraction", "/x?needed=a&limit=1.5", -1 },
        { "an exponent", "/x?needed=a&limit=1e1", -1 },
        { "hexadecimal", "/x?needed=a&limit=0x10", -1 },
        { "a word", "/x?needed=a&limit=all", -1 },
        { "sent twice", "/x?needed=a&limit=1&limit=1", -1 },
        { "sent twice, once in disguise", "/x?needed=a&limit=1&%6Cimit=2", -1 },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        enum err err = read_from(&row, table[i].target, STR(""));
        if (err != (table[i].expected < 0 ? ERR_INVALID : ERR_NONE))
            fail_msg("%s", table[i].why);
        if (err == ERR_NONE)
            assert_int_equal(call_integer(&call, LIMIT), table[i].expected);
        else
            assert_true(str_eq_c(call.details[0].at, "limit"));
    }
    read_from(&row, "/x?needed=a&limit=0", STR(""));
    assert_true(str_eq_c(call.details[0].problem, "must be a whole number from 1 to 100"));
}

static void
a_text_has_a_maximum_length(void **state)
{
    (void)state;
    assert_int_equal(read_from(&row, "/x?needed=%C3%B6%C3%B6%C3%B6%C3%B6%C3%B6", STR("")),
                     ERR_NONE);
    assert_int_equal(call_text(&call, NEEDED).len, 10);
    assert_int_equal(read_from(&row, "/x?needed=123456", STR("")), ERR_INVALID);
    assert_true(str_eq_c(call.details[0].problem, "must have at most 5 characters"));
}

static void
a_line_is_trimmed_and_a_text_is_not(void **state)
{
    (void)state;
    assert_int_equal(read_from(&row, "/x?needed=+a+&state=+b+&word=++", STR("")), ERR_NONE);
    assert_true(str_eq_c(call_text(&call, NEEDED), "a"));
    assert_true(str_eq_c(call_text(&call, STATE), " b "));
    assert_false(str_present(call_text(&call, MESSAGE)));
}

static void
a_required_field_must_be_sent(void **state)
{
    (void)state;
    static const char *const targets[] = { "/x", "/x?", "/x?needed", "/x?needed=", "/x?needed=+" };
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        assert_int_equal(read_from(&row, targets[i], STR("")), ERR_INVALID);
        assert_true(str_eq_c(call.details[0].at, "needed"));
        assert_true(str_eq_c(call.details[0].problem, "is missing"));
    }
}

static void
every_invalid_field_is_reported(void **state)
{
    (void)state;
    assert_int_equal(read_from(&row, "/x?limit=x&word=123456&state=1&state=2", STR("")),
                     ERR_INVALID);
    assert_int_equal(call.detail_count, 4);
    assert_true(str_eq_c(call.details[2].at, "state"));
    assert_true(str_eq_c(call.details[2].problem, "must be sent only once"));
}

static void
undeclared_fields_are_ignored(void **state)
{
    (void)state;
    assert_int_equal(read_from(&row, "/x?needed=a&utm=1&utm=2&Limit=no", STR("")), ERR_NONE);
    assert_int_equal(call_integer(&call, LIMIT), 20);
}

static void
a_malformed_form_is_rejected(void **state)
{
    (void)state;
    static const char *const targets[] = { "/x?needed=%00", "/x?needed=%zz", "/x?needed=%C3",
                                           "/x?needed=a&%=1" };
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        assert_int_equal(read_from(&row, targets[i], STR("")), ERR_INVALID);
        assert_true(str_eq_c(call.details[0].at, "query"));
        assert_true(str_starts(call.details[0].problem, STR("cannot be read: ")));
    }
}

static void
a_field_is_read_from_its_declared_source_only(void **state)
{
    (void)state;
    assert_int_equal(read_from(&form_row, "/x?name=query&page=2", STR("name=form&page=3")),
                     ERR_NONE);
    assert_true(str_eq_c(call_text(&call, 0), "form"));
    assert_int_equal(call_integer(&call, 1), 2);
    assert_int_equal(read_from(&form_row, "/x?name=query", STR("")), ERR_NONE);
    assert_false(str_present(call_text(&call, 0)));
}

static int
setup(void **state)
{
    (void)state;
    hand.mem = arena_new();
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    arena_free(hand.mem);
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_integer_must_be_within_its_bounds),
        cmocka_unit_test(a_text_has_a_maximum_length),
        cmocka_unit_test(a_line_is_trimmed_and_a_text_is_not),
        cmocka_unit_test(a_required_field_must_be_sent),
        cmocka_unit_test(every_invalid_field_is_reported),
        cmocka_unit_test(undeclared_fields_are_ignored),
        cmocka_unit_test(a_malformed_form_is_rejected),
        cmocka_unit_test(a_field_is_read_from_its_declared_source_only),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
