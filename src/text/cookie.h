/* cookie.h - reads one cookie from a Cookie header. Pure; any thread may call it. */
#ifndef TEXT_COOKIE_H
#define TEXT_COOKIE_H

#include "base/str.h"

/* The value of the named cookie, pointing into the header; absent if the name is missing or occurs
 * twice, because a duplicate is ambiguous. Values are neither unquoted nor decoded. */
struct str cookie_find(struct str header, struct str name);

#endif
