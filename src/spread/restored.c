/* restored.c - repairs the replicated rows of all databases, and the lookup rows after a database
 * was restored from a backup. The mark in store_part is removed last, so that an interrupted repair
 * begins again. */
#include "spread/spread.h"

#include "base/log.h"

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

enum err
spread_repair(struct db *const *databases, size_t count, struct why *why)
{
    bool restored[SPREAD_MAX] = { 0 }, any_restored = false;
    enum err err = ERR_NONE;
    for (size_t i = 0; i < count && !err; i++) {
        err = db_part_restored(databases[i], &restored[i], why);
        any_restored = any_restored || restored[i];
    }
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
    return err;
}
