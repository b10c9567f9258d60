/* restored.c - repairs the replicated rows of all databases, and the lookup rows after a database
 * was restored from a backup. The mark in store_part is removed last, so that an interrupted repair
 * begins again. */
#include "spread/spread.h"

#include "base/log.h"

#define COMPARE_MS                                                                \
    10000 /* a statement; while it waits, schema transactions of other nodes wait \
           */

static size_t
of_user(struct str id, size_t databases)
{
    const struct placement by_id = { .form = BY_ID };
    const struct db_value value = db_text(id);
    return placement_of_shard(placement_shard(&by_id, &value), databases);
}

static size_t
of_lookup(struct str key, size_t databases)
{
    const struct db_value value = db_text(key);
    return placement_of_shard(placement_lookup_shard(&value), databases);
}

static const struct db_placements placements = { of_user, of_lookup };

static void
limit_statements(struct db *const *databases, size_t count, int64_t ms)
{
    for (size_t i = 0; i < count; i++)
        databases[i]->schema_ms = ms;
}

/* Repairing lookup rows reads all users, and may take minutes. */
enum err
spread_repair(struct db *const *databases, size_t count, bool *is_restored, struct why *why)
{
    bool restored[SPREAD_MAX] = { 0 }, any_restored = false;
    enum err err = ERR_NONE;
    limit_statements(databases, count, COMPARE_MS);
    for (size_t i = 0; i < count && !err; i++) {
        err = db_part_restored(databases[i], &restored[i], why);
        any_restored = any_restored || restored[i];
    }
    *is_restored = any_restored;
    if (any_restored)
        limit_statements(databases, count, 0);
    if (!err)
        err = db_repair(databases, count, restored, why);
    if (!err && any_restored)
        err = db_repair_lookups(databases, count, restored, &placements, why);
    for (size_t i = 0; i < count && !err; i++) {
        if (!restored[i])
            continue;
        err = db_part_set_restored(databases[i], false, why);
        if (!err)
            log_warn("store_restored_repaired", log_number("database", (int64_t)i + 1));
    }
    limit_statements(databases, count, 0);
    return err;
}

/* A problem of one database must not prevent the start. If it does not answer or a table is locked,
 * the repair is made later; but what was restored from a backup must not be used before. */
enum err
spread_repair_at_start(struct spread_store *store, bool *repaired, struct why *why)
{
    struct why problem = { 0 };
    bool is_restored = false;
    enum err err = spread_repair(store->of, store->count, &is_restored, &problem);
    *repaired = err == ERR_NONE;
    if (err == ERR_UNAVAILABLE && !is_restored) {
        log_warn("store_repair_failed", log_text("problem", str_of(problem.text)));
        return ERR_NONE;
    }
    if (err)
        *why = problem;
    return err;
}
