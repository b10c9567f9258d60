/* value_text.h - texts and numbers of values, for definitions and for value.c. */
#ifndef DOMAIN_VALUE_TEXT_H
#define DOMAIN_VALUE_TEXT_H

#include "domain/domain.h"
#include "domain/value.h"

/* No preference is a larger number, and every whole one up to here is exact. */
#define VALUE_NUMBER_MAX 1e15

/* White space of any script as single blanks, none at the ends. The text must be valid UTF-8. */
struct str value_blanks(struct arena *mem, struct str text);

bool value_number_fits(double number);

/* The shortest text that reads as the same number; it fits. */
struct str value_number_text(struct arena *mem, double number);

/* Whether the text is such a one, and a value of this member. */
bool value_is_number_text(const struct member *member, struct str text);

#endif
