#include "spread/spread.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/embedded.h"
#include "base/shard.h"

#include <stdlib.h>
#include <string.h>

#define DEADLINE_MS 2000 /* default of db_settings.deadline_ms */
#define PREFIX "store: " /* of messages of the engine */
#define SPACE ' '        /* between addresses; no address of PostgreSQL contains one */

bool
spread_answers(const struct spread_store *store, size_t database)
{
    struct db *db = store->of[database];
    return spread_is_open(store, database) &&
           (db->driver->is_silent == NULL || !db->driver->is_silent(db));
}

bool
spread_is_down(const struct spread_store *store, size_t database)
{
    struct db *db = store->of[database];
    return !spread_is_open(store, database) ||
           (db->driver->is_down != NULL && db->driver->is_down(db));
}

size_t
spread_home(const struct spread_store *store, int shard)
{
    return placement_of_shard(shard, store->count);
}

/* ---- addresses ---- */

const char *
spread_next_address(struct arena *mem, struct str *rest)
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
    while (problem == NULL && (address = spread_next_address(mem, &rest)) != NULL) {
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

/* Removes the files from `known` on that are in the list already. Returns the number of all. */
static size_t
drop_known_files(const char **files, size_t known, size_t count)
{
    for (size_t i = known; i < count; i++) {
        size_t same = 0;
        while (same < known && strcmp(files[same], files[i]) != 0)
            same++;
        if (same == known)
            files[known++] = files[i];
    }
    return known;
}

/* Databases mostly share their certificates, and `max` is too small for a list of each. */
static size_t
address_files(struct arena *mem, const char *addresses, const char **out, size_t max)
{
    struct str rest = str_of(addresses);
    const char *address;
    size_t count = 0;
    while ((address = spread_next_address(mem, &rest)) != NULL)
        count = drop_known_files(out, count,
                                 count + db_address_files(mem, address, out + count, max - count));
    return count;
}

/* ---- opening ---- */

static void
spread_close(struct db *db)
{
    struct spread_store *store = spread_of(db);
    spread_watch_stop(store);
    for (size_t i = 0; i < store->count; i++)
        store->of[i]->driver->close(store->of[i]);
    /* They may contain passwords. */
    explicit_bzero(store->addresses, strlen(store->addresses));
    free(store->addresses);
    if (store->watched)
        clock_follow_ns(0);
    pthread_mutex_destroy(&store->clock.lock);
    versions_stop(&store->versions);
    free(store->placements);
    free(store);
}

/* Once, because placing a statement compares its text with every table. */
static void
place_statements(struct spread_store *store)
{
    store->placements = memory_alloc(db_statement_count(), sizeof *store->placements);
    for (size_t i = 0; i < db_statement_count(); i++) {
        const struct sql *sql = db_statement(i);
        store->placements[i] = placement_of(sql);
        if (strcmp(sql->name, "claim_note") == 0)
            store->note = sql;
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
    store->watched = settings->watched;
    store->addresses = strdup(settings->address);
    store->clock.followed = SPREAD_MAX;
    pthread_mutex_init(&store->clock.lock, NULL);
    versions_start(&store->versions);
    /* A commit of any database raises the same counters, because one request may use cached rows of
     * several. */
    one.versions = &store->versions;
    place_statements(store);
    while (!err && (one.address = spread_next_address(mem, &rest)) != NULL) {
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

/* ---- preparing ---- */

/* Names the database in a message of its engine. */
static void
why_of(const struct spread_store *store, size_t database, const struct why *of_one, struct why *why)
{
    size_t skip = strncmp(of_one->text, PREFIX, strlen(PREFIX)) == 0 ? strlen(PREFIX) : 0;
    why_set(why, "store: database %zu of %zu: %s", database + 1, store->count, of_one->text + skip);
}

static bool
is_missing(const struct why *missing, size_t database)
{
    return missing[database].text[0] != '\0';
}

/* Before any of them is changed, so that a wrong address changes nothing. Fails if none answers, or
 * if one must not be used. `missing` has the problems of the others. */
static enum err
connect_all(struct spread_store *store, struct why *missing, bool *all_answer, struct why *why)
{
    bool any_answers = false;
    for (size_t i = 0; i < store->count; i++) {
        struct why of_one = { 0 };
        struct db *db = store->of[i];
        enum err err = db->driver->schema_begin(db, &of_one);
        if (!err)
            /* Rolled back: the transaction only shows whether the database can be used. */
            err = db->driver->schema_end(db, false, &of_one);
        any_answers = any_answers || err == ERR_NONE;
        if (err == ERR_NONE)
            continue;
        why_of(store, i, &of_one, why);
        if (err != ERR_UNAVAILABLE || !store->watched)
            return err;
        missing[i] = of_one;
        *all_answer = false;
    }
    return any_answers ? ERR_NONE : ERR_UNAVAILABLE;
}

enum err
spread_check(struct spread_store *store, size_t database, bool must_exist, struct why *why)
{
    struct db *db = store->of[database];
    store->part.number = database + 1;
    store->part.count = store->count;
    db->part = &store->part;
    /* Only while `part` is set, a migration compares and stores which part of the store this is. */
    enum err err = db_migrate(db, embedded_files, must_exist, why);
    db->part = NULL;
    return err;
}

/* Those that answer. If one does not, the store must be complete: it is created with all of them,
 * because otherwise a wrong address would not be noticed. */
static enum err
check_all(struct spread_store *store, const struct why *missing, bool all_answer, struct why *why)
{
    struct why unreachable = *why;
    enum err err = ERR_NONE;
    *why = (struct why){ 0 };
    for (size_t i = 0; i < store->count && !err; i++)
        if (!is_missing(missing, i))
            err = spread_check(store, i,
                               store->must_exist || (!all_answer && !store->part.complete), why);
    if (!all_answer && (err == ERR_NOT_FOUND || (!err && !store->part.complete))) {
        *why = unreachable;
        return ERR_UNAVAILABLE;
    }
    for (size_t i = 0; i < store->count && !err && store->part.unmarked; i++)
        if (!is_missing(missing, i))
            err = db_part_complete(store->of[i], why);
    return err;
}

/* Other threads use the database as soon as is_open is set, so nothing may follow that. */
enum err
spread_prepare(struct spread_store *store, size_t database, struct why *why)
{
    struct db *db = store->of[database];
    enum err err = db->driver->prepare(db, why);
    if (!err)
        atomic_store(&store->is_open[database], true);
    return err;
}

/* Adds those that fail now to `missing`. Fails if none is left. */
static enum err
open_all(struct spread_store *store, struct why *missing, struct why *why)
{
    enum err last = ERR_UNAVAILABLE;
    bool any_open = false;
    for (size_t i = 0; i < store->count; i++) {
        struct why of_one = { 0 };
        if (is_missing(missing, i))
            continue;
        last = spread_prepare(store, i, &of_one);
        any_open = any_open || last == ERR_NONE;
        if (last == ERR_NONE)
            continue;
        why_of(store, i, &of_one, &missing[i]);
        if (last != ERR_UNAVAILABLE || !store->watched) {
            *why = missing[i];
            return last;
        }
    }
    if (!any_open)
        why_set(why, "store: no database can be used");
    return any_open ? ERR_NONE : last;
}

/* A service starts without a database that does not answer, so that requests for users of the
 * others succeed. */
static enum err
prepare(struct db *db, struct why *why)
{
    struct spread_store *store = spread_of(db);
    struct why missing[SPREAD_MAX] = { 0 };
    bool all_answer = true, repaired = true;
    enum err err = connect_all(store, missing, &all_answer, why);
    if (!err)
        err = check_all(store, missing, all_answer, why);
    if (!err && store->watched && all_answer)
        err = spread_repair_at_start(store, &repaired, why);
    if (!err)
        err = open_all(store, missing, why);
    if (!err)
        spread_clock_follow(store);
    if (!err && store->watched)
        spread_watch_start(store, missing, repaired);
    return err;
}

static void
interrupt(struct db *db, int64_t after_ms)
{
    struct spread_store *store = spread_of(db);
    for (size_t i = 0; i < store->count; i++)
        db_interrupt(store->of[i], after_ms);
    spread_watch_interrupt(store, after_ms);
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

/* Appends to the list of problems, as far as there is space. */
static void
add_problem(const struct spread_store *store, size_t database, const struct why *of_one,
            struct why *why)
{
    size_t used = strlen(why->text);
    struct why problem = { 0 };
    why_set(&problem, "%sDatabase %zu of %zu: %s", used > 0 ? " " : "", database + 1, store->count,
            of_one->text[0] != '\0' ? of_one->text : "It does not respond.");
    if (used + strlen(problem.text) < sizeof why->text)
        memcpy(why->text + used, problem.text, strlen(problem.text) + 1);
}

/* Asks all databases at once, so that several that hang take no longer than one. The users of those
 * that answer are served; `why` names the others, and those whose clock is wrong. */
static enum err
ping(struct db *db, struct why *why)
{
    struct spread_store *store = spread_of(db);
    struct db_ping begun[SPREAD_MAX] = { 0 };
    bool is_open[SPREAD_MAX];
    size_t good = 0;
    for (size_t i = 0; i < store->count; i++) {
        is_open[i] = spread_is_open(store, i);
        if (is_open[i])
            store->of[i]->driver->ping_begin(store->of[i], &begun[i]);
    }
    for (size_t i = 0; i < store->count; i++) {
        struct why of_one = { 0 };
        struct db *one = store->of[i];
        if (!is_open[i])
            spread_watch_problem(store, i, &of_one);
        else if (one->driver->ping_end(one, &begun[i], &of_one) == ERR_NONE) {
            good++;
            spread_clock_follow(store);
            if (!spread_clock_differs(store, i, &of_one))
                continue;
        }
        add_problem(store, i, &of_one, why);
    }
    struct why here = { 0 };
    if (good > 0 && clock_is_wrong(&here)) {
        *why = here;
        return ERR_UNAVAILABLE;
    }
    return good == 0 ? ERR_UNAVAILABLE : ERR_NONE;
}

/* ---- one database ---- */

static size_t
database_count(const struct db *db)
{
    return spread_of(db)->count;
}

static struct db *
database(struct db *db, size_t number)
{
    struct spread_store *store = spread_of(db);
    return spread_is_down(store, number) ? NULL : store->of[number];
}

static size_t
database_of(const struct db *db, struct str id)
{
    return spread_home(spread_of(db), shard_number(shard_of(id)));
}

/* ---- maintenance ---- */

static size_t
address_count(const char *addresses)
{
    struct arena *mem = arena_new();
    struct str rest = str_of(addresses);
    size_t count = 0;
    while (spread_next_address(mem, &rest) != NULL)
        count++;
    arena_free(mem);
    return count;
}

/* FILE.1of2 and so on, each consistent in itself. */
static enum err
backup(const char *addresses, const char *file, void (*progress)(void *context, int percent),
       void *context, struct why *why)
{
    struct arena *mem = arena_new();
    struct str rest = str_of(addresses);
    size_t number = 0, count = address_count(addresses);
    const char *address;
    enum err err = ERR_NONE;
    while (!err && (address = spread_next_address(mem, &rest)) != NULL)
        err = db_backup(address, str_format(mem, "%s.%zuof%zu", file, ++number, count).ptr,
                        progress, context, why);
    arena_free(mem);
    return err;
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
    why_set(why, "restore: the store has several databases; restore one at a time, with its "
                 "address alone in --store (docs/SCALE.md)");
    return ERR_INVALID;
}

static enum err
check(const char *addresses, struct buf *report, struct why *why)
{
    struct arena *mem = arena_new();
    struct str rest = str_of(addresses);
    const char *address;
    enum err err = ERR_NONE;
    while (!err && (address = spread_next_address(mem, &rest)) != NULL)
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
    while (!err && (address = spread_next_address(mem, &rest)) != NULL)
        err = db_inspect(address, work, argument, why);
    arena_free(mem);
    return err;
}

const struct db_driver db_spread_driver = {
    .prefix = "postgresql://",
    .reads_block = true,
    .address_problem = address_problem,
    .address_files = address_files,
    .address_count = address_count,
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
    .database_count = database_count,
    .database = database,
    .database_of = database_of,
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
