/* versions.c - the versions in memory that db_version() returns.
 *
 * A fixed table of counters, indexed by a hash of the id. A transaction collects the slots of the
 * ids among its parameters; its commit raises them all to its own number. Readers take no lock. The
 * order makes it safe: the number of commits rises first, then the slots, and only then does the
 * writer get its result. So a reader that has seen the old version of a slot may have read old
 * rows, but never caches them under the new version. */
#include "db/versions.h"

#include "base/arena.h"

#include <stdlib.h>

#define DIGEST_LENGTH 43

void
versions_start(struct versions *versions)
{
    versions->of = memory_alloc(VERSION_SLOTS, sizeof *versions->of);
}

void
versions_stop(struct versions *versions)
{
    free(versions->of);
}

/* Ids that share a slot only make each other's cached data outdated too early, never too late. */
static size_t
slot_of(struct str id)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < id.len; i++)
        hash = (hash ^ (unsigned char)id.ptr[i]) * 16777619u;
    return (hash ^ hash >> 15) % VERSION_SLOTS;
}

/* A digest is the hash of a token: 43 characters of base64url. Other texts of that length cost only
 * a version. */
static bool
is_id(struct str text)
{
    static const struct str prefixes[] = { STR("usr_"), STR("app_"), STR("doc_"),
                                           STR("dyn_"), STR("fam_"), STR("grt_") };
    if (text.len == DIGEST_LENGTH)
        return true;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (str_starts(text, prefixes[i]))
            return true;
    return false;
}

/* A transaction that changes very many rows invalidates everything instead of growing a list. */
void
touched_add(struct touched *touched, size_t slot)
{
    if (touched->count == sizeof touched->slots / sizeof touched->slots[0] || slot >= VERSION_SLOTS)
        touched->all = true;
    else
        touched->slots[touched->count++] = (uint16_t)slot;
}

void
touched_add_values(struct touched *touched, const struct db_value *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (values[i].type == DB_TEXT && is_id(values[i].text))
            touched_add(touched, slot_of(values[i].text));
}

/* Another thread may have stored a later one. */
static void
raise_to(_Atomic uint64_t *version, uint64_t commit)
{
    uint64_t before = atomic_load(version);
    while (before < commit && !atomic_compare_exchange_weak(version, &before, commit))
        continue;
}

/* Versions are set to the number of the commit, so a version that is read later can be compared
 * with the number of commits at a certain point. */
void
versions_raise(struct versions *versions, struct touched *touched)
{
    uint64_t commit = atomic_fetch_add(&versions->commits, 1) + 1; /* first: see db.h */
    if (touched->all)
        raise_to(&versions->of_all, commit);
    for (size_t i = 0; i < touched->count; i++)
        raise_to(&versions->of[touched->slots[i]], commit);
    touched->count = 0;
    touched->all = false;
}

/* Plus 1, because 0 means that nothing may be cached. */
uint64_t
versions_of(const struct versions *versions, struct str id)
{
    uint64_t one = atomic_load(&versions->of[slot_of(id)]), all = atomic_load(&versions->of_all);
    return (one > all ? one : all) + 1;
}

uint64_t
versions_commits(const struct versions *versions)
{
    return atomic_load(&versions->commits) + 1;
}
