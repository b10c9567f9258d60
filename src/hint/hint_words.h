/* hint_words.h - writes a hint as a sentence or as a Markdown bullet.
 *
 * The sentence comes from the definition; values are untrusted text inside it. A value cannot end
 * the sentence, begin a line or close a quotation: such a value is put in double quotes, and double
 * quotes inside it become single ones.
 *
 * Pure; any thread may call it. Output is appended to the caller's buffer. */
#ifndef HINT_HINT_WORDS_H
#define HINT_HINT_WORDS_H

#include "base/buf.h"
#include "hint/hint.h"
#include "hint/hint_quotes.h"

/* Whether a value is written in Markdown as in a sentence, without a backslash. */
bool hint_is_unmarked(struct str value);

/* One line that ends with a period and names the first `items` values, which must be available. */
void hint_sentence(struct buf *out, const struct hint *hint, int items, bool strong);

/* One line of Markdown that starts with "- ". */
void hint_bullet(struct buf *out, const struct hint *hint, int items);

#endif
