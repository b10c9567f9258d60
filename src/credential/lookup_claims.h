/* lookup_claims.h - deletes lookup rows of usernames, email addresses, and passkeys that lead to a
 * user who does not have them.
 *
 * The user of a lookup row may be in another database (docs/SCALE.md). A note is committed together
 * with the lookup row, before the user's rows: spread/ adds it. Five minutes later the note is
 * compared with the user's rows. With a single database there are no notes. Called in a
 * transaction, by its thread. */
#ifndef CREDENTIAL_LOOKUP_CLAIMS_H
#define CREDENTIAL_LOOKUP_CLAIMS_H

#include "base/err.h"

struct arena;
struct db_tx;

/* Settles at most `limit` notes, counted in `removed`. */
enum err lookup_claims_settle(struct db_tx *tx, struct arena *mem, int64_t now, int64_t limit,
                              size_t *removed);

#endif
