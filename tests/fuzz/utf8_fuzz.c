/* Normalization is idempotent and equal for equal texts; exactly the forbidden characters are
 * found. */
#include "fuzz.h"

#include "text/utf8.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *mem = arena_new();
    struct str text = fuzz_input(mem, data, size);
    struct str rest = text;
    size_t count = 0;
    for (int32_t point; (point = utf8_next(&rest)) >= 0; count++)
        MUST(point <= 0x10ffff && (point < 0xd800 || point > 0xdfff));
    MUST((rest.len == 0) == utf8_valid(text));
    if (!utf8_valid(text)) {
        MUST(!str_present(utf8_nfc(mem, text)) && !str_present(utf8_casefold(mem, text)));
        arena_free(mem);
        return 0;
    }
    MUST(utf8_length(text) == count);
    struct str nfc = utf8_nfc(mem, text);
    struct str folded = utf8_casefold(mem, text);
    if (str_present(nfc)) {
        MUST(utf8_valid(nfc) && str_eq(utf8_nfc(mem, nfc), nfc));
        MUST(nfc.ptr[nfc.len] == '\0');
        struct str folded_nfc = utf8_casefold(mem, nfc);
        MUST(str_present(folded) == str_present(folded_nfc) && str_eq(folded, folded_nfc));
    } else {
        MUST(size > 60 && !str_present(folded)); /* too many combining marks */
    }
    if (str_present(folded)) {
        MUST(utf8_valid(folded) && str_eq(utf8_nfc(mem, folded), folded));
        MUST(str_eq(utf8_casefold(mem, folded), folded));
    }
    int32_t forbidden = utf8_forbidden(text);
    bool there = false;
    rest = text;
    for (int32_t c; (c = utf8_next(&rest)) >= 0;) {
        there |= c == forbidden;
        bool surely = c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x2028 && c <= 0x202e) ||
                      (c >= 0x2066 && c <= 0x2069) || (c >= 0xe000 && c <= 0xf8ff) ||
                      (c >= 0xe0000 && c <= 0xe01ef) || (c & 0xffff) == 0xffff || c == 0x200b;
        MUST(!surely || forbidden >= 0);
    }
    MUST(forbidden < 0 || (there && (forbidden < 0x20 || forbidden >= 0x7f)));
    arena_free(mem);
    return 0;
}
