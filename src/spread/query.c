/* query.c - one statement on the databases it needs. */
#include "spread/spread.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"

#include <string.h>

struct asked {
    struct spread_tx *tx;
    struct spread_store *store;
    struct arena *mem;
    const struct sql *sql;
    const struct place *place;
    const struct db_value *values;
    size_t count;
};

/* ---- one database ---- */

/* Outside the transaction, which has not begun there. Statements that only read take no locks. */
static enum err
read_aside(const struct asked *asked, size_t database, struct db_rows *rows)
{
    if (!spread_answers(asked->store, database))
        return ERR_UNAVAILABLE;
    struct db_tx *tx = db_begin_read(asked->store->of[database]);
    return db_end_read(
        tx, db_query_values(tx, asked->mem, asked->sql, asked->values, asked->count, rows));
}

/* A write does not begin in a database that it only reads. */
static bool
is_aside(const struct asked *asked, size_t database)
{
    return asked->tx->writes && asked->tx->in[database] == NULL && !sql_writes(asked->sql->text);
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
    if (tx->is_shared) {
        tx->leaves = true;
        return ERR_UNAVAILABLE;
    }
    tx->in[database] = tx->writes ? db->driver->begin_write(db) : db_begin_read(db);
    return tx->in[database] == NULL ? ERR_UNAVAILABLE : ERR_NONE;
}

static enum err
run_in(const struct asked *asked, size_t database, const struct sql *sql,
       const struct db_value *values, size_t count, struct db_rows *rows)
{
    struct spread_tx *tx = asked->tx;
    enum err err = begin_in(tx, database);
    return err ? err : db_query_values(tx->in[database], asked->mem, sql, values, count, rows);
}

static enum err
ask(const struct asked *asked, size_t database, struct db_rows *rows)
{
    return run_in(asked, database, asked->sql, asked->values, asked->count, rows);
}

static enum err
ask_or_read(const struct asked *asked, size_t database, struct db_rows *rows)
{
    return is_aside(asked, database) ? read_aside(asked, database, rows)
                                     : ask(asked, database, rows);
}

/* ---- rows of users ---- */

static enum err
ask_home(const struct asked *asked, struct db_rows *rows)
{
    struct spread_tx *tx = asked->tx;
    const struct db_value *value = &asked->values[asked->place->by];
    size_t database = spread_home(asked->store, place_shard(asked->place, value));
    if (tx->home == SPREAD_MAX && sql_writes(asked->sql->text))
        tx->home = database;
    return ask(asked, database, rows);
}

/* Twenty users of an app, in the order of their keys, so that most are in the same database. */
static enum err
ask_split(const struct asked *asked, struct db_rows *rows)
{
    const struct place place = { .form = BY_USER_KEY };
    size_t first = 0;
    bool differ = false;
    for (size_t i = 1; i + 2 < asked->count; i += 3) {
        size_t database = spread_home(asked->store, place_shard(&place, &asked->values[i]));
        differ = differ || (i > 1 && database != first);
        first = database;
    }
    if (!differ)
        return ask(asked, first, rows);
    enum err err = ERR_NONE;
    for (size_t i = 1; i + 2 < asked->count && !err; i += 3) {
        const struct db_value *of = &asked->values[i];
        const struct db_value one[] = { asked->values[0], of[0], of[1], of[2] };
        err = run_in(asked, spread_home(asked->store, place_shard(&place, of)),
                     asked->store->add_one, one, 4, rows);
    }
    return err;
}

/* ---- lookup rows ---- */

static size_t
lookup_database(const struct asked *asked)
{
    return spread_home(asked->store, place_lookup_shard(&asked->values[asked->place->by]));
}

/* A count of attempts begins again in another database while its own is down. */
static enum err
ask_elsewhere(const struct asked *asked, struct db_rows *rows)
{
    size_t home = lookup_database(asked), database = home;
    for (size_t i = 0; i < asked->store->count && spread_is_down(asked->store, database); i++)
        database = (home + i) % asked->store->count;
    return ask_or_read(asked, database, rows);
}

/* The note commits with the claim, before the user's rows. If these are not committed, housekeeping
 * finds the note and deletes the lookup row. */
static enum err
note(const struct asked *asked, size_t database)
{
    const struct place *place = asked->place;
    struct db_rows unwanted;
    const struct db_value values[] = { db_text(str_of(place->kind)), asked->values[place->by],
                                       asked->values[place->user], db_int(clock_now()) };
    return asked->store->note == NULL
               ? ERR_NONE
               : run_in(asked, database, asked->store->note, values, 4, &unwanted);
}

static enum err
add_later(const struct asked *asked, size_t database)
{
    struct spread_tx *tx = asked->tx;
    if (tx->later_count == SPREAD_LATER_MAX || asked->count != 2)
        return ERR_INTERNAL;
    struct spread_later *later = &tx->later[tx->later_count++];
    *later = (struct spread_later){ .sql = asked->sql, .database = database };
    for (size_t i = 0; i < 2; i++)
        later->values[i] = db_text(str_copy(asked->mem, asked->values[i].text));
    return ERR_NONE;
}

static enum err
ask_claim(const struct asked *asked, struct db_rows *rows)
{
    const struct place by_user = { .form = BY_ID };
    size_t database = lookup_database(asked);
    int shard = place_shard(&by_user, &asked->values[asked->place->user]);
    if (database == spread_home(asked->store, shard))
        return ask(asked, database, rows); /* in the transaction of the user's rows */
    enum err err = note(asked, database);
    if (err)
        return err;
    return asked->place->where == PLACE_CLAIM ? ask(asked, database, rows)
                                              : add_later(asked, database);
}

/* ---- rows of all databases ---- */

/* The transaction's own changes are in every database that it has begun in. */
static enum err
ask_any(const struct asked *asked, struct db_rows *rows)
{
    struct spread_store *store = asked->store;
    for (size_t i = 0; i < store->count; i++)
        if (asked->tx->in[i] != NULL && !asked->tx->in[i]->broken)
            return ask(asked, i, rows);
    enum err err = ERR_UNAVAILABLE;
    for (size_t i = 0; i < store->count && err == ERR_UNAVAILABLE; i++)
        if (!spread_is_down(store, i))
            err = read_aside(asked, i, rows);
    return err;
}

/* In this order in every transaction, so that two of them do not deadlock. The first database
 * decides what there is: a row that another transaction has committed only in a later one so far is
 * not locked there, because that transaction's rows in the first would be locked after it. */
static enum err
ask_all(const struct asked *asked, struct db_rows *rows)
{
    struct spread_store *store = asked->store;
    struct db_rows unwanted;
    enum err err = ERR_NONE;
    for (size_t i = 0; i < store->count && !err; i++)
        err = spread_is_down(store, i) ? ERR_UNAVAILABLE : ERR_NONE;
    bool tells = strstr(asked->sql->text, " RETURNING ") != NULL;
    for (size_t i = 0; i < store->count && !err && (i == 0 || !tells || rows->count > 0); i++)
        err = ask(asked, i, i == 0 ? rows : &unwanted);
    return err;
}

static enum err
ask_each(const struct asked *asked, struct db_rows *rows)
{
    struct spread_store *store = asked->store;
    const struct place *place = asked->place;
    enum err err = ERR_NONE;
    size_t done = 0;
    for (size_t i = 0; i < store->count && !err; i++) {
        struct db_rows more = { 0 };
        if (spread_is_down(store, i))
            continue;
        err = ask_or_read(asked, i, &more);
        if (!err && place->where == PLACE_SUM)
            spread_sum(asked->mem, rows, &more);
        else if (!err)
            spread_append(asked->mem, rows, &more);
        done++;
        if (place->where == PLACE_FIRST && rows->count > 0)
            break;
    }
    if (!err && place->where == PLACE_MERGE)
        spread_order(asked->mem, rows, place->by, asked->values[place->limit].number);
    return !err && done == 0 ? ERR_UNAVAILABLE : err;
}

/* ---- the driver's functions ---- */

enum err
spread_query(struct db_tx *tx, struct arena *mem, size_t statement, const struct db_value *values,
             size_t count, struct db_rows *rows)
{
    struct spread_tx *mine = (struct spread_tx *)tx;
    struct spread_store *store = spread_of(tx->db);
    const struct place *place = &store->places[statement];
    const struct asked asked = {
        .tx = mine,
        .store = store,
        .mem = mem,
        .sql = db_statement(statement),
        .place = place,
        .values = values,
        .count = count,
    };
    if (!mine->writes && tx->commits == 0)
        tx->commits = spread_commits(tx->db); /* before the first statement: see db.h */
    switch (place->where) {
    case PLACE_USER:
        return ask_home(&asked, rows);
    case PLACE_LOOKUP:
        return ask_or_read(&asked, lookup_database(&asked), rows);
    case PLACE_CLAIM:
    case PLACE_RELEASE:
        return ask_claim(&asked, rows);
    case PLACE_ELSEWHERE:
        return ask_elsewhere(&asked, rows);
    case PLACE_ANY:
        return ask_any(&asked, rows);
    case PLACE_ALL:
        return ask_all(&asked, rows);
    case PLACE_EACH:
    case PLACE_SUM:
    case PLACE_MERGE:
    case PLACE_FIRST:
        return ask_each(&asked, rows);
    case PLACE_SPLIT:
        return ask_split(&asked, rows);
    case PLACE_UNKNOWN:
        break;
    }
    log_error("store_place_unknown", log_text("statement", str_of(asked.sql->name)));
    return ERR_INTERNAL;
}

/* The transaction of a shared write, if the statement belongs to its database. */
static struct db_tx *
shared_in(struct db_tx *tx, size_t statement, const struct db_value *values)
{
    struct spread_tx *mine = (struct spread_tx *)tx;
    struct spread_store *store = spread_of(tx->db);
    const struct place *place = &store->places[statement];
    bool at_home = place->where == PLACE_USER &&
                   spread_home(store, place_shard(place, &values[place->by])) == mine->home;
    bool fits = mine->is_shared && (at_home || place->where == PLACE_ANY);
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
