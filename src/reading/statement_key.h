/* statement_key.h - how statements are compared: one key for all spellings of one sentence.
 *
 * Case, punctuation, contractions, courtesy ("please"), units ("7pm"), accents, and British and
 * American English make no difference. Negations, numbers, and words for a degree do. The key has
 * words with single spaces, and is the key of itself.
 *
 * Pure; results are allocated from `mem`. Any thread may call it. */
#ifndef READING_STATEMENT_KEY_H
#define READING_STATEMENT_KEY_H

#include "base/str.h"

struct arena;

/* Absent if the text is not valid UTF-8. */
struct str statement_key(struct arena *mem, struct str text);

#endif
