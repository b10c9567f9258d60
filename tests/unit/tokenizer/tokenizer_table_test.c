#include "unit/assert_str.h"

#include "tokenizer/tokenizer_table.h"

static void
every_token_is_found_under_its_rank(void **state)
{
    (void)state;
    const unsigned char *record = tokenizer_table + TOKENIZER_RECORDS_AT;
    for (uint32_t rank = 0; rank < TOKENIZER_TOKENS; rank++) {
        size_t length = record[0];
        if (tokenizer_rank(record + TOKENIZER_RECORD_HEAD, length) != rank)
            fail_msg("token %u is not found", rank);
        record += TOKENIZER_RECORD_HEAD + length;
    }
    assert_ptr_equal(record, tokenizer_table + TOKENIZER_INDEX_AT);
}

static void
other_bytes_are_not_tokens(void **state)
{
    (void)state;
    static const struct str rows[] = {
        STR(""),
        STR("Radioheads"),
        STR("\xc2\x85"),
        STR(" the the"),
        STR("\xff\xff\xff"),
        STR("                                                                                "
            "                                                 "), /* one blank more than the longest
                                                                   */
    };
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_row(tokenizer_rank((const unsigned char *)rows[i].ptr, rows[i].len) ==
                       TOKENIZER_NO_RANK,
                   rows[i].ptr);
    assert_int_equal(rows[5].len, TOKENIZER_TOKEN_MAX + 1);
}

static void
ranks_match_known_values(void **state)
{
    (void)state;
    static const struct {
        struct str token;
        uint32_t rank;
    } rows[] = {
        { STR("!"), 0 },
        { STR(" "), 220 },
        { STR("  "), 256 },
        { STR("----"), 518 },
    };
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_row(tokenizer_rank((const unsigned char *)rows[i].token.ptr, rows[i].token.len) ==
                       rows[i].rank,
                   rows[i].token.ptr);
}

static void
characters_have_the_right_class(void **state)
{
    (void)state;
    enum {
        U = TOKENIZER_UPPER | TOKENIZER_LETTER,
        W = TOKENIZER_LOWER | TOKENIZER_LETTER,
        O = TOKENIZER_BOTH | TOKENIZER_LETTER,
        M = TOKENIZER_BOTH,
        N = TOKENIZER_NUMBER,
        S = TOKENIZER_SPACE,
        R = TOKENIZER_SPACE | TOKENIZER_BREAK,
    };
    static const struct {
        const char *why;
        uint32_t point;
        unsigned expected;
    } rows[] = {
        { "NUL", 0, 0 },
        { "tab", 9, S },
        { "LF", 10, R },
        { "VT", 11, S },
        { "CR", 13, R },
        { "space", ' ', S },
        { "apostrophe", '\'', 0 },
        { "0", '0', N },
        { "A", 'A', U },
        { "z", 'z', W },
        { "DEL", 0x7f, 0 },
        { "NEL", 0x85, S },
        { "no-break space", 0xa0, S },
        { "feminine ordinal", 0xaa, O },
        { "superscript two", 0xb2, N },
        { "sharp s", 0xdf, W },
        { "title case dz", 0x1c5, U },
        { "modifier h", 0x2b0, O },
        { "acute", 0x301, M },
        { "zero-width space", 0x200b, 0 },
        { "line separator", 0x2028, S },
        { "Roman one", 0x2160, N },
        { "hiragana a", 0x3042, O },
        { "first surrogate", 0xd800, 0 },
        { "byte order mark", 0xfeff, 0 },
        { "Deseret capital", 0x10400, U },
        { "thumbs up", 0x1f44d, 0 },
        { "rare Han", 0x20000, O },
        { "the last", 0x10ffff, 0 },
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        assert_row(tokenizer_class(rows[i].point) == rows[i].expected, rows[i].why);
        if (rows[i].point < 0x80)
            assert_row(tokenizer_ascii_class((unsigned char)rows[i].point) == rows[i].expected,
                       rows[i].why);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_token_is_found_under_its_rank),
        cmocka_unit_test(other_bytes_are_not_tokens),
        cmocka_unit_test(ranks_match_known_values),
        cmocka_unit_test(characters_have_the_right_class),
    };
    return cmocka_run_group_tests_name("tokenizer/tokenizer_table", tests, NULL, NULL);
}
