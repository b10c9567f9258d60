/* reaction.h - reads from a statement that something harms the user, by a small grammar.
 *
 * Classes of words decide, not phrases: a part of the body and what happens to it ("my lips
 * tingle"), a symptom of a person ("she vomits"), a way to the hospital, a death, or something that
 * a person is unable or not allowed to have.
 *
 * Pure; any thread may call it. */
#ifndef READING_REACTION_H
#define READING_REACTION_H

#include "base/str.h"

enum reaction {
    REACTION_NONE,
    REACTION_TO_NAMED, /* counts if the statement names something that people are allergic to */
    REACTION_GRAVE,    /* counts whatever causes it */
};

/* `words`: those of a statement's key, with a space around each. */
enum reaction reaction_in(struct str words);

#endif
