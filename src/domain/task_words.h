/* task_words.h - the words of tasks that mean members of a domain: those that its definition lists
 * ("seat", "aisle"), and words of titles ("write to the database" for "Databases").
 *
 * Made when a definition is read, so that a request looks up only the words of its task. Pure; any
 * thread may call it. */
#ifndef DOMAIN_TASK_WORDS_H
#define DOMAIN_TASK_WORDS_H

#include "domain/domain.h"
#include "domain/terms.h"

struct arena;

/* One bit for each member of a domain, in the order of the definition. */
struct member_bits {
    uint64_t bits[MEMBERS_MAX / 64];
};

/* Allocated from `mem`. */
const struct task_words *task_words_make(struct arena *mem, const struct member *members,
                                         size_t count);

/* Sets the bits of the members that the task means. `words` may be NULL: none. */
void task_words_find(const struct task_words *words, const struct terms *task,
                     struct member_bits *out);

static inline bool
member_bits_has(const struct member_bits *members, size_t i)
{
    return members->bits[i / 64] >> i % 64 & 1;
}

#endif
