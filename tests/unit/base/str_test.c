#include "unit/assert_str.h"

#include "base/arena.h"

static void
absent_is_not_empty(void **state)
{
    (void)state;
    assert_false(str_present(STR_NONE));
    assert_true(str_present(STR("")));
    assert_str(str_of(NULL), STR_NONE, "no C string");
    assert_str(str_of(""), STR(""), "an empty one");
    assert_str(str_of("abc"), STR("abc"), "a C string");
}

static void
texts_are_equal_byte_by_byte_and_to_their_end(void **state)
{
    (void)state;
    assert_true(str_eq(STR("abc"), STR("abc")));
    assert_false(str_eq(STR("abc"), STR("abd")));
    assert_false(str_eq(STR("abc"), STR("ab")));
    assert_false(str_eq(STR("a\0b"), STR("a\0c")));
    assert_false(str_eq(STR("a\0b"), STR("a")));
    assert_false(str_eq_c(STR("a\0b"), "a"));
    assert_true(str_eq_c(STR("abc"), "abc"));
    assert_true(str_eq_nocase(STR("Content-TYPE"), STR("content-type")));
    assert_false(str_eq_nocase(STR("a"), STR("ab")));
    assert_false(str_eq_nocase(STR("\xc3\x89"), STR("\xc3\xa9")));
    assert_false(str_eq_nocase(STR("[@"), STR("{`"))); /* beside the letters */
    /* The same in a text of eight bytes and more. */
    assert_true(str_eq_nocase(STR("MCP-PROTOCOL-VERSIONAZ"), STR("mcp-protocol-versionaz")));
    assert_false(str_eq_nocase(STR("[@[@[@[@"), STR("{`{`{`{`")));
    assert_false(str_eq_nocase(STR("\xc3\x89xxxxxx"), STR("\xc3\xa9xxxxxx")));
    assert_false(str_eq_nocase(STR("abcdefgh1"), STR("abcdefgh2")));
    assert_false(str_eq_nocase(STR("abcdefgX1"), STR("abcdefgY1")));
}

static void
texts_are_ordered_by_their_bytes(void **state)
{
    (void)state;
    assert_int_equal(str_order(STR("abc"), STR("abc")), 0);
    assert_int_equal(str_order(STR_NONE, STR("")), 0);
    assert_true(str_order(STR("abc"), STR("abd")) < 0);
    assert_true(str_order(STR("b"), STR("ab")) > 0);
    assert_true(str_order(STR("ab"), STR("abc")) < 0);
    assert_true(str_order(STR("a\0b"), STR("a")) > 0);
    assert_true(str_order(STR("\xc3\xa9"), STR("z")) > 0);
}

static void
starts_and_ends(void **state)
{
    (void)state;
    assert_true(str_starts(STR("abc"), STR("ab")));
    assert_true(str_starts(STR("abc"), STR("")));
    assert_true(str_starts(STR("abc"), STR("abc")));
    assert_false(str_starts(STR("abc"), STR("abcd")));
    assert_false(str_starts(STR("abc"), STR("b")));
    assert_false(str_starts(STR_NONE, STR("a")));
    assert_true(str_ends(STR("abc"), STR("bc")));
    assert_true(str_ends(STR("abc"), STR("")));
    assert_false(str_ends(STR("abc"), STR("b")));
    assert_false(str_ends(STR("c"), STR("bc")));
}

static void
parts_never_reach_past_the_end(void **state)
{
    struct str s = STR("abc");
    (void)state;
    assert_int_equal(str_index(s, 'b'), 1);
    assert_int_equal(str_index(s, 'x'), 3);
    assert_int_equal(str_index(s, '\0'), 3);
    assert_int_equal(str_index(STR("a\0b"), 'b'), 2);
    assert_int_equal(str_index(STR_NONE, 'a'), 0);
    assert_int_equal(str_find(STR("abcabd"), STR("abd")), 3);
    assert_int_equal(str_find(STR("abc"), STR("bc")), 1);
    assert_int_equal(str_find(STR("abc"), STR("bcd")), 3);
    assert_int_equal(str_find(str_first(STR("abc"), 2), STR("bc")), 2); /* ends at the length */
    assert_int_equal(str_find(STR("a\0b"), STR("\0b")), 1);
    assert_int_equal(str_find(s, STR_NONE), 0);
    assert_int_equal(str_find(STR_NONE, STR("a")), 0);
    assert_int_equal(str_word_count(STR("two words")), 2);
    assert_int_equal(str_word_count(STR("")), 0);
    assert_int_equal(str_word_count(STR_NONE), 0);
    assert_str(str_from(s, 1), STR("bc"), "from 1");
    assert_str(str_from(s, 3), STR(""), "from the end");
    assert_str(str_from(s, 99), STR(""), "from past the end");
    assert_str(str_from(STR_NONE, 1), STR_NONE, "of nothing");
    assert_str(str_first(s, 2), STR("ab"), "first 2");
    assert_str(str_first(s, 99), STR("abc"), "first 99");
    assert_str(str_first(s, 0), STR(""), "first 0");
}

static void
only_spaces_and_tabs_are_trimmed(void **state)
{
    (void)state;
    assert_str(str_trim(STR(" \t a b\t ")), STR("a b"), "both ends");
    assert_str(str_trim(STR(" \t ")), STR(""), "nothing else");
    assert_str(str_trim(STR("\na\r")), STR("\na\r"), "line ends stay");
    assert_str(str_trim(STR_NONE), STR_NONE, "absent");
}

static void
cutting_gives_every_part_once(void **state)
{
    static const struct {
        const char *in;
        const char *parts[5];
    } rows[] = {
        { "a,b,c", { "a", "b", "c" } }, { "a", { "a" } },      { "", { "" } }, { ",", { "", "" } },
        { "a,,b", { "a", "", "b" } },   { "a,", { "a", "" } },
    };
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct str rest = str_of(rows[i].in), part;
        for (size_t p = 0; rows[i].parts[p] != NULL; p++) {
            assert_row(str_cut(&rest, ',', &part), rows[i].in);
            assert_str(part, str_of(rows[i].parts[p]), rows[i].in);
        }
        assert_row(!str_cut(&rest, ',', &part), rows[i].in);
    }
    struct str rest = STR_NONE, part;
    assert_false(str_cut(&rest, ',', &part));
}

static void
numbers_have_one_spelling_and_bounds(void **state)
{
    static const struct {
        const char *in;
        int64_t min, max;
        bool fine;
        int64_t value;
    } rows[] = {
        { "0", 0, 10, true, 0 },
        { "7", 0, 10, true, 7 },
        { "10", 0, 10, true, 10 },
        { "11", 0, 10, false, 0 },
        { "-1", 0, 10, false, 0 },
        { "-1", -1, 10, true, -1 },
        { "9223372036854775807", INT64_MIN, INT64_MAX, true, INT64_MAX },
        { "9223372036854775808", INT64_MIN, INT64_MAX, false, 0 },
        { "-9223372036854775808", INT64_MIN, INT64_MAX, true, INT64_MIN },
        { "-9223372036854775809", INT64_MIN, INT64_MAX, false, 0 },
        { "99999999999999999999", INT64_MIN, INT64_MAX, false, 0 },
        { "", INT64_MIN, INT64_MAX, false, 0 },
        { "-", INT64_MIN, INT64_MAX, false, 0 },
        { "-0", INT64_MIN, INT64_MAX, false, 0 },
        { "--1", INT64_MIN, INT64_MAX, false, 0 },
        { "+1", INT64_MIN, INT64_MAX, false, 0 },
        { "01", INT64_MIN, INT64_MAX, false, 0 },
        { " 1", INT64_MIN, INT64_MAX, false, 0 },
        { "1 ", INT64_MIN, INT64_MAX, false, 0 },
        { "1.0", INT64_MIN, INT64_MAX, false, 0 },
        { "1e3", INT64_MIN, INT64_MAX, false, 0 },
        { "0x1", INT64_MIN, INT64_MAX, false, 0 },
        { "/", INT64_MIN, INT64_MAX, false, 0 },
        { ":", INT64_MIN, INT64_MAX, false, 0 },
    };
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        int64_t value = 42;
        bool fine = str_to_int(str_of(rows[i].in), rows[i].min, rows[i].max, &value);
        assert_row(fine == rows[i].fine, rows[i].in);
        assert_row(value == (fine ? rows[i].value : 42), rows[i].in);
    }
    int64_t value;
    assert_false(str_to_int(STR("1\0"), 0, 10, &value));
    assert_false(str_to_int(STR_NONE, 0, 10, &value));
}

static void
copies_end_in_nul_and_keep_every_byte(void **state)
{
    struct arena *mem = arena_new();
    (void)state;
    struct str from = STR("aB\0c");
    struct str copy = str_copy(mem, from);
    assert_str(copy, from, "copy");
    assert_ptr_not_equal(copy.ptr, from.ptr);
    assert_int_equal(copy.ptr[copy.len], '\0');
    assert_str(str_copy(mem, STR_NONE), STR_NONE, "absent stays absent");
    assert_str(str_copy(mem, STR("")), STR(""), "empty stays empty");
    assert_string_equal(str_c(mem, str_first(STR("abcdef"), 3)), "abc");
    assert_null(str_c(mem, STR_NONE));
    assert_str(str_lower(mem, STR("AZaz[@\xc3\x89")), STR("azaz[@\xc3\x89"), "ASCII only");
    assert_str(str_format(mem, "%d-%s", 7, "x"), STR("7-x"), "formatted");
    struct str padded = str_format(mem, "%5000d", 1);
    assert_int_equal(padded.len, 5000);
    assert_int_equal(padded.ptr[4999], '1');
    assert_int_equal(padded.ptr[5000], '\0');
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(absent_is_not_empty),
        cmocka_unit_test(texts_are_equal_byte_by_byte_and_to_their_end),
        cmocka_unit_test(texts_are_ordered_by_their_bytes),
        cmocka_unit_test(starts_and_ends),
        cmocka_unit_test(parts_never_reach_past_the_end),
        cmocka_unit_test(only_spaces_and_tabs_are_trimmed),
        cmocka_unit_test(cutting_gives_every_part_once),
        cmocka_unit_test(numbers_have_one_spelling_and_bounds),
        cmocka_unit_test(copies_end_in_nul_and_keep_every_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
