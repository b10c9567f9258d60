/* base64url.h - base64url without padding (RFC 4648 section 5), and base64 with padding (section 4)
 * for HTTP Basic. Safe from any thread; results are allocated from the arena. */
#ifndef TEXT_BASE64URL_H
#define TEXT_BASE64URL_H

#include "base/str.h"

/* Whether all characters are in the base64url alphabet, as in ids, keys, and tokens. */
bool base64url_only(struct str text);

#define BASE64URL_LENGTH(bytes) (((bytes)*4 + 2) / 3)

struct str base64url_encode(struct arena *mem, struct str bytes);

/* Strict: rejects padding, other characters, and nonzero trailing bits. Absent if malformed. */
struct str base64url_decode(struct arena *mem, struct str text);

/* Standard alphabet with required padding; otherwise as strict as base64url_decode(). */
struct str base64_decode(struct arena *mem, struct str text);

#endif
