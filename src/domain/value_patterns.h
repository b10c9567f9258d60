/* value_patterns.h - texts that are not meant for a person, as one table.
 *
 * A net, not a wall: who wants to slip through will. What keeps values from becoming instructions
 * is who may write, that the person sees what was written, and that hints quote it. Pure. */
#ifndef DOMAIN_VALUE_PATTERNS_H
#define DOMAIN_VALUE_PATTERNS_H

#include "base/str.h"

struct arena;

/* The name of the first pattern that the text holds ("a link"), or NULL. */
const char *value_pattern_in(struct arena *mem, struct str text);

#endif
