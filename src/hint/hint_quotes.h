/* hint_quotes.h - which values stand in quotation marks in a hint.
 *
 * A value is somebody's words inside a sentence of ours. Names stand there as they are; whatever
 * could end the sentence, begin another, or pass for words of ours is quoted, so that a reader sees
 * where it starts and ends. Pure. */
#ifndef HINT_HINT_QUOTES_H
#define HINT_HINT_QUOTES_H

#include "base/buf.h"

bool hint_must_quote(struct arena *mem, struct str value);

/* In quotation marks. */
void hint_add_quoted(struct buf *out, struct str value);

/* What can stand between quotation marks and not close them: double marks become single ones, and a
 * backslash at the end, which would take the closing mark's meaning away, is set off by a blank. */
void hint_add_inside_quotes(struct buf *out, struct str value);

#endif
