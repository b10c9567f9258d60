/* secret.h - tokens, codes, and client secrets: 32 random bytes with a prefix and a checksum.
 *
 *   pn_at_ + 43 base64url characters + 6 characters of checksum
 * The prefix identifies the kind of a leaked secret to users and secret scanners. The checksum is
 * the first 6 base64url characters of SHA-256 over the 49 characters before it. It adds no
 * security; it rejects garbage and typing errors before a database lookup.
 *
 * Secrets of a user lead to the user's shard (base/shard.h): it is in the first 2 of the 43
 * characters, combined (exclusive or) with the 41st and the 42nd, so that it does not show in the
 * text. A refresh token names its family, whose id begins with the shard, too: 16 of its bytes are
 * the id, 4 the time at which it was issued, which random bytes hide in the text, 12 are random.
 *
 * A secret has its own type, and only secret_reveal() converts it to text, so it cannot get into a
 * log line or the database by accident. The database stores secret_hash(). Secrets belong to the
 * arena they were created in, which wipes them. Safe from any thread. */
#ifndef CRYPT_SECRET_H
#define CRYPT_SECRET_H

#include "base/str.h"

#define SECRET_LENGTH 55

enum secret_kind {
    SECRET_ACCESS_TOKEN,
    SECRET_REFRESH_TOKEN,
    SECRET_CODE,
    SECRET_CLIENT,
    SECRET_LINK
};

struct secret;

/* `shard` is that of the user; absent for a client secret, which belongs to an app. */
const struct secret *secret_make(struct arena *mem, enum secret_kind kind, struct str shard);

/* A secret that names its group: its first 16 bytes are those of `group`, which is 22 base64url
 * characters, 4 are the time, and the other 12 are random. secret_group() and secret_time() read
 * them; of a text that was not issued they are anything. */
#define SECRET_GROUP_LENGTH 22
const struct secret *secret_make_in(struct arena *mem, enum secret_kind kind, struct str group,
                                    int64_t now);
struct str secret_group(struct arena *mem, const struct secret *secret);
int64_t secret_time(const struct secret *secret);

/* Derived from another secret and a random seed: the same for the same two, unpredictable without
 * either. secret_derive_in() names a group and a time; otherwise it is in the shard of `from`. */
const struct secret *secret_derive(struct arena *mem, enum secret_kind kind,
                                   const struct secret *from, struct str seed);
const struct secret *secret_derive_in(struct arena *mem, enum secret_kind kind,
                                      const struct secret *from, struct str seed, struct str group,
                                      int64_t now);

/* Whether the text begins like a secret of any kind: with the SECRET_PREFIX_LENGTH characters that
 * name the kind. Log lines and messages end there. */
#define SECRET_PREFIX_LENGTH 6
bool secret_begins(struct str text);

/* Parses a secret from a request. NULL unless kind, length, and checksum match. */
const struct secret *secret_read(struct arena *mem, struct str text, enum secret_kind kind);

/* The shard of a user's secret, 0 to 4095, from its text, which is not checked: 0 for any other
 * text. */
int secret_shard(struct str text);

/* SHA-256 of the whole text, in base64url: the value that the database stores. Its first two
 * characters are the shard, except for a client secret. */
struct str secret_hash(struct arena *mem, const struct secret *secret);

/* The text itself, for the one response that returns it to the client. */
struct str secret_reveal(const struct secret *secret);

#endif
