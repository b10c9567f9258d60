/* figure.h - figures of speech: "allergic to meetings", "small talk gives me hives".
 *
 * Works on the words of a statement's key, with a space around each. Pure; results are allocated
 * from `mem`. Any thread may call it. */
#ifndef VALUE_FIGURE_H
#define VALUE_FIGURE_H

#include "base/str.h"

struct arena;

/* Whether what an allergy is to, or what gives hives, is no substance. */
bool figure_in(struct str words);

/* The words without a judgment and what it judges: "bad coffee" of "my allergy to bad coffee". The
 * same words if there is none. */
struct str figure_without_judged(struct arena *mem, struct str words);

#endif
