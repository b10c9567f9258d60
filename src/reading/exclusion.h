/* exclusion.h - reads from a statement that something must not be eaten or used, and who says so.
 *
 * Classes of words decide: who can forbid (a doctor, a religion), what forbidding is, what being
 * unable is, and what is strict ("strictly no", "under no circumstances"). A reaction to what was
 * eaten is in reaction.h.
 *
 * Pure; any thread may call it. */
#ifndef READING_EXCLUSION_H
#define READING_EXCLUSION_H

#include "base/str.h"

enum exclusion {
    EXCLUSION_NONE,
    EXCLUSION_OF_NAMED, /* counts if the statement names something that people react to */
    EXCLUSION_BY_FAITH,
    EXCLUSION_BY_DOCTOR, /* or a treatment: about health */
};

/* `words`: those of a statement's key, with a space around each. */
enum exclusion exclusion_in(struct str words);

/* Whether the statement is about an animal or says that it is not about the user: "my dog can not
 * have grapes", "my friend is diabetic but I am not". */
bool exclusion_is_of_other(struct str words);

#endif
