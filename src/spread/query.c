/* query.c - one statement on the databases it needs. */
#include "spread/spread.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"

#include <string.h>

struct query {
    struct spread_tx *tx;
    struct spread_store *store;
    struct arena *mem;
    const struct sql *sql;
    const struct placement *placement;
    const struct db_value *values;
    size_t count;
};

/* ---- one database ---- */

/* Outside the transaction, which has not begun there. Statements that only read take no locks. */
static enum err
read_outside(const struct query *query, size_t database, struct db_rows *rows)
{
    if (!spread_answers(query->store, database))
        return ERR_UNAVAILABLE;
    struct db_tx *tx = db_begin_read(query->store->of[database]);
    return db_end_read(
        tx, db_query_values(tx, query->mem, query->sql, query->values, query->count, rows));
}

/* A write does not begin in a database that it only reads. */
static bool
is_outside(const struct query *query, size_t database)
{
    return query->tx->writes && query->tx->in[database] == NULL && !sql_writes(query->sql->text);
}

static enum err
begin_in(struct spread_tx *tx, size_t database)
{
    struct spread_store *store = spread_of(tx->tx.db);
    struct db *db = store->of[database];
    if (tx->in[database] != NULL)
        return ERR_NONE;
    if (!spread_answers(store, database))
        return ERR_UNAVAILABLE;
    /* A shared write is part of one transaction of its database and commits with it, so a second
     * database cannot join it. spread_write_shared() runs the work again. */
    if (tx->is_shared) {
        tx->leaves = true;
        return ERR_UNAVAILABLE;
    }
    tx->in[database] = tx->writes ? db->driver->begin_write(db) : db_begin_read(db);
    return tx->in[database] == NULL ? ERR_UNAVAILABLE : ERR_NONE;
}

static enum err
run_in(const struct query *query, size_t database, const struct sql *sql,
       const struct db_value *values, size_t count, struct db_rows *rows)
{
    struct spread_tx *tx = query->tx;
    enum err err = begin_in(tx, database);
    return err ? err : db_query_values(tx->in[database], query->mem, sql, values, count, rows);
}

static enum err
query_one(const struct query *query, size_t database, struct db_rows *rows)
{
    return run_in(query, database, query->sql, query->values, query->count, rows);
}

static enum err
query_or_read(const struct query *query, size_t database, struct db_rows *rows)
{
    return is_outside(query, database) ? read_outside(query, database, rows)
                                       : query_one(query, database, rows);
}

/* ---- rows of users ---- */

static enum err
query_home(const struct query *query, struct db_rows *rows)
{
    struct spread_tx *tx = query->tx;
    const struct db_value *value = &query->values[query->placement->by];
    size_t database = spread_home(query->store, placement_shard(query->placement, value));
    /* The user whose rows are changed first. This database commits last: see end_all(). */
    if (tx->home == SPREAD_MAX && sql_writes(query->sql->text))
        tx->home = database;
    return query_one(query, database, rows);
}

/* ---- lookup rows ---- */

static size_t
lookup_database(const struct query *query)
{
    return spread_home(query->store, placement_lookup_shard(&query->values[query->placement->by]));
}

/* A count of attempts begins again in another database while its own is down. */
static enum err
query_elsewhere(const struct query *query, struct db_rows *rows)
{
    size_t home = lookup_database(query), database = home;
    for (size_t i = 0; i < query->store->count && spread_is_down(query->store, database); i++)
        database = (home + i) % query->store->count;
    return query_or_read(query, database, rows);
}

/* The note commits with the claim, before the user's rows. If these are not committed, housekeeping
 * finds the note and deletes the lookup row. */
static enum err
note(const struct query *query, size_t database)
{
    const struct placement *placement = query->placement;
    struct db_rows unwanted;
    const struct db_value values[] = { db_text(str_of(placement->kind)),
                                       query->values[placement->by], query->values[placement->user],
                                       db_int(clock_now()) };
    return query->store->note == NULL
               ? ERR_NONE
               : run_in(query, database, query->store->note, values, 4, &unwanted);
}

/* The values are copied, because those of the caller may not exist any longer when the transaction
 * has committed. */
static enum err
add_later(const struct query *query, size_t database)
{
    struct spread_tx *tx = query->tx;
    if (tx->later_count == SPREAD_LATER_MAX || query->count != 2)
        return ERR_INTERNAL;
    struct spread_later *later = &tx->later[tx->later_count++];
    *later = (struct spread_later){ .sql = query->sql, .database = database };
    for (size_t i = 0; i < 2; i++)
        later->values[i] = db_text(str_copy(query->mem, query->values[i].text));
    return ERR_NONE;
}

/* A claim runs before the user's rows are written, so that a taken name fails. A release runs after
 * the commit: if it were first and the commit failed, another user could take a name that this one
 * still has. */
static enum err
query_claim(const struct query *query, struct db_rows *rows)
{
    const struct placement by_user = { .form = BY_ID };
    size_t database = lookup_database(query);
    int shard = placement_shard(&by_user, &query->values[query->placement->user]);
    if (database == spread_home(query->store, shard))
        return query_one(query, database, rows); /* in the transaction of the user's rows */
    enum err err = note(query, database);
    if (err)
        return err;
    return query->placement->where == PLACEMENT_CLAIM ? query_one(query, database, rows)
                                                      : add_later(query, database);
}

/* ---- rows of all databases ---- */

/* The transaction's own changes are in every database that it has begun in. */
static enum err
query_any(const struct query *query, struct db_rows *rows)
{
    struct spread_store *store = query->store;
    for (size_t i = 0; i < store->count; i++)
        if (query->tx->in[i] != NULL && !query->tx->in[i]->broken)
            return query_one(query, i, rows);
    enum err err = ERR_UNAVAILABLE;
    for (size_t i = 0; i < store->count && err == ERR_UNAVAILABLE; i++)
        if (!spread_is_down(store, i))
            err = read_outside(query, i, rows);
    return err;
}

/* In this order in every transaction, so that two of them do not deadlock. The first database
 * decides what there is: a row that another transaction has committed only in a later one so far is
 * not locked there, because that transaction's rows in the first would be locked after it. */
static enum err
query_all(const struct query *query, struct db_rows *rows)
{
    struct spread_store *store = query->store;
    struct db_rows unwanted;
    enum err err = ERR_NONE;
    for (size_t i = 0; i < store->count && !err; i++)
        err = spread_is_down(store, i) ? ERR_UNAVAILABLE : ERR_NONE;
    bool tells = strstr(query->sql->text, " RETURNING ") != NULL;
    for (size_t i = 0; i < store->count && !err && (i == 0 || !tells || rows->count > 0); i++)
        err = query_one(query, i, i == 0 ? rows : &unwanted);
    return err;
}

/* A database that is known to be down is left out, so that a list or count shows the users of the
 * others, and housekeeping continues there. One that fails during the statement is an error. */
static enum err
query_each(const struct query *query, struct db_rows *rows)
{
    struct spread_store *store = query->store;
    const struct placement *placement = query->placement;
    enum err err = ERR_NONE;
    size_t done = 0;
    for (size_t i = 0; i < store->count && !err; i++) {
        struct db_rows more = { 0 };
        if (spread_is_down(store, i))
            continue;
        err = query_or_read(query, i, &more);
        if (!err && placement->where == PLACEMENT_SUM)
            spread_sum(query->mem, rows, &more);
        else if (!err)
            spread_append(query->mem, rows, &more);
        done++;
    }
    if (!err && placement->where == PLACEMENT_MERGE)
        spread_order(query->mem, rows, placement->by, query->values[placement->limit].number);
    return !err && done == 0 ? ERR_UNAVAILABLE : err;
}

/* ---- the driver's functions ---- */

enum err
spread_query(struct db_tx *tx, struct arena *mem, size_t statement, const struct db_value *values,
             size_t count, struct db_rows *rows)
{
    struct spread_tx *mine = (struct spread_tx *)tx;
    struct spread_store *store = spread_of(tx->db);
    const struct placement *placement = &store->placements[statement];
    const struct query query = {
        .tx = mine,
        .store = store,
        .mem = mem,
        .sql = db_statement(statement),
        .placement = placement,
        .values = values,
        .count = count,
    };
    if (!mine->writes && tx->commits == 0)
        tx->commits = spread_commits(tx->db); /* before the first statement: see db.h */
    switch (placement->where) {
    case PLACEMENT_USER:
        return query_home(&query, rows);
    case PLACEMENT_LOOKUP:
        return query_or_read(&query, lookup_database(&query), rows);
    case PLACEMENT_CLAIM:
    case PLACEMENT_RELEASE:
        return query_claim(&query, rows);
    case PLACEMENT_ELSEWHERE:
        return query_elsewhere(&query, rows);
    case PLACEMENT_ANY:
        return query_any(&query, rows);
    case PLACEMENT_ALL:
        return query_all(&query, rows);
    case PLACEMENT_EACH:
    case PLACEMENT_SUM:
    case PLACEMENT_MERGE:
        return query_each(&query, rows);
    case PLACEMENT_UNKNOWN:
        break;
    }
    log_error("store_place_unknown", log_text("statement", str_of(query.sql->name)));
    return ERR_INTERNAL;
}

/* The transaction of a shared write, if the statement belongs to its database. */
static struct db_tx *
shared_in(struct db_tx *tx, size_t statement, const struct db_value *values)
{
    struct spread_tx *mine = (struct spread_tx *)tx;
    struct spread_store *store = spread_of(tx->db);
    const struct placement *placement = &store->placements[statement];
    bool at_home =
        placement->where == PLACEMENT_USER &&
        spread_home(store, placement_shard(placement, &values[placement->by])) == mine->home;
    bool fits = mine->is_shared && (at_home || placement->where == PLACEMENT_ANY);
    return fits ? mine->in[mine->home] : NULL;
}

bool
spread_put(struct db_tx *tx, struct arena *mem, size_t statement, const struct db_value *values,
           size_t count)
{
    struct db_tx *in = shared_in(tx, statement, values);
    return in != NULL && !in->broken && in->db->driver->put(in, mem, statement, values, count);
}

void
spread_prefetch(struct db_tx *tx, struct arena *mem, size_t statement,
                const struct db_value *values, size_t count)
{
    struct db_tx *in = shared_in(tx, statement, values);
    if (in != NULL)
        db_prefetch_values(in, mem, db_statement(statement), values, count);
}
