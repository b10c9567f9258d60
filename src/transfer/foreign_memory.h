/* foreign_memory.h - the wording of lines that an assistant has saved about its user.
 *
 * Pure; results point into the line or are allocated from `mem`. Any thread may call it. */
#ifndef TRANSFER_FOREIGN_MEMORY_H
#define TRANSFER_FOREIGN_MEMORY_H

#include "base/str.h"

struct arena;

enum memory_kind { MEMORY_NOTHING, MEMORY_HEADING, MEMORY_STATEMENT };

struct memory_line {
    enum memory_kind kind;
    struct str text;
};

/* Removes list signs, numbers, dates in brackets, and marks of Markdown. */
struct memory_line memory_read(struct str line);

/* Takes the next sentence of a statement that is longer than a value may be; a shorter one is taken
 * as a whole. False at the end. */
bool memory_cut(struct str *rest, struct str *sentence);

/* "The user likes jazz." becomes "I like jazz". */
struct str memory_first_person(struct arena *mem, struct str text);

/* *rest is what follows "I like" or "I don't like"; absent if the text does not begin so. */
void memory_liking(struct str text, struct str *rest, bool *negative);

/* "Favorite artists: Björk" and "My favorite artist is Björk". */
bool memory_label(struct str text, struct str *label, struct str *values);

#endif
