/* pq.h - what the engine for PostgreSQL does without its store. For postgres/.
 *
 *   cancel.c       ends statements that missed their deadline
 *   values.c       parameters and results
 *   changes.c      the change log that the caches of all nodes read
 *   tools.c        addresses, backup, restore, and check
 *
 * Any thread may call these functions, unless a declaration says otherwise. Results are allocated
 * in the caller's arena. */
#ifndef PQ_PQ_H
#define PQ_PQ_H

#include "db/driver.h"
#include "db/versions.h"

#include <libpq-fe.h>

/* cancel.c: one per host. postgres_cancel() asks the server to cancel the connection's statement;
 * postgres_close_cancelled() closes a connection after such requests. Both return at once, from
 * any thread. Stopping does not wait for a request under way. */
struct postgres_canceller;
struct postgres_canceller *postgres_canceller_new(void);
void postgres_canceller_stop(struct postgres_canceller *canceller);
void postgres_cancel(struct postgres_canceller *canceller, PGconn *handle);
void postgres_close_cancelled(struct postgres_canceller *canceller, PGconn *handle);

/* values.c */
enum err postgres_copy_rows(const PGresult *result, struct arena *mem, struct db_rows *rows);
enum err postgres_copy_row(const PGresult *result, int row, int first, struct arena *mem,
                           struct db_value *cells); /* from column `first` on */

/* PostgreSQL cannot store a NUL, and libpq would truncate the text there. */
bool postgres_values_storable(const struct db_value *values, size_t count);

/* Single parameters are sent as text, which the server parses by type, and arrays in binary. */
void postgres_values_to_text(struct arena *mem, const struct db_value *values, size_t count,
                             const char **texts);
void postgres_array_start(struct buf *out, char type, size_t count);
void postgres_array_add(struct buf *out, const struct db_value *value);

/* changes.c */
#define POSTGRES_CHANGES_MAX 4096 /* bytes */
void postgres_changes_write(const struct touched *touched, char out[POSTGRES_CHANGES_MAX]);

/* Adds what rows say, which are separated by spaces. `oldest` is that of the snapshot after which
 * they came. A row that cannot be read counts as a change of everything. */
void postgres_changes_read(struct str rows, uint64_t oldest, struct touched *touched);
uint64_t postgres_snapshot_oldest(const char *snapshot); /* the oldest running transaction */

/* tools.c */
const char *postgres_address_problem(const char *address);
size_t postgres_address_files(struct arena *mem, const char *address, const char **out, size_t max);
enum err postgres_backup(const char *address, const char *file,
                         void (*progress)(void *context, int percent), void *context,
                         struct why *why);
enum err postgres_restore(const char *address, const char *file,
                          enum err (*prepare)(struct db *db, void *context), void *context,
                          struct arena *mem, struct str *aside, struct why *why);
enum err postgres_check(const char *address, struct buf *report, struct why *why);
enum err postgres_inspect(const char *address, db_work *work, void *argument, struct why *why);
char *postgres_address_without_password(const char *address); /* caller frees; NULL if invalid */

#endif
