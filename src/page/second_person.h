/* second_person.h - rewrites texts about "the user" for pages that address the reader as "you".
 * Pure; any thread may call it. */
#ifndef PAGE_SECOND_PERSON_H
#define PAGE_SECOND_PERSON_H

#include "base/str.h"

struct arena;

/* "Genres the user listens to" -> "Genres you listen to". For English texts only. The result is in
 * the arena. */
struct str second_person_text(struct arena *mem, struct str text);

#endif
