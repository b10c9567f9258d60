#include "spread/spread.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/embedded.h"
#include "base/shard.h"

#include <stdlib.h>
#include <string.h>

#define DEADLINE_MS 2000 /* default of db_settings.deadline_ms */
#define PREFIX "store: " /* of messages of the engine */
#define SPACE ' '        /* between addresses; no address of PostgreSQL contains one */

bool
spread_is_down(const struct spread_store *store, size_t database)
{
    struct db *db = store->of[database];
    return db->driver->is_down != NULL && db->driver->is_down(db);
}

size_t
spread_home(const struct spread_store *store, int shard)
{
    return place_of_shard(shard, store->count);
}

/* ---- addresses ---- */

/* The next address, in the arena; NULL after the last one. */
static const char *
next_address(struct arena *mem, struct str *rest)
{
    struct str address;
    while (str_cut(rest, SPACE, &address))
        if (address.len > 0)
            return str_c(mem, address);
    return NULL;
}

static const char *
address_problem(const char *addresses)
{
    struct arena *mem = arena_new();
    struct str rest = str_of(addresses);
    const char *address, *problem = NULL, *before[SPREAD_MAX];
    size_t count = 0;
    while (problem == NULL && (address = next_address(mem, &rest)) != NULL) {
        if (strncmp(address, db_postgres_driver.prefix, strlen(db_postgres_driver.prefix)) != 0)
            problem = "names several databases, and each must be postgresql://…";
        else if (count == SPREAD_MAX)
            problem = "names more than 64 databases";
        else
            problem = db_address_problem(address);
        for (size_t i = 0; i < count && problem == NULL; i++)
            if (strcmp(before[i], address) == 0)
                problem = "names the same database twice";
        if (problem == NULL)
            before[count++] = address;
    }
    arena_free(mem);
    return problem;
}

static size_t
address_files(struct arena *mem, const char *addresses, const char **out, size_t max)
{
    struct str rest = str_of(addresses);
    const char *address;
    size_t count = 0;
    while ((address = next_address(mem, &rest)) != NULL)
        count += db_address_files(mem, address, out + count, max - count);
    return count;
}

/* ---- opening ---- */

static void
spread_close(struct db *db)
{
    struct spread_store *store = spread_of(db);
    for (size_t i = 0; i < store->count; i++)
        store->of[i]->driver->close(store->of[i]);
    versions_stop(&store->versions);
    free(store->places);
    free(store);
}

static void
place_statements(struct spread_store *store)
{
    store->places = memory_alloc(db_statement_count(), sizeof *store->places);
    for (size_t i = 0; i < db_statement_count(); i++) {
        const struct sql *sql = db_statement(i);
        store->places[i] = place_of(sql);
        if (strcmp(sql->name, "claim_note") == 0)
            store->note = sql;
        if (strcmp(sql->name, "usage_add_one") == 0)
            store->add_one = sql;
    }
}

static enum err
spread_open(const struct db_settings *settings, struct db **out, struct why *why)
{
    struct spread_store *store = memory_alloc(1, sizeof *store);
    struct arena *mem = arena_new();
    struct str rest = str_of(settings->address);
    struct db_settings one = *settings;
    enum err err = ERR_NONE;
    store->db.driver = &db_spread_driver;
    store->db.is_postgres = store->db.is_spread = true;
    store->deadline_ms = settings->deadline_ms > 0 ? settings->deadline_ms : DEADLINE_MS;
    store->must_exist = settings->must_exist;
    store->repairs = settings->watched;
    versions_start(&store->versions);
    one.versions = &store->versions;
    place_statements(store);
    while (!err && (one.address = next_address(mem, &rest)) != NULL) {
        err = db_driver_of(one.address)->open(&one, &store->of[store->count], why);
        if (!err)
            store->count++;
    }
    arena_free(mem);
    if (err) {
        spread_close(&store->db);
        return err;
    }
    *out = &store->db;
    return ERR_NONE;
}

/* Every database must answer at the start: otherwise its schema and its part cannot be checked.
 * Before any of them is changed, so that a wrong address changes nothing. */
static enum err
connect_all(struct spread_store *store, struct why *why)
{
    enum err err = ERR_NONE;
    for (size_t i = 0; i < store->count && !err; i++) {
        struct why of_one = { 0 };
        struct db *db = store->of[i];
        err = db->driver->schema_begin(db, &of_one);
        if (!err)
            err = db->driver->schema_end(db, false, &of_one);
        if (err)
            why_set(why, "store: database %zu of %zu: %s", i + 1, store->count,
                    of_one.text +
                        (strncmp(of_one.text, PREFIX, strlen(PREFIX)) == 0 ? strlen(PREFIX) : 0));
    }
    return err;
}

static enum err
prepare(struct db *db, struct why *why)
{
    struct spread_store *store = spread_of(db);
    struct db_part part = { .count = store->count };
    enum err err = connect_all(store, why);
    for (size_t i = 0; i < store->count && !err; i++) {
        part.number = i + 1;
        store->of[i]->part = &part;
        err = db_migrate(store->of[i], embedded_files, store->must_exist, why);
        store->of[i]->part = NULL;
    }
    for (size_t i = 0; i < store->count && !err && part.unmarked; i++)
        err = db_part_complete(store->of[i], why);
    if (!err && store->repairs)
        err = db_repair(store->of, store->count, why);
    for (size_t i = 0; i < store->count && !err; i++)
        err = store->of[i]->driver->prepare(store->of[i], why);
    return err;
}

static void
interrupt(struct db *db, int64_t after_ms)
{
    struct spread_store *store = spread_of(db);
    for (size_t i = 0; i < store->count; i++)
        db_interrupt(store->of[i], after_ms);
}

static struct str
describe(const struct db *db, struct arena *mem)
{
    const struct spread_store *store = spread_of(db);
    struct str text = db_describe(store->of[0], mem);
    for (size_t i = 1; i < store->count; i++)
        text = str_format(mem, "%.*s %.*s", STR_ARG(text), STR_ARG(db_describe(store->of[i], mem)));
    return text;
}

/* The users of a database that answers are served; `why` names those that do not. */
static enum err
ping(struct db *db, struct why *why)
{
    struct spread_store *store = spread_of(db);
    size_t good = 0;
    for (size_t i = 0; i < store->count; i++) {
        struct why of_one = { 0 };
        if (db_ping(store->of[i], &of_one) == ERR_NONE)
            good++;
        else
            why_set(why, "Database %zu of %zu: %s", i + 1, store->count,
                    of_one.text[0] != '\0' ? of_one.text : "It does not respond.");
    }
    return good == 0 ? ERR_UNAVAILABLE : ERR_NONE;
}

/* ---- maintenance ---- */

static enum err
refuse(const char *command, struct why *why)
{
    why_set(why,
            "%s: the store has several databases; run the command once for each, with its address "
            "in --store",
            command);
    return ERR_INVALID;
}

static enum err
backup(const char *address, const char *file, void (*progress)(void *context, int percent),
       void *context, struct why *why)
{
    (void)address;
    (void)file;
    (void)progress;
    (void)context;
    return refuse("backup", why);
}

static enum err
restore(const char *address, const char *file, enum err (*run)(struct db *db, void *context),
        void *context, struct arena *mem, struct str *aside, struct why *why)
{
    (void)address;
    (void)file;
    (void)run;
    (void)context;
    (void)mem;
    (void)aside;
    return refuse("restore", why);
}

static enum err
check(const char *addresses, struct buf *report, struct why *why)
{
    struct arena *mem = arena_new();
    struct str rest = str_of(addresses);
    const char *address;
    enum err err = ERR_NONE;
    while (!err && (address = next_address(mem, &rest)) != NULL)
        err = db_check(address, report, why);
    arena_free(mem);
    return err;
}

static enum err
inspect(const char *addresses, db_work *work, void *argument, struct why *why)
{
    struct arena *mem = arena_new();
    struct str rest = str_of(addresses);
    const char *address;
    enum err err = ERR_NONE;
    while (!err && (address = next_address(mem, &rest)) != NULL)
        err = db_inspect(address, work, argument, why);
    arena_free(mem);
    return err;
}

const struct db_driver db_spread_driver = {
    .prefix = "postgresql://",
    .reads_block = true,
    .address_problem = address_problem,
    .address_files = address_files,
    .open = spread_open,
    .close = spread_close,
    .interrupt = interrupt,
    .prepare = prepare,
    .write = spread_write,
    .write_shared = spread_write_shared,
    .begin_read = spread_begin_read,
    .end_read = spread_end_read,
    .query = spread_query,
    .put = spread_put,
    .prefetch = spread_prefetch,
    .ping = ping,
    .version = spread_version,
    .commits = spread_commits,
    .sync_versions = spread_sync,
    .sync_ticket = spread_sync_ticket,
    .sync_now = spread_sync_now,
    .describe = describe,
    .write_metrics = spread_metrics,
    .backup = backup,
    .restore = restore,
    .check = check,
    .inspect = inspect,
};
