/* placement.h - which database a statement needs. Private to spread/; tests read the tables.
 *
 * Computed once, when the store is opened, from the tables and parameters of each statement. A
 * statement on rows of users names their shard in a parameter (docs/SCALE.md); the exceptions are
 * listed in placement.c. Pure functions, safe from any thread. */
#ifndef SPREAD_PLACEMENT_H
#define SPREAD_PLACEMENT_H

#include "db/db.h"

enum spread_kind {
    SPREAD_OF_USER, /* rows belong to a user; `key` begins with the shard */
    SPREAD_LOOKUP,  /* spread by its own key: leads to a user, or to a request without a user */
    SPREAD_SHARED,  /* few rows that every database has: apps */
    SPREAD_LOCAL,   /* of one database */
};

struct spread_table {
    const char *name;
    enum spread_kind kind;
    const char *key;
};

extern const struct spread_table spread_tables[];
extern const size_t spread_table_count;

/* How the parameter that names the user begins with the shard. */
enum placement_form { BY_ID, BY_HASH, BY_USER_KEY };

struct placement {
    enum {
        PLACEMENT_UNKNOWN,
        PLACEMENT_USER,    /* parameter `by` names the shard */
        PLACEMENT_LOOKUP,  /* parameter `by` is the key of a lookup row */
        PLACEMENT_CLAIM,   /* the same; `user` is the user who gets it */
        PLACEMENT_RELEASE, /* the same; deletes the lookup row after the user's rows were changed */
        PLACEMENT_ELSEWHERE, /* as LOOKUP; if that database is down, in another one */
        PLACEMENT_ANY,       /* reads what every database has */
        PLACEMENT_ALL,       /* changes what every database has */
        PLACEMENT_EACH,      /* each database for itself; results follow each other */
        PLACEMENT_SUM,       /* a count over all; further columns are the least of those above 0 */
        PLACEMENT_MERGE,     /* ordered by the integer of column `by`, at most parameter `limit` */
    } where;
    size_t by; /* of a parameter, from 0 */
    enum placement_form form;
    size_t user, limit;
    const char *kind; /* of a lookup row: "username" */
};

struct placement placement_of(const struct sql *sql);

/* 0 to `databases` - 1: the database of a shard, and of a lookup key. */
size_t placement_of_shard(int shard, size_t databases);
int placement_shard(const struct placement *placement, const struct db_value *value);
int placement_lookup_shard(const struct db_value *key);

#endif
