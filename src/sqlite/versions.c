/* versions.c - version counters of rows, see db.h.
 *
 * Only this process writes, so it may cache what it read until it writes itself. Every parameter of
 * a writing statement that looks like one of our ids counts as changed, so no store module has to
 * report a change, and none can forget to. */
#include "sqlite/sqlite.h"

#define ID_PREFIX 4
#define DIGEST_LENGTH 43

static size_t
slot_of(struct str id)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < id.len; i++)
        hash = (hash ^ (unsigned char)id.ptr[i]) * 16777619u;
    return (hash ^ hash >> 15) % VERSIONS;
}

static bool
is_id(struct str text)
{
    static const struct str prefixes[] = { STR("usr_"), STR("app_"), STR("fam_"), STR("grt_") };
    if (text.len == DIGEST_LENGTH)
        return true;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (str_starts(text, prefixes[i]))
            return true;
    return false;
}

void
sqlite_touch(struct sqlite_store *store, const struct db_value *values, size_t count)
{
    struct sqlite_versions *versions = &store->versions;
    for (size_t i = 0; i < count; i++) {
        if (values[i].type != DB_TEXT || !is_id(values[i].text))
            continue;
        if (versions->touched_count == sizeof versions->touched / sizeof versions->touched[0])
            versions->touched_all = true;
        else
            versions->touched[versions->touched_count++] = (uint16_t)slot_of(values[i].text);
    }
}

void
sqlite_bump_versions(struct sqlite_store *store)
{
    struct sqlite_versions *versions = &store->versions;
    atomic_fetch_add(&versions->commits, 1); /* first: see db.h */
    if (versions->touched_all)
        atomic_fetch_add(&versions->of_all, 1);
    for (size_t i = 0; i < versions->touched_count; i++)
        atomic_fetch_add(&versions->of[versions->touched[i]], 1);
    versions->touched_count = 0;
    versions->touched_all = false;
}

/* Plus 1, because 0 means that nothing may be cached. */
uint64_t
sqlite_row_version(struct db *db, struct str id)
{
    struct sqlite_versions *versions = &((struct sqlite_store *)db)->versions;
    return atomic_load(&versions->of[slot_of(id)]) + atomic_load(&versions->of_all) + 1;
}

uint64_t
sqlite_commits(struct db *db)
{
    return atomic_load(&((struct sqlite_store *)db)->versions.commits) + 1;
}
