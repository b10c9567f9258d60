/* hint_set_words.h - the words of hints that are compared with a task, when a hint set is made.
 *
 * Pure; results are allocated from `mem`. Any thread may call them. */
#ifndef HINT_HINT_SET_WORDS_H
#define HINT_HINT_SET_WORDS_H

#include "hint/hint.h"

/* Sets the terms of a hint: words of its first values and of their other spellings. */
void hint_set_words(struct arena *mem, struct hint *hint);

/* Notes for each statement the contexts whose name or aliases have one of its words, and removes
 * these words from other hints. */
void hint_set_contexts(const struct domain *domain, struct hint *hints, size_t count);

#endif
