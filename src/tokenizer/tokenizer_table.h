/* tokenizer_table.h - the layout of the token vocabulary and the character classes.
 *
 * Private to tokenizer.c, tokenizer_merge.c and tools/tokenizer_table.c, which generates the data
 * at build time. It is read-only program data: nothing is computed at startup, pages are loaded on
 * demand, and processes and threads share them. Numbers are little-endian on every machine.
 *
 *   slots     u32 each, an open hash table: where a token's record is, and 10 bits of its hash
 *   records   one for each token: length (u8), rank (u24), bytes
 *   index     u8 for each 256 code points: the number of their page
 *   pages     256 times u8: the class of a code point */
#ifndef TOKENIZER_TOKENIZER_TABLE_H
#define TOKENIZER_TOKENIZER_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TOKENIZER_TOKENS 199998
#define TOKENIZER_TOKEN_BYTES 1397670 /* all of them together */
#define TOKENIZER_TOKEN_MAX 128       /* the longest */
#define TOKENIZER_RECORD_HEAD 4

#define TOKENIZER_SLOTS 327680 /* five for three tokens: a miss ends after four on average */
#define TOKENIZER_SLOT_FREE UINT32_MAX
#define TOKENIZER_TAG_BITS 10

#define TOKENIZER_RECORDS_AT (TOKENIZER_SLOTS * 4)
#define TOKENIZER_INDEX_AT \
    (TOKENIZER_RECORDS_AT + TOKENIZER_TOKEN_BYTES + TOKENIZER_RECORD_HEAD * TOKENIZER_TOKENS)
#define TOKENIZER_INDEX_BYTES (0x110000 / 256)
#define TOKENIZER_PAGES_AT (TOKENIZER_INDEX_AT + TOKENIZER_INDEX_BYTES)

#define TOKENIZER_NO_RANK UINT32_MAX

/* Character classes of the pattern that cuts text into pieces. */
enum {
    TOKENIZER_UPPER = 1,   /* Lu Lt */
    TOKENIZER_LOWER = 2,   /* Ll */
    TOKENIZER_BOTH = 4,    /* Lm Lo M: goes for either */
    TOKENIZER_LETTER = 8,  /* Lu Lt Ll Lm Lo, not M */
    TOKENIZER_NUMBER = 16, /* Nd Nl No */
    TOKENIZER_SPACE = 32,  /* White_Space */
    TOKENIZER_BREAK = 64,  /* CR LF */
};

extern const unsigned char tokenizer_table[];

/* ---- numbers and hashes, the same for the maker and the reader ---- */

static inline uint32_t
tokenizer_load32(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t
tokenizer_load64(const unsigned char *at)
{
    return tokenizer_load32(at) | (uint64_t)tokenizer_load32(at + 4) << 32;
}

/* One to eight bytes as a number; different bytes of the same length make different numbers. */
static inline uint64_t
tokenizer_word(const unsigned char *bytes, size_t length)
{
    if (length >= 4)
        return tokenizer_load32(bytes) | (uint64_t)tokenizer_load32(bytes + length - 4) << 32;
    return (uint64_t)bytes[0] | (uint64_t)bytes[length / 2] << 8 |
           (uint64_t)bytes[length - 1] << 16;
}

static inline uint64_t
tokenizer_hash(const unsigned char *bytes, size_t length)
{
    uint64_t hash = length * 0x9e3779b97f4a7c15u;
    if (length <= 8) {
        hash ^= tokenizer_word(bytes, length);
    } else {
        for (size_t i = 0; i + 8 < length; i += 8) {
            hash = (hash ^ tokenizer_load64(bytes + i)) * 0xbf58476d1ce4e5b9u;
            hash ^= hash >> 32;
        }
        hash ^= tokenizer_load64(bytes + length - 8);
    }
    hash *= 0xbf58476d1ce4e5b9u;
    hash ^= hash >> 32;
    return hash * 0x94d049bb133111ebu;
}

static inline size_t
tokenizer_slot_of(uint64_t hash)
{
    return (size_t)((hash >> 32) * TOKENIZER_SLOTS >> 32);
}

static inline uint32_t
tokenizer_tag_of(uint64_t hash)
{
    return (uint32_t)(hash >> 20) & ((1u << TOKENIZER_TAG_BITS) - 1);
}

/* ---- lookups ---- */

/* The rank of the token with these bytes, TOKENIZER_NO_RANK if there is none. */
static inline uint32_t
tokenizer_rank(const unsigned char *bytes, size_t length)
{
    if (length == 0 || length > TOKENIZER_TOKEN_MAX)
        return TOKENIZER_NO_RANK;
    uint64_t hash = tokenizer_hash(bytes, length);
    uint32_t tag = tokenizer_tag_of(hash);
    for (size_t slot = tokenizer_slot_of(hash);;) {
        uint32_t entry = tokenizer_load32(tokenizer_table + slot * 4);
        if (entry == TOKENIZER_SLOT_FREE)
            return TOKENIZER_NO_RANK;
        if ((entry & ((1u << TOKENIZER_TAG_BITS) - 1)) == tag) {
            const unsigned char *record =
                tokenizer_table + TOKENIZER_RECORDS_AT + (entry >> TOKENIZER_TAG_BITS);
            const unsigned char *token = record + TOKENIZER_RECORD_HEAD;
            if (record[0] == length &&
                (length <= 8 ? tokenizer_word(token, length) == tokenizer_word(bytes, length)
                             : memcmp(token, bytes, length) == 0))
                return tokenizer_load32(record) >> 8;
        }
        slot = slot + 1 == TOKENIZER_SLOTS ? 0 : slot + 1;
    }
}

static inline unsigned
tokenizer_class(uint32_t point)
{
    size_t page = tokenizer_table[TOKENIZER_INDEX_AT + point / 256];
    return tokenizer_table[TOKENIZER_PAGES_AT + page * 256 + point % 256];
}

static inline unsigned
tokenizer_ascii_class(unsigned char byte)
{
    return tokenizer_table[TOKENIZER_PAGES_AT + byte]; /* the first page is that of the first 256 */
}

#endif
