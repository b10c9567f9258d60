/* utf8.h - what is text, and when are two texts the same. */
#ifndef TEXT_UTF8_H
#define TEXT_UTF8_H

#include "base/str.h"

bool utf8_valid(struct str text);    /* well formed: no overlong form, no surrogate */
size_t utf8_length(struct str text); /* code points of a valid text */

/* The next code point of a valid text, taken off its front; -1 at the end or at a bad byte. */
int32_t utf8_next(struct str *rest);

/* NFC, and NFC of the case-folded text. Absent if not valid, or if more than 30 combining marks
 * follow one another, which no language needs (Unicode's stream-safe text). */
struct str utf8_nfc(struct arena *mem, struct str text);
struct str utf8_casefold(struct arena *mem, struct str text);

/* Case folded, without marks, and with compatibility forms (full-width, circled, mathematical …) as
 * the letters they are forms of: for looking into a text, not for keeping it. Absent as above. */
struct str utf8_plain(struct arena *mem, struct str text);

/* The first character that a name or value on one line may not hold: control, line and paragraph
 * separators, bidirectional controls, zero-width and other invisible ones, tags, private use,
 * surrogates and non-characters. Let through where a script needs them: ZWNJ and ZWJ between two
 * letters that join or stack (Arabic, Devanagari …), ZWJ between emoji, a selector of text or emoji
 * style behind an emoji. Returns -1 if there is none. The text must be valid. */
int32_t utf8_forbidden(struct str text);

#endif
