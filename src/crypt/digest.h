/* digest.h - SHA-256, HMAC, and constant-time comparison.
 *
 * For values with high entropy (tokens, codes, client secrets) and for PKCE S256. Use password.h
 * for passwords. Safe from any thread. */
#ifndef CRYPT_DIGEST_H
#define CRYPT_DIGEST_H

#include "base/str.h"

#define DIGEST_TEXT_LENGTH 43

/* As 43 base64url characters without padding. */
struct str digest_text(struct arena *mem, struct str data);

/* The same, but the first two characters are the shard (base/shard.h): the key under which
 * something secret of a user is stored. 244 bits of the digest remain. */
struct str digest_text_in(struct arena *mem, struct str data, struct str shard);

/* The same for an id, in the shard that the id names. */
struct str digest_id(struct arena *mem, struct str id);

/* The first 128 bits as 22 base64url characters without a NUL, for content-based names. */
#define DIGEST_SHORT_BYTES 16
#define DIGEST_SHORT_LENGTH 22
void digest_short(struct str data, char out[DIGEST_SHORT_LENGTH]);

/* HMAC-SHA-256 as 43 base64url characters. */
struct str digest_mac(struct arena *mem, struct str key, struct str data);

/* Compares in time that depends only on the lengths. An absent string equals nothing, not even
 * another absent string: a missing secret must not match a missing secret. */
bool digest_equal(struct str a, struct str b);

#endif
