#include "unit/assert_str.h"

#include "base/arena.h"
#include "text/utf8.h"

static void
only_well_formed_utf8_is_text(void **state)
{
    static const struct {
        const char *why;
        struct str in;
        bool valid;
    } rows[] = {
        { "empty", { "", 0 }, true },
        { "absent", { NULL, 0 }, true },
        { "ASCII", { "plain text, longer than eight bytes", 35 }, true },
        { "a NUL is a character", { "a\0b", 3 }, true },
        { "two bytes", { "\xc3\xa9", 2 }, true },
        { "three bytes", { "\xe2\x82\xac", 3 }, true },
        { "four bytes", { "\xf0\x9f\x98\x80", 4 }, true },
        { "the last code point", { "\xf4\x8f\xbf\xbf", 4 }, true },
        { "just below the surrogates", { "\xed\x9f\xbf", 3 }, true },
        { "just above the surrogates", { "\xee\x80\x80", 3 }, true },
        { "overlong slash, two bytes", { "\xc0\xaf", 2 }, false },
        { "overlong NUL", { "\xc0\x80", 2 }, false },
        { "overlong, C1", { "\xc1\xbf", 2 }, false },
        { "overlong, three bytes", { "\xe0\x80\xaf", 3 }, false },
        { "overlong, three bytes, largest", { "\xe0\x9f\xbf", 3 }, false },
        { "overlong, four bytes", { "\xf0\x80\x80\xaf", 4 }, false },
        { "overlong, four bytes, largest", { "\xf0\x8f\xbf\xbf", 4 }, false },
        { "first surrogate", { "\xed\xa0\x80", 3 }, false },
        { "last surrogate", { "\xed\xbf\xbf", 3 }, false },
        { "past U+10FFFF", { "\xf4\x90\x80\x80", 4 }, false },
        { "F5", { "\xf5\x80\x80\x80", 4 }, false },
        { "FF", { "\xff", 1 }, false },
        { "a lone continuation", { "\x80", 1 }, false },
        { "cut off after one of two", { "\xc3", 1 }, false },
        { "cut off after two of three", { "\xe2\x82", 2 }, false },
        { "cut off after three of four", { "\xf0\x9f\x98", 3 }, false },
        { "third byte is no continuation", { "\xe2\x82 ", 3 }, false },
        { "fourth byte is no continuation", { "\xf0\x9f\x98 ", 4 }, false },
        { "bad byte after eight good ones", { "12345678\xff", 9 }, false },
        { "bad byte among the second eight",
          { "\xc3\xa9"
            "12345678901\xff",
            14 },
          false },
    };
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_row(utf8_valid(rows[i].in) == rows[i].valid, rows[i].why);
}

static void
a_bad_byte_anywhere_is_found(void **state)
{
    char text[40];
    (void)state;
    for (size_t length = 1; length <= sizeof text; length++) {
        for (size_t bad = 0; bad < length; bad++) {
            memset(text, 'a', sizeof text);
            text[bad] = '\xfe';
            assert_false(utf8_valid((struct str){ text, length }));
        }
    }
}

static void
length_counts_code_points(void **state)
{
    (void)state;
    assert_int_equal(utf8_length(STR("")), 0);
    assert_int_equal(utf8_length(STR("abc")), 3);
    assert_int_equal(utf8_length(STR("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80")), 4);
}

static void
next_walks_and_stays_at_a_bad_byte(void **state)
{
    struct str rest = STR("a\xc3\xa9\xf0\x9f\x98\x80\xff"
                          "b");
    (void)state;
    assert_int_equal(utf8_next(&rest), 'a');
    assert_int_equal(utf8_next(&rest), 0xe9);
    assert_int_equal(utf8_next(&rest), 0x1f600);
    assert_int_equal(utf8_next(&rest), -1);
    assert_int_equal(rest.len, 2);
    assert_int_equal(utf8_next(&rest), -1);
    rest = STR("");
    assert_int_equal(utf8_next(&rest), -1);
}

static void
nfc_gives_one_spelling(void **state)
{
    static const struct {
        const char *why;
        const char *in;
        const char *out;
    } rows[] = {
        { "ASCII stays", "Ada", "Ada" },
        { "composed stays", "\u00e9", "\u00e9" },
        { "decomposed is composed", "e\u0301", "\u00e9" },
        { "marks are put in order", "q\u0307\u0323", "q\u0323\u0307" },
        { "order, then compose", "s\u0307\u0323", "\u1e69" },
        { "Angstrom sign", "\u212b", "\u00c5" },
        { "Hangul", "\u1112\u1161\u11ab", "\ud55c" },
        { "excluded from composition", "\u0958", "\u0915\u093c" },
        { "case is kept", "\u00c9", "\u00c9" },
        { "compatibility forms are kept", "\ufb01", "\ufb01" },
        { "a mark that is two marks", "a\u0344", "\u00e4\u0301" },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_str(utf8_nfc(mem, str_of(rows[i].in)), str_of(rows[i].out), rows[i].why);
    assert_str(utf8_nfc(mem, STR("\xff")), STR_NONE, "not UTF-8");
    assert_str(utf8_nfc(mem, STR("e\xcc\x81\0x")), STR("\xc3\xa9\0x"), "a NUL cuts nothing short");
    arena_free(mem);
}

static void
casefold_makes_spellings_equal(void **state)
{
    static const struct {
        const char *why;
        const char *a;
        const char *b;
    } rows[] = {
        { "ASCII", "SuShi", "sushi" },
        { "umlaut", "\u00dcber", "u\u0308BER" },
        { "sharp s", "Stra\u00dfe", "STRASSE" },
        { "capital sharp s", "\u1e9e", "ss" },
        { "final sigma", "\u039f\u03a3", "\u03bf\u03c2" },
        { "Greek iota below, marks out of order", "\u03b1\u0345\u0301", "\u03b1\u0301\u0345" },
        { "Kelvin sign", "\u212a", "k" },
        { "Cherokee", "\uab70", "\u13a0" },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct str a = utf8_casefold(mem, str_of(rows[i].a));
        assert_row(str_present(a), rows[i].why);
        assert_str(a, utf8_casefold(mem, str_of(rows[i].b)), rows[i].why);
    }
    assert_str(utf8_casefold(mem, STR("\xc0\x80")), STR_NONE, "not UTF-8");
    arena_free(mem);
}

static struct str
letter_with_marks(struct arena *mem, size_t marks)
{
    char *text = arena_alloc(mem, 1 + marks * 2);
    text[0] = 'a';
    for (size_t i = 0; i < marks; i++)
        memcpy(text + 1 + i * 2, i % 2 == 0 ? "\xcc\x81" : "\xcc\xa3", 2);
    return (struct str){ text, 1 + marks * 2 };
}

static void
a_tower_of_marks_is_refused(void **state)
{
    struct arena *mem = arena_new();
    (void)state;
    assert_true(str_present(utf8_nfc(mem, letter_with_marks(mem, 30))));
    assert_false(str_present(utf8_nfc(mem, letter_with_marks(mem, 31))));
    assert_false(str_present(utf8_casefold(mem, letter_with_marks(mem, 31))));
    assert_false(str_present(utf8_nfc(mem, letter_with_marks(mem, 30000))));
    arena_free(mem);
}

static struct str
encode(char bytes[4], uint32_t point)
{
    if (point < 0x80) {
        bytes[0] = (char)point;
        return (struct str){ bytes, 1 };
    }
    size_t length = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--, point >>= 6)
        bytes[i] = (char)(0x80 | (point & 0x3f));
    bytes[0] = (char)((0xf00u >> length & 0xff) | point);
    return (struct str){ bytes, length };
}

static void
normal_forms_of_every_character_are_final(void **state)
{
    struct arena *mem = arena_new();
    (void)state;
    for (uint32_t point = 1; point <= 0x10ffff; point++) {
        if (point >= 0xd800 && point <= 0xdfff)
            continue;
        char bytes[4];
        struct str text = encode(bytes, point);
        struct str rest = text;
        assert_true(utf8_valid(text));
        assert_int_equal(utf8_next(&rest), point);
        struct str nfc = utf8_nfc(mem, text);
        struct str folded = utf8_casefold(mem, text);
        if (!str_present(nfc) || !str_eq(nfc, utf8_nfc(mem, nfc)) || !str_present(folded) ||
            !str_eq(folded, utf8_casefold(mem, folded)) || !str_eq(folded, utf8_nfc(mem, folded)))
            fail_msg("U+%04X has no final form", (unsigned)point);
        arena_reset(mem);
    }
    arena_free(mem);
}

static void
what_is_invisible_is_forbidden_on_a_line(void **state)
{
    static const struct {
        const char *why;
        const char *in;
        int32_t found;
    } rows[] = {
        { "plain", "Ada Lovelace", -1 },
        { "empty", "", -1 },
        { "accents, CJK, emoji", "\u00e9\u6f22\U0001f600", -1 },
        { "no-break and ideographic spaces can be seen", "a\u00a0b\u3000c", -1 },
        { "line feed", "a\nb", '\n' },
        { "tab", "a\tb", '\t' },
        { "escape", "\x1b[31m", 0x1b },
        { "DEL", "a\x7f", 0x7f },
        { "C1 control", "a\xc2\x85", 0x85 },
        { "line separator",
          "a\u2028"
          "b",
          0x2028 },
        { "paragraph separator",
          "a\u2029"
          "b",
          0x2029 },
        { "right-to-left override",
          "a\u202e"
          "b",
          0x202e },
        { "isolate", "\u2066x\u2069", 0x2066 },
        { "direction mark", "a\u200f", 0x200f },
        { "Arabic letter mark", "a\u061c", 0x61c },
        { "zero width space",
          "a\u200b"
          "b",
          0x200b },
        { "word joiner",
          "a\u2060"
          "b",
          0x2060 },
        { "invisible times",
          "a\u2062"
          "b",
          0x2062 },
        { "byte order mark",
          "\ufeff"
          "a",
          0xfeff },
        { "soft hyphen",
          "a\u00ad"
          "b",
          0xad },
        { "grapheme joiner",
          "a\u034f"
          "b",
          0x34f },
        { "Hangul filler", "\u3164", 0x3164 },
        { "blank Braille", "\u2800", 0x2800 },
        { "annotation", "\ufff9", 0xfff9 },
        { "tag", "a\U000e0041", 0xe0041 },
        { "supplementary variation selector", "a\U000e0100", 0xe0100 },
        { "private use", "\ue000", 0xe000 },
        { "private use, plane 16", "\U00100000", 0x100000 },
        { "non-character in the BMP", "\ufdd0", 0xfdd0 },
        { "non-character at a plane's end", "\U0001fffe", 0x1fffe },
        { "the replacement character is one", "\ufffd", -1 },
        { "ZWNJ in Persian", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", -1 },
        { "ZWJ in Sinhala, after a virama", "\u0dc1\u0dca\u200d\u0dbb", -1 },
        { "ZWJ in a family", "\U0001f468\u200d\U0001f469\u200d\U0001f467", -1 },
        { "ZWJ after a skin tone", "\U0001f9d1\U0001f3fd\u200d\U0001f680", -1 },
        { "ZWJ after an emoji selector", "\U0001f3f3\ufe0f\u200d\U0001f308", -1 },
        { "ZWNJ between Latin letters", "pass\u200cword", 0x200c },
        { "ZWJ between Latin letters", "pass\u200dword", 0x200d },
        { "ZWJ at the end", "\u0dc1\u0dca\u200d", 0x200d },
        { "ZWJ at the start", "\u200d\u0dc1", 0x200d },
        { "two ZWJ", "\u0dc1\u200d\u200d\u0dc1", 0x200d },
        { "ZWNJ between emoji", "\U0001f468\u200c\U0001f469", 0x200c },
        { "ZWNJ between a letter and a space", "\u0645\u200c \u0645", 0x200c },
        { "emoji style", "\u2764\ufe0f", -1 },
        { "text style", "\u2764\ufe0e", -1 },
        { "two emoji styles", "\u2764\ufe0f\ufe0f", 0xfe0f },
        { "keycap", "1\ufe0f\u20e3", -1 },
        { "emoji style after a digit alone", "1\ufe0f", 0xfe0f },
        { "emoji style after a letter", "a\ufe0f", 0xfe0f },
        { "another variation selector", "\u2764\ufe00", 0xfe00 },
    };
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        int32_t found = utf8_forbidden(str_of(rows[i].in));
        assert_row(found == rows[i].found, rows[i].why);
    }
    assert_int_equal(utf8_forbidden(STR("a\0b")), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_well_formed_utf8_is_text),
        cmocka_unit_test(a_bad_byte_anywhere_is_found),
        cmocka_unit_test(length_counts_code_points),
        cmocka_unit_test(next_walks_and_stays_at_a_bad_byte),
        cmocka_unit_test(nfc_gives_one_spelling),
        cmocka_unit_test(casefold_makes_spellings_equal),
        cmocka_unit_test(a_tower_of_marks_is_refused),
        cmocka_unit_test(normal_forms_of_every_character_are_final),
        cmocka_unit_test(what_is_invisible_is_forbidden_on_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
