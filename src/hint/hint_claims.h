/* hint_claims.h - moves allergies that were written into another member to the one for allergies.
 *
 * Pure; results are allocated from `mem` or point into the atoms. Any thread may call it. */
#ifndef HINT_HINT_CLAIMS_H
#define HINT_HINT_CLAIMS_H

#include "model/atom.h"

/* The atoms for the hints of a domain: "nut allergy" among the foods that the user dislikes is the
 * allergy nuts, once. What only apps wrote stays what it is unless the vocabulary has it. */
const struct atom *hint_claims_place(struct arena *mem, const struct domain *domain,
                                     const struct atom *atoms, size_t *count);

#endif
