/* second_person.h - a definition speaks of "the user"; a page speaks to the person. */
#ifndef PAGE_SECOND_PERSON_H
#define PAGE_SECOND_PERSON_H

#include "base/str.h"

struct arena;

/* "Genres the user listens to" -> "Genres you listen to". English, as definitions are. */
struct str second_person_text(struct arena *mem, struct str text);

#endif
