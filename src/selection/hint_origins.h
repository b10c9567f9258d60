/* hint_origins.h - writes who stated the facts of a selection.
 *
 * An origin is an array: "user", the ids of apps, or both. The hints must be open. Pure; any thread
 * may call it. */
#ifndef SELECTION_HINT_ORIGINS_H
#define SELECTION_HINT_ORIGINS_H

#include "selection/hint_selection.h"

struct json;

/* An array with the origin of each hint, in the order of text. */
void hint_origins_by_hint(struct json *out, const struct selection *selection);

/* An object by domain, with the origin of each member under the member's key. */
void hint_origins_by_member(struct json *out, const struct selection *selection);

#endif
