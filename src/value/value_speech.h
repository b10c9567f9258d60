/* value_speech.h - finds the object of what a user says in the first person: "I want to see
 * Iceland" as a destination is Iceland, "I can't stand blue cheese" as a dislike is blue cheese.
 *
 * Pure; results are allocated from `mem` or point into the text. Any thread may call it. */
#ifndef VALUE_VALUE_SPEECH_H
#define VALUE_VALUE_SPEECH_H

#include "domain/domain.h"

struct arena;

/* Sets *object and returns true if the text says in the first person that the user likes what
 * follows, or for a member about things to avoid, dislikes it. The opposite is left alone, and so
 * are members of names and titles, which have neither a vocabulary nor phrases to trim: "I want to
 * hold your hand" is a song. */
bool value_spoken_object(struct arena *mem, const struct member *member, struct str text,
                         struct str *object);

#endif
