/* describe.h - values that describe something instead of naming it: "crowded", "anything
 * loud", or "with a terrace" where names of places are expected.
 *
 * A member can state the noun that such a value lacks: "crowded places", "places with a terrace".
 * It can also have a sentence for what says where or how: "User works in the army."
 *
 * Pure; results are allocated from `mem` or point into the text. Any thread may call it. */
#ifndef WORDING_DESCRIBE_H
#define WORDING_DESCRIBE_H

#include "domain/domain.h"

struct arena;

enum description {
    DESCRIBES_NOTHING, /* it is a noun, a name, or a text that only a quotation fits */
    DESCRIBES_NOUN,    /* *out: with the noun of the member */
    DESCRIBES_MANNER   /* *out: the rest of the member's sentence for it */
};

/* Names are left alone: in a member without a vocabulary, an adjective counts only if it is a
 * judgment such as "overpriced", and a text that begins like "With Honors" does not count. */
enum description describe_value_of(struct arena *mem, const struct member *member, struct str text,
                                   struct str *out);

#endif
