/* What docs/SCALE.md relies on: every table of a user begins with the shard (base/shard.h), and
 * only the statements listed here need more than one shard.
 *
 * A new table has to be added to spread_tables (src/spread/placement.c), and a new statement that
 * does not name the shard of its rows to `crossing` and to docs/SCALE.md, with the reason. */
#include "unit/store_kit.h"

#include "app/routes.h"
#include "base/shard.h"
#include "db/driver.h"
#include "job/housekeeping.h"
#include "spread/placement.h"

#include <sqlite3.h>
#include <stdlib.h>

/* These links bring every store, and so every statement, into this test. */
const void *const linked[] = { routes_public, routes_private };
void (*const also_linked)(struct housekeeping *) = housekeeping_stop;

#define DOCUMENT_MAX ((size_t)256 * 1024)

/* Tables whose key is not the first column of the primary key. */
static const char *const exceptions[] = {
    "user_usage", /* rows of an app's day are written together */
    "lookup_claim",
};

/* Statements on rows of users that do not name the shard. */
#define DEVELOPER "an app's users are counted for its developer: the sum of all databases"
#define OPERATOR "a command of the operator goes through all databases"
#define MAIL "several users may have entered the same address: the sum of all databases"
#define EACH "in the background; each database for itself"
static const struct {
    const char *name, *reason;
} crossing[] = {
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
    { "restore_recovery_codes", OPERATOR },
    { "restore_recovery_list", OPERATOR },
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
    { "outbox_claim", EACH },
    { "outbox_count", EACH },
    { "outbox_count_address", MAIL },
    { "outbox_due", EACH },
    { "undo_clean", EACH },
    { "usage_clean_revocations", EACH },
    { "usage_clean_users", EACH },
    { "usage_end_app_users", EACH },
    { "usage_list_revoked", EACH },
};

static const struct spread_table *
table_named(const char *name)
{
    for (size_t i = 0; i < spread_table_count; i++)
        if (strcmp(spread_tables[i].name, name) == 0)
            return &spread_tables[i];
    return NULL;
}

/* ---- tables ---- */

static bool
is_shard_column(const struct spread_table *table, const char *column)
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
check_primary_key(sqlite3 *handle, const struct spread_table *table)
{
    sqlite3_stmt *columns = prepare(
        handle, "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", table->name);
    size_t at = 0, found = 0;
    for (; sqlite3_step(columns) == SQLITE_ROW; at++)
        if (strcmp((const char *)sqlite3_column_text(columns, 0), table->key) == 0)
            found = at + 1;
    sqlite3_finalize(columns);
    bool excepted = false;
    for (size_t i = 0; i < KIT_COUNT(exceptions); i++)
        excepted = excepted || strcmp(exceptions[i], table->name) == 0;
    if (excepted ? found <= 1 : found != 1)
        fail_msg("the primary key of %s does not begin with %s", table->name, table->key);
}

static void
check_unique_indexes(sqlite3 *handle, const struct spread_table *table)
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
        if (strncmp(name, "sqlite_", 7) == 0)
            continue;
        const struct spread_table *table = table_named(name);
        if (table == NULL)
            fail_msg(
                "add the table %s to src/spread/placement.c, and its placement to docs/SCALE.md",
                name);
        count++;
        if (table->kind != SPREAD_LOCAL)
            check_primary_key(handle, table);
        if (table->kind == SPREAD_OF_USER)
            check_unique_indexes(handle, table);
    }
    sqlite3_finalize(names);
    sqlite3_close(handle);
    assert_int_equal(count, spread_table_count);
}

/* ---- statements ---- */

/* Whether a table of users is among the words of the statement. */
static bool
reads_users(const char *text)
{
    for (size_t i = 0; i < spread_table_count; i++) {
        size_t length = strlen(spread_tables[i].name);
        for (const char *at = text; (at = strstr(at, spread_tables[i].name)) != NULL;
             at += length) {
            bool begins = at == text || strchr(" (,", at[-1]) != NULL;
            bool ends = at[length] == '\0' || strchr(" (,.)", at[length]) != NULL;
            if (begins && ends && spread_tables[i].kind == SPREAD_OF_USER)
                return true;
        }
    }
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
        struct placement placement = placement_of(sql);
        bool crosses = reads_users(sql->text) && placement.where != PLACEMENT_USER;
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

/* The number of parameters. */
static size_t
parameters_of(const char *text)
{
    size_t most = 0;
    for (const char *at = text; (at = strchr(at, '$')) != NULL; at++) {
        size_t number = strtoul(at + 1, NULL, 10);
        most = number > most ? number : most;
    }
    return most;
}

static void
every_statement_has_a_placement(struct kit *kit)
{
    static const struct {
        const char *name;
        int where;
        size_t by;
        int form;
    } expected[] = {
        { "user_find", PLACEMENT_USER, 0, BY_ID },
        { "user_add", PLACEMENT_USER, 0, BY_ID },
        { "session_add", PLACEMENT_USER, 1, BY_ID }, /* its user's, as the hash says */
        { "session_find", PLACEMENT_USER, 0, BY_HASH },
        { "request_take", PLACEMENT_USER, 0, BY_HASH },
        { "request_trim", PLACEMENT_USER, 0, BY_HASH },
        { "access_find", PLACEMENT_USER, 1, BY_HASH },
        { "access_add", PLACEMENT_USER, 2, BY_ID },
        { "refresh_find", PLACEMENT_USER, 1, BY_HASH },
        { "family_find", PLACEMENT_USER, 0, BY_ID },
        { "family_others", PLACEMENT_USER, 0, BY_ID },
        { "family_add", PLACEMENT_USER, 0, BY_ID },
        { "link_take", PLACEMENT_USER, 0, BY_HASH },
        { "usage_find_grant", PLACEMENT_USER, 1, BY_USER_KEY },
        { "usage_add_one", PLACEMENT_USER, 1, BY_USER_KEY },
        { "username_find", PLACEMENT_LOOKUP, 0, BY_ID },
        { "username_claim", PLACEMENT_CLAIM, 1, BY_ID },
        { "username_release", PLACEMENT_RELEASE, 1, BY_ID },
        { "passkey_claim", PLACEMENT_CLAIM, 0, BY_ID },
        { "challenge_use", PLACEMENT_LOOKUP, 0, BY_ID },
        { "attempt_count", PLACEMENT_ELSEWHERE, 0, BY_ID },
        { "claim_end", PLACEMENT_LOOKUP, 1, BY_ID },
        { "app_find", PLACEMENT_ANY, 0, BY_ID },
        { "app_put", PLACEMENT_ALL, 0, BY_ID },
        { "usage_add_app", PLACEMENT_USER, 0, BY_ID },
        { "usage_add_many", PLACEMENT_USER, 1, BY_USER_KEY },
        { "usage_find_app", PLACEMENT_EACH, 0, BY_ID },
        { "usage_end_app", PLACEMENT_EACH, 0, BY_ID },
        { "refusal_end_app", PLACEMENT_EACH, 0, BY_ID },
        { "user_list", PLACEMENT_MERGE, 6, BY_ID },
        { "user_count", PLACEMENT_SUM, 0, BY_ID },
        { "outbox_claim", PLACEMENT_EACH, 0, BY_ID },
        { "outbox_add", PLACEMENT_USER, 0, BY_ID },
        { "outbox_delete", PLACEMENT_USER, 0, BY_ID },
        { "outbox_put_next_try", PLACEMENT_USER, 0, BY_ID },
        { "outbox_end_user", PLACEMENT_USER, 0, BY_ID },
        { "outbox_count_address", PLACEMENT_SUM, 0, BY_ID },
        { "clean_session", PLACEMENT_EACH, 0, BY_ID },
        { "attempt_clean", PLACEMENT_EACH, 0, BY_ID },
    };
    size_t found = 0;
    (void)kit;
    for (size_t i = 0; i < db_statement_count(); i++) {
        const struct sql *sql = db_statement(i);
        struct placement placement = placement_of(sql);
        if (strncmp(sql->name, "kit_", 4) == 0)
            continue;
        if (placement.where == PLACEMENT_UNKNOWN)
            fail_msg("%s uses no table of src/spread/placement.c", sql->name);
        bool by_parameter =
            placement.where == PLACEMENT_USER || placement.where == PLACEMENT_LOOKUP ||
            placement.where == PLACEMENT_CLAIM || placement.where == PLACEMENT_RELEASE;
        if (by_parameter && placement.by >= parameters_of(sql->text))
            fail_msg("%s has no parameter %zu", sql->name, placement.by + 1);
        for (size_t j = 0; j < KIT_COUNT(expected); j++) {
            if (strcmp(expected[j].name, sql->name) != 0)
                continue;
            found++;
            if (expected[j].where != (int)placement.where || expected[j].by != placement.by ||
                expected[j].form != (int)placement.form)
                fail_msg("%s: placement %d by %zu, %d", sql->name, (int)placement.where,
                         placement.by, (int)placement.form);
        }
    }
    assert_int_equal(found, KIT_COUNT(expected));
}

/* Every shard has a database, as the formula of docs/SCALE.md says; keys spread evenly. */
static void
shards_spread_over_databases(struct kit *kit)
{
    for (size_t databases = 1; databases <= 64; databases++)
        for (int shard = 0; shard < SHARD_COUNT; shard++) {
            size_t at = placement_of_shard(shard, databases);
            assert_true(at < databases && (size_t)shard >= SHARD_COUNT * at / databases);
            assert_true(at + 1 == databases || (size_t)shard < SHARD_COUNT * (at + 1) / databases);
        }
    size_t of[4] = { 0 };
    for (int i = 0; i < 4000; i++) {
        struct db_value name = db_text(str_format(kit->mem, "user%d", i));
        of[placement_of_shard(placement_lookup_shard(&name), 4)]++;
    }
    for (size_t i = 0; i < 4; i++)
        assert_true(of[i] > 800 && of[i] < 1200);
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
    for (size_t i = 0; i < spread_table_count + KIT_COUNT(crossing); i++) {
        const char *name =
            i < spread_table_count ? spread_tables[i].name : crossing[i - spread_table_count].name;
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
        KIT_CASE(every_statement_has_a_placement),
        KIT_CASE(shards_spread_over_databases),
        KIT_CASE(the_document_names_every_table_and_statement),
    };
    return KIT_RUN("app/shards", cases, LOG_WARN);
}
