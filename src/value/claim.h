/* claim.h - recognizes an allergy or intolerance that was written into a member for something else.
 *
 * "Nut allergy" is an allergy, also as a diet or among the foods that the user dislikes. Such a
 * value is stored as written; hints treat it as one of the member for allergies.
 *
 * Pure; results are allocated from `mem`. Any thread may call it. */
#ifndef VALUE_CLAIM_H
#define VALUE_CLAIM_H

#include "domain/domain.h"

struct arena;

/* Whether the text can have a claim at all: nearly none can. */
bool claim_is_possible(struct str text);

/* Whether the text states an allergy or an intolerance, and the member is for something else. */
bool claim_in(struct arena *mem, const struct member *member, struct str text);

/* The member of the domain for allergies or intolerances that such a text belongs to, and how it
 * says so there. NULL: it states none, or less than its own member. *certain: an allergy, also if
 * the vocabulary does not have what it is to. */
const struct member *claim_member(struct arena *mem, const struct domain *domain,
                                  const struct member *member, struct str text, struct str *said,
                                  bool *certain);

#endif
