/* look_alike.c - a table of letters that can pass for Latin ones in usual fonts.
 *
 * Not complete: it has the letters that deceive people and models in whole words, in lower case,
 * since the input is folded. Several Greek and Cyrillic letters map to the letter that they look
 * like, not to the one that they sound like. */
#include "text/look_alike.h"

#include "base/arena.h"
#include "text/utf8.h"

static const struct {
    int32_t point;
    char latin;
} letters[] = {
    { 0x0131, 'i' }, /* ı */
    { 0x01c0, '|' }, /* ǀ */
    { 0x0237, 'j' }, /* ȷ */
    { 0x0251, 'a' }, /* ɑ */
    { 0x0261, 'g' }, /* ɡ */
    { 0x0262, 'g' }, /* ɢ */
    { 0x0269, 'i' }, /* ɩ */
    { 0x026a, 'i' }, /* ɪ */
    { 0x0274, 'n' }, /* ɴ */
    { 0x0280, 'r' }, /* ʀ */
    { 0x028b, 'v' }, /* ʋ */
    { 0x028f, 'y' }, /* ʏ */
    { 0x0299, 'b' }, /* ʙ */
    { 0x029c, 'h' }, /* ʜ */
    { 0x029f, 'l' }, /* ʟ */
    { 0x02d0, ':' }, /* ː */
    { 0x03b1, 'a' }, /* α */
    { 0x03b2, 'b' }, /* β */
    { 0x03b3, 'y' }, /* γ */
    { 0x03b5, 'e' }, /* ε */
    { 0x03b6, 'z' }, /* ζ */
    { 0x03b7, 'n' }, /* η */
    { 0x03b9, 'i' }, /* ι */
    { 0x03ba, 'k' }, /* κ */
    { 0x03bc, 'm' }, /* μ */
    { 0x03bd, 'v' }, /* ν */
    { 0x03bf, 'o' }, /* ο */
    { 0x03c1, 'p' }, /* ρ */
    { 0x03c3, 'o' }, /* σ */
    { 0x03c4, 't' }, /* τ */
    { 0x03c5, 'u' }, /* υ */
    { 0x03c7, 'x' }, /* χ */
    { 0x03c9, 'w' }, /* ω */
    { 0x0430, 'a' }, /* а */
    { 0x0432, 'b' }, /* в */
    { 0x0433, 'r' }, /* г */
    { 0x0435, 'e' }, /* е */
    { 0x043a, 'k' }, /* к */
    { 0x043c, 'm' }, /* м */
    { 0x043d, 'h' }, /* н */
    { 0x043e, 'o' }, /* о */
    { 0x043f, 'n' }, /* п */
    { 0x0440, 'p' }, /* р */
    { 0x0441, 'c' }, /* с */
    { 0x0442, 't' }, /* т */
    { 0x0443, 'y' }, /* у */
    { 0x0445, 'x' }, /* х */
    { 0x044c, 'b' }, /* ь */
    { 0x0455, 's' }, /* ѕ */
    { 0x0456, 'i' }, /* і */
    { 0x0458, 'j' }, /* ј */
    { 0x0461, 'w' }, /* ѡ */
    { 0x0475, 'v' }, /* ѵ */
    { 0x0493, 'f' }, /* ғ */
    { 0x04bb, 'h' }, /* һ */
    { 0x04cf, 'l' }, /* ӏ */
    { 0x0501, 'd' }, /* ԁ */
    { 0x051b, 'q' }, /* ԛ */
    { 0x051d, 'w' }, /* ԝ */
    { 0x0561, 'w' }, /* ա */
    { 0x0563, 'q' }, /* գ */
    { 0x0570, 'h' }, /* հ */
    { 0x0575, 'j' }, /* յ */
    { 0x0578, 'n' }, /* ո */
    { 0x057d, 'u' }, /* ս */
    { 0x0581, 'g' }, /* ց */
    { 0x0584, 'f' }, /* ք */
    { 0x0585, 'o' }, /* օ */
    { 0x1d00, 'a' }, /* ᴀ */
    { 0x1d04, 'c' }, /* ᴄ */
    { 0x1d05, 'd' }, /* ᴅ */
    { 0x1d07, 'e' }, /* ᴇ */
    { 0x1d0a, 'j' }, /* ᴊ */
    { 0x1d0b, 'k' }, /* ᴋ */
    { 0x1d0d, 'm' }, /* ᴍ */
    { 0x1d0f, 'o' }, /* ᴏ */
    { 0x1d18, 'p' }, /* ᴘ */
    { 0x1d1b, 't' }, /* ᴛ */
    { 0x1d1c, 'u' }, /* ᴜ */
    { 0x1d20, 'v' }, /* ᴠ */
    { 0x1d21, 'w' }, /* ᴡ */
    { 0x1d22, 'z' }, /* ᴢ */
    { 0x2039, '<' }, /* ‹ */
    { 0x203a, '>' }, /* › */
    { 0x2044, '/' }, /* ⁄ */
    { 0x2215, '/' }, /* ∕ */
    { 0x2223, '|' }, /* ∣ */
    { 0x2236, ':' }, /* ∶ */
    { 0xa730, 'f' }, /* ꜰ */
    { 0xa731, 's' }, /* ꜱ */
    { 0xa789, ':' }, /* ꞉ */
};

/* Ranges of letters that Unicode's tables do not map to plain ones. */
static const struct {
    int32_t first;
} alphabets[] = {
    { 0x1f150 }, /* white on a black circle */
    { 0x1f170 }, /* white on a black square */
    { 0x1f1e6 }, /* regional indicators, used for flags */
};

/* 0: looks like no other character. `letters` is sorted by point. */
static char
latin_for(int32_t point)
{
    for (size_t i = 0; i < sizeof alphabets / sizeof *alphabets; i++)
        if (point >= alphabets[i].first && point < alphabets[i].first + 26)
            return (char)('a' + (point - alphabets[i].first));
    size_t low = 0, high = sizeof letters / sizeof *letters;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (letters[middle].point == point)
            return letters[middle].latin;
        if (letters[middle].point < point)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

/* The result has at most as many bytes as the text, because every replacement is one byte. ASCII
 * stays as it is. */
struct str
look_alike_latin(struct arena *mem, struct str plain)
{
    char *out = arena_alloc(mem, plain.len + 1);
    size_t length = 0;
    while (plain.len > 0) {
        struct str from = plain;
        int32_t point = utf8_next(&plain);
        char latin = point < 0x80 ? 0 : latin_for(point);
        if (point < 0)
            break;
        if (latin != 0)
            out[length++] = latin;
        for (size_t i = 0; latin == 0 && i < from.len - plain.len; i++)
            out[length++] = from.ptr[i];
    }
    return (struct str){ out, length };
}
