/* No statement of the program reads a whole table, except those listed here.
 *
 * SQLite has no statistics about tables, because the program never runs ANALYZE: its plans are the
 * same for an empty store and for a million rows. PostgreSQL plans with statistics, so each table
 * is filled (PLANS_ROWS rows, 20,000 by default) and analyzed first. All values of the rows are
 * larger than the parameter, so that few rows match: on a store in use, few rows have expired. */
#include "unit/store_kit.h"

#include "app/routes.h"
#include "db/driver.h"
#include "job/housekeeping.h"
#include "postgres/postgres.h"

#include <libpq-fe.h>
#include <sqlite3.h>

#define PARAMETER "200"

/* PostgreSQL decides after the fifth execution whether to keep one plan for all parameters. */
#define EXECUTIONS 7

/* These links bring every store, and so every statement, into this test. */
const void *const linked[] = { routes_public, routes_private };
void (*const also_linked)(struct housekeeping *) = housekeeping_stop;

static const struct {
    const char *name, *reason;
} may_scan[] = {
    { "outbox_count", "counts at most 10,000 emails, every ten seconds, on its own thread" },
    { "usage_list_revoked", "needs all rows; housekeeping deletes them after an hour" },
    { "orphan_access", "only `penchant check --compact` deletes what has no family" },
    { "orphan_codes", "the same" },
    { "orphan_refresh", "the same" },
    { "restore_access", "only `penchant restore` deletes everything" },
    { "restore_challenge_key", "the same" },
    { "restore_challenges", "the same" },
    { "restore_codes", "the same" },
    { "restore_families", "the same" },
    { "restore_links", "the same" },
    { "restore_recovery_codes", "the same" },
    { "restore_refresh", "the same" },
    { "restore_requests", "the same" },
    { "restore_sessions", "the same" },
    { "user_count", "only `penchant user list` counts users" },
};

static bool
is_checked(const struct sql *sql)
{
    if (strncmp(sql->name, "kit_", 4) == 0 || strncmp(sql->name, "db_ping", 7) == 0)
        return false;
    for (size_t i = 0; i < KIT_COUNT(may_scan); i++)
        if (strcmp(may_scan[i].name, sql->name) == 0)
            return false;
    return true;
}

/* ---- SQLite ---- */

/* A subquery may be scanned: its own plan says how its rows are found. */
static bool
is_subquery(const char *plan, const char *scanned)
{
    char made[2][80];
    size_t length = strcspn(scanned, " ");
    snprintf(made[0], sizeof made[0], "CO-ROUTINE %.*s\n", (int)length, scanned);
    snprintf(made[1], sizeof made[1], "MATERIALIZE %.*s\n", (int)length, scanned);
    return strstr(plan, made[0]) != NULL || strstr(plan, made[1]) != NULL;
}

static size_t
check_on_sqlite(sqlite3 *handle, struct arena *mem, const struct sql *sql)
{
    sqlite3_stmt *explain = NULL;
    struct str text = str_format(mem, "EXPLAIN QUERY PLAN %s", sql->text);
    char plan[4096] = "";
    size_t length = 0;
    bool scans = false;
    assert_int_equal(sqlite3_prepare_v2(handle, text.ptr, -1, &explain, NULL), SQLITE_OK);
    while (sqlite3_step(explain) == SQLITE_ROW) {
        const char *step = (const char *)sqlite3_column_text(explain, 3);
        if (strncmp(step, "SCAN ", 5) == 0 && strstr(step, "CONSTANT ROW") == NULL &&
            !is_subquery(plan, step + 5))
            scans = true;
        if (strstr(step, "AUTOMATIC") != NULL)
            scans = true;
        length += (size_t)snprintf(plan + length, sizeof plan - length, "%s\n", step);
        assert_true(length < sizeof plan);
    }
    sqlite3_finalize(explain);
    if (scans)
        print_error("%s reads a whole table on SQLite:\n%s", sql->name, plan);
    return scans ? 1 : 0;
}

static size_t
check_all_on_sqlite(struct kit *kit)
{
    sqlite3 *handle = NULL;
    size_t failed = 0;
    assert_int_equal(sqlite3_open(kit->address + strlen("sqlite:"), &handle), SQLITE_OK);
    for (size_t i = 0; i < db_statement_count(); i++)
        if (is_checked(db_statement(i)))
            failed += check_on_sqlite(handle, kit->mem, db_statement(i));
    sqlite3_close(handle);
    return failed;
}

/* ---- PostgreSQL ---- */

static PGresult *
run(PGconn *handle, const char *text)
{
    PGresult *result = PQexec(handle, text);
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        fail_msg("%s: %s", text, PQerrorMessage(handle));
    return result;
}

/* Copies of all tables in a schema of their own, which the end of the transaction removes. */
static void
fill_tables(PGconn *handle, struct arena *mem)
{
    const char *rows = getenv("PLANS_ROWS");
    PQclear(run(handle, "BEGIN"));
    PGresult *tables =
        run(handle,
            "SELECT format('CREATE TABLE plans.%1$I (LIKE %2$I.%1$I INCLUDING ALL)', table_name,"
            " table_schema), format('INSERT INTO plans.%I SELECT %s FROM generate_series(1, ',"
            " table_name, string_agg(CASE data_type WHEN 'bigint' THEN 'g + 1000000'"
            " WHEN 'xid8' THEN 'g::text::xid8'"
            " ELSE '''k'' || g' END, ', ' ORDER BY ordinal_position)), format('ANALYZE plans.%I',"
            " table_name) FROM information_schema.columns WHERE table_schema = current_schema()"
            " GROUP BY table_schema, table_name");
    PQclear(run(handle, "CREATE SCHEMA plans"));
    assert_true(PQntuples(tables) > 15);
    for (int i = 0; i < PQntuples(tables); i++) {
        PQclear(run(handle, PQgetvalue(tables, i, 0)));
        PQclear(run(handle, str_format(mem, "%s%s) g", PQgetvalue(tables, i, 1),
                                       rows == NULL ? "20000" : rows)
                                .ptr));
        PQclear(run(handle, PQgetvalue(tables, i, 2)));
    }
    PQclear(tables);
    PQclear(run(handle, "SET LOCAL search_path = plans"));
}

static long
count_parameters(const char *text)
{
    long most = 0;
    for (const char *at = text; (at = strchr(at, '$')) != NULL; at++) {
        long number = strtol(at + 1, NULL, 10);
        most = number > most ? number : most;
    }
    return most;
}

/* An index that is read without a condition is read as a whole. */
static bool
plan_scans(const PGresult *plan)
{
    for (int i = 0; i < PQntuples(plan); i++) {
        const char *line = PQgetvalue(plan, i, 0);
        const char *next = i + 1 < PQntuples(plan) ? PQgetvalue(plan, i + 1, 0) : "";
        bool by_index = strstr(line, "Index Scan") != NULL || strstr(line, "Index Only") != NULL;
        if (strstr(line, "Seq Scan") != NULL || (by_index && strstr(next, "Index Cond") == NULL))
            return true;
    }
    return false;
}

/* `parameter` is a literal. */
static size_t
check_on_postgres(PGconn *handle, struct arena *mem, const char *name, const char *text,
                  const char *parameter)
{
    long parameters = count_parameters(text);
    struct str explain = str_format(mem, "EXPLAIN EXECUTE %s%s", name, parameters ? "(" : "");
    for (long i = 0; i < parameters; i++)
        explain = str_format(mem, "%s%s%c", explain.ptr, parameter, i + 1 < parameters ? ',' : ')');
    PQclear(run(handle, str_format(mem, "PREPARE %s AS %s", name, text).ptr));
    bool scans = false;
    for (int i = 0; i < EXECUTIONS && !scans; i++) {
        PGresult *plan = run(handle, explain.ptr);
        scans = plan_scans(plan);
        if (scans)
            print_error("%s reads a whole table on PostgreSQL:\n", name);
        for (int line = 0; scans && line < PQntuples(plan); line++)
            print_error("%s\n", PQgetvalue(plan, line, 0));
        PQclear(plan);
    }
    return scans ? 1 : 0;
}

/* The settings of the program's connections for statements of many callers. */
static void
set_as_for_many(PGconn *handle)
{
    PQclear(run(handle, "SET LOCAL plan_cache_mode = force_generic_plan"));
    PQclear(run(handle, "SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off;"
                        "SET LOCAL enable_mergejoin = off; SET LOCAL enable_bitmapscan = off"));
}

/* The form of a statement for many callers. */
static size_t
check_many(PGconn *handle, struct arena *mem, const struct sql *sql)
{
    if (sql->many == NULL)
        return 0;
    assert_int_equal(strlen(sql->types), count_parameters(sql->text));
    set_as_for_many(handle);
    return check_on_postgres(handle, mem, postgres_many_name(mem, sql).ptr,
                             postgres_many_text(mem, sql).ptr, "'{" PARAMETER "," PARAMETER "}'");
}

static size_t
check_all_on_postgres(struct kit *kit)
{
    PGconn *handle = PQconnectdb(kit->address);
    size_t failed = 0;
    assert_int_equal(PQstatus(handle), CONNECTION_OK);
    fill_tables(handle, kit->mem);
    for (size_t i = 0; i < db_statement_count(); i++)
        if (is_checked(db_statement(i)))
            failed += check_on_postgres(handle, kit->mem, db_statement(i)->name,
                                        db_statement(i)->text, "'" PARAMETER "'");
    for (size_t i = 0; i < db_statement_count(); i++)
        failed += check_many(handle, kit->mem, db_statement(i));
    PQfinish(handle);
    return failed;
}

/* The statistics are from before midnight, when every user's day was closed: the planner expects no
 * open day. After midnight every active user has one, the same, and an index condition on `closed`
 * finds the rows of all of them; see activity_add in activity_store.c. */
static void
close_a_day_of_every_user(PGconn *handle)
{
    PQclear(run(handle, "TRUNCATE plans.activity_day"));
    PQclear(run(handle, "INSERT INTO plans.activity_day SELECT 'k' || g, 100, 1, '', ''"
                        " FROM generate_series(1, 20000) g"));
    PQclear(run(handle, "ANALYZE plans.activity_day"));
}

static const struct sql *
find_statement(const char *name)
{
    for (size_t i = 0; i < db_statement_count(); i++)
        if (strcmp(db_statement(i)->name, name) == 0)
            return db_statement(i);
    fail_msg("no statement %s", name);
    return NULL;
}

/* Prepares `text` as `name`. Whether an index on activity_day (closed) finds the rows. */
static bool
uses_index_on_closed(PGconn *handle, struct arena *mem, const char *name, const char *text)
{
    struct str explain = str_format(mem, "EXPLAIN EXECUTE %s%s", name, "(");
    long parameters = count_parameters(text);
    for (long i = 0; i < parameters; i++)
        explain = str_format(mem, "%s'{" PARAMETER "," PARAMETER "}'%c", explain.ptr,
                             i + 1 < parameters ? ',' : ')');
    PQclear(run(handle, str_format(mem, "PREPARE %s AS %s", name, text).ptr));
    PGresult *plan = run(handle, explain.ptr);
    bool used = false;
    for (int i = 0; i < PQntuples(plan); i++)
        used = used || strstr(PQgetvalue(plan, i, 0), "activity_day_closed") != NULL;
    PQclear(plan);
    return used;
}

/* The text without the "+ 0" that keeps the planner away from that index. */
static const char *
without_guard(struct arena *mem, const char *text)
{
    static const char guarded[] = "closed + 0 = 0";
    const char *at = strstr(text, guarded);
    if (at == NULL)
        return NULL;
    return str_format(mem, "%.*sclosed = 0%s", (int)(at - text), text, at + strlen(guarded)).ptr;
}

static void
activity_is_added_by_user_and_not_by_open_day(struct kit *kit)
{
    if (!kit->postgres)
        return;
    const struct sql *add = find_statement("activity_add");
    const char *text = postgres_many_text(kit->mem, add).ptr;
    PGconn *handle = PQconnectdb(kit->address);
    assert_int_equal(PQstatus(handle), CONNECTION_OK);
    fill_tables(handle, kit->mem);
    close_a_day_of_every_user(handle);
    set_as_for_many(handle);
    assert_false(uses_index_on_closed(handle, kit->mem, "guarded", text));
    /* If the planner no longer wants that index, the guard and this test can go. */
    const char *plain = without_guard(kit->mem, text);
    assert_non_null(plain);
    assert_true(uses_index_on_closed(handle, kit->mem, "plain", plain));
    PQfinish(handle);
}

static void
no_statement_reads_a_whole_table(struct kit *kit)
{
    assert_true(db_statement_count() > 100);
    size_t failed = kit->postgres ? check_all_on_postgres(kit) : check_all_on_sqlite(kit);
    if (failed > 0)
        fail_msg("%zu statements read a whole table", failed);
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(no_statement_reads_a_whole_table),
        KIT_CASE(activity_is_added_by_user_and_not_by_open_day),
    };
    return KIT_RUN("app/plans", cases, LOG_WARN);
}
