/* hint_claims.h - moves what was written into a member of something else to the one that it belongs
 * to: allergies and intolerances, and among these, diets and tastes.
 *
 * Pure; results are allocated from `mem` or point into the atoms. Any thread may call it. */
#ifndef HINT_HINT_CLAIMS_H
#define HINT_HINT_CLAIMS_H

#include "model/atom.h"

/* The atoms for the hints of a domain: "nut allergy" among the foods that the user dislikes is the
 * allergy nuts, once, and "vegan" among allergies is the diet, unless the user has another one.
 * What only apps wrote stays what it is unless the vocabulary has it. */
const struct atom *hint_claims_place(struct arena *mem, const struct domain *domain,
                                     const struct atom *atoms, size_t *count);

#endif
