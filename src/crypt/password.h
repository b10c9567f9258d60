/* password.h - what people sign in with.
 *
 * Argon2id, 19 MiB and two passes, one of them per core at a time whatever the number of callers:
 * memory stays bounded and the rest of the service keeps its core. Hashing takes tens of
 * milliseconds: call it from a worker, and never inside a transaction. Safe from any thread. */
#ifndef CRYPT_PASSWORD_H
#define CRYPT_PASSWORD_H

#include "base/err.h"
#include "base/str.h"

#define PASSWORD_BYTES_MAX 1024

/* NULL if good enough, else a sentence for the person choosing it: what is wrong and what would
 * help. `words` are the person's own (user name, email, name), which do not count as strength. */
const char *password_problem(struct arena *mem, struct str password, const struct str *words,
                             size_t word_count);

/* A self-describing hash. Absent if there was no memory for it, or past PASSWORD_BYTES_MAX. A NUL
 * inside is a character like any other. */
struct str password_hash(struct arena *mem, struct str password);

/* Takes the same time whether the hash is there or not (absent: an unknown user): then it compares
 * against a hash of nothing and says no. Past PASSWORD_BYTES_MAX it says no at once. */
bool password_matches(struct str hash, struct str password);

/* Whether the hash was made with other settings than password_hash() uses now. Takes no time. */
bool password_outdated(struct str hash);

#endif
