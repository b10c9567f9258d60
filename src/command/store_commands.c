/* migrate, check, and move: maintain the store. */
#include "command/command.h"

#include "base/buf.h"
#include "db/db.h"
#include "flow/activity_check.h"
#include "store/housekeeping_store.h"
#include "store/tx.h"
#include "text/json_write.h"

#define REPORT_MAX (256 * 1024)

/* Only reports: opening a store always updates its schema. */
static int
migrate(struct command_call *call)
{
    /* Opening the store has migrated it, here or when the service started. */
    int64_t version = db_schema_version(call->db);
    if (command_has(call, "json")) {
        struct json *json = command_json(call);
        json_open_object(json);
        json_put_int(json, "schema", version);
        json_close_object(json);
        return command_json_done(call, json);
    }
    console_print(call->console, "the schema is up to date (step %lld)\n", (long long)version);
    return 0;
}

static enum err
delete_orphans(struct db_tx *tx, void *mem)
{
    return token_clean_orphans(tx, mem);
}

/* Remains of deleted accounts: hashes of revoked codes and tokens, and old pages. */
static enum err
compact_store(struct command_call *call, struct why *why)
{
    enum err err = tx_write(call->db, delete_orphans, call->mem);
    if (err)
        why_set(why, "the store is unavailable; nothing was changed");
    return err ? err : db_compact(call->db, why);
}

/* First the files and rows, then the chains of activity. A store with damage is never compacted. */
static int
check(struct command_call *call)
{
    struct why why = { 0 };
    struct buf report = buf_in(call->mem, REPORT_MAX);
    bool compact = command_has(call, "compact");
    enum err err = db_check(call->settings->store, &report, &why);
    if (!err && report.len == 0)
        err = db_inspect(call->settings->store, activity_check, &report, &why);
    if (err)
        return command_fail_store(call, err, &why);
    if (report.len > 0) {
        call->console->err(call->console, buf_str(&report));
        return command_fail(call, ERR_INVALID, "the store is damaged; restore a backup");
    }
    if (compact) {
        err = compact_store(call, &why);
        if (err)
            return command_fail(call, err, "%s", why.text);
    }
    if (command_has(call, "json")) {
        struct json *json = command_json(call);
        json_open_object(json);
        json_put_bool(json, "sound", true);
        if (compact)
            json_put_bool(json, "compacted", true);
        json_close_object(json);
        return command_json_done(call, json);
    }
    console_print(call->console,
                  compact ? "the store is sound and compacted\n" : "the store is sound\n");
    return 0;
}

/* ---- move ---- */

static void
show_progress(void *context, int percent)
{
    struct console *console = context;
    console->progress(console, percent);
}

/* The old store stays as it is, so that the operator can return to it. */
static int
move(struct command_call *call)
{
    struct why why = { 0 };
    struct db_moved moved;
    struct str source = command_option_value(call, "from");
    struct str target = command_option_value(call, "to");
    if (!str_present(source))
        source = str_of(call->settings->store);
    if (!str_present(target))
        return command_usage_error(call, "name the new store with --to");
    const char *problem = db_address_problem(str_c(call->mem, target));
    if (problem != NULL)
        return command_usage_error(call, str_format(call->mem, "--to %s", problem).ptr);
    problem = db_address_problem(str_c(call->mem, source));
    if (problem != NULL)
        return command_usage_error(call, str_format(call->mem, "--from %s", problem).ptr);
    if (str_eq(source, target))
        return command_usage_error(call, "--from and --to name the same store");
    enum err err = db_move(str_c(call->mem, source), str_c(call->mem, target), show_progress,
                           call->console, &moved, &why);
    if (err)
        return command_fail_store(call, err, &why);
    if (command_has(call, "json")) {
        struct json *json = command_json(call);
        json_open_object(json);
        json_put_int(json, "tables", (int64_t)moved.tables);
        json_put_int(json, "rows", moved.rows);
        json_put_int(json, "found", moved.found);
        json_close_object(json);
        return command_json_done(call, json);
    }
    console_print(call->console,
                  "moved %lld rows of %zu tables and compared them; the old store was not changed; "
                  "set `store` to the new address\n",
                  (long long)moved.rows, moved.tables);
    return 0;
}

const struct command store_commands[] = {
    { "migrate", "", .options = { JSON_OPTION }, .mode = COMMAND_ON_NEW_STORE, .run = migrate,
      .summary = "update the schema of the store; serve does this automatically" },
    { "check", "",
      .options = { { "compact", NULL, "also remove all traces of deleted data from its files" },
                   JSON_OPTION },
      .mode = COMMAND_BESIDE_SERVICE, .run = check,
      .summary = "check the whole store for corruption" },
    { "move", "",
      .options = { { "from", "ADDRESS",
                     "the store to copy; without it, the store of the settings" },
                   { "to", "ADDRESS",
                     "a new file (sqlite:FILE) or an empty database (postgresql://HOST/NAME)" },
                   JSON_OPTION },
      .mode = COMMAND_ALONE, .run = move,
      .summary =
          "copy everything to another store and compare both; continues an interrupted move" },
    { 0 },
};
