#include "unit/assert_str.h"

#include "tokenizer/tokenizer_merge.h"
#include "tokenizer/tokenizer_table.h"

#include <stdbool.h>

#define PIECE_MAX 1500

/* ---- reference: compare all pairs before every merge ---- */

static size_t
by_the_book(const unsigned char *piece, size_t length)
{
    static size_t start[PIECE_MAX + 1];
    size_t count = length;
    for (size_t i = 0; i <= length; i++)
        start[i] = i;
    for (;;) {
        uint32_t best = TOKENIZER_NO_RANK;
        size_t at = 0;
        for (size_t i = 0; i + 1 < count; i++) {
            uint32_t rank = tokenizer_rank(piece + start[i], start[i + 2] - start[i]);
            if (rank < best) {
                best = rank;
                at = i;
            }
        }
        if (best == TOKENIZER_NO_RANK)
            return count;
        for (size_t i = at + 1; i < count; i++)
            start[i] = start[i + 1];
        count--;
    }
}

/* ---- pieces ---- */

static uint32_t seed = 2026;

static size_t
below(size_t limit)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % limit;
}

/* Bytes of one of several kinds: some have many long tokens, some cause merges with effects far to
 * both sides. */
static void
make_piece(unsigned char *piece, size_t length)
{
    static const char *const alphabets[] = {
        "abcdefghijklmnopqrstuvwxyz",
        "eta",
        "ab",
        "a",
        " ",
        " \n",
        "-",
        "-=",
        "=*#-/_",
        "aAbB",
        "\xe6\x9d\xb1\xe4\xba\xac\xe3\x81\xae",
        "\xd0\xb0\xd0\xbe\xd0\xb5",
        "0123456789",
        "xyz\n",
    };
    const char *alphabet = alphabets[below(ROWS(alphabets))];
    size_t letters = strlen(alphabet);
    size_t run = 1 + below(below(4) == 0 ? 100 : 3);
    bool in_order = below(3) == 0;
    for (size_t i = 0; i < length;) {
        unsigned char byte = (unsigned char)alphabet[in_order ? i % letters : below(letters)];
        for (size_t k = 0; k < run && i < length; k++)
            piece[i++] = byte;
    }
    if (below(2) == 0)
        for (size_t i = 0; i < length; i += 1 + below(90))
            piece[i] = (unsigned char)below(256);
}

static void
assert_agree(size_t pieces, size_t least, size_t most)
{
    static unsigned char piece[PIECE_MAX];
    for (size_t i = 0; i < pieces; i++) {
        size_t length = least + below(most - least + 1);
        make_piece(piece, length);
        size_t expected = by_the_book(piece, length);
        assert_int_equal(tokenizer_merge_count(piece, length), expected);
        assert_int_equal(tokenizer_merge_count_long(piece, length), expected);
    }
}

static void
merging_matches_the_reference(void **state)
{
    (void)state;
    assert_agree(2000, 1, 70);
    assert_agree(60, 71, 300);
}

static void
merging_long_pieces_matches_the_reference(void **state)
{
    (void)state;
    assert_agree(2, 1020, 1030); /* around the limit between the algorithms */
    assert_agree(2, 1030, PIECE_MAX);
}

/* If ranks rise to the left, one byte at the end decides about merges far before it. */
static void
the_last_byte_can_change_all_earlier_tokens(void **state)
{
    (void)state;
    unsigned char piece[150];
    for (size_t length = 2; length < sizeof piece; length += 1 + length / 20) {
        for (size_t i = 0; i < length; i++)
            piece[i] = (unsigned char)"ab"[(i / 3 + i) % 2];
        for (int last = 'a'; last <= 'e'; last++) {
            piece[length - 1] = (unsigned char)last;
            size_t expected = by_the_book(piece, length);
            assert_int_equal(tokenizer_merge_count(piece, length), expected);
            assert_int_equal(tokenizer_merge_count_long(piece, length), expected);
        }
    }
}

static void
kilobytes_of_one_character_are_counted(void **state)
{
    (void)state;
    static unsigned char piece[16 * 1024];
    static const struct {
        unsigned char byte;
        size_t length;
        size_t expected;
    } rows[] = { { 'a', 16 * 1024, 2048 }, { ' ', 8 * 1024, 64 }, { '-', 8 * 1024, 128 } };
    for (size_t i = 0; i < ROWS(rows); i++) {
        memset(piece, rows[i].byte, rows[i].length);
        assert_int_equal(tokenizer_merge_count(piece, rows[i].length), rows[i].expected);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merging_matches_the_reference),
        cmocka_unit_test(merging_long_pieces_matches_the_reference),
        cmocka_unit_test(the_last_byte_can_change_all_earlier_tokens),
        cmocka_unit_test(kilobytes_of_one_character_are_counted),
    };
    return cmocka_run_group_tests_name("tokenizer/tokenizer_merge", tests, NULL, NULL);
}
