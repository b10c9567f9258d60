/* cookie.h - one cookie out of a Cookie header. */
#ifndef TEXT_COOKIE_H
#define TEXT_COOKIE_H

#include "base/str.h"

/* The value of the cookie of that name; absent if there is none, or if the name occurs twice (an
 * ambiguous one is no one). Values are taken as they are: no quotes are stripped, nothing decoded.
 */
struct str cookie_find(struct str header, struct str name);

#endif
