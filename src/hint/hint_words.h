/* hint_words.h - a hint in words.
 *
 * The sentence is the definition's; values are other people's words inside it. None of them can end
 * the sentence, begin a line or close a quotation: what could is put in quotation marks, and marks
 * inside are made single ones. Pure. */
#ifndef HINT_HINT_WORDS_H
#define HINT_HINT_WORDS_H

#include "base/buf.h"
#include "hint/hint.h"
#include "hint/hint_quotes.h"

/* One line that ends with a full stop. */
void hint_sentence(struct buf *out, const struct hint *hint, const struct hint_level *level,
                   bool strong);

/* One line of Markdown that starts with "- ". */
void hint_bullet(struct buf *out, const struct hint *hint, const struct hint_level *level);

/* Where the pattern tells one value a sentence and not a list of them. */
bool hint_is_per_value(const struct member *member);

#endif
