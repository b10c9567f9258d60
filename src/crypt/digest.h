/* digest.h - SHA-256, and comparing without telling how far two texts agree.
 *
 * Right for what nobody can guess (tokens, codes, client secrets) and for PKCE's S256; passwords
 * have password.h. Safe from any thread. */
#ifndef CRYPT_DIGEST_H
#define CRYPT_DIGEST_H

#include "base/str.h"

#define DIGEST_TEXT_LENGTH 43

/* As 43 base64url characters without padding. */
struct str digest_text(struct arena *mem, struct str data);

/* Its first 128 bits, as 22 such characters without a NUL: for naming a content. */
#define DIGEST_SHORT_BYTES 16
#define DIGEST_SHORT_LENGTH 22
void digest_short(struct str data, char out[DIGEST_SHORT_LENGTH]);

/* Whether both hold the same bytes. The time depends on the lengths alone. An absent text equals
 * nothing, not even another absent one: a missing secret must not match a missing secret. */
bool digest_equal(struct str a, struct str b);

#endif
