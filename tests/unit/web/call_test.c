#include "unit/web/call_by_hand.h"

#include "text/form.h"

static void
a_form_is_read_once(void **state)
{
    (void)state;
    struct call call = call_by_hand();
    with_form("a=1&b=%C3%BC");
    const struct form *form = call_form(&call);
    assert_non_null(form);
    assert_null(call.form_problem);
    assert_int_equal(form->count, 2);
    assert_str(form_find(form, "b"), STR("ü"), "decoded");
    hand.exchange.request.body = STR("c=%"); /* must not be read again */
    assert_ptr_equal(call_form(&call), form);
    assert_null(call.form_problem);
}

static void
a_malformed_form_has_a_problem(void **state)
{
    (void)state;
    struct call call = call_by_hand();
    with_form("a=1&b=%");
    for (int i = 0; i < 2; i++) { /* the result stays */
        assert_null(call_form(&call));
        assert_non_null(strstr(call.form_problem, "field 2 holds a broken %-escape"));
        hand.exchange.request.body = STR("a=1");
    }
}

static void
no_body_is_a_form_of_no_fields(void **state)
{
    (void)state;
    struct call call = call_by_hand();
    assert_non_null(call_form(&call));
    assert_int_equal(call_form(&call)->count, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        CALL_TEST(a_form_is_read_once),
        CALL_TEST(a_malformed_form_has_a_problem),
        CALL_TEST(no_body_is_a_form_of_no_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
