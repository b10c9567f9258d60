/* path.h - which spellings of a path exist. */
#ifndef WEB_PATH_H
#define WEB_PATH_H

#include "base/str.h"

/* A path has one spelling; every other one is not found, so that nothing in front of us (a proxy's
 * rules, a cache) and nothing behind can see two addresses where there is one. Asked for are: a
 * leading '/', no empty segment (but for "/" itself), no "." or "..", no ';', only characters a
 * path may hold (RFC 3986 §3.3); escapes well formed, and never of an unreserved character (which
 * has no need of one), a slash, a backslash or a control character. */
bool path_is_canonical(struct str path);

#endif
