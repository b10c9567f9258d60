/* value_speech.h - finds the object of what a user says in the first person: "I want to see
 * Iceland" as a destination is Iceland, "I can't stand blue cheese" as a dislike is blue cheese.
 *
 * Pure; results are allocated from `mem` or point into the text. Any thread may call it. */
#ifndef VALUE_VALUE_SPEECH_H
#define VALUE_VALUE_SPEECH_H

#include "domain/domain.h"

struct arena;

/* Whether the member holds names and titles: it has neither a vocabulary, nor phrases to trim, nor
 * a form. */
static inline bool
value_is_of_names(const struct member *member)
{
    return member->vocabulary == NULL && member->trim_count == 0 &&
           form_takes_names(member->hint.form);
}

/* Whether the vocabulary has values such as "no elevator": then "no" is a part of the value. */
bool value_lists_absences(const struct member *member);

/* "don't" has another apostrophe on most phones. */
struct str value_with_straight_apostrophes(struct arena *mem, struct str text);

/* Sets *object and returns true if the text says in the first person that the user likes what
 * follows, or for a member about things to avoid, dislikes it. The opposite is left alone, and so
 * are members of names and titles: "I want to hold your hand" is a song. */
bool value_spoken_object(struct arena *mem, const struct member *member, struct str text,
                         struct str *object);

#endif
