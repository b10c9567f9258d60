/* token_clean.h - deletes grants, families, codes, tokens, sessions, and authorization requests
 * that have expired. Nothing depends on it: every read checks the time. */
#ifndef STORE_TOKEN_CLEAN_H
#define STORE_TOKEN_CLEAN_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct arena;
struct db_tx;

/* Deletes the codes and tokens whose family was revoked. Reads the whole tables. */
enum err token_clean_orphans(struct db_tx *tx, struct arena *mem);

/* Deletes at most `limit` expired rows and sets `removed` to their number. */
enum err token_clean_expired(struct db_tx *tx, struct arena *mem, int64_t now, int64_t limit,
                             size_t *removed);

#endif
