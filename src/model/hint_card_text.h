/* hint_card_text.h - the front of a card's text; for hint_card_text.c and for tests of damage. */
#ifndef MODEL_HINT_CARD_TEXT_H
#define MODEL_HINT_CARD_TEXT_H

#include "model/domain.h"

/* The contents behind the version, what was made from which definition, and their sum. */
struct str hint_card_seal(struct arena *mem, const struct domain *domain, struct str contents);

#endif
