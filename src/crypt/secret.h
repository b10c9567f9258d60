/* secret.h - tokens, codes, and client secrets: 32 random bytes with a prefix and a checksum.
 *
 *   pn_at_ + 43 base64url characters + 6 characters of checksum
 *
 * The prefix tells users and secret scanners what kind of secret leaked. The checksum is the first
 * 6 base64url characters of SHA-256 over the 49 characters before it. It adds no security; it
 * rejects garbage and typing errors before a database lookup.
 *
 * A secret has its own type, and only secret_reveal() converts it to text, so it cannot reach a log
 * line or the database by accident. The database stores secret_hash(). Secrets belong to the arena
 * they were created in, which wipes them. Safe from any thread. */
#ifndef CRYPT_SECRET_H
#define CRYPT_SECRET_H

#include "base/str.h"

#define SECRET_LENGTH 55

enum secret_kind { SECRET_ACCESS_TOKEN, SECRET_REFRESH_TOKEN, SECRET_CODE, SECRET_CLIENT };

struct secret;

const struct secret *secret_make(struct arena *mem, enum secret_kind kind);

/* Parses a secret from a request. NULL unless kind, length, and checksum match. */
const struct secret *secret_read(struct arena *mem, struct str text, enum secret_kind kind);

/* SHA-256 of the whole text, in base64url: the value that the database stores. */
struct str secret_hash(struct arena *mem, const struct secret *secret);

/* The text itself, for the one response that returns it to the client. */
struct str secret_reveal(const struct secret *secret);

#endif
