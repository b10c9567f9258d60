/* secret.h - tokens, codes and client secrets: 32 random bytes that look like what they are.
 *
 *   pn_at_ + 43 base64url characters + 6 characters of checksum
 *
 * The prefix tells a person and a secret scanner what leaked. The checksum is the first 6 base64url
 * characters of SHA-256 over the 49 characters before it: it keeps nothing out that wants in, but
 * garbage and typing errors are refused before anything is looked up.
 *
 * A secret is a type of its own, and nothing but secret_reveal() turns it into text: it cannot end
 * in a log line or a store by accident. What is stored is secret_hash(). Secrets live in the arena
 * they were made in, which wipes itself. Safe from any thread. */
#ifndef CRYPT_SECRET_H
#define CRYPT_SECRET_H

#include "base/str.h"

#define SECRET_LENGTH 55

enum secret_kind { SECRET_ACCESS_TOKEN, SECRET_REFRESH_TOKEN, SECRET_CODE, SECRET_CLIENT };

struct secret;

const struct secret *secret_make(struct arena *mem, enum secret_kind kind);

/* From the wire. NULL if it is not one of that kind, whole and with the right checksum. */
const struct secret *secret_read(struct arena *mem, struct str text, enum secret_kind kind);

/* SHA-256 of the whole text, as text: what the store keeps and looks for. */
struct str secret_hash(struct arena *mem, const struct secret *secret);

/* The text itself, for the one answer that hands it out. */
struct str secret_reveal(const struct secret *secret);

#endif
