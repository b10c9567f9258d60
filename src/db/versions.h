/* versions.h - the versions of db.h: which commit last changed an id. Private to db/.
 *
 * Every parameter of a writing statement that looks like one of our ids counts as changed, so no
 * store module has to report a change, and none can forget to. Ids share slots by hash; a collision
 * only costs a lookup. Several databases can share them. Safe from any thread. */
#ifndef DB_VERSIONS_H
#define DB_VERSIONS_H

#include "db/db.h"

#include <stdatomic.h>

#define VERSION_SLOTS 16384

struct versions {
    _Atomic uint64_t commits;
    _Atomic uint64_t of_all;
    _Atomic uint64_t change_queries; /* of databases: numbers for db_sync_ticket() */
    _Atomic uint64_t *of;            /* per slot: the commit that last changed it */
};

/* The slots that an open transaction changes. */
struct touched {
    uint16_t slots[4096];
    size_t count;
    bool all; /* more than `slots` can hold */
};

void versions_start(struct versions *versions);
void versions_stop(struct versions *versions);

void touched_add(struct touched *touched, size_t slot);
void touched_add_values(struct touched *touched, const struct db_value *values, size_t count);
static inline bool
touched_any(const struct touched *touched)
{
    return touched->all || touched->count > 0;
}

/* Counts a commit that changed these slots, and empties the list. */
void versions_raise(struct versions *versions, struct touched *touched);

/* See db_version() and db_commits(). */
uint64_t versions_of(const struct versions *versions, struct str id);
uint64_t versions_commits(const struct versions *versions);

#endif
