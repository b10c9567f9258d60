#include "unit/assert_str.h"

#include "base/arena.h"
#include "text/base64url.h"

static void
encoding_is_that_of_rfc_4648_without_padding(void **state)
{
    static const struct {
        const char *why;
        struct str bytes;
        const char *text;
    } rows[] = {
        { "empty", { "", 0 }, "" },
        { "one byte", { "f", 1 }, "Zg" },
        { "two bytes", { "fo", 2 }, "Zm8" },
        { "three bytes", { "foo", 3 }, "Zm9v" },
        { "six bytes", { "foobar", 6 }, "Zm9vYmFy" },
        { "the two characters of the URL alphabet", { "\xfb\xff\xbf", 3 }, "-_-_" },
        { "NUL bytes", { "\0\0\0\0", 4 }, "AAAAAA" },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct str text = base64url_encode(mem, rows[i].bytes);
        assert_str(text, str_of(rows[i].text), rows[i].why);
        assert_int_equal(text.ptr[text.len], '\0');
        assert_str(base64url_decode(mem, text), rows[i].bytes, rows[i].why);
    }
    arena_free(mem);
}

static void
only_its_digits_pass_for_them(void **state)
{
    (void)state;
    for (int c = 0; c < 256; c++) {
        char text[] = { 'A', (char)c };
        bool digit = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                     c == '-' || c == '_';
        if (base64url_only((struct str){ text, 2 }) != digit)
            fail_msg("character %d", c);
    }
    assert_true(base64url_only(STR("")));
}

static void
only_one_spelling_is_read(void **state)
{
    static const struct {
        const char *why;
        const char *text;
    } rows[] = {
        { "padding", "Zg==" },
        { "one character", "Z" },
        { "five characters", "Zm9vY" },
        { "stray bits after one byte", "Zh" },
        { "stray bits after two", "Zm9" },
        { "standard alphabet", "+/+/" },
        { "space", "Zm 9" },
        { "line feed", "Zm9v\n" },
        { "past ASCII", "Zm\xc3\xa9" },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_str(base64url_decode(mem, str_of(rows[i].text)), STR_NONE, rows[i].why);
    assert_str(base64url_decode(mem, STR("Zm\0v")), STR_NONE, "NUL");
    assert_str(base64url_decode(mem, STR_NONE), STR_NONE, "absent");
    arena_free(mem);
}

static void
basic_credentials_have_the_standard_alphabet_and_padding(void **state)
{
    static const struct {
        const char *why;
        const char *text;
        struct str bytes;
    } rows[] = {
        { "empty", "", { "", 0 } },
        { "two of padding", "Zg==", { "f", 1 } },
        { "one of padding", "Zm8=", { "fo", 2 } },
        { "none", "Zm9v", { "foo", 3 } },
        { "the standard characters", "+/+/", { "\xfb\xff\xbf", 3 } },
        { "no padding where it is needed", "Zg", { NULL, 0 } },
        { "too little padding", "Zg=", { NULL, 0 } },
        { "too much padding", "Zg===", { NULL, 0 } },
        { "three of padding", "Z===", { NULL, 0 } },
        { "only padding", "====", { NULL, 0 } },
        { "padding in the middle", "Zg==Zg==", { NULL, 0 } },
        { "stray bits", "Zh==", { NULL, 0 } },
        { "URL alphabet", "-_-_", { NULL, 0 } },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_str(base64_decode(mem, str_of(rows[i].text)), rows[i].bytes, rows[i].why);
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encoding_is_that_of_rfc_4648_without_padding),
        cmocka_unit_test(only_its_digits_pass_for_them),
        cmocka_unit_test(only_one_spelling_is_read),
        cmocka_unit_test(basic_credentials_have_the_standard_alphabet_and_padding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
