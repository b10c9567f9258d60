/* activity.c - moves counted activity to the database in batches, and adds what is not written yet
 * to what pages show.
 *
 * Writing goes from memory to the database in order (by user, then day); after a failure,
 * activity_counters_finish() puts back what was not written. Reading goes the other way: memory
 * first, then the database. A record that is written in between appears twice for one page view; in
 * the other order it would be missing. */
#include "job/activity.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/log.h"
#include "job/activity_counters.h"
#include "store/activity_store.h"
#include "store/tx.h"
#include "text/json_write.h"

#include <string.h>

#define BATCH 500 /* records per transaction, so that requests can write */

/* ---- writing ---- */

struct batch {
    struct arena *mem;
    struct counted_activity *const *list;
    size_t count;
};

/* The number of leading records of one user. */
static size_t
length_of_user(struct counted_activity *const *list, size_t count)
{
    size_t length = 1;
    while (length < count && str_eq(list[0]->user_id, list[length]->user_id))
        length++;
    return length;
}

/* One call per user: the records of a user share the rows of their days. A batch may end within a
 * user, whose other records then follow in the next transaction. */
static enum err
write_batch(struct db_tx *tx, void *argument)
{
    const struct batch *batch = argument;
    enum err err = ERR_NONE;
    for (size_t done = 0, length; done < batch->count && !err; done += length) {
        length = length_of_user(batch->list + done, batch->count - done);
        struct activity *records = ARENA_ARRAY(batch->mem, struct activity, length);
        for (size_t i = 0; i < length; i++)
            records[i] = batch->list[done + i]->record;
        err = activity_store_add(tx, batch->mem, batch->list[done]->user_id, records, length);
    }
    return err;
}

/* In batches, so that no transaction lasts for long. A batch whose commit was not confirmed is not
 * written again: see job/usage.c. */
static enum err
write_list(struct db *database, struct arena *mem, struct activity_counters *counters,
           struct counted_activity *const *list, size_t count)
{
    enum err err = database == NULL && count > 0 ? ERR_UNAVAILABLE : ERR_NONE;
    for (size_t done = 0; done < count && !err;) {
        struct batch batch = { mem, list + done, count - done < BATCH ? count - done : BATCH };
        err = tx_write(database, write_batch, &batch);
        if (err == ERR_UNCONFIRMED) {
            log_warn("activity_write_unconfirmed");
            err = ERR_NONE;
        }
        if (!err)
            activity_counters_set_written(counters, batch.list, batch.count);
        done += batch.count;
    }
    return err;
}

/* Each database gets the records of its users: one that is down does not keep the others from
 * theirs. */
enum err
activity_write(struct db *db, struct arena *mem, struct activity_counters *counters)
{
    struct activity_batch all;
    enum err first = ERR_NONE;
    activity_counters_drain(counters, mem, &all);
    struct counted_activity **list = ARENA_ARRAY(mem, struct counted_activity *, all.count);
    for (size_t number = 0; number < store_database_count(db) && all.count > 0; number++) {
        size_t count = 0;
        for (size_t i = 0; i < all.count; i++)
            if (store_database_of(db, all.list[i].user_id) == number)
                list[count++] = &all.list[i];
        enum err err = write_list(store_database(db, number), mem, counters, list, count);
        first = first ? first : err;
    }
    activity_counters_finish(counters);
    return first;
}

/* ---- reading ---- */

static bool
same_record(const struct activity *a, const struct activity *b)
{
    return a->day == b->day && a->refused == b->refused && str_eq(a->app_id, b->app_id) &&
           str_eq(a->action, b->action) && str_eq(a->subject, b->subject);
}

/* Adds an unwritten record to the list, which has capacity for it. */
static void
add_unwritten(struct activity *list, size_t *count, const struct activity *unwritten)
{
    struct str app_name = STR("");
    for (size_t i = 0; i < *count; i++) {
        if (str_eq(list[i].app_id, unwritten->app_id) && list[i].app_name.len > 0)
            app_name = list[i].app_name;
        if (!same_record(&list[i], unwritten))
            continue;
        list[i].times += unwritten->times;
        list[i].facts += unwritten->facts;
        if (unwritten->last_at > list[i].last_at)
            list[i].last_at = unwritten->last_at;
        return;
    }
    list[*count] = *unwritten;
    list[*count].app_name = app_name;
    (*count)++;
}

/* By day first: what comes after its day was closed counts for the next day, with an earlier
 * time. */
static int
newest_first(const void *left, const void *right)
{
    const struct activity *a = left, *b = right;
    if (a->day != b->day)
        return a->day < b->day ? 1 : -1;
    return (a->last_at < b->last_at) - (a->last_at > b->last_at);
}

/* Stored records and those in memory are merged: what happened seconds ago is shown, too. */
enum err
activity_of_user(struct db *db, struct arena *mem, struct activity_counters *counters,
                 struct str user_id, struct activity **out, size_t *count)
{
    struct activity *stored = NULL;
    struct activity_batch unwritten = { 0 };
    if (counters != NULL) /* first: records written in between are shown twice, but not missed */
        activity_counters_peek(counters, mem, user_id, &unwritten);
    struct db_tx *tx = tx_begin_read(db);
    enum err err =
        tx_end_read(tx, activity_store_list(tx, mem, user_id, ACTIVITY_SHOWN_MAX, &stored, count));
    if (err)
        return err;
    *out = ARENA_ARRAY(mem, struct activity, *count + unwritten.count);
    if (*count > 0)
        memcpy(*out, stored, *count * sizeof **out);
    for (size_t i = 0; i < unwritten.count; i++)
        add_unwritten(*out, count, &unwritten.list[i].record);
    if (*count > 1)
        qsort(*out, *count, sizeof **out, newest_first);
    return ERR_NONE;
}

/* Only what is stored, because records in memory belong to no chain yet. */
enum err
activity_export(struct db *db, struct arena *mem, struct str user_id, bool as_table,
                struct buf *out)
{
    struct activity_log log;
    struct json json = json_into(out);
    struct db_tx *tx = tx_begin_read(db);
    enum err err = tx_end_read(tx, activity_store_log(tx, mem, user_id, &log));
    if (err)
        return err;
    activity_sort(mem, log.records, log.record_count);
    if (as_table)
        activity_write_table(out, mem, &log);
    else
        activity_write_log(&json, mem, &log);
    return out->overflow ? ERR_TOO_LARGE : ERR_NONE;
}
