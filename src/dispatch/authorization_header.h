/* authorization_header.h - parses the Authorization header: Bearer (RFC 6750) and Basic (RFC 7617).
 *
 * Pure: the credentials are not checked. The token points into the header; id and secret are
 * allocated from `mem`. Any thread may call them. */
#ifndef DISPATCH_AUTHORIZATION_HEADER_H
#define DISPATCH_AUTHORIZATION_HEADER_H

#include "base/str.h"

struct arena;

/* Returns the bearer token. Absent: another scheme, or no header. Empty: malformed token. */
struct str authorization_header_bearer(struct str header);

/* Reads the client id and secret. False: another scheme, no header, or malformed. */
bool authorization_header_basic(struct arena *mem, struct str header, struct str *id,
                                struct str *secret);

#endif
