/* outbox_store.h - email that has not been sent. Results are allocated from `mem`. Call from the
 * thread that runs the transaction. */
#ifndef STORE_OUTBOX_STORE_H
#define STORE_OUTBOX_STORE_H

#include "base/err.h"
#include "model/mail.h"

struct arena;
struct db_tx;

#define OUTBOX_PER_ADDRESS_MAX 10

/* Does nothing if as many emails as above wait for the same recipient: a flood of requests must not
 * fill the store. Emails for unknown recipients are deleted at the first try. */
enum err outbox_store_add(struct db_tx *tx, struct arena *mem, const struct mail *mail);

/* Whether a mail is due. */
enum err outbox_store_due(struct db_tx *tx, struct arena *mem, int64_t now, bool *out);

/* Claims the mail that is due for the longest time, until its next try: no other process gets it
 * meanwhile. ERR_NOT_FOUND: none is due. */
enum err outbox_store_claim(struct db_tx *tx, struct arena *mem, int64_t now, struct mail *out);
enum err outbox_store_put_next_try(struct db_tx *tx, struct arena *mem, struct str id, int64_t at);

/* The number of emails, counted up to 10,000, and the time when the oldest was added; 0 if there is
 * none. */
enum err outbox_store_count(struct db_tx *tx, struct arena *mem, int64_t *count, int64_t *oldest);

enum err outbox_store_delete(struct db_tx *tx, struct arena *mem, struct str id);
enum err outbox_store_end_user(struct db_tx *tx, struct arena *mem, struct str user_id);

#endif
