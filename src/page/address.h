/* address.h - a definition speaks of "the user"; a page speaks to the person. */
#ifndef PAGE_ADDRESS_H
#define PAGE_ADDRESS_H

#include "base/str.h"

struct arena;

/* "Genres the user listens to" -> "Genres you listen to". English, as definitions are. */
struct str address_directly(struct arena *mem, struct str text);

#endif
