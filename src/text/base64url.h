/* base64url.h - RFC 4648 §5, without padding; and §4 with padding, for HTTP Basic. */
#ifndef TEXT_BASE64URL_H
#define TEXT_BASE64URL_H

#include "base/str.h"

/* Whether nothing but its 64 digits stands there: ids, keys and tokens are made of them. */
bool base64url_only(struct str text);

#define BASE64URL_LENGTH(bytes) (((bytes)*4 + 2) / 3)

struct str base64url_encode(struct arena *mem, struct str bytes);

/* Strict: the alphabet, no padding, no stray bits. Absent if malformed. */
struct str base64url_decode(struct arena *mem, struct str text);

/* The standard alphabet; padding required. Strict in the same way. */
struct str base64_decode(struct arena *mem, struct str text);

#endif
