/* repair_lookups.c - repairs the lookup rows after a database was restored from a backup. For
 * PostgreSQL.
 *
 * A lookup row and its user may be in two databases, of which one is now older. Then
 *   - a user whose lookup row belongs in the restored database may have none there, or the row
 *     leads to the user who had the name before: it is set to this user, who was not restored;
 *   - a user of the restored database may have no lookup row in another one: it is added if the
 * name is free;
 *   - a lookup row may lead to a user who does not exist or has another name. It gets a note, and
 *     housekeeping deletes it as after an interrupted sign-up (store/user_store.c), so that a
 *     sign-up under way is not disturbed.
 */
#include "db/driver.h"

#include "base/arena.h"
#include "base/clock.h"

#define PAGE 500

/* Pages have the user in column 0 and the key of the lookup row in column 1. */
struct lookup {
    const char *kind;
    const char *users; /* a page after ($1, $2) */
    const char *rows;  /* a page after ($2, $1) */
    const char *put;   /* the lookup row $2 of the user $1, taken from another */
    const char *add;   /* the same, if there is none */
    const char *find;  /* whether the user $1 has the key $2 */
};

/* FOR SHARE: a user who is being renamed is read before or after that. */
#define LOOKUP(name, table, key, user_table)                                                       \
    {                                                                                              \
        .kind = name,                                                                              \
        .users = "SELECT user_id, " key " FROM " user_table " WHERE (user_id, " key ") > ($1, $2)" \
                 " AND " key " IS NOT NULL ORDER BY user_id, " key " LIMIT 500 FOR SHARE",         \
        .rows = "SELECT user_id, " key " FROM " table " WHERE (" key ", user_id) > ($2, $1)"       \
                " ORDER BY " key ", user_id LIMIT 500",                                            \
        .put = "INSERT INTO " table " (" key ", user_id) VALUES ($2, $1) ON CONFLICT (" key ")"    \
               " DO UPDATE SET user_id = excluded.user_id",                                        \
        .add = "INSERT INTO " table " (" key ", user_id) VALUES ($2, $1) ON CONFLICT (" key ")"    \
               " DO NOTHING",                                                                      \
        .find = "SELECT user_id FROM " user_table " WHERE user_id = $1 AND " key " = $2"           \
    }

static const struct lookup lookups[] = {
    LOOKUP("username", "username_lookup", "username", "user_account"),
    LOOKUP("email", "email_lookup", "email_key", "user_account"),
    LOOKUP("passkey", "passkey_lookup", "credential_id", "passkey"),
};

/* As the statement claim_note. */
#define NOTE                                                                     \
    "INSERT INTO lookup_claim (user_id, lookup_key, kind, claimed_at)"           \
    " VALUES ($1, $2, $3, $4) ON CONFLICT (kind, lookup_key, user_id) DO UPDATE" \
    " SET claimed_at = excluded.claimed_at"

/* The same state as in repair.c, for lookup rows. */
struct repair {
    struct db *const *of;
    size_t count;
    const bool *restored;
    const struct db_placements *placements;
    struct arena *mem; /* until the next page */
    struct why *why;
};

/* A row of a page: a user, and the key of the user's lookup row. */
struct entry {
    const struct lookup *lookup;
    size_t user_in, lookup_in; /* databases */
    const struct db_value *values;
};

typedef enum err entry_work(struct repair *repair, const struct entry *entry);

static enum err
query(struct repair *repair, size_t database, const char *text, const struct db_value *values,
      size_t count, struct db_rows *rows)
{
    struct db *db = repair->of[database];
    return db->driver->schema_query(db, repair->mem, text, values, count, rows, repair->why);
}

/* ---- one row ---- */

/* A lookup row of a restored database is replaced if the user's row is newer. In other cases a row
 * that exists is right, or leads to a user who claimed the name later. */
static enum err
put_row(struct repair *repair, const struct entry *entry)
{
    struct db_rows unwanted;
    bool replaces = repair->restored[entry->lookup_in] && !repair->restored[entry->user_in];
    return query(repair, entry->lookup_in, replaces ? entry->lookup->put : entry->lookup->add,
                 entry->values, 2, &unwanted);
}

/* The row is only noted. Housekeeping compares it again after some minutes, when a sign-up that was
 * under way has ended. */
static enum err
note_row(struct repair *repair, const struct entry *entry)
{
    struct db_rows found = { 0 }, unwanted;
    const struct db_value note[] = { entry->values[0], entry->values[1],
                                     db_text(str_of(entry->lookup->kind)), db_int(clock_now()) };
    enum err err = query(repair, entry->user_in, entry->lookup->find, entry->values, 2, &found);
    return err || found.count > 0 ? err : query(repair, entry->lookup_in, NOTE, note, 4, &unwanted);
}

/* ---- all rows ---- */

/* Both are as old as each other if none of them was restored, or if they are the same. */
static bool
may_differ(const struct repair *repair, const struct entry *entry)
{
    return entry->user_in != entry->lookup_in &&
           (repair->restored[entry->user_in] || repair->restored[entry->lookup_in]);
}

/* values[0] is the user's id and values[1] the key of the lookup row: each decides which database
 * has its row. */
static enum err
work_on_page(struct repair *repair, const struct lookup *lookup, const struct db_rows *page,
             entry_work *work)
{
    enum err err = ERR_NONE;
    for (size_t i = 0; i < page->count && !err; i++) {
        const struct db_value *values = &page->cells[i * page->columns];
        struct entry entry = {
            .lookup = lookup,
            .values = values,
            .user_in = repair->placements->of_user(values[0].text, repair->count),
            .lookup_in = repair->placements->of_lookup(values[1].text, repair->count),
        };
        if (may_differ(repair, &entry))
            err = work(repair, &entry);
    }
    return err;
}

/* Reads all rows of one database, each page in a transaction of all databases. */
static enum err
go_through(struct repair *repair, size_t database, const struct lookup *lookup, const char *text,
           entry_work *work)
{
    struct arena *last_mem = arena_new();
    struct db_value last[] = { db_text(STR("")), db_text(STR("")) };
    struct db_rows page = { 0 };
    enum err err;
    do {
        size_t begun;
        err = db_repair_begin(repair->of, repair->count, &begun, repair->why);
        if (!err)
            err = query(repair, database, text, last, 2, &page);
        if (!err)
            err = work_on_page(repair, lookup, &page, work);
        err = db_repair_end(repair->of, begun, err, repair->why);
        if (!err && page.count > 0) {
            struct str user = db_cell_text(&page, page.count - 1, 0);
            struct str key = db_cell_text(&page, page.count - 1, 1);
            arena_reset(last_mem);
            last[0] = db_text(str_copy(last_mem, user));
            last[1] = db_text(str_copy(last_mem, key));
        }
        arena_reset(repair->mem);
    } while (!err && page.count == PAGE);
    arena_free(last_mem);
    return err;
}

/* First, rows that are missing are added; then, rows are noted for housekeeping, which compares
 * them with their users. */
enum err
db_repair_lookups(struct db *const *databases, size_t count, const bool *restored,
                  const struct db_placements *placements, struct why *why)
{
    struct repair repair = { .of = databases,
                             .count = count,
                             .restored = restored,
                             .placements = placements,
                             .mem = arena_new(),
                             .why = why };
    enum err err = ERR_NONE;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < sizeof lookups / sizeof lookups[0] && !err; j++) {
            err = go_through(&repair, i, &lookups[j], lookups[j].users, put_row);
            if (!err)
                err = go_through(&repair, i, &lookups[j], lookups[j].rows, note_row);
        }
    arena_free(repair.mem);
    return err;
}
