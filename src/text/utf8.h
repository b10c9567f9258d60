/* utf8.h - validates and normalizes UTF-8 text.
 *
 * Results are allocated from the arena. Safe from any thread. */
#ifndef TEXT_UTF8_H
#define TEXT_UTF8_H

#include "base/str.h"

bool utf8_valid(struct str text);    /* well formed: no overlong form, no surrogate */
size_t utf8_length(struct str text); /* number of code points; the text must be valid */

/* Removes the next code point from the front of *rest; -1 at the end or at an invalid byte. */
int32_t utf8_next(struct str *rest);

/* Writes a valid code point, at most 4 bytes. Returns their end. */
char *utf8_put(char *out, uint32_t c);

/* NFC, and NFC of the case-folded text. Absent if the text is invalid or has more than 30
 * combining marks in a row, which no language needs (UAX #15, stream-safe text). */
struct str utf8_nfc(struct arena *mem, struct str text);
struct str utf8_casefold(struct arena *mem, struct str text);

/* Case-folded, without marks, and with compatibility forms (full-width, circled, mathematical)
 * replaced by plain letters: for matching, not for storage. Absent as above. */
struct str utf8_match_key(struct arena *mem, struct str text);

/* The first character that is not allowed in a single-line name or value: control, line and
 * paragraph separators, bidirectional controls, zero-width and other invisible ones, tags, private
 * use, surrogates and non-characters. Allowed where a script needs them: ZWNJ and ZWJ between two
 * letters that join or stack (Arabic, Devanagari …), ZWJ between emoji, a selector of text or emoji
 * style after an emoji. Returns -1 if all are allowed. The text must be valid. */
int32_t utf8_forbidden(struct str text);

#endif
