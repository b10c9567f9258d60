/* attempts.c - counts attempts in the store, under a digest of the kind and the caller, so that the
 * table contains neither addresses nor account ids. Each call has an arena of its own. */
#include "dispatch/attempts.h"

#include "base/arena.h"
#include "crypt/digest.h"
#include "credential/session_store.h"
#include "store/tx.h"

/* One call for one caller. The caller's address or name is only used as a digest (`key`). */
struct attempt_query {
    struct arena *mem;
    const struct attempt *attempt;
    struct str key;
    int64_t wait;
};

/* `wait` is 0 while attempts are left. The time at which the window ends is in the store, so that
 * all nodes report the same one. */
static enum err
find(struct db_tx *tx, struct attempt_query *work)
{
    const struct attempt *attempt = work->attempt;
    int64_t ends_at = 0;
    enum err err =
        attempt_store_find(tx, work->mem, work->key, attempt->limit, attempt->now, &ends_at);
    work->wait = ends_at == 0 ? 0 : ends_at - attempt->now;
    return err;
}

/* At the limit nothing is counted; then it reads when the window ends. */
static enum err
take(struct db_tx *tx, void *argument)
{
    struct attempt_query *work = argument;
    const struct attempt *attempt = work->attempt;
    work->wait = 0;
    enum err err = attempt_store_count(tx, work->mem, work->key, attempt->limit,
                                       attempt->now + attempt->window, attempt->now);
    return err == ERR_RATE ? find(tx, work) : err;
}

static enum err
give_back(struct db_tx *tx, void *argument)
{
    struct attempt_query *work = argument;
    return attempt_store_return(tx, work->mem, work->key);
}

static struct attempt_query
begin(const struct attempt *attempt)
{
    struct arena *mem = arena_new();
    struct str caller = str_format(mem, "%s%.*s", attempt->kind, STR_ARG(attempt->caller));
    return (struct attempt_query){ mem, attempt, digest_text(mem, caller), 0 };
}

/* On an error, *wait is 0, and the caller decides by the error. */
static enum err
end(struct attempt_query *work, enum err err, int64_t *wait)
{
    if (wait != NULL)
        *wait = err ? 0 : work->wait;
    arena_free(work->mem);
    return err;
}

enum err
attempts_wait(struct db *db, const struct attempt *attempt, int64_t *wait)
{
    struct attempt_query work = begin(attempt);
    struct db_tx *tx = tx_begin_read(db);
    return end(&work, tx_end_read(tx, find(tx, &work)), wait);
}

enum err
attempts_take(struct db *db, const struct attempt *attempt, int64_t *wait)
{
    struct attempt_query work = begin(attempt);
    return end(&work, tx_write(db, take, &work), wait);
}

enum err
attempts_return(struct db *db, const struct attempt *attempt)
{
    struct attempt_query work = begin(attempt);
    return end(&work, tx_write(db, give_back, &work), NULL);
}
