/* rebuild.c - a hash table of user ids as a queue, and the rebuild of eight users at a time.
 *
 * The table makes adding a user who already waits free of effect, which is the common case: each
 * read of stale hints adds its user. Hint sets are built in a read transaction and then written in
 * a short one, so that writers do not wait while they are built. The write is conditional
 * (record_store_put_hints() gets the record as it was read): preferences that were changed in
 * between have already built their hint sets, and these stay. */
#include "job/rebuild.h"

#include "base/arena.h"
#include "hint/hint.h"
#include "store/app_store.h"
#include "store/atom_store.h"
#include "store/record_store.h"
#include "store/tx.h"

#include <pthread.h>

#define ID_LENGTH 26
#define QUEUE_MAX 1024 /* users */
#define PROBES 8       /* slots to try before a user is dropped */
#define BATCH_USERS 8  /* their hint sets are built first, then written in one transaction */

struct rebuild_queue {
    struct arena *mem; /* also holds this struct */
    const struct domains *domains;
    pthread_mutex_t lock;
    char waiting[QUEUE_MAX][ID_LENGTH]; /* all zero: a free slot */
    size_t count;
    size_t next; /* slot to take from */
};

/* A fixed table: a flood of users with outdated hint sets cannot fill the memory. */
struct rebuild_queue *
rebuild_queue_new(const struct domains *domains)
{
    struct arena *mem = arena_new();
    struct rebuild_queue *rebuilds = ARENA_NEW(mem, struct rebuild_queue);
    rebuilds->mem = mem;
    rebuilds->domains = domains;
    pthread_mutex_init(&rebuilds->lock, NULL);
    return rebuilds;
}

void
rebuild_queue_free(struct rebuild_queue *rebuilds)
{
    if (rebuilds == NULL)
        return;
    pthread_mutex_destroy(&rebuilds->lock);
    arena_free(rebuilds->mem);
}

/* ---- the queue ---- */

/* Gives up if all slots that it tries are used by others: a later read adds the user again. */
void
rebuild_queue_add(struct rebuild_queue *rebuilds, struct str user_id)
{
    uint32_t bits;
    if (rebuilds == NULL || user_id.len != ID_LENGTH)
        return;
    memcpy(&bits, user_id.ptr + ID_LENGTH - sizeof bits, sizeof bits); /* ids are random */
    pthread_mutex_lock(&rebuilds->lock);
    for (size_t i = 0; i < PROBES; i++) {
        char *slot = rebuilds->waiting[(bits * 2654435761U / 65536 + i) % QUEUE_MAX];
        if (memcmp(slot, user_id.ptr, ID_LENGTH) == 0)
            break;
        if (slot[0] != '\0')
            continue;
        memcpy(slot, user_id.ptr, ID_LENGTH);
        rebuilds->count++;
        break;
    }
    pthread_mutex_unlock(&rebuilds->lock);
}

/* Returns the number of users taken, all of the same database, so that a database that is down
 * costs no other user the rebuild. Continues where the last call stopped, so that every slot gets
 * its turn. */
static size_t
take(struct rebuild_queue *rebuilds, struct db *db, struct arena *mem, struct str *out, bool *more)
{
    size_t taken = 0, home = 0;
    pthread_mutex_lock(&rebuilds->lock);
    for (size_t i = 0; i < QUEUE_MAX && taken < BATCH_USERS && rebuilds->count > 0; i++) {
        char *slot = rebuilds->waiting[rebuilds->next];
        rebuilds->next = (rebuilds->next + 1) % QUEUE_MAX;
        if (slot[0] == '\0')
            continue;
        size_t database = store_database_of(db, (struct str){ slot, ID_LENGTH });
        if (taken > 0 && database != home)
            continue;
        home = database;
        out[taken++] = str_copy(mem, (struct str){ slot, ID_LENGTH });
        memset(slot, 0, ID_LENGTH);
        rebuilds->count--;
    }
    *more = rebuilds->count > 0;
    pthread_mutex_unlock(&rebuilds->lock);
    return taken;
}

/* ---- hint sets ---- */

/* A new hint set, and the record from which it was made. */
struct rebuilt_set {
    struct str user_id;
    struct record before;
    struct str hints;
};

/* The users of one step. Sets are made in a read and written in one transaction. */
struct round {
    struct arena *mem;
    const struct domains *domains;
    const struct str *users;
    size_t user_count;
    struct rebuilt_set hint_sets[BATCH_USERS * DOMAINS_MAX];
    size_t set_count;
};

/* Skips a hint set that is not stale, and a domain without a definition. */
static enum err
make_set(struct db_tx *tx, struct round *round, struct str user_id, const struct record *record)
{
    const struct domain *domain = domains_find(round->domains, record->domain);
    struct hint_set set;
    struct atom *atoms = NULL;
    size_t count = 0;
    if (domain == NULL || hint_set_read(round->mem, domain, record->hints, &set))
        return ERR_NONE;
    enum err err = atom_store_list(tx, round->mem, user_id, domain->name, STR_NONE, &atoms, &count);
    if (err)
        return err;
    struct app_store_names names;
    app_store_names(&names, tx);
    hint_set_make(round->mem, domain, atoms, count, &names.names, &set);
    struct str hints = hint_set_write(round->mem, &set);
    if (hints.len > 0 && round->set_count < sizeof round->hint_sets / sizeof *round->hint_sets)
        round->hint_sets[round->set_count++] = (struct rebuilt_set){ user_id, *record, hints };
    return ERR_NONE;
}

/* Reads only. The results are in `round`, for save_sets(). */
static enum err
make_sets(struct db_tx *tx, struct round *round)
{
    enum err err = ERR_NONE;
    for (size_t p = 0; p < round->user_count && !err; p++) {
        struct record *records = NULL;
        size_t count = 0;
        err = record_store_hints(tx, round->mem, round->users[p], &records, &count);
        for (size_t i = 0; i < count && !err; i++)
            err = make_set(tx, round, round->users[p], &records[i]);
    }
    return err;
}

/* Writes a set only if the stored one is still the one it was made from (`before`): a write of the
 * user in between has made a newer one. */
static enum err
save_sets(struct db_tx *tx, void *argument)
{
    struct round *round = argument;
    enum err err = ERR_NONE;
    for (size_t i = 0; i < round->set_count && !err; i++)
        err = record_store_put_hints(tx, round->mem, round->hint_sets[i].user_id,
                                     &round->hint_sets[i].before, round->hint_sets[i].hints);
    return err;
}

/* Reading and making the sets happens outside of the write transaction, because it takes long. */
enum err
rebuild_step(struct db *db, struct arena *mem, struct rebuild_queue *rebuilds, bool *more)
{
    struct str users[BATCH_USERS];
    size_t count = take(rebuilds, db, mem, users, more);
    struct db *database = count == 0 ? NULL : store_database(db, store_database_of(db, users[0]));
    if (database == NULL)
        return ERR_NONE; /* the next read of these users queues them again */
    struct round *round = ARENA_NEW(mem, struct round);
    round->mem = mem;
    round->domains = rebuilds->domains;
    round->users = users;
    round->user_count = count;
    struct db_tx *tx = tx_begin_read(database);
    enum err err = tx_end_read(tx, make_sets(tx, round));
    return err || round->set_count == 0 ? err : tx_write(database, save_sets, round);
}
