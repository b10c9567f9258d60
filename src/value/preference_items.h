/* preference_items.h - reads and checks the values that a preference write sends for one domain.
 *
 * Pure; results are allocated from `mem`. Any thread may call it. */
#ifndef VALUE_PREFERENCE_ITEMS_H
#define VALUE_PREFERENCE_ITEMS_H

#include "value/value.h"

struct arena;
struct json_value;

#define ITEMS_PER_WRITE_MAX 100 /* of one array */

/* One valid value. */
struct preference_item {
    const struct member *member;
    struct value value;
};

struct preference_items {
    struct preference_item *list;
    size_t count, capacity, limit;
};

/* One invalid value and its path: "preferences.genres[3]". */
struct preference_problem {
    struct str at;
    struct str problem;
};

#define PREFERENCE_PROBLEMS_MAX 32

struct preference_problems {
    size_t count;
    struct preference_problem list[PREFERENCE_PROBLEMS_MAX];
};

/* `given` is an object with members of the domain; NULL: not sent. False: `problems` lists the
 * invalid values. The items refer to `domain` and to `given`. */
bool preference_items_read(struct arena *mem, const struct domain *domain,
                           const struct json_value *given, struct preference_items *out,
                           struct preference_problems *problems);

/* Does nothing if there are PREFERENCE_PROBLEMS_MAX already. `problem` must be a constant. */
void preference_problem_add(struct arena *mem, struct preference_problems *problems, struct str at,
                            const char *problem);

/* The key to store for a value: long keys are hashed, since an index entry is limited in size. */
struct str preference_key(struct arena *mem, struct str key);

#endif
