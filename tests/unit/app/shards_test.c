/* What docs/SCALE.md relies on: every table of a user begins with the shard (base/shard.h), and
 * only the statements listed here need more than one shard.
 *
 * A new table has to be added to `tables`, and a new statement that does not name the shard of its
 * rows to `crossing` and to docs/SCALE.md, with the reason. */
#include "unit/store_kit.h"

#include "app/routes.h"
#include "db/driver.h"
#include "job/housekeeping.h"

#include <sqlite3.h>

/* These links bring every store, and so every statement, into this test. */
const void *const linked[] = { routes_public, routes_private };
void (*const also_linked)(struct housekeeping *) = housekeeping_stop;

#define DOCUMENT_MAX ((size_t)256 * 1024)

enum place {
    OF_USER, /* rows belong to a user; `key` begins with the shard */
    LOOKUP,  /* spread by its own key: leads to a user, or belongs to somebody who is not known yet
              */
    SHARED,  /* few rows that every database has: apps */
    LOCAL,   /* of one database */
};

static const struct table {
    const char *name;
    enum place place;
    const char *key;
    const char *exception; /* why `key` is not the first column of the primary key */
} tables[] = {
    { "user_account", OF_USER, "user_id", NULL },
    { "user_picture", OF_USER, "picture_id", NULL },
    { "session", OF_USER, "session_hash", NULL },
    { "passkey", OF_USER, "user_id", NULL },
    { "recovery_code", OF_USER, "user_id", NULL },
    { "one_time_link", OF_USER, "link_hash", NULL },
    { "outbox", OF_USER, "mail_id", NULL },
    { "user_atoms", OF_USER, "row_key", NULL },
    { "user_record", OF_USER, "row_key", NULL },
    { "undo", OF_USER, "user_id", NULL },
    { "import_draft", OF_USER, "user_id", NULL },
    { "auth_request", OF_USER, "request_hash", NULL },
    { "app_grant", OF_USER, "grant_id", NULL },
    { "token_family", OF_USER, "family_id", NULL },
    { "auth_code", OF_USER, "code_hash", NULL },
    { "access_token", OF_USER, "row_key", NULL },
    { "refresh_token", OF_USER, "row_key", NULL },
    { "user_usage", OF_USER, "user_key", "rows of an app's day are written together" },
    { "usage_revocation", OF_USER, "user_id", NULL },
    { "activity", OF_USER, "user_id", NULL },
    { "activity_day", OF_USER, "user_id", NULL },
    { "activity_chain", OF_USER, "user_id", NULL },
    { "activity_first", OF_USER, "user_id", NULL },
    { "username_lookup", LOOKUP, "username", NULL },
    { "email_lookup", LOOKUP, "email_key", NULL },
    { "passkey_lookup", LOOKUP, "credential_id", NULL },
    { "used_challenge", LOOKUP, "challenge_hash", NULL },
    { "attempt", LOOKUP, "attempt_key", NULL },
    { "app", SHARED, "app_id", NULL },
    { "app_logo", SHARED, "app_id", NULL },
    { "deleted_app", SHARED, "app_id", NULL },
    { "app_usage", SHARED, "app_id", NULL },
    { "app_refusal", SHARED, "app_id", NULL },
    { "challenge_key", SHARED, "id", NULL },
    { "clock_state", LOCAL, "id", NULL },
    { "store_change", LOCAL, "xid", NULL },
};

/* Columns whose value begins with a shard, besides those above. */
static const char *const also_keys[] = { "token_hash", "user_row_key" };

/* Statements on rows of users that do not name the shard. */
#define SIGN_IN "the lookup table leads to the user"
#define DEVELOPER "an app's users are counted for its developer: the sum of all databases"
#define OPERATOR "a command of the operator goes through all databases"
#define EACH "in the background; each database for itself"
static const struct {
    const char *name, *reason;
} crossing[] = {
    { "user_find_username", SIGN_IN },
    { "user_find_email", SIGN_IN },
    { "usage_count_users", DEVELOPER },
    { "usage_count_connected", DEVELOPER },
    { "user_list", OPERATOR },
    { "user_count", OPERATOR },
    { "orphan_access", OPERATOR },
    { "orphan_codes", OPERATOR },
    { "orphan_refresh", OPERATOR },
    { "restore_access", OPERATOR },
    { "restore_codes", OPERATOR },
    { "restore_families", OPERATOR },
    { "restore_links", OPERATOR },
    { "restore_refresh", OPERATOR },
    { "restore_requests", OPERATOR },
    { "restore_sessions", OPERATOR },
    { "row_sum_atoms", OPERATOR },
    { "row_sum_hint_sets", OPERATOR },
    { "row_sum_records", OPERATOR },
    { "activity_list_old", EACH },
    { "activity_list_open", EACH },
    { "app_delete_grants", EACH },
    { "clean_access", EACH },
    { "clean_code", EACH },
    { "clean_family", EACH },
    { "clean_grant", EACH },
    { "clean_refresh", EACH },
    { "clean_request", EACH },
    { "clean_session", EACH },
    { "draft_clean", EACH },
    { "grant_expired", EACH },
    { "link_clean", EACH },
    { "outbox_add", EACH },
    { "outbox_claim", EACH },
    { "outbox_count", EACH },
    { "outbox_due", EACH },
    { "undo_clean", EACH },
    { "usage_clean_revocations", EACH },
    { "usage_clean_users", EACH },
    { "usage_end_app_users", EACH },
    { "usage_list_revoked", EACH },
};

static const struct table *
table_named(const char *name, size_t length)
{
    for (size_t i = 0; i < KIT_COUNT(tables); i++)
        if (strlen(tables[i].name) == length && strncmp(tables[i].name, name, length) == 0)
            return &tables[i];
    return NULL;
}

/* ---- tables ---- */

static bool
is_shard_column(const struct table *table, const char *column)
{
    return strcmp(column, table->key) == 0 || strcmp(column, "user_id") == 0;
}

static sqlite3_stmt *
prepare(sqlite3 *handle, const char *text, const char *name)
{
    sqlite3_stmt *statement = NULL;
    assert_int_equal(sqlite3_prepare_v2(handle, text, -1, &statement, NULL), SQLITE_OK);
    sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    return statement;
}

static void
check_primary_key(sqlite3 *handle, const struct table *table)
{
    sqlite3_stmt *columns = prepare(
        handle, "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", table->name);
    size_t at = 0, found = 0;
    for (; sqlite3_step(columns) == SQLITE_ROW; at++)
        if (strcmp((const char *)sqlite3_column_text(columns, 0), table->key) == 0)
            found = at + 1;
    sqlite3_finalize(columns);
    bool right = table->exception == NULL ? found == 1 : found > 1;
    if (!right)
        fail_msg("the primary key of %s does not begin with %s", table->name, table->key);
}

static void
check_unique_indexes(sqlite3 *handle, const struct table *table)
{
    sqlite3_stmt *indexes =
        prepare(handle, "SELECT name FROM pragma_index_list(?) WHERE \"unique\" = 1", table->name);
    while (sqlite3_step(indexes) == SQLITE_ROW) {
        const char *index = (const char *)sqlite3_column_text(indexes, 0);
        sqlite3_stmt *columns = prepare(handle, "SELECT name FROM pragma_index_info(?)", index);
        bool held = false;
        while (sqlite3_step(columns) == SQLITE_ROW)
            held |= is_shard_column(table, (const char *)sqlite3_column_text(columns, 0));
        sqlite3_finalize(columns);
        if (!held)
            fail_msg("%s is unique over all users, which no single database can check", index);
    }
    sqlite3_finalize(indexes);
}

static void
every_table_of_a_user_begins_with_the_shard(struct kit *kit)
{
    if (kit->postgres)
        return; /* the same schema */
    sqlite3 *handle = NULL;
    assert_int_equal(sqlite3_open(kit->address + strlen("sqlite:"), &handle), SQLITE_OK);
    sqlite3_stmt *names =
        prepare(handle, "SELECT name FROM sqlite_master WHERE type = 'table'", NULL);
    size_t count = 0;
    while (sqlite3_step(names) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(names, 0);
        if (strncmp(name, "sqlite_", 7) == 0 || strcmp(name, "schema_step") == 0)
            continue;
        const struct table *table = table_named(name, strlen(name));
        if (table == NULL)
            fail_msg("add the table %s to this test, and its place to docs/SCALE.md", name);
        count++;
        if (table->place != LOCAL)
            check_primary_key(handle, table);
        if (table->place == OF_USER)
            check_unique_indexes(handle, table);
    }
    sqlite3_finalize(names);
    sqlite3_close(handle);
    assert_int_equal(count, KIT_COUNT(tables));
}

/* ---- statements ---- */

static bool
is_word_letter(char c)
{
    return (c >= 'a' && c <= 'z') || c == '_';
}

static bool
reads_users(const char *text)
{
    for (const char *at = text; *at != '\0';) {
        size_t length = 0;
        while (is_word_letter(at[length]))
            length++;
        const struct table *table = length == 0 ? NULL : table_named(at, length);
        if (table != NULL && table->place == OF_USER)
            return true;
        at += length == 0 ? 1 : length;
    }
    return false;
}

/* Whether the statement compares the column with a parameter, or adds rows with it. */
static bool
names_column(const char *text, const char *column)
{
    size_t length = strlen(column);
    for (const char *at = text; (at = strstr(at, column)) != NULL; at += length) {
        if (at > text && is_word_letter(at[-1]))
            continue;
        if (strncmp(at + length, " = $", 4) == 0 || strncmp(at + length, " BETWEEN $", 10) == 0)
            return true;
    }
    return false;
}

static bool
names_shard(const char *text)
{
    if (strncmp(text, "INSERT INTO", 11) == 0 && strstr(text, " VALUES ($1") != NULL)
        return true; /* the new rows have it */
    for (size_t i = 0; i < KIT_COUNT(tables); i++)
        if (tables[i].place == OF_USER && names_column(text, tables[i].key))
            return true;
    for (size_t i = 0; i < KIT_COUNT(also_keys); i++)
        if (names_column(text, also_keys[i]))
            return true;
    return false;
}

static const char *
reason_of(const char *name)
{
    for (size_t i = 0; i < KIT_COUNT(crossing); i++)
        if (strcmp(crossing[i].name, name) == 0)
            return crossing[i].reason;
    return NULL;
}

static void
only_the_listed_statements_need_several_shards(struct kit *kit)
{
    size_t count = 0, wrong = 0;
    (void)kit;
    for (size_t i = 0; i < db_statement_count(); i++) {
        const struct sql *sql = db_statement(i);
        if (strncmp(sql->name, "kit_", 4) == 0)
            continue;
        bool crosses = reads_users(sql->text) && !names_shard(sql->text);
        bool listed = reason_of(sql->name) != NULL;
        count += crosses;
        wrong += crosses != listed;
        if (crosses != listed)
            print_error("%s %s: %s\n", sql->name,
                        crosses ? "names no shard and is not listed" : "is listed, but needs one",
                        sql->text);
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(count, KIT_COUNT(crossing));
}

/* docs/SCALE.md lists the same tables and statements. */
static void
the_document_names_every_table_and_statement(struct kit *kit)
{
    FILE *file = fopen("docs/SCALE.md", "r");
    assert_non_null(file);
    char *text = arena_alloc(kit->mem, DOCUMENT_MAX);
    text[fread(text, 1, DOCUMENT_MAX - 1, file)] = '\0';
    fclose(file);
    for (size_t i = 0; i < KIT_COUNT(tables) + KIT_COUNT(crossing); i++) {
        const char *name =
            i < KIT_COUNT(tables) ? tables[i].name : crossing[i - KIT_COUNT(tables)].name;
        if (strstr(text, str_format(kit->mem, "`%s`", name).ptr) == NULL)
            fail_msg("docs/SCALE.md does not mention `%s`", name);
    }
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(every_table_of_a_user_begins_with_the_shard),
        KIT_CASE(only_the_listed_statements_need_several_shards),
        KIT_CASE(the_document_names_every_table_and_statement),
    };
    return KIT_RUN("app/shards", cases, LOG_WARN);
}
