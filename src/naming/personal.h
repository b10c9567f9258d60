/* personal.h - statements about religion, disability, sexual orientation, gender, or politics.
 *
 * They are sensitive in every domain, as statements about health are: an app sees them only if the
 * user shares the sensitive facts of the domain. What the user eats is not: "I keep kosher" says no
 * more than the member for diets. Pure; any thread may call it. */
#ifndef NAMING_PERSONAL_H
#define NAMING_PERSONAL_H

#include "base/str.h"

/* Whether the statement says something personal besides what statement_concern() finds. Decides by
 * the statement's key, which the text may be. */
bool personal_statement(struct str text);

#endif
