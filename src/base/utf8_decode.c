#include "base/utf8_decode.h"

/* Table 3-7 of the Unicode standard: only the second byte has ranges of its own. */
size_t
utf8_decode_multibyte(const unsigned char *at, size_t left, int32_t *point)
{
    unsigned char first = at[0];
    size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || left < length)
        return 0;
    /* The range of the second byte excludes overlong forms, surrogates, and values above U+10FFFF.
     */
    unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (at[1] < low || at[1] > high)
        return 0;
    int32_t value = first & (0x7f >> length);
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        value = (int32_t)((uint32_t)value << 6 | (at[i] & 0x3fu));
    }
    *point = value;
    return length;
}
