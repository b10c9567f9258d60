/* path.h - checks that a request path is in canonical form. Pure; any thread may call it. */
#ifndef WEB_PATH_H
#define WEB_PATH_H

#include "base/str.h"

/* Paths in any other form are not found, so that a proxy or cache in front of the service cannot
 * treat two forms of one path differently. Canonical: a leading '/', no empty segment (except "/"
 * itself), no "." or "..", no ';', only characters that RFC 3986 §3.3 allows in a path, and only
 * valid escapes; an unreserved character, a slash, a backslash, or a control character must not be
 * escaped. */
bool path_is_canonical(struct str path);

#endif
