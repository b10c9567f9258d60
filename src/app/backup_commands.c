/* backup and restore. */
#include "app/command.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "db/db.h"
#include "store/session_store.h"
#include "store/tx.h"
#include "text/json_write.h"
#include "text/time_text.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REPORT_MAX (256 * 1024)
#define KEEP_MAX 10000
#define PREFIX "penchant-"
#define NAME_LENGTH (sizeof PREFIX "20261114T093000Z.db" - 1)

static int
report_file(struct command_call *call, struct str sentence, const char *member, struct str file)
{
    if (command_has(call, "json")) {
        struct json *json = command_json(call);
        json_open_object(json);
        if (str_present(file))
            json_put_str(json, member, file);
        json_close_object(json);
        return command_json_done(call, json);
    }
    console_print(call->console, "%.*s\n", STR_ARG(sentence));
    return 0;
}

/* ---- backup ---- */

static void
show_progress(void *context, int percent)
{
    struct console *console = context;
    console->progress(console, percent);
}

/* DIR/penchant-20261114T093000Z.db: sorted by name is sorted by time. */
static struct str
dated_name(struct arena *mem, struct str folder)
{
    char time[TIME_TEXT_LENGTH] = { 0 }, plain[TIME_TEXT_LENGTH + 1] = { 0 };
    size_t length = 0;
    time_put(time, clock_now());
    for (size_t i = 0; i < sizeof time; i++)
        if (time[i] != '-' && time[i] != ':')
            plain[length++] = time[i];
    return str_format(mem, "%.*s/" PREFIX "%s.db", STR_ARG(folder), plain);
}

static int
is_dated_name(const struct dirent *entry)
{
    struct str name = str_of(entry->d_name);
    return name.len == NAME_LENGTH && str_starts(name, STR(PREFIX)) && str_ends(name, STR("Z.db"));
}

/* Deletes all but the newest `keep` backups that --to has made. */
static enum err
delete_older(struct arena *mem, struct str folder, int64_t keep, struct why *why)
{
    struct dirent **found = NULL;
    enum err err = ERR_NONE;
    int count = scandir(str_c(mem, folder), &found, is_dated_name, alphasort);
    for (int i = 0; i < count; i++) {
        const char *path = str_format(mem, "%.*s/%s", STR_ARG(folder), found[i]->d_name).ptr;
        if (i < count - keep && unlink(path) != 0) {
            why_set(why, "the backup is complete, but %s cannot be deleted: %s", path,
                    strerror(errno));
            err = ERR_UNAVAILABLE;
        }
        free(found[i]);
    }
    free(found);
    return err;
}

/* Reads the new file again. */
static enum err
verify_backup(struct command_call *call, const char *file, struct why *why)
{
    struct buf report = buf_in(call->mem, REPORT_MAX);
    if (!db_address_is_sqlite(call->settings->store))
        return ERR_NONE; /* pg_dump has reported an error by its status */
    enum err err = db_check(str_format(call->mem, "sqlite:%s", file).ptr, &report, why);
    if (!err && report.len > 0) {
        why_set(why, "backup: %s is damaged; check the store with `penchant check`", file);
        err = ERR_INVALID;
    }
    return err;
}

static int
backup(struct command_call *call)
{
    struct why why = { 0 };
    struct str folder = command_option_value(call, "to");
    struct str keep_text = command_option_value(call, "keep");
    int64_t keep = KEEP_MAX;
    if ((call->argument_count == 1) == str_present(folder))
        return command_usage_error(call, "name either a FILE or a folder with --to");
    if (str_present(keep_text) &&
        (!str_present(folder) || !str_to_int(keep_text, 1, KEEP_MAX, &keep)))
        return command_usage_error(call,
                                   "--keep must be a whole number from 1 to 10000, with --to");
    const char *file = str_present(folder) ? dated_name(call->mem, folder).ptr
                                           : str_c(call->mem, call->arguments[0]);
    enum err err = db_backup(call->settings->store, file, show_progress, call->console, &why);
    if (!err)
        err = verify_backup(call, file, &why);
    if (!err && str_present(keep_text))
        err = delete_older(call->mem, folder, keep, &why);
    if (err)
        return command_fail_store(call, err, &why);
    return report_file(call, str_format(call->mem, "copied the store to %s", file), "file",
                       str_of(file));
}

/* ---- restore ---- */

static enum err
end_everything(struct db_tx *tx, void *mem)
{
    return session_store_end_everything(tx, mem);
}

/* What was revoked after the backup must not work again. */
static enum err
end_access(struct db *db, void *mem)
{
    return tx_write(db, end_everything, mem);
}

static int
restore(struct command_call *call)
{
    struct why why = { 0 };
    struct str aside = STR_NONE;
    const char *file = str_c(call->mem, call->arguments[0]);
    if (access(file, R_OK) != 0)
        return command_fail(call, ERR_NOT_FOUND, "restore: cannot read %s: %s", file,
                            strerror(errno));
    enum err err =
        db_restore(call->settings->store, file, end_access, call->mem, call->mem, &aside, &why);
    if (err)
        return command_fail_store(call, err, &why);
    struct str sentence = STR("restored; users sign in again");
    if (str_present(aside))
        sentence = str_format(call->mem, "restored; users sign in again; the old store is %.*s",
                              STR_ARG(aside));
    return report_file(call, sentence, "replaced", aside);
}

const struct command backup_commands[] = {
    { "backup",
      "[FILE]",
      0,
      1,
      { { "to", "DIR", "write penchant-TIME.db into this folder instead of FILE" },
        { "keep", "N", "delete all but the newest N of the backups in that folder" },
        JSON_OPTION },
      COMMAND_BESIDE_SERVICE,
      NO_INPUT,
      NULL,
      backup,
      "copy the store to a new file and verify it; safe while the service runs" },
    { "restore",
      "FILE",
      1,
      1,
      { JSON_OPTION },
      COMMAND_BESIDE_SERVICE,
      NO_INPUT,
      NULL,
      restore,
      "replace the store with a backup, and end all sessions and tokens" },
    { 0 },
};
