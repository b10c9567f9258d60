/* hint_quotes.h - decides which values are quoted in a hint, and quotes them.
 *
 * A value is untrusted text inside a sentence of the definition. Names are written as they are. A
 * value that could end the sentence, begin another, or read as part of it is quoted, so that the
 * reader sees where it starts and ends. Pure; any thread may call it. */
#ifndef HINT_HINT_QUOTES_H
#define HINT_HINT_QUOTES_H

#include "base/buf.h"

bool hint_must_quote(struct arena *mem, struct str value);

/* Adds the value in double quotes. */
void hint_add_quoted(struct buf *out, struct str value);

/* Adds the value so that it cannot close the quotes around it: double quotes become single ones,
 * and a space follows a final backslash, which would escape the closing quote. */
void hint_add_inside_quotes(struct buf *out, struct str value);

#endif
