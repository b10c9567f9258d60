/* usage.c - moves usage counters and refusals to the database in batches, and adds what is not
 * written yet to what pages show.
 *
 * Entries are sorted by app, day, and user, so an app's day is one run of entries, and every
 * process locks rows in the same order. A day's run starts with the entry of the app as a whole; if
 * a batch ends within a run, the next one continues it without that entry and adds 0 to the app.
 *
 * If the store has several databases, each gets the counts of its users in transactions of its own:
 * one that is down keeps the others from nothing, and no transaction commits in two. The counts of
 * an app as a whole, and its refusals, go to the database of the app's id, or to another one while
 * that is down; readers add those of all databases.
 *
 * A batch whose commit was not confirmed is not written again: PostgreSQL executes a commit that it
 * has received, also if it hangs and continues after the deadline.
 *
 * Counters must not be written for a connection that has ended, since they would count for the next
 * one. Revocations leave a note for an hour (usage_store_list_revoked()), so users without a note
 * need no lookup, but only if everything in memory is newer than the notes: `fresh`. */
#include "job/usage.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "job/usage_counters.h"
#include "store/refusal_store.h"
#include "store/tx.h"
#include "store/usage_store.h"

#include <string.h>

#define BATCH 1000                 /* rows per transaction, so that requests can write */
#define FRESH_MS ((int64_t)600000) /* far less than USAGE_END_KNOWN_SECONDS: clocks differ */

/* ---- writing ---- */

/* Either entries or refusals, at most BATCH in one transaction. */
struct batch {
    struct arena *mem;
    const struct usage_counter *entries;
    const struct refusal *refusals;
    size_t count;
    bool fresh; /* everything was counted within FRESH_MS */
    uint32_t part;
};

static bool
same_day(const struct usage_counter *a, const struct usage_counter *b)
{
    return a->day == b->day && memcmp(a->app, b->app, sizeof a->app) == 0;
}

/* The number of leading entries with the same app and day. */
static size_t
length_of_day(const struct usage_counter *entries, size_t count)
{
    size_t length = 1;
    while (length < count && same_day(&entries[0], &entries[length]))
        length++;
    return length;
}

/* `slot` is the number of the app's day, which the rows of users name instead of the app. */
static enum err
write_users(struct db_tx *tx, const struct batch *batch, const struct usage_counter *entries,
            size_t count, int64_t slot)
{
    struct usage_revoked revoked = { .all = !batch->fresh };
    enum err err = revoked.all ? ERR_NONE : usage_store_list_revoked(tx, batch->mem, &revoked);
    struct user_usage *users = ARENA_ARRAY(batch->mem, struct user_usage, count);
    for (size_t i = 0; i < count; i++)
        users[i] = (struct user_usage){
            .user_id = { entries[i].user, sizeof entries[i].user },
            .calls = (int64_t)entries[i].counts[USAGE_CALL] + entries[i].counts[USAGE_TOKENS],
            .last_use = entries[i].last_use,
        };
    struct str app = { entries->app, sizeof entries->app };
    return err ? err : usage_store_add_users(tx, batch->mem, app, slot, users, count, &revoked);
}

/* The entry of the app as a whole, if any, comes before those of its users. */
static enum err
write_day(struct db_tx *tx, const struct batch *batch, const struct usage_counter *entries,
          size_t count)
{
    struct str app = { entries->app, sizeof entries->app };
    struct usage_day day = { .day = entries->day };
    struct usage_slot slot;
    size_t whole = entries->user[0] == '\0' ? 1 : 0;
    for (size_t i = 0; whole == 1 && i < USAGE_OUTCOMES; i++)
        day.counts[i] = entries->counts[i];
    enum err err = usage_store_add_app(tx, batch->mem, app, &day, batch->part, &slot);
    if (err || !slot.exists || count == whole)
        return err;
    return write_users(tx, batch, entries + whole, count - whole, slot.number);
}

/* The entries of one app and day follow each other and are written together. */
static enum err
write_entries(struct db_tx *tx, void *argument)
{
    const struct batch *batch = argument;
    enum err err = ERR_NONE;
    for (size_t done = 0, length; done < batch->count && !err; done += length) {
        length = length_of_day(batch->entries + done, batch->count - done);
        err = write_day(tx, batch, batch->entries + done, length);
    }
    return err;
}

/* Refusals are sorted by app; after its last one, the oldest beyond the limit are deleted once. */
static enum err
write_refusals(struct db_tx *tx, void *argument)
{
    const struct batch *batch = argument;
    enum err err = ERR_NONE;
    for (size_t i = 0; i < batch->count && !err; i++) {
        const struct refusal *one = &batch->refusals[i];
        bool last_of_app =
            i + 1 == batch->count || !str_eq(one->app_id, batch->refusals[i + 1].app_id);
        err = refusal_store_add(tx, batch->mem, one);
        if (!err && last_of_app)
            err = refusal_store_trim(tx, batch->mem, one->app_id);
    }
    return err;
}

static size_t
at_most(size_t count, size_t most)
{
    return count < most ? count : most;
}

_Static_assert(USAGE_DATABASES_MAX >= STORE_DATABASES_MAX, "a range for each database");

/* False: the batch must be written again. */
static bool
is_done(enum err err)
{
    if (err == ERR_UNCONFIRMED)
        log_warn("usage_write_unconfirmed");
    return err == ERR_NONE || err == ERR_UNCONFIRMED;
}

/* After an error, the counts of batches that were not written are put back. */
static enum err
write_range(struct db *db, size_t number, struct arena *mem, struct usage_counters *counters,
            struct usage_range range, bool fresh)
{
    struct db *database = store_database(db, number);
    enum err err = ERR_NONE;
    for (size_t done = 0; done < range.count && !err;) {
        struct batch batch = { .mem = mem,
                               .entries = range.entries + done,
                               .count = at_most(range.count - done, BATCH),
                               .fresh = fresh,
                               .part = usage_counters_part(counters) };
        err = database == NULL ? ERR_UNAVAILABLE : tx_write(database, write_entries, &batch);
        if (is_done(err)) {
            usage_counters_set_written(counters, number, batch.count);
            err = ERR_NONE;
        }
        done += batch.count;
    }
    return err;
}

/* The database of the app's id, or the first one after it that is up. */
static size_t
home_of_app(struct db *db, struct str app_id)
{
    size_t count = store_database_count(db), home = store_database_of(db, app_id);
    for (size_t i = 0; i < count; i++)
        if (store_database(db, (home + i) % count) != NULL)
            return (home + i) % count;
    return home;
}

static size_t
home_of(void *context, const struct usage_counter *entry)
{
    struct db *db = context;
    if (entry->user[0] != '\0')
        return store_database_of(db, (struct str){ entry->user, sizeof entry->user });
    return home_of_app(db, (struct str){ entry->app, sizeof entry->app });
}

static enum err
write_counters(struct db *db, struct arena *mem, struct usage_counters *counters)
{
    struct usage_range ranges[USAGE_DATABASES_MAX];
    bool fresh[USAGE_DATABASES_MAX];
    size_t databases = store_database_count(db);
    enum err first = ERR_NONE;
    int64_t began = clock_steady_ms();
    for (size_t i = 0; i < databases; i++) /* before draining: what is counted now is newer */
        fresh[i] = began - usage_counters_drained_at(counters, i) < FRESH_MS;
    usage_counters_drain(counters, mem, databases, home_of, db, ranges);
    for (size_t i = 0; i < databases; i++) {
        enum err err = write_range(db, i, mem, counters, ranges[i], fresh[i]);
        if (!err)
            usage_counters_set_drained(counters, i, began);
        first = first ? first : err;
    }
    /* Also after success: it ends the drain, and nothing is left to put back. */
    usage_counters_restore(counters);
    return first;
}

/* Of all refusals, writes those whose home is this database. The others stay in memory. */
static enum err
write_refusals_in(struct db *db, size_t number, struct arena *mem, struct usage_counters *counters,
                  const struct refusal *all, const size_t *homes, size_t all_count)
{
    struct refusal *list = ARENA_ARRAY(mem, struct refusal, all_count);
    struct db *database = store_database(db, number);
    size_t count = 0;
    enum err err = ERR_NONE;
    for (size_t i = 0; i < all_count; i++)
        if (homes[i] == number)
            list[count++] = all[i];
    for (size_t done = 0; done < count && !err;) {
        struct batch batch = { .mem = mem,
                               .refusals = list + done,
                               .count = at_most(count - done, BATCH) };
        err = database == NULL ? ERR_UNAVAILABLE : tx_write(database, write_refusals, &batch);
        if (is_done(err)) {
            usage_counters_remove_refusals(counters, batch.refusals, batch.count);
            err = ERR_NONE;
        }
        done += batch.count;
    }
    return err;
}

enum err
usage_write(struct db *db, struct arena *mem, struct usage_counters *counters)
{
    struct refusal *refusals = NULL;
    size_t count = 0;
    enum err first = write_counters(db, mem, counters);
    usage_counters_list_refusals(counters, mem, &refusals, &count);
    size_t *homes = ARENA_ARRAY(mem, size_t, count);
    for (size_t i = 0; i < count; i++) /* once: a database may go down or come back meanwhile */
        homes[i] = home_of_app(db, refusals[i].app_id);
    for (size_t i = 0; i < store_database_count(db) && count > 0; i++) {
        enum err err = write_refusals_in(db, i, mem, counters, refusals, homes, count);
        first = first ? first : err;
    }
    return first;
}

/* ---- reading ---- */

#define UNWRITTEN_DAYS 2 /* counts from before midnight belong to yesterday */

/* Call before reading the store, as for refusals: counts written in between are then shown twice,
 * but never missed. */
static void
peek_days(struct usage_counters *counters, struct str user_id, struct str app_id, int64_t now,
          struct usage_counter unwritten[UNWRITTEN_DAYS])
{
    for (int64_t ago = 0; ago < UNWRITTEN_DAYS; ago++) {
        unwritten[ago] = (struct usage_counter){ 0 };
        if (counters != NULL)
            usage_counters_peek(counters, user_id, app_id, usage_day_of(now) - ago,
                                &unwritten[ago]);
    }
}

/* Numbers in memory are read before those in the store, so that a write in between is counted twice
 * in this result rather than missed. */
enum err
usage_of_grant(struct db *db, struct arena *mem, struct usage_counters *counters,
               struct str user_id, struct str app_id, int64_t now, struct grant_usage *out)
{
    struct usage_counter unwritten[UNWRITTEN_DAYS];
    *out = (struct grant_usage){ 0 };
    peek_days(counters, user_id, app_id, now, unwritten);
    struct db_tx *tx = tx_begin_read(db);
    enum err err =
        tx_end_read(tx, usage_store_find_grant(tx, mem, user_id, app_id, usage_day_of(now), out));
    for (size_t ago = 0; ago < UNWRITTEN_DAYS && !err; ago++) {
        const uint32_t *counts = unwritten[ago].counts;
        out->days[USAGE_DAYS - 1 - ago] += (int64_t)counts[USAGE_CALL] + counts[USAGE_TOKENS];
        if (unwritten[ago].last_use > out->last_use)
            out->last_use = unwritten[ago].last_use;
    }
    return err;
}

/* The same for all users of the app. */
enum err
usage_of_app(struct db *db, struct arena *mem, struct usage_counters *counters, struct str app_id,
             int64_t now, struct app_usage *out)
{
    struct usage_counter unwritten[UNWRITTEN_DAYS];
    *out = (struct app_usage){ 0 };
    peek_days(counters, STR_NONE, app_id, now, unwritten);
    struct db_tx *tx = tx_begin_read(db);
    enum err err =
        tx_end_read(tx, usage_store_find_app(tx, mem, app_id, usage_day_of(now), now, out));
    for (size_t ago = 0; ago < UNWRITTEN_DAYS && !err; ago++)
        for (size_t i = 0; i < USAGE_OUTCOMES; i++)
            out->days[USAGE_DAYS - 1 - ago].counts[i] += unwritten[ago].counts[i];
    return err;
}

enum err
usage_of_owner(struct db *db, struct arena *mem, struct str owner_id, int64_t now,
               struct usage_sum **out, size_t *count)
{
    struct db_tx *tx = tx_begin_read(db);
    return tx_end_read(tx, usage_store_sum_owner(tx, mem, owner_id, usage_day_of(now), out, count));
}

/* Without the detail: a stored refusal has the newest example only. */
static bool
same_kind(const struct refusal *a, const struct refusal *b)
{
    return str_eq(a->endpoint, b->endpoint) && str_eq(a->error, b->error) &&
           str_eq(a->reason, b->reason);
}

/* Adds an unwritten refusal to the list, which has capacity for it. If the stored one is as new, it
 * was written after the peek. */
static void
add_unwritten(struct refusal *list, size_t *count, const struct refusal *unwritten)
{
    for (size_t i = 0; i < *count; i++)
        if (same_kind(&list[i], unwritten)) {
            if (list[i].last_at >= unwritten->last_at)
                return;
            list[i].times += unwritten->times;
            list[i].last_at = unwritten->last_at;
            list[i].detail = unwritten->detail;
            return;
        }
    list[(*count)++] = *unwritten;
}

static int
newest_first(const void *left, const void *right)
{
    const struct refusal *a = left, *b = right;
    return (a->last_at < b->last_at) - (a->last_at > b->last_at);
}

/* The newest first, from memory and store together. */
enum err
refusals_of_app(struct db *db, struct arena *mem, struct usage_counters *counters,
                struct str app_id, struct refusal **out, size_t *count)
{
    struct refusal *stored = NULL, *unwritten = NULL;
    size_t unwritten_count = 0;
    *out = NULL;
    *count = 0;
    if (counters != NULL) /* first: a refusal stays in memory until it is in the store */
        usage_counters_peek_refusals(counters, mem, app_id, &unwritten, &unwritten_count);
    struct db_tx *tx = tx_begin_read(db);
    enum err err = tx_end_read(tx, refusal_store_list(tx, mem, app_id, &stored, count));
    if (err)
        return err;
    struct refusal *all = ARENA_ARRAY(mem, struct refusal, *count + unwritten_count);
    if (*count > 0)
        memcpy(all, stored, *count * sizeof *all);
    for (size_t i = 0; i < unwritten_count; i++)
        add_unwritten(all, count, &unwritten[i]);
    if (*count > 1)
        qsort(all, *count, sizeof *all, newest_first);
    *count = at_most(*count, REFUSALS_PER_APP_MAX);
    *out = all;
    return ERR_NONE;
}
