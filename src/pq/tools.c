/* tools.c - addresses, backup, restore, and check. pg_dump makes the backup and pg_restore
 * restores it. They get the password in their environment, because other users of the machine can
 * read its arguments. */
#include "pq/pq.h"

#include "base/arena.h"
#include "base/buf.h"
#include "db/row_sum.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK_MS 60000 /* reads whole tables */

extern char **environ;

/* Formats options as keyword='value' pairs for libpq, and returns the password separately. */
static struct str
format_options(struct arena *mem, const PQconninfoOption *options, struct str *password)
{
    struct buf out = buf_in(mem, 64 * 1024);
    for (const PQconninfoOption *option = options; option->keyword != NULL; option++) {
        if (option->val == NULL)
            continue;
        if (strcmp(option->keyword, "password") == 0) {
            *password = str_copy(mem, str_of(option->val));
            continue;
        }
        buf_add_format(&out, "%s%s='", out.len == 0 ? "" : " ", option->keyword);
        for (const char *c = option->val; *c != '\0'; c++) {
            if (*c == '\'' || *c == '\\')
                buf_add_char(&out, '\\');
            buf_add_char(&out, *c);
        }
        buf_add_char(&out, '\'');
    }
    return str_copy(mem, buf_str(&out));
}

static bool
read_address(struct arena *mem, const char *address, struct str *options, struct str *password)
{
    PQconninfoOption *parsed = PQconninfoParse(address, NULL);
    if (parsed == NULL)
        return false;
    *password = STR_NONE;
    *options = format_options(mem, parsed, password);
    PQconninfoFree(parsed);
    return true;
}

/* Options of the address, or of the environment, that name a file or a folder. */
static bool
names_file(const char *keyword)
{
    static const char *const keywords[] = { "passfile",    "sslcert", "sslkey",
                                            "sslrootcert", "sslcrl",  "sslcrldir" };
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strcmp(keyword, keywords[i]) == 0)
            return true;
    return false;
}

size_t
postgres_address_files(struct arena *mem, const char *address, const char **out, size_t max)
{
    static const char *const beside[] = { ".pgpass", ".postgresql" };
    const char *home = getenv("HOME");
    size_t count = 0;
    if (max > 0)
        out[count++] = "/etc/passwd"; /* the name of the user, if the address has none */
    for (size_t i = 0; home != NULL && i < sizeof beside / sizeof *beside && count < max; i++)
        out[count++] = str_format(mem, "%s/%s", home, beside[i]).ptr;
    PQconninfoOption *parsed = PQconninfoParse(address, NULL);
    for (const PQconninfoOption *option = parsed;
         option != NULL && option->keyword != NULL && count < max; option++) {
        const char *value = option->val;
        if (value == NULL && option->envvar != NULL)
            value = getenv(option->envvar);
        if (names_file(option->keyword) && value != NULL && value[0] == '/')
            out[count++] = str_copy(mem, str_of(value)).ptr;
    }
    PQconninfoFree(parsed);
    return count;
}

char *
postgres_address_without_password(const char *address)
{
    struct arena *mem = arena_new();
    struct str options;
    struct str password;
    char *shown = NULL;
    if (read_address(mem, address, &options, &password))
        shown = strdup(str_format(mem, "postgresql: %s", options.ptr).ptr);
    arena_free(mem);
    return shown;
}

const char *
postgres_address_problem(const char *address)
{
    char *shown = postgres_address_without_password(address);
    if (shown == NULL)
        return "is not a PostgreSQL address; write postgresql://user@host:5432/name";
    free(shown);
    return NULL;
}

static int
run_program(char *const arguments[])
{
    pid_t child = 0;
    int status = -1;
    if (posix_spawnp(&child, arguments[0], NULL, NULL, arguments, environ) != 0)
        return -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Runs pg_dump or pg_restore on the database of the address. `purpose` is "backup" or "restore". */
static enum err
run_tool(const char *address, const char *purpose, char *const options[], struct why *why)
{
    struct arena *mem = arena_new();
    struct str connection, password;
    enum err err = ERR_UNAVAILABLE;
    if (read_address(mem, address, &connection, &password)) {
        char *arguments[10] = { 0 };
        size_t count = 0;
        while (options[count] != NULL) {
            arguments[count] = options[count];
            count++;
        }
        arguments[count] = (char *)(uintptr_t)str_format(mem, "--dbname=%s", connection.ptr).ptr;
        if (str_present(password))
            setenv("PGPASSWORD", password.ptr, 1);
        int status = run_program(arguments);
        unsetenv("PGPASSWORD");
        if (status == 0)
            err = ERR_NONE;
        else if (status < 0)
            why_set(why, "%s: cannot run %s; install postgresql-client", purpose, options[0]);
        else
            why_set(why, "%s: %s failed with status %d%s", purpose, options[0], status,
                    strcmp(purpose, "restore") == 0
                        ? "; nothing was changed; the database must exist and be empty"
                        : "");
    }
    arena_free(mem);
    return err;
}

enum err
postgres_backup(const char *address, const char *file, void (*progress)(void *context, int percent),
                void *context, struct why *why)
{
    (void)progress;
    (void)context; /* pg_dump does not report progress */
    if (access(file, F_OK) == 0) {
        why_set(why, "backup: %s exists already; choose another name", file);
        return ERR_TAKEN;
    }
    struct arena *mem = arena_new();
    struct str target = str_format(mem, "--file=%s", file);
    enum err err = run_tool(address, "backup",
                            (char *[]){ (char[]){ "pg_dump" }, (char[]){ "--format=custom" },
                                        (char[]){ "--no-unlogged-table-data" },
                                        (char *)(uintptr_t)target.ptr, NULL },
                            why);
    arena_free(mem);
    return err;
}

/* In one transaction, so that a failure changes nothing. */
enum err
postgres_restore(const char *address, const char *file,
                 enum err (*prepare)(struct db *db, void *context), void *context,
                 struct arena *mem, struct str *aside, struct why *why)
{
    struct db *db = NULL;
    struct db_settings settings = {
        .address = address, .connections = 1, .must_exist = true, .any_part = true
    };
    (void)mem;
    (void)aside;
    enum err err =
        run_tool(address, "restore",
                 (char *[]){ (char[]){ "pg_restore" }, (char[]){ "--single-transaction" },
                             (char[]){ "--exit-on-error" }, (char[]){ "--no-owner" },
                             (char *)(uintptr_t)file, NULL },
                 why);
    if (!err)
        err = db_open(&settings, &db, why);
    if (err)
        return err;
    err = db_part_set_restored(db, true, why); /* the other databases are newer */
    if (!err)
        err = prepare(db, context);
    if (err)
        why_set(why, "restore: cannot end the sessions and tokens of the backup; drop the database "
                     "and try again");
    db_close(db);
    return err;
}

/* Verifies the checksums of all rows of a query. */
static enum err
check_rows(struct db *db, struct arena *mem, const struct row_sum_query *query, struct buf *report)
{
    struct db_rows rows = { 0 };
    int64_t key = INT64_MIN; /* rows up to this key are done */
    do {
        arena_reset(mem);
        struct db_tx *tx = db_begin_read(db);
        enum err err = db_end_read(tx, db_query(tx, mem, query->sql, &rows, db_int(key)));
        if (err)
            return err;
        for (size_t i = 0; i < rows.count; i++) {
            struct row_sum row = {
                .user_id = db_cell_text(&rows, i, 0),
                .domain = db_cell_text(&rows, i, 1),
                .numbers = { db_cell_int(&rows, i, 2), db_cell_int(&rows, i, 3) },
                .text = db_cell_text(&rows, i, 4),
            };
            key = db_cell_int(&rows, i, 5);
            row_sum_report(&row, query->name, report);
        }
    } while (rows.count > 0);
    return ERR_NONE;
}

static enum err
open_to_check(const char *address, struct db **out, struct why *why)
{
    struct db_settings settings = { .address = address,
                                    .connections = 1,
                                    .deadline_ms = CHECK_MS,
                                    .must_exist = true,
                                    .any_part = true };
    return db_open(&settings, out, why);
}

/* PostgreSQL's amcheck checks pages; this checks that the schema fits and the rows' checksums. */
enum err
postgres_check(const char *address, struct buf *report, struct why *why)
{
    struct db *db = NULL;
    struct arena *mem = arena_new();
    enum err err = open_to_check(address, &db, why);
    for (size_t i = 0; !err && i < sizeof row_sum_queries / sizeof *row_sum_queries; i++)
        err = check_rows(db, mem, &row_sum_queries[i], report);
    db_close(db);
    arena_free(mem);
    return err;
}

enum err
postgres_inspect(const char *address, db_work *work, void *argument, struct why *why)
{
    struct db *db = NULL;
    enum err err = open_to_check(address, &db, why);
    if (err)
        return err;
    struct db_tx *tx = db_begin_read(db);
    err = db_end_read(tx, work(tx, argument));
    if (err)
        why_set(why, "store: the database stopped answering; try again");
    db_close(db);
    return err;
}
