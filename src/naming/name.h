/* name.h - whether a text that an app wrote is plainly a name or a thing, so that a hint can report
 * it without quotation marks.
 *
 * In doubt it is not: a quoted name stays readable. Reasons for doubt are in docs/HINTS.md. The
 * text must be valid UTF-8. Pure; any thread may call it. */
#ifndef NAMING_NAME_H
#define NAMING_NAME_H

#include "base/str.h"

/* Whether it is plainly a name or a short noun phrase: few words, hardly any signs, no word that
 * makes a clause, an order, or a claim, no address. */
bool name_is_plain(struct str text);

/* Whether it has several words and none begins with a capital letter, in a script that has them:
 * "joe's pizza" may be a name, as may "cheap wine". */
bool name_is_small(struct str text);

#endif
