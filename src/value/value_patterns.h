/* value_patterns.h - detects text that addresses a model or a browser, with one table of patterns.
 *
 * Best effort: a determined writer can evade the patterns. The real protection against prompt
 * injection is elsewhere: writing needs permission, users see every value, and hints quote values.
 *
 * Pure; any thread may call it. */
#ifndef VALUE_VALUE_PATTERNS_H
#define VALUE_VALUE_PATTERNS_H

#include "base/str.h"

struct arena;

/* The name of the first pattern that matches ("a link"), or NULL. `mem` is scratch memory. */
const char *value_pattern_in(struct arena *mem, struct str text);

#endif
