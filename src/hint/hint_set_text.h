/* hint_set_text.h - the front of a card's text; for hint_set_text.c and for tests of damage. */
#ifndef HINT_HINT_SET_TEXT_H
#define HINT_HINT_SET_TEXT_H

#include "domain/domain.h"

/* The contents behind the version, what was made from which definition, and their sum. */
struct str hint_set_prefix(struct arena *mem, const struct domain *domain, struct str contents);

#endif
