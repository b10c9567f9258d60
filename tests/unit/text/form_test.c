#include "unit/assert_str.h"

#include "base/arena.h"
#include "text/form.h"

static void
fields_come_out_decoded_in_their_order(void **state)
{
    struct arena *mem = arena_new();
    struct form form;
    struct why why = { 0 };
    (void)state;
    struct str in = STR("a=1&b=two+words&c=%26%3D&&empty=&bare&a=2&d=x=y&=v&");
    assert_int_equal(form_read(mem, in, &form, &why), ERR_NONE);
    assert_string_equal(why.text, "");
    static const char *const expected[][2] = {
        { "a", "1" },   { "b", "two words" }, { "c", "&=" },  { "empty", "" },
        { "bare", "" }, { "a", "2" },         { "d", "x=y" }, { "", "v" },
    };
    assert_int_equal(form.count, ROWS(expected));
    for (size_t i = 0; i < form.count; i++) {
        assert_str(form.fields[i].name, str_of(expected[i][0]), "name");
        assert_str(form.fields[i].value, str_of(expected[i][1]), "value");
    }
    arena_free(mem);
}

static void
the_first_of_a_name_is_found_and_all_are_counted(void **state)
{
    struct arena *mem = arena_new();
    struct form form;
    (void)state;
    assert_int_equal(form_read(mem, STR("a=1&b=2&a=3&%61=4&A=5"), &form, NULL), ERR_NONE);
    assert_str(form_find(&form, "a"), STR("1"), "first");
    assert_int_equal(form_count(&form, "a"), 3);
    assert_int_equal(form_count(&form, "b"), 1);
    assert_str(form_find(&form, "c"), STR_NONE, "none");
    assert_int_equal(form_count(&form, "c"), 0);
    arena_free(mem);
}

static void
an_empty_form_has_no_fields(void **state)
{
    struct arena *mem = arena_new();
    struct form form = { .count = 7 };
    (void)state;
    assert_int_equal(form_read(mem, STR(""), &form, NULL), ERR_NONE);
    assert_int_equal(form.count, 0);
    form.count = 7;
    assert_int_equal(form_read(mem, STR_NONE, &form, NULL), ERR_NONE);
    assert_int_equal(form.count, 0);
    assert_int_equal(form_read(mem, STR("&&&&"), &form, NULL), ERR_NONE);
    assert_int_equal(form.count, 0);
    arena_free(mem);
}

static void
malformed_fields_are_refused_by_their_number(void **state)
{
    static const struct {
        struct str in;
        const char *field;
    } rows[] = {
        { { "a=%", 3 }, "field 1 " },          { { "a=1&b=%4", 8 }, "field 2 " },
        { { "a=1&%zz=2", 9 }, "field 2 " },    { { "a=%00", 5 }, "field 1 " },
        { { "a=\0", 3 }, "field 1 " },         { { "a=1&b=2&c=%ff", 13 }, "field 3 " },
        { { "a=%c0%af", 8 }, "field 1 " },     { { "\xff=1", 3 }, "field 1 " },
        { { "a=%ed%a0%80", 11 }, "field 1 " },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct form form;
        struct why why = { 0 };
        assert_row(form_read(mem, rows[i].in, &form, &why) == ERR_INVALID, rows[i].in.ptr);
        assert_row(strncmp(why.text, rows[i].field, strlen(rows[i].field)) == 0, why.text);
    }
    arena_free(mem);
}

static void
the_129th_field_is_one_too_many(void **state)
{
    char text[129 * 4];
    struct arena *mem = arena_new();
    struct form form;
    struct why why = { 0 };
    (void)state;
    for (size_t i = 0; i < 129; i++)
        memcpy(text + i * 4, "a=b&", 4);
    assert_int_equal(form_read(mem, (struct str){ text, 128 * 4 }, &form, &why), ERR_NONE);
    assert_int_equal(form.count, 128);
    assert_int_equal(form_read(mem, (struct str){ text, 129 * 4 - 1 }, &form, &why), ERR_INVALID);
    assert_string_equal(why.text, "there are more than 128 fields");
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_come_out_decoded_in_their_order),
        cmocka_unit_test(the_first_of_a_name_is_found_and_all_are_counted),
        cmocka_unit_test(an_empty_form_has_no_fields),
        cmocka_unit_test(malformed_fields_are_refused_by_their_number),
        cmocka_unit_test(the_129th_field_is_one_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
