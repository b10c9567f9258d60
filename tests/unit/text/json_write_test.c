#include "unit/assert_str.h"

#include "base/arena.h"
#include "text/json_write.h"

#include <math.h>

#define BAD "\xef\xbf\xbd"

static void
commas_are_only_between_values(void **state)
{
    struct arena *mem = arena_new();
    struct buf out = buf_in(mem, 1000);
    struct json json = json_into(&out);
    (void)state;
    json_open_object(&json);
    json_put_str(&json, "name", STR("Ada"));
    json_put_int(&json, "n", -7);
    json_put_bool(&json, "yes", true);
    json_put_bool(&json, "no", false);
    json_put_str(&json, "absent", STR_NONE);
    json_put_time(&json, "at", 1794648600);
    json_put_time(&json, "never", 0);
    json_key(&json, "list");
    json_open_array(&json);
    json_int(&json, 1);
    json_str(&json, STR("two"));
    json_null(&json);
    json_open_object(&json);
    json_close_object(&json);
    json_open_array(&json);
    json_close_array(&json);
    json_bool(&json, true);
    json_close_array(&json);
    json_key(&json, "last");
    json_time(&json, -1);
    json_close_object(&json);
    assert_str(buf_str(&out),
               STR("{\"name\":\"Ada\",\"n\":-7,\"yes\":true,\"no\":false,\"absent\":null,"
                   "\"at\":\"2026-11-14T09:30:00Z\",\"never\":null,"
                   "\"list\":[1,\"two\",null,{},[],true],\"last\":\"1969-12-31T23:59:59Z\"}"),
               "a whole document");
    arena_free(mem);
}

static void
strings_are_escaped_and_always_utf8(void **state)
{
    static const struct {
        const char *why;
        struct str in;
        const char *out;
    } rows[] = {
        { "empty", { "", 0 }, "\"\"" },
        { "quote and backslash", { "a\"b\\c", 5 }, "\"a\\\"b\\\\c\"" },
        { "short escapes", { "\b\f\n\r\t", 5 }, "\"\\b\\f\\n\\r\\t\"" },
        { "NUL", { "a\0b", 3 }, "\"a\\u0000b\"" },
        { "other controls", { "\x01\x1f", 2 }, "\"\\u0001\\u001f\"" },
        { "slash, <, DEL stay", { "</\x7f", 3 }, "\"</\x7f\"" },
        { "UTF-8 stays", { "\xc3\xa9\xf0\x9f\x98\x80", 6 }, "\"\xc3\xa9\xf0\x9f\x98\x80\"" },
        { "bad byte",
          { "a\xff"
            "b",
            3 },
          "\"a" BAD "b\"" },
        { "surrogate, each byte", { "\xed\xa0\x80", 3 }, "\"" BAD BAD BAD "\"" },
        { "a lead byte does not eat the quote", { "\xc3\"", 2 }, "\"" BAD "\\\"\"" },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct buf out = buf_in(mem, 1000);
        struct json json = json_into(&out);
        json_str(&json, rows[i].in);
        assert_str(buf_str(&out), str_of(rows[i].out), rows[i].why);
    }
    arena_free(mem);
}

static void
numbers_reach_both_ends_of_64_bits(void **state)
{
    struct arena *mem = arena_new();
    struct buf out = buf_in(mem, 1000);
    struct json json = json_into(&out);
    (void)state;
    json_open_array(&json);
    json_int(&json, INT64_MIN);
    json_int(&json, INT64_MAX);
    json_int(&json, 0);
    json_time(&json, INT64_MAX);
    json_close_array(&json);
    assert_str(buf_str(&out), STR("[-9223372036854775808,9223372036854775807,0,null]"), "limits");
    arena_free(mem);
}

static void
a_number_is_the_shortest_text_that_reads_as_the_same(void **state)
{
    static const struct {
        double in;
        const char *out;
    } rows[] = {
        { 0, "0" },
        { -0.0, "0" },
        { 1, "1" },
        { -1000000, "-1000000" },
        { 0.8, "0.8" },
        { 0.1 + 0.2, "0.30000000000000004" },
        { 1.0 / 3, "0.3333333333333333" },
        { 1234567.5, "1234567.5" },
        { 1e15, "1000000000000000" },
        { 9007199254740992.0, "9007199254740992" },
        { 1e300, "1e+300" },
        { 5e-324, "5e-324" },
        { 1e-5, "1e-05" },
        { INFINITY, "null" },
        { NAN, "null" },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct buf out = buf_in(mem, 1000);
        struct json json = json_into(&out);
        json_number(&json, rows[i].in);
        assert_str(buf_str(&out), str_of(rows[i].out), rows[i].out);
    }
    arena_free(mem);
}

static void
keys_are_escaped_too(void **state)
{
    struct arena *mem = arena_new();
    struct buf out = buf_in(mem, 1000);
    struct json json = json_into(&out);
    (void)state;
    json_open_object(&json);
    json_put_int(&json, "a\"b\n", 1);
    json_close_object(&json);
    assert_str(buf_str(&out), STR("{\"a\\\"b\\n\":1}"), "key");
    arena_free(mem);
}

/* Bytes are looked at eight at a time, and the last eight together. */
static void
what_must_be_escaped_is_found_at_every_place(void **state)
{
    static const struct {
        const char *in, *out;
    } rows[] = { { "\"", "\\\"" },           { "\\", "\\\\" }, { "\x1f", "\\u001f" },
                 { "\xc3\xa9", "\xc3\xa9" }, { "\xff", BAD },  { "~", "~" } };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        for (size_t before = 0; before < 20; before++) {
            for (size_t after = 0; after < 20; after++) {
                static const char letters[] = "abcdefghijklmnopqrst";
                int left = (int)before, right = (int)after;
                struct str text =
                    str_format(mem, "%.*s%s%.*s", left, letters, rows[i].in, right, letters);
                struct buf out = buf_in(mem, 1000);
                struct json json = json_into(&out);
                json_str(&json, text);
                assert_str(
                    buf_str(&out),
                    str_format(mem, "\"%.*s%s%.*s\"", left, letters, rows[i].out, right, letters),
                    rows[i].in);
            }
        }
    }
    arena_free(mem);
}

static void
literal_keys_are_written_like_any_others(void **state)
{
    struct arena *mem = arena_new();
    struct buf out = buf_in(mem, 1000);
    struct json json = json_into(&out);
    (void)state;
    json_open_object(&json);
    json_put_integer(&json, "a", -12);
    json_put_name(&json, "b", STR("c"));
    json_put_raw(&json, "d", STR("[]"));
    json_put_integer(&json, "e", 0);
    json_close_object(&json);
    assert_str(buf_str(&out), STR("{\"a\":-12,\"b\":\"c\",\"d\":[],\"e\":0}"), "four of them");
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commas_are_only_between_values),
        cmocka_unit_test(what_must_be_escaped_is_found_at_every_place),
        cmocka_unit_test(literal_keys_are_written_like_any_others),
        cmocka_unit_test(strings_are_escaped_and_always_utf8),
        cmocka_unit_test(numbers_reach_both_ends_of_64_bits),
        cmocka_unit_test(a_number_is_the_shortest_text_that_reads_as_the_same),
        cmocka_unit_test(keys_are_escaped_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
