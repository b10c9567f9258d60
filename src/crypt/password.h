/* password.h - password rules and hashing with Argon2id.
 *
 * Argon2id with 19 MiB and two passes. At most one hash per core runs at a time, which bounds
 * memory. Hashing takes tens of milliseconds: call it from a worker thread, never inside a
 * transaction. Safe from any thread. */
#ifndef CRYPT_PASSWORD_H
#define CRYPT_PASSWORD_H

#include "base/err.h"
#include "base/str.h"

#define PASSWORD_BYTES_MAX 1024

/* NULL if acceptable, else a sentence for the user: the problem and how to fix it. `words` are the
 * user's own (username, email, name); they do not add strength. */
const char *password_problem(struct arena *mem, struct str password, const struct str *words,
                             size_t word_count);

/* A hash that includes its parameters. Absent if memory is short or the password exceeds
 * PASSWORD_BYTES_MAX. NUL bytes are allowed. */
struct str password_hash(struct arena *mem, struct str password);

/* Takes the same time for an absent hash (an unknown user): it then compares with a fixed hash and
 * returns false. A password longer than PASSWORD_BYTES_MAX returns false at once. */
bool password_matches(struct str hash, struct str password);

/* Whether the hash was made with other parameters than password_hash() uses now. Fast. */
bool password_outdated(struct str hash);

#endif
