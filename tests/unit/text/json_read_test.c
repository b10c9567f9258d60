#include "unit/assert_str.h"

#include "base/arena.h"
#include "base/buf.h"
#include "text/json_read.h"

#define DEPTH 8

static void
a_document_becomes_a_tree_in_its_order(void **state)
{
    struct arena *mem = arena_new();
    const struct json_value *root = NULL;
    struct why why = { 0 };
    (void)state;
    struct str document = STR(" {\"z\": [1, -2.5, \"t\\u00e9xt\", true, false, null, {}],\n"
                              "  \"a\": {\"b\": \"c\"}, \"\": 3} ");
    assert_int_equal(json_read(mem, document, DEPTH, &root, &why), ERR_NONE);
    assert_int_equal(root->type, JSON_OBJECT);
    assert_str(root->key, STR_NONE, "the root has no key");
    assert_int_equal(root->count, 3);
    assert_str(root->children[0].key, STR("z"), "first");
    assert_str(root->children[1].key, STR("a"), "second");
    assert_str(root->children[2].key, STR(""), "third");

    const struct json_value *list = json_member(root, "z");
    assert_int_equal(list->type, JSON_ARRAY);
    assert_int_equal(list->count, 7);
    assert_int_equal(list->children[0].type, JSON_INT);
    assert_int_equal(list->children[0].integer, 1);
    assert_str(list->children[0].key, STR_NONE, "an element has no key");
    assert_int_equal(list->children[1].type, JSON_REAL);
    assert_true(list->children[1].real > -2.6 && list->children[1].real < -2.4);
    assert_int_equal(list->children[2].type, JSON_STR);
    assert_str(list->children[2].text, STR("t\xc3\xa9xt"), "text");
    assert_int_equal(list->children[3].type, JSON_BOOL);
    assert_int_equal(list->children[3].integer, 1);
    assert_int_equal(list->children[4].type, JSON_BOOL);
    assert_int_equal(list->children[4].integer, 0);
    assert_int_equal(list->children[5].type, JSON_NULL);
    assert_int_equal(list->children[6].type, JSON_OBJECT);
    assert_int_equal(list->children[6].count, 0);

    assert_str(json_member(json_member(root, "a"), "b")->text, STR("c"), "inner");
    assert_int_equal(json_member(root, "")->integer, 3);
    assert_null(json_member(root, "b"));
    assert_null(json_member(list, "b"));
    arena_free(mem);
}

static void
any_value_may_be_the_whole_document(void **state)
{
    static const struct {
        const char *document;
        enum json_type type;
    } rows[] = {
        { "null", JSON_NULL },   { "true", JSON_BOOL }, { "0", JSON_INT },
        { "-0", JSON_INT },      { "1e3", JSON_REAL },  { "\"a\"", JSON_STR },
        { " [ ] ", JSON_ARRAY }, { "{}", JSON_OBJECT },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        const struct json_value *root = NULL;
        assert_row(json_read(mem, str_of(rows[i].document), DEPTH, &root, NULL) == ERR_NONE,
                   rows[i].document);
        assert_row(root->type == rows[i].type, rows[i].document);
    }
    arena_free(mem);
}

static void
strings_keep_every_character(void **state)
{
    static const struct {
        const char *document;
        struct str text;
    } rows[] = {
        { "\"a\\u0000b\"", { "a\0b", 3 } },
        { "\"\\ud83d\\ude00\"", { "\xf0\x9f\x98\x80", 4 } },
        { "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", { "\"\\/\b\f\n\r\t", 8 } },
        { "\"[[[[[[[[[[{{{{\"", { "[[[[[[[[[[{{{{", 14 } },
        { "\"\\\"[[[[[[[[[[\"", { "\"[[[[[[[[[[", 11 } },
        { "\"\\u001f\x7f\"", { "\x1f\x7f", 2 } },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        const struct json_value *root = NULL;
        assert_row(json_read(mem, str_of(rows[i].document), DEPTH, &root, NULL) == ERR_NONE,
                   rows[i].document);
        assert_str(root->text, rows[i].text, rows[i].document);
    }
    arena_free(mem);
}

static void
whole_numbers_have_64_bits(void **state)
{
    struct arena *mem = arena_new();
    const struct json_value *root = NULL;
    (void)state;
    assert_int_equal(
        json_read(mem, STR("[9223372036854775807,-9223372036854775808]"), DEPTH, &root, NULL),
        ERR_NONE);
    assert_true(root->children[0].integer == INT64_MAX);
    assert_true(root->children[1].integer == INT64_MIN);
    static const char *const rows[] = { "9223372036854775808", "-9223372036854775809",
                                        "100000000000000000000000000", "1e400", "-1e400" };
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct why why = { 0 };
        assert_row(json_read(mem, str_of(rows[i]), DEPTH, &root, &why) == ERR_INVALID, rows[i]);
        assert_row(strstr(why.text, "number out of range: whole numbers must fit into 64 bits"),
                   why.text);
    }
    arena_free(mem);
}

static void
errors_name_line_and_column(void **state)
{
    static const struct {
        struct str document;
        const char *why;
    } rows[] = {
        { { "", 0 }, "line 1, column 1: unexpected end of the document" },
        { { NULL, 0 }, "line 1, column 1: unexpected end of the document" },
        { { "  ", 2 }, "line 1, column 3: unexpected end of the document" },
        { { "{\n", 2 }, "line 2, column 1: unexpected end of the document" },
        { { "\"abc", 4 }, "line 1, column 5: unexpected end of the document" },
        { { "{} {}", 5 }, "line 1, column 4: unexpected text after the end of the document" },
        { { "1 2", 3 }, "line 1, column 3: unexpected text after the end of the document" },
        { { "{\"a\":1,\n \"a\":2}", 15 }, "line 2, column 2: duplicate key in an object" },
        { { "{\"a\":1,\"\\u0061\":2}", 18 }, "line 1, column 1: duplicate key in an object" },
        { { "{\"a\" 1}", 7 }, "line 1, column 6: expected a colon after the key" },
        { { "{\"a\":}", 6 }, "line 1, column 6: expected a value" },
        { { "[1,]", 4 }, "line 1, column 4: expected a value" },
        { { "[1 2]", 5 }, "line 1, column 4: expected a comma or a closing ]" },
        { { "{\"a\":1 \"b\"}", 11 }, "line 1, column 8: expected a comma or a closing }" },
        { { "{\"a\":1,}", 8 }, "line 1, column 8: expected a key in double quotes or a closing }" },
        { { "{1:2}", 5 }, "line 1, column 2: expected a key in double quotes or a closing }" },
        { { "nul", 3 }, "line 1, column 1: invalid JSON value" },
        { { "[\"\xc3\xa9\", \xc3\xa9]", 9 }, "line 1, column 7: invalid JSON value" },
        { { "'a'", 3 }, "line 1, column 1: invalid JSON value" },
        { { "NaN", 3 }, "line 1, column 1: invalid JSON value" },
        { { "01", 2 }, "line 1, column 1: invalid JSON value" },
        { { "[-]", 3 }, "line 1, column 2: invalid JSON value" },
        { { "[1.]", 4 }, "line 1, column 2: invalid JSON value" },
        { { "[.5]", 4 }, "line 1, column 2: invalid JSON value" },
        { { "[1e+]", 5 }, "line 1, column 2: invalid JSON value" },
        { { "[-01]", 5 }, "line 1, column 2: invalid JSON value" },
        { { "[1}", 3 }, "line 1, column 3: expected a comma or a closing ]" },
        { { "[1],2", 5 }, "line 1, column 4: unexpected text after the end of the document" },
        { { "\"\\ud800\\u0041\"", 14 },
          "line 1, column 2: unpaired surrogate in a Unicode escape" },
        { { "[\"a\nb\"]", 7 },
          "line 1, column 4: control characters and line breaks in a string must be escaped" },
        { { "\"a\tb\"", 5 },
          "line 1, column 3: control characters and line breaks in a string must be escaped" },
        { { "\"\\x\"", 4 }, "line 1, column 3: invalid escape sequence" },
        { { "\"\\u12\"", 6 }, "line 1, column 6: a Unicode escape needs four hexadecimal digits" },
        { { "\"\\ud800\"", 8 }, "line 1, column 2: unpaired surrogate in a Unicode escape" },
        { { "\"\\udc00\"", 8 }, "line 1, column 2: unpaired surrogate in a Unicode escape" },
        { { "{\"a\\u0000\":1}", 13 }, "line 1, column 2: a key must not contain a NUL character" },
        { { "[1,\n\"\xc3\xa9\xff\"]", 9 }, "line 2, column 3: invalid UTF-8" },
        { { "\"\xc0\x80\"", 4 }, "line 1, column 2: invalid UTF-8" },
        { { "\"\xed\xa0\x80\"", 5 }, "line 1, column 2: invalid UTF-8" },
        { { "\xef\xbb\xbf{}", 5 },
          "line 1, column 1: a JSON document must not start with a byte order mark" },
        { { "[\0]", 3 }, "line 1, column 2: a NUL character is not allowed" },
        { { "{}\0", 3 }, "line 1, column 3: a NUL character is not allowed" },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        const struct json_value *root = NULL;
        struct why why = { 0 };
        assert_row(json_read(mem, rows[i].document, DEPTH, &root, &why) == ERR_INVALID,
                   rows[i].why);
        assert_str(str_of(why.text), str_of(rows[i].why), rows[i].document.ptr);
        assert_null(root);
    }
    arena_free(mem);
}

static void
a_key_among_many_is_found_twice_in_linear_time(void **state)
{
    enum { MANY = 100000 };
    struct arena *mem = arena_new();
    struct buf document = buf_in(mem, (size_t)16 * MANY);
    const struct json_value *root = NULL;
    struct why why = { 0 };
    (void)state;
    buf_add_char(&document, '{');
    for (int i = 0; i < MANY; i++)
        buf_add_format(&document, "\"%d\":1,", i);
    size_t length = document.len;
    buf_add_c(&document, "\"x\":2}");
    assert_int_equal(json_read(mem, buf_str(&document), DEPTH, &root, &why), ERR_NONE);
    assert_int_equal(root->count, MANY + 1);
    assert_int_equal(json_member(root, "x")->integer, 2);
    document.len = length;
    buf_add_c(&document, "\"7\":2}");
    assert_int_equal(json_read(mem, buf_str(&document), DEPTH, &root, &why), ERR_INVALID);
    assert_non_null(strstr(why.text, "duplicate key in an object"));
    arena_free(mem);
}

/* An import of 8 MiB has some 400,000 values; jansson took 240 bytes for each. */
static void
a_tree_takes_about_50_bytes_per_value(void **state)
{
    enum { OBJECTS = 90000, VALUES = 4 * OBJECTS };
    struct arena *mem = arena_new(), *text = arena_new();
    struct buf document = buf_in(text, (size_t)64 * OBJECTS);
    const struct json_value *root = NULL;
    (void)state;
    for (int i = 0; i < OBJECTS; i++) {
        buf_add_char(&document, i == 0 ? '[' : ',');
        buf_add_c(&document, "{\"source\":\"user\",\"at\":\"2026\",\"n\":12.5}");
    }
    buf_add_char(&document, ']');
    assert_int_equal(json_read(mem, buf_str(&document), DEPTH, &root, NULL), ERR_NONE);
    assert_int_equal(root->count, OBJECTS);
#ifndef PENCHANT_ASAN /* its red zones take more */
    assert_true(arena_size(mem) < (size_t)60 * VALUES);
#endif
    assert_true(arena_size(mem) < (size_t)100 * VALUES);
    arena_free(mem);
    arena_free(text);
}

static void
depth_is_bounded_before_parsing(void **state)
{
    enum { MANY = 200000 };
    struct arena *mem = arena_new();
    const struct json_value *root = NULL;
    struct why why = { 0 };
    (void)state;
    assert_int_equal(json_read(mem, STR("[[{\"a\":1}]]"), 3, &root, &why), ERR_NONE);
    assert_int_equal(json_read(mem, STR("[[],[],[[]],{\"a\":{}}]"), 3, &root, &why), ERR_NONE);
    assert_int_equal(json_read(mem, STR("[[{\"a\":\n[]}]]"), 3, &root, &why), ERR_INVALID);
    assert_string_equal(why.text, "line 2, column 1: the document is nested too deeply");
    assert_int_equal(json_read(mem, STR("[]"), 0, &root, NULL), ERR_INVALID);
    assert_int_equal(json_read(mem, STR("1"), 0, &root, NULL), ERR_NONE);

    char *deep = arena_alloc(mem, MANY);
    memset(deep, '[', MANY);
    assert_int_equal(json_read(mem, (struct str){ deep, MANY }, DEPTH, &root, NULL), ERR_INVALID);
    /* A caller without a bound of its own gets the parser's. */
    assert_int_equal(json_read(mem, (struct str){ deep, MANY }, SIZE_MAX, &root, NULL),
                     ERR_INVALID);
    arena_free(mem);
}

static void
a_document_of_too_many_values_is_refused(void **state)
{
    enum { MOST = 500000 };
    static char text[2 * MOST + 8];
    struct arena *mem = arena_new();
    const struct json_value *root = NULL;
    struct why why = { 0 };
    (void)state;
    text[0] = '[';
    for (size_t i = 0; i < MOST; i++) {
        text[2 * i + 1] = '0';
        text[2 * i + 2] = i + 2 < MOST ? ',' : ']';
    }
    /* With the array itself that is as many as there may be. */
    assert_int_equal(json_read(mem, (struct str){ text, 2 * (MOST - 1) + 1 }, DEPTH, &root, &why),
                     ERR_NONE);
    assert_int_equal(root->count, MOST - 1);
    for (size_t i = 0; i < MOST; i++)
        text[2 * i + 2] = ',';
    assert_int_equal(json_read(mem, (struct str){ text, 2 * MOST }, DEPTH, &root, &why),
                     ERR_INVALID);
    assert_non_null(strstr(why.text, "the document has too many values"));
    /* Commas in a text are no values. */
    memset(text, ',', sizeof text);
    text[0] = text[sizeof text - 1] = '"';
    assert_int_equal(json_read(mem, (struct str){ text, sizeof text }, DEPTH, &root, NULL),
                     ERR_NONE);
    arena_free(mem);
}

/* Strings are read eight bytes at a time. */
static void
a_string_ends_at_its_quote_at_every_offset(void **state)
{
    struct arena *mem = arena_new();
    (void)state;
    for (size_t length = 0; length < 40; length++)
        for (size_t special = 0; special <= length; special++) {
            const struct json_value *root = NULL;
            struct buf text = buf_in(mem, 256), wanted = buf_in(mem, 256);
            buf_add(&text, STR("[\""));
            for (size_t i = 0; i < length; i++) {
                buf_add(&text, i == special ? STR("\\\"") : STR("\xc3\xa9"));
                buf_add(&wanted, i == special ? STR("\"") : STR("\xc3\xa9"));
            }
            buf_add(&text, STR("\",7]"));
            assert_int_equal(json_read(mem, buf_str(&text), DEPTH, &root, NULL), ERR_NONE);
            assert_int_equal(root->count, 2);
            assert_str(root->children[0].text, buf_str(&wanted), "text");
            assert_int_equal(root->children[1].integer, 7);
            /* A control character in the place of the escape. */
            struct buf bad = buf_in(mem, 256);
            buf_add(&bad, STR("[\""));
            for (size_t i = 0; i <= length; i++)
                buf_add(&bad, i == special ? STR("\x1f") : STR("a"));
            buf_add(&bad, STR("\"]"));
            assert_int_equal(json_read(mem, buf_str(&bad), DEPTH, &root, NULL), ERR_INVALID);
        }
    arena_free(mem);
}

/* Commas are counted in two ways, for few and for many containers. */
static void
every_number_of_containers_is_read(void **state)
{
    struct arena *mem = arena_new();
    (void)state;
    for (size_t count = 1; count < 70; count++) {
        const struct json_value *root = NULL;
        struct buf text = buf_in(mem, 2048);
        buf_add(&text, STR("["));
        for (size_t i = 0; i < count; i++)
            buf_add(&text, i == 0 ? STR("[1,{\"a\":2,\"b\":3}]") : STR(",[1,{\"a\":2,\"b\":3}]"));
        buf_add(&text, STR("]"));
        assert_int_equal(json_read(mem, buf_str(&text), DEPTH, &root, NULL), ERR_NONE);
        assert_int_equal(root->count, count);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(root->children[i].count, 2);
            assert_int_equal(root->children[i].children[1].count, 2);
            assert_int_equal(json_member(&root->children[i].children[1], "b")->integer, 3);
        }
    }
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document_becomes_a_tree_in_its_order),
        cmocka_unit_test(any_value_may_be_the_whole_document),
        cmocka_unit_test(strings_keep_every_character),
        cmocka_unit_test(whole_numbers_have_64_bits),
        cmocka_unit_test(errors_name_line_and_column),
        cmocka_unit_test(a_key_among_many_is_found_twice_in_linear_time),
        cmocka_unit_test(a_tree_takes_about_50_bytes_per_value),
        cmocka_unit_test(depth_is_bounded_before_parsing),
        cmocka_unit_test(a_document_of_too_many_values_is_refused),
        cmocka_unit_test(a_string_ends_at_its_quote_at_every_offset),
        cmocka_unit_test(every_number_of_containers_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
