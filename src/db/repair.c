/* repair.c - repairs the replicated rows of a store with several databases: apps, and the key of
 * challenges. For PostgreSQL.
 *
 * A change of an app is committed in one database after the other. If a node dies in between, or a
 * commit fails, some have the change and others do not; it was not acknowledged. A service compares
 * the databases from time to time. Where they differ,
 *   - an app that one of them has deleted is deleted in all;
 *   - an app that the first does not have, an hour after it was added, is deleted in all;
 *   - otherwise the row with the highest epoch is copied, so that access that ended when
 *     the app was disabled is not restored; among equal ones, that of the first database.
 * A database that was restored from a backup does not decide; the first of the others does. Apps
 * that exist only in restored databases are deleted, and deletions recorded only there are ignored.
 *
 * Other nodes may be changing apps meanwhile. They lock an app's row in the first database before
 * the others and commit there after them, and so does this; the decision is made with the locks. */
#include "db/driver.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"

#include <string.h>

#define ADDING_SECONDS 3600 /* longer than any transaction takes */

#define DIGEST                                                             \
    "SELECT concat((SELECT SUM(hashtextextended(app::text, 0)) FROM app)," \
    " ' ', (SELECT SUM(hashtextextended(app_id, 0)) FROM deleted_app),"    \
    " ' ', (SELECT md5(string_agg(private_key, ' ')) FROM challenge_key))"

/* In the order of compare_ids(). */
#define LIST                                                                         \
    "SELECT app_id, content FROM (SELECT app_id, md5(app::text) AS content FROM app" \
    " UNION ALL SELECT app_id, 'deleted' FROM deleted_app) AS apps"                  \
    " ORDER BY app_id COLLATE \"C\""

#define LOCK_APP                                                                  \
    "SELECT epoch, created_at, row_to_json(app)::text FROM app WHERE app_id = $1" \
    " FOR UPDATE"
#define DELETED "SELECT epoch FROM deleted_app WHERE app_id = $1"
#define LOGO "SELECT image FROM app_logo WHERE app_id = $1"

/* An app with this id may be being added by another node. */
#define PUT                                                                   \
    "INSERT INTO app SELECT * FROM json_populate_record(NULL::app, $1::json)" \
    " ON CONFLICT DO NOTHING"
#define PUT_LOGO "INSERT INTO app_logo (app_id, image) VALUES ($1, $2) ON CONFLICT DO NOTHING"
#define DELETE "DELETE FROM app WHERE app_id = $1"
#define DELETE_LOGO "DELETE FROM app_logo WHERE app_id = $1"
#define ADD_DELETED                                                                        \
    "INSERT INTO deleted_app (app_id, epoch, deleted_at, next_at) VALUES ($1, $2, $3, $3)" \
    " ON CONFLICT (app_id) DO UPDATE SET next_at = excluded.next_at"
#define END_DELETED "DELETE FROM deleted_app WHERE app_id = $1"
#define PUT_KEY "INSERT INTO challenge_key (id, private_key) VALUES (1, $1)"

/* Every node forgets what it has cached. */
#define CHANGED "INSERT INTO store_change SELECT pg_current_xact_id(), '*'"

/* All databases of a store; `restored` marks those that were restored from a backup. */
struct repair {
    struct db *const *of;
    size_t count;
    const bool *restored;
    size_t first; /* the one that decides */
    struct arena *mem;
    struct why *why;
};

static enum err
query(struct repair *repair, size_t database, const char *text, const struct db_value *values,
      size_t count, struct db_rows *rows)
{
    struct db *db = repair->of[database];
    struct db_rows unwanted;
    return db->driver->schema_query(db, repair->mem, text, values, count,
                                    rows == NULL ? &unwanted : rows, repair->why);
}

/* In their order, as every transaction. */
enum err
db_repair_begin(struct db *const *databases, size_t count, size_t *begun, struct why *why)
{
    enum err err = ERR_NONE;
    for (*begun = 0; *begun < count && !err; *begun += err ? 0 : 1)
        err = databases[*begun]->driver->schema_begin(databases[*begun], why);
    return err;
}

/* The first database commits last: other nodes that wait for its row lock then find the others
 * committed. */
enum err
db_repair_end(struct db *const *databases, size_t begun, enum err err, struct why *why)
{
    for (size_t i = begun; i-- > 0;) {
        struct why unwanted = { 0 };
        struct db *db = databases[i];
        enum err ended = db->driver->schema_end(db, err == ERR_NONE, err ? &unwanted : why);
        err = err ? err : ended;
    }
    return err;
}

static enum err
begin(struct repair *repair, size_t *begun)
{
    return db_repair_begin(repair->of, repair->count, begun, repair->why);
}

static enum err
end(struct repair *repair, size_t begun, enum err err)
{
    return db_repair_end(repair->of, begun, err, repair->why);
}

/* ---- one app ---- */

/* The state of one app in one database. */
struct copy {
    bool exists, deleted;
    int64_t epoch, created_at;
    struct str row, logo;
};

/* Reads the app in one database and locks its row until the end of the transaction. */
static enum err
lock_app(struct repair *repair, struct str id, size_t database, struct copy *out)
{
    const struct db_value key[] = { db_text(id) };
    struct db_rows row = { 0 }, deleted = { 0 }, logo = { 0 };
    *out = (struct copy){ 0 };
    enum err err = query(repair, database, LOCK_APP, key, 1, &row);
    if (!err)
        err = query(repair, database, DELETED, key, 1, &deleted);
    if (!err)
        err = query(repair, database, LOGO, key, 1, &logo);
    if (err)
        return err;
    out->exists = row.count > 0;
    out->deleted = deleted.count > 0;
    out->logo = logo.count > 0 ? db_cell_text(&logo, 0, 0) : STR_NONE;
    if (out->deleted)
        out->epoch = db_cell_int(&deleted, 0, 0);
    if (out->exists) {
        out->epoch = db_cell_int(&row, 0, 0);
        out->created_at = db_cell_int(&row, 0, 1);
        out->row = db_cell_text(&row, 0, 2);
    }
    return ERR_NONE;
}

/* In a database where the app is still there. The note makes housekeeping delete the rows of the
 * app's users in it. */
static enum err
delete_in(struct repair *repair, size_t database, struct str id, int64_t epoch)
{
    const struct db_value values[] = { db_text(id), db_int(epoch), db_int(clock_now()) };
    enum err err = query(repair, database, DELETE, values, 1, NULL);
    if (!err)
        err = query(repair, database, DELETE_LOGO, values, 1, NULL);
    if (!err) /* housekeeping deletes its grants */
        err = query(repair, database, ADD_DELETED, values, 3, NULL);
    return err ? err : query(repair, database, CHANGED, NULL, 0, NULL);
}

/* Replaces the whole row. Grants and tokens refer to the app by its id, so that they stay. */
static enum err
put_in(struct repair *repair, size_t database, struct str id, const struct copy *from)
{
    const struct db_value row[] = { db_text(from->row) };
    const struct db_value logo[] = { db_text(id), db_text(from->logo) };
    enum err err = query(repair, database, DELETE, logo, 1, NULL);
    if (!err)
        err = query(repair, database, DELETE_LOGO, logo, 1, NULL);
    if (!err) /* that of a database that was restored */
        err = query(repair, database, END_DELETED, logo, 1, NULL);
    if (!err)
        err = query(repair, database, PUT, row, 1, NULL);
    if (!err && str_present(from->logo))
        err = query(repair, database, PUT_LOGO, logo, 2, NULL);
    return err ? err : query(repair, database, CHANGED, NULL, 0, NULL);
}

/* The caller holds the rows. */
static enum err
make_same(struct repair *repair, struct str id, const struct copy *copies)
{
    size_t count = repair->count, from = repair->first;
    const struct copy *first = &copies[repair->first];
    int64_t epoch = 0, created_at = 0;
    bool deleted = false, exists = false, differ = false, only_restored = true;
    enum err err = ERR_NONE;
    for (size_t i = 0; i < count; i++) {
        const struct copy *copy = &copies[i];
        bool decides = i == repair->first || !repair->restored[i];
        epoch = copy->epoch > epoch ? copy->epoch : epoch;
        created_at = copy->exists ? copy->created_at : created_at;
        deleted = deleted || (copy->deleted && decides);
        exists = exists || copy->exists;
        only_restored = only_restored && !(copy->exists && decides);
        differ = differ || copy->exists != first->exists || !str_eq(copy->row, first->row);
        if (copy->exists && copy->epoch > copies[from].epoch)
            from = i;
    }
    if (!exists || !differ)
        return ERR_NONE;
    if (!deleted && !only_restored && !first->exists && created_at > clock_now() - ADDING_SECONDS)
        return ERR_NONE; /* another node may be adding it */
    bool end = deleted || !first->exists;
    for (size_t i = 0; i < count && !err; i++) {
        if (end)
            err = delete_in(repair, i, id, epoch);
        else if (!copies[i].exists || !str_eq(copies[i].row, copies[from].row))
            err = put_in(repair, i, id, &copies[from]);
    }
    if (!err)
        log_warn("store_app_repaired", log_text("app", id),
                 log_text("by", end ? STR("deleting") : STR("copying")));
    return err;
}

/* In a transaction of its own, so that it waits for one app only. */
static enum err
repair_app(struct repair *repair, struct str id)
{
    struct copy copies[DB_PARTS_MAX];
    size_t begun;
    enum err err = begin(repair, &begun);
    for (size_t i = 0; i < repair->count && !err; i++)
        err = lock_app(repair, id, i, &copies[i]);
    if (!err)
        err = make_same(repair, id, copies);
    return end(repair, begun, err);
}

/* ---- all apps ---- */

static int
compare_ids(struct str a, struct str b)
{
    int order = memcmp(a.ptr, b.ptr, a.len < b.len ? a.len : b.len);
    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

/* The next id in any list, and whether all have it with the same content. */
static bool
next_app(const struct db_rows *lists, size_t *at, size_t count, struct str *id, bool *same)
{
    struct str content = STR_NONE;
    *id = STR_NONE;
    *same = true;
    for (size_t i = 0; i < count; i++) {
        struct str mine = at[i] < lists[i].count ? db_cell_text(&lists[i], at[i], 0) : STR_NONE;
        if (str_present(mine) && (!str_present(*id) || compare_ids(mine, *id) < 0))
            *id = mine;
    }
    if (!str_present(*id))
        return false;
    for (size_t i = 0; i < count; i++) {
        bool has = at[i] < lists[i].count && str_eq(db_cell_text(&lists[i], at[i], 0), *id);
        struct str mine = has ? db_cell_text(&lists[i], at[i]++, 1) : STR("");
        *same = *same && (i == 0 || str_eq(mine, content));
        content = mine;
    }
    return true;
}

/* All lists are read in one round of transactions, then merged by id; only apps that differ are
 * read again and repaired. */
static enum err
repair_apps(struct repair *repair)
{
    size_t count = repair->count, begun, at[DB_PARTS_MAX] = { 0 };
    struct db_rows lists[DB_PARTS_MAX] = { 0 };
    struct str id;
    bool same;
    enum err err = begin(repair, &begun);
    for (size_t i = 0; i < count && !err; i++)
        err = query(repair, i, LIST, NULL, 0, &lists[i]);
    err = end(repair, begun, err);
    while (!err && next_app(lists, at, count, &id, &same))
        if (!same)
            err = repair_app(repair, id);
    return err;
}

/* The key of the first database that has one. Challenges made with another one are made again. */
static enum err
repair_key(struct repair *repair)
{
    struct str keys[DB_PARTS_MAX], wanted = STR_NONE;
    size_t begun;
    enum err err = begin(repair, &begun);
    for (size_t i = 0; i < repair->count && !err; i++) {
        struct db_rows rows = { 0 };
        err = query(repair, i, "SELECT private_key FROM challenge_key FOR UPDATE", NULL, 0, &rows);
        keys[i] = rows.count > 0 ? db_cell_text(&rows, 0, 0) : STR_NONE;
        wanted = str_present(wanted) ? wanted : keys[i];
    }
    for (size_t i = 0; i < repair->count && !err && str_present(wanted); i++) {
        const struct db_value key[] = { db_text(wanted) };
        if (str_present(keys[i]) && str_eq(keys[i], wanted))
            continue;
        err = query(repair, i, "DELETE FROM challenge_key", NULL, 0, NULL);
        if (!err)
            err = query(repair, i, PUT_KEY, key, 1, NULL);
    }
    return end(repair, begun, err);
}

/* A digest per database, so that the usual case, no difference, costs one statement each. */
static enum err
compare(struct repair *repair, bool *same)
{
    struct str first = STR_NONE;
    size_t begun;
    enum err err = begin(repair, &begun);
    *same = true;
    for (size_t i = 0; i < repair->count && !err; i++) {
        struct db_rows rows = { 0 };
        err = query(repair, i, DIGEST, NULL, 0, &rows);
        struct str digest = db_cell_text(&rows, 0, 0);
        *same = *same && (i == 0 || str_eq(digest, first));
        first = digest;
    }
    return end(repair, begun, err);
}

/* The first database that was not restored counts as right: a restored one may lack changes. */
enum err
db_repair(struct db *const *databases, size_t count, const bool *restored, struct why *why)
{
    struct repair repair = { .of = databases, .count = count, .restored = restored, .why = why };
    bool same = true;
    while (repair.first < count && restored[repair.first])
        repair.first++;
    repair.first = repair.first == count ? 0 : repair.first; /* all of them */
    repair.mem = arena_new();
    enum err err = compare(&repair, &same);
    if (!err && !same)
        err = repair_key(&repair);
    if (!err && !same)
        err = repair_apps(&repair);
    arena_free(repair.mem);
    return err;
}
