/* context_letters.c - characters beyond ASCII in labels: see context_internal.h. */
#include "context/context_internal.h"

#include <string.h>

/* U+00C0 to U+00FF without diacritics, which many writers leave out: "cafe". */
static const char plain_letters[64][3] = {
    "a", "a", "a", "a", "a", "a", "ae", "c", "e", "e", "e", "e", "i", "i", "i",  "i",
    "d", "n", "o", "o", "o", "o", "o",  "_", "o", "u", "u", "u", "u", "y", "th", "ss",
    "a", "a", "a", "a", "a", "a", "ae", "c", "e", "e", "e", "e", "i", "i", "i",  "i",
    "d", "n", "o", "o", "o", "o", "o",  "_", "o", "u", "u", "u", "u", "y", "th", "y",
};

struct range {
    int32_t first, last;
    enum letter_kind kind;
};

/* Sorted. Characters outside of all ranges are letters. */
static const struct range ranges[] = {
    { 0x80, 0xBF, LETTER_SEPARATES },
    { 0x300, 0x36F, LETTER_NONE },            /* combining marks; the letter is already written */
    { 0x60C, 0x60C, LETTER_SEPARATES_PARTS }, /* Arabic comma and semicolon */
    { 0x61B, 0x61B, LETTER_SEPARATES_PARTS },
    { 0x61F, 0x61F, LETTER_SEPARATES },
    { 0x640, 0x640, LETTER_NONE }, /* stretches Arabic words */
    { 0x64B, 0x65F, LETTER_NONE }, /* Arabic vowel marks, usually left out */
    { 0x670, 0x670, LETTER_NONE },
    { 0x6D4, 0x6D4, LETTER_SEPARATES },
    { 0x93C, 0x93C, LETTER_NONE }, /* dots of loanwords in Hindi and Bengali, often left out */
    { 0x964, 0x965, LETTER_SEPARATES },
    { 0x9BC, 0x9BC, LETTER_NONE },
    { 0x200C, 0x200F, LETTER_NONE },
    { 0x2018, 0x2019, LETTER_NONE }, /* apostrophes */
    { 0x2000, 0x2FFF, LETTER_SEPARATES },
    { 0x3001, 0x3001, LETTER_SEPARATES_PARTS },
    { 0x3000, 0x303F, LETTER_SEPARATES },
    { 0x306E, 0x306E, LETTER_SEPARATES }, /* no and wo, which join words */
    { 0x3092, 0x3092, LETTER_SEPARATES },
    { 0x3041, 0x309F, LETTER_HIRAGANA },
    { 0x30FB, 0x30FB, LETTER_SEPARATES },
    { 0x30A1, 0x30FF, LETTER_KATAKANA },
    { 0x3400, 0x9FFF, LETTER_WORD }, /* Chinese has no spaces; keywords are found as phrases */
    { 0xFF0C, 0xFF0C, LETTER_SEPARATES_PARTS },
    { 0xFF1B, 0xFF1B, LETTER_SEPARATES_PARTS },
    { 0xFF00, 0xFFEF, LETTER_SEPARATES },
    { 0x10000, 0x10FFFF, LETTER_SEPARATES }, /* emoji */
};

/* Letters with two spellings that readers do not tell apart. */
static const int32_t same_letters[][2] = {
    { 0x451, 0x435 },                                     /* Russian io */
    { 0x622, 0x627 }, { 0x623, 0x627 }, { 0x625, 0x627 }, /* Arabic alif */
    { 0x649, 0x64A }, { 0x6CC, 0x64A },                   /* yeh, Arabic and Urdu */
    { 0x6A9, 0x643 },                                     /* kaf */
    { 0x95B, 0x91C }, { 0x95C, 0x921 }, { 0x95D, 0x922 }, { 0x95E, 0x92B }, /* with a dot */
    { 0x9DC, 0x9A1 }, { 0x9DD, 0x9A2 }, { 0x9DF, 0x9AF },
};

/* Small letters for the Cyrillic capitals. */
static int32_t
plain_point(int32_t point)
{
    if (point >= 0x410 && point <= 0x42F)
        point += 0x20;
    else if (point >= 0x400 && point <= 0x40F)
        point += 0x50;
    for (size_t i = 0; i < sizeof same_letters / sizeof same_letters[0]; i++)
        if (same_letters[i][0] == point)
            return same_letters[i][1];
    return point;
}

static void
encode(int32_t point, char text[LETTER_BYTES])
{
    size_t at = 0;
    if (point < 0x800) {
        text[at++] = (char)(0xC0 | point >> 6);
    } else {
        text[at++] = (char)(0xE0 | point >> 12);
        text[at++] = (char)(0x80 | (point >> 6 & 0x3F));
    }
    text[at++] = (char)(0x80 | (point & 0x3F));
    text[at] = '\0';
}

enum letter_kind
label_letter(int32_t point, char text[LETTER_BYTES])
{
    text[0] = '\0';
    if (point >= 0xC0 && point <= 0xFF) {
        const char *plain = plain_letters[point - 0xC0];
        memcpy(text, plain, strlen(plain) + 1);
        return *plain == '_' ? LETTER_SEPARATES : LETTER;
    }
    enum letter_kind kind = LETTER;
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0] && kind == LETTER; i++)
        if (point >= ranges[i].first && point <= ranges[i].last)
            kind = ranges[i].kind;
    if (kind == LETTER || kind == LETTER_WORD || kind == LETTER_HIRAGANA || kind == LETTER_KATAKANA)
        encode(plain_point(point), text);
    return kind;
}

/* The article is written as part of the word, also after "for", "and", "with", and "as". */
struct str
label_without_article(struct str word)
{
    static const struct str articles[] = { { "\xd9\x88\xd8\xa7\xd9\x84", 6 },
                                           { "\xd8\xa8\xd8\xa7\xd9\x84", 6 },
                                           { "\xd9\x83\xd8\xa7\xd9\x84", 6 },
                                           { "\xd8\xa7\xd9\x84", 4 },
                                           { "\xd9\x84\xd9\x84", 4 } };
    for (size_t i = 0; i < sizeof articles / sizeof articles[0]; i++)
        if (str_starts(word, articles[i]) && word.len >= articles[i].len + 6)
            return str_from(word, articles[i].len);
    return word;
}
