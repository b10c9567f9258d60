/* part.c - the row of store_part, which identifies a database of a store. It is written when the
 * database is created and compared at every start. So a database that is missing, of another
 * installation, given twice, or in another order is detected before a user is looked up in the
 * wrong database. */
#include "db/driver.h"

#include "base/arena.h"

#include <stdio.h>
#include <sys/random.h>

/* Identifies the databases of one store, so that a database of another store is never used by
 * mistake. */
static enum err
make_installation(char out[33], struct why *why)
{
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
        why_set(why, "store: no random numbers are available");
        return ERR_UNAVAILABLE;
    }
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return ERR_NONE;
}

/* A database that has just been created. If a row of another database shows that all of them were
 * created before, this one was emptied or its address is wrong: users would be missing without an
 * error. */
static enum err
record(struct db *db, struct arena *mem, struct db_part *part, struct why *why)
{
    struct db_rows unwanted;
    enum err err = ERR_NONE;
    if (part->complete) {
        why_set(why,
                "store: database %zu of %zu is empty, but the others are in use; check its "
                "address, or restore its backup",
                part->number, part->count);
        return ERR_INVALID;
    }
    if (part->installation[0] == '\0')
        err = make_installation(part->installation, why);
    part->unmarked = true;
    const struct db_value values[] = { db_text(str_of(part->installation)),
                                       db_int((int64_t)part->number), db_int((int64_t)part->count),
                                       db_int(part->count == 1 ? 1 : 0) };
    return err ? err
               : db->driver->schema_query(db, mem,
                                          "INSERT INTO store_part (id, installation, number, parts,"
                                          " complete)"
                                          " VALUES (1, $1, $2, $3, $4)",
                                          values, 4, &unwanted, why);
}

/* The first database sets the installation; the others must have the same. */
static enum err
compare(struct db *db, struct arena *mem, struct db_part *part, struct why *why)
{
    struct db_rows rows = { 0 };
    enum err err = db->driver->schema_query(
        db, mem, "SELECT installation, number, parts, complete FROM store_part", NULL, 0, &rows,
        why);
    if (err)
        return err;
    int64_t number = db_cell_int(&rows, 0, 1), count = db_cell_int(&rows, 0, 2);
    struct str installation = db_cell_text(&rows, 0, 0);
    if (number != (int64_t)part->number || count != (int64_t)part->count) {
        why_set(why,
                "store: address %zu of %zu leads to database %lld of %lld; give all addresses, in "
                "their order (docs/SCALE.md)",
                part->number, part->count, (long long)number, (long long)count);
        return ERR_INVALID;
    }
    if (part->installation[0] != '\0' && !str_eq_c(installation, part->installation)) {
        why_set(why,
                "store: database %zu of %zu belongs to another installation than those before it; "
                "check its address",
                part->number, part->count);
        return ERR_INVALID;
    }
    snprintf(part->installation, sizeof part->installation, "%.*s", STR_ARG(installation));
    bool complete = db_cell_int(&rows, 0, 3) != 0;
    part->complete = part->complete || complete;
    part->unmarked = part->unmarked || !complete;
    return ERR_NONE;
}

/* A new database records which part of which store it is; an existing one must be that part. So
 * databases cannot be exchanged by a mistake in a setting. */
enum err
db_part_check(struct db *db, struct arena *mem, bool created, struct why *why)
{
    struct db_part single = { .number = 1, .count = 1 };
    struct db_part *part = db->part == NULL ? &single : db->part;
    if (db->any_part)
        return ERR_NONE;
    return created ? record(db, mem, part, why) : compare(db, mem, part, why);
}

/* One statement in a transaction of its own. */
static enum err
run(struct db *db, const char *statement, int64_t *number, struct why *why)
{
    enum err err = db->driver->schema_begin(db, why);
    if (err)
        return err;
    err = db->driver->schema_run(db, statement, number, why);
    enum err ended = db->driver->schema_end(db, err == ERR_NONE, why);
    return err ? err : ended;
}

enum err
db_part_complete(struct db *db, struct why *why)
{
    return run(db, "UPDATE store_part SET complete = 1", NULL, why);
}

/* Set by a restore, until the databases were compared. */
enum err
db_part_restored(struct db *db, bool *out, struct why *why)
{
    int64_t number = 0;
    enum err err = run(db, "SELECT restored FROM store_part", &number, why);
    *out = number != 0;
    return err;
}

/* A store with a single database has nothing to compare. */
enum err
db_part_set_restored(struct db *db, bool restored, struct why *why)
{
    return run(db,
               restored ? "UPDATE store_part SET restored = 1 WHERE parts > 1"
                        : "UPDATE store_part SET restored = 0",
               NULL, why);
}
