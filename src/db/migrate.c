/* migrate.c - applies schema steps.
 *
 * The schema is a list of numbered steps, schema/NNNN_name.sql, compiled into the program. The
 * table schema_step records the steps that a store has. Missing steps are applied in one
 * transaction, so a crash leaves either the old schema or the new one. A step
 * NNNN_name.postgres.sql replaces NNNN_name.sql on PostgreSQL. */
#include "db/driver.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/embedded.h"
#include "base/log.h"

#include <string.h>

struct step {
    int64_t version;
    struct str name; /* 0001_initial */
    struct str text;
};

static const char make_table[] = "CREATE TABLE IF NOT EXISTS schema_step ("
                                 " version BIGINT NOT NULL PRIMARY KEY,"
                                 " name TEXT NOT NULL,"
                                 " applied_at BIGINT NOT NULL)";

/* Waits for the writing transactions of other nodes, and lets no new one begin (postgres/begin.c),
 * so that a step sees all that they have written. They find the new step afterwards. */
static const char lock_out_writers[] = "LOCK TABLE schema_step IN EXCLUSIVE MODE";

/* Finds the step after `version` for this engine; false if there is none. */
static bool
next_step(const struct db *db, const struct embedded *files, int64_t version, struct step *out)
{
    bool found = false;
    for (const struct embedded *file = files; file->name != NULL; file++) {
        struct str name = str_of(file->name);
        if (!str_starts(name, STR("schema/")) || !str_ends(name, STR(".sql")))
            continue;
        name = str_first(str_from(name, 7), name.len - 7 - 4);
        bool special = str_ends(name, STR(".postgres"));
        int64_t number = 0;
        struct str digits = str_first(name, 4);
        while (digits.len > 1 && digits.ptr[0] == '0')
            digits = str_from(digits, 1);
        if (!str_to_int(digits, 1, 9999, &number) || number != version + 1)
            continue;
        if ((special && !db->is_postgres) || (found && !special))
            continue;
        *out = (struct step){ number, name, { file->bytes, (size_t)(file->end - file->bytes) } };
        found = true;
    }
    return found;
}

/* Steps have no gaps: the first missing number is the end of the list. */
static int64_t
newest_version(const struct db *db, const struct embedded *files)
{
    struct step step;
    int64_t version = 0;
    while (next_step(db, files, version, &step))
        version = step.version;
    return version;
}

/* Steps are written in SQLite's dialect. For PostgreSQL these words are overwritten in a copy, each
 * with a replacement of the same length. */
static const char *
script_for(struct arena *mem, const struct db *db, struct str text)
{
    static const struct {
        const char *word, *replacement;
    } words[] = {
        { " WITHOUT ROWID", "              " },
        { "CREATE TABLE /*UNLOGGED*/", "CREATE UNLOGGED TABLE    " },
        { " INTEGER PRIMARY KEY", " BIGINT  PRIMARY KEY" }, /* INTEGER has 32 bits there */
        { "/*WITH (", "  WITH (" },
        { ")*/", ")  " },
    };
    char *script = arena_alloc(mem, text.len + 1);
    memcpy(script, text.ptr, text.len);
    for (size_t i = 0; db->is_postgres && i < sizeof words / sizeof words[0]; i++)
        /* Replacements do not contain the word, so that the search ends. */
        for (char *at = script; (at = strstr(at, words[i].word)) != NULL;)
            memcpy(at, words[i].replacement, strlen(words[i].replacement));
    return script;
}

/* The note is written in the same transaction as the step, so a step is never applied twice. */
static enum err
apply(struct db *db, struct arena *mem, const struct step *step, struct why *why)
{
    enum err err = db->driver->schema_run(db, script_for(mem, db, step->text), NULL, why);
    if (err)
        return err;
    struct str note =
        str_format(mem,
                   "INSERT INTO schema_step (version, name, applied_at)"
                   " VALUES (%lld, '%.*s', %lld)",
                   (long long)step->version, STR_ARG(step->name), (long long)clock_now());
    return db->driver->schema_run(db, note.ptr, NULL, why);
}

/* The same message for every command. */
enum err
db_missing(const char *address, struct why *why)
{
    why_set(why,
            "store: no store found at %s; use --store to name an existing one, or run "
            "`penchant serve` to create it",
            address);
    return ERR_NOT_FOUND;
}

/* A store that contains only a part of another one must not serve. */
static enum err
refuse_incomplete(struct db *db, struct why *why)
{
    int64_t incomplete = 0;
    enum err err = db->driver->schema_run(
        db, "SELECT COUNT(*) FROM schema_step WHERE version = " DB_MOVE_STEP, &incomplete, why);
    if (err || incomplete == 0 || str_present(db->moved_from))
        return err;
    why_set(why,
            "store: a move to this store is not complete; run the same `penchant move` again to "
            "continue, or delete this store");
    return ERR_INVALID;
}

enum err
db_mark_incomplete(struct db *db, struct arena *mem, struct why *why)
{
    struct db_rows unwanted;
    struct db_value values[] = { db_text(db->moved_from), db_int(clock_now()) };
    return db->driver->schema_query(db, mem,
                                    "INSERT INTO schema_step (version, name, applied_at)"
                                    " VALUES (" DB_MOVE_STEP ", $1, $2)",
                                    values, 2, &unwanted, why);
}

/* The table is created even if the store must exist: it is rolled back with everything else. */
static enum err
apply_missing(struct db *db, struct arena *mem, const struct embedded *files, bool must_exist,
              struct why *why)
{
    int64_t version = 0;
    enum err err = db->driver->schema_run(db, make_table, NULL, why);
    if (!err)
        err = db->driver->schema_run(db, "SELECT COALESCE(MAX(version), 0) FROM schema_step",
                                     &version, why);
    if (!err)
        err = refuse_incomplete(db, why);
    if (err)
        return err;
    if (version == 0 && must_exist)
        return db_missing(db->driver->describe(db, mem).ptr, why);
    int64_t known = newest_version(db, files);
    if (version > known) {
        why_set(why,
                "store: the schema is at step %lld, but this version supports up to step %lld; "
                "run a newer penchant, or restore a backup made by this version",
                (long long)version, (long long)known);
        return ERR_INVALID;
    }
    struct step step;
    bool created = version == 0;
    if (db->is_postgres && !created && version < known)
        err = db->driver->schema_run(db, lock_out_writers, NULL, why);
    if (created && str_present(db->moved_from)) /* so that it is never a valid empty store */
        err = db_mark_incomplete(db, mem, why);
    while (!err && next_step(db, files, version, &step)) {
        err = apply(db, mem, &step, why);
        if (err)
            return err;
        version = step.version;
        log_info("schema_step_applied", log_text("step", step.name));
    }
    return err ? err : db_part_check(db, mem, created, why);
}

/* Every start runs this, also if nothing is missing: it also checks that the store is complete and
 * is the one that was meant. */
enum err
db_migrate(struct db *db, const struct embedded *files, bool must_exist, struct why *why)
{
    enum err err = db->driver->schema_begin(db, why);
    if (err)
        return err;
    struct arena *mem = arena_new();
    err = apply_missing(db, mem, files, must_exist, why);
    arena_free(mem);
    enum err ended = db->driver->schema_end(db, err == ERR_NONE, why);
    return err ? err : ended;
}

int64_t
db_schema_version(const struct db *db)
{
    return newest_version(db, embedded_files); /* db_open() has applied every step */
}
