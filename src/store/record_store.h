/* record_store.h - reads and writes the user header row, and the record and hint set of each
 * domain.
 *
 * Stored texts carry a checksum (db/row_sum.h): reading a damaged one is ERR_UNAVAILABLE. Results
 * are allocated from `mem`. Call from the thread that runs the transaction. */
#ifndef STORE_RECORD_STORE_H
#define STORE_RECORD_STORE_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct db_tx;

/* Begins a change of a user's atoms: locks the user header row and returns the last sequence number
 * used. ERR_NOT_FOUND if the user does not exist. */
enum err record_store_lock(struct db_tx *tx, struct arena *mem, struct str user_id,
                           int64_t *sequence);

/* The same for record_store_put_release(), which gets the hint sets again. */
enum err record_store_lock_sets(struct db_tx *tx, struct arena *mem, struct str user_id,
                                int64_t *sequence, struct str *hint_sets);

/* Ends the change: stores the new sequence number and changes the generation. */
enum err record_store_release(struct db_tx *tx, struct arena *mem, struct str user_id,
                              int64_t sequence);

struct record {
    struct str domain;
    struct str json;
    int64_t atom_count;
    int64_t updated_at;
    struct str hints; /* the hint set as text; read only by record_store_hints() */
};

/* In no particular order; all domains if `domain` is absent. */
enum err record_store_list(struct db_tx *tx, struct arena *mem, struct str user_id,
                           struct str domain, struct record **out, size_t *count);

/* Only `domain` and `hints`, of every domain that has a record. */
enum err record_store_hints(struct db_tx *tx, struct arena *mem, struct str user_id,
                            struct record **out, size_t *count);

/* The same from the hint sets of the user header row, as record_store_check() leaves them. */
void record_store_split(struct arena *mem, struct str hint_sets, struct record **out,
                        size_t *count);

/* The hint set of one domain among them; absent: none. */
struct str record_store_find_set(struct str hint_sets, struct str domain);

/* Takes the checksum off the stored hint sets. ERR_UNAVAILABLE if they are damaged. */
enum err record_store_check(struct str user_id, struct str *hint_sets);

/* A record without atoms is not listed. Call record_store_lock() first. */
enum err record_store_put(struct db_tx *tx, struct arena *mem, struct str user_id,
                          const struct record *record);

/* record_store_put() and record_store_release() in one, after record_store_lock_sets(). `exists`:
 * the domain has had a record, as far as the caller knows. */
enum err record_store_put_release(struct db_tx *tx, struct arena *mem, struct str user_id,
                                  const struct record *record, bool exists, int64_t sequence,
                                  struct str hint_sets);

/* Replaces the hint set, unless the record has changed since `before` was read. */
enum err record_store_put_hints(struct db_tx *tx, struct arena *mem, struct str user_id,
                                const struct record *before, struct str hints);

/* Deletes all records and hint sets of the user, but not the header row. */
enum err record_store_end_user(struct db_tx *tx, struct arena *mem, struct str user_id);

#endif
