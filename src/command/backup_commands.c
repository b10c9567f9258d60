/* backup and restore. */
#include "command/command.h"

#include "command/restore_codes.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "db/db.h"
#include "credential/session_store.h"
#include "store/tx.h"
#include "text/json_write.h"
#include "text/time_text.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define REPORT_MAX (256 * 1024)
#define KEEP_MAX 10000
#define FOLLOW_KEEP 7
#define FOLLOW_COPY_SECONDS 86400
#define PREFIX "penchant-"
#define NAME_LENGTH (sizeof PREFIX "20261114T093000Z.db" - 1)

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

/* Also that of one of several databases, with ".1of2" after it. */
static int
is_dated_name(const struct dirent *entry)
{
    struct str name = str_of(entry->d_name), dated = str_first(name, NAME_LENGTH);
    struct str part = str_from(name, dated.len), number;
    if (dated.len < NAME_LENGTH || !str_starts(dated, STR(PREFIX)) || !str_ends(dated, STR("Z.db")))
        return 0;
    int64_t unused;
    return part.len == 0 ||
           (part.ptr[0] == '.' && str_cut(&part, 'o', &number) && str_starts(part, STR("f")) &&
            str_to_int(str_from(number, 1), 1, 99, &unused) &&
            str_to_int(str_from(part, 1), 1, 99, &unused));
}

static bool
same_backup(const struct dirent *a, const struct dirent *b)
{
    return strncmp(a->d_name, b->d_name, NAME_LENGTH) == 0;
}

/* Deletes all but the newest `keep` backups that --to has made. Those of several databases that
 * were made together are one. */
static enum err
delete_older(struct arena *mem, struct str folder, int64_t keep, struct why *why)
{
    struct dirent **found = NULL;
    enum err err = ERR_NONE;
    int count = scandir(str_c(mem, folder), &found, is_dated_name, alphasort);
    int64_t newer = 0; /* backups */
    if (count < 0) {
        why_set(why, "the backup is complete, but %.*s cannot be read to delete older ones: %s",
                STR_ARG(folder), strerror(errno));
        return ERR_UNAVAILABLE;
    }
    for (int i = count - 1; i >= 0; i--) {
        const char *path = str_format(mem, "%.*s/%s", STR_ARG(folder), found[i]->d_name).ptr;
        newer += i + 1 < count && !same_backup(found[i], found[i + 1]) ? 1 : 0;
        if (newer >= keep && unlink(path) != 0) {
            why_set(why, "the backup is complete, but %s cannot be deleted: %s", path,
                    strerror(errno));
            err = ERR_UNAVAILABLE;
        }
    }
    for (int i = 0; i < count; i++)
        free(found[i]);
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

/* ---- follow ---- */

static sigset_t stop_signals;

/* The signals are blocked (see follow()), so one that arrives at any other time ends the next
 * wait. */
static bool
wait_for_signal(void *context, int64_t ms)
{
    const struct timespec time = { ms / 1000, ms % 1000 * 1000000 };
    (void)context;
    return sigtimedwait(&stop_signals, NULL, &time) < 0;
}

static void
report_following(void *context, const char *name, bool continued)
{
    struct command_call *call = context;
    if (command_has(call, "json")) {
        struct json *json = command_json(call);
        json_open_object(json);
        json_put_str(json, "file", str_format(call->mem, "%s.db", name));
        json_put_bool(json, "continued", continued);
        json_close_object(json);
        command_json_done(call, json);
    } else {
        console_print(call->console, "%s %s.db; every write follows within seconds\n",
                      continued ? "continues" : "copied the store to", name);
    }
    /* The command does not end, so a script that waits for this line would not get it from a
     * buffer. */
    fflush(stdout);
}

/* Signals are blocked and read by wait_for_signal(), so that a stop never interrupts a write to the
 * backup. */
static int
follow(struct command_call *call, struct str folder, int64_t keep)
{
    struct why why = { 0 };
    struct db_follow how = { .address = call->settings->store,
                             .folder = str_c(call->mem, folder),
                             .keep = (int)keep,
                             .copy_every_s = FOLLOW_COPY_SECONDS,
                             .wait = wait_for_signal,
                             .report = report_following,
                             .context = call };
    sigemptyset(&stop_signals);
    sigaddset(&stop_signals, SIGTERM);
    sigaddset(&stop_signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &stop_signals, NULL);
    enum err err = db_follow(&how, &why);
    return err ? command_fail_store(call, err, &why) : 0;
}

/* Three ways to name the target, of which exactly one must be given. A backup is verified before it
 * is reported, because one that cannot be restored is discovered too late otherwise. */
static int
backup(struct command_call *call)
{
    struct why why = { 0 };
    struct str followed = command_option_value(call, "follow");
    struct str folder = command_option_value(call, "to");
    struct str keep_text = command_option_value(call, "keep");
    int64_t keep = str_present(followed) ? FOLLOW_KEEP : KEEP_MAX;
    int targets =
        (call->argument_count == 1) + (int)str_present(folder) + (int)str_present(followed);
    if (targets != 1)
        return command_usage_error(call, "name either a FILE or a folder with --to or --follow");
    if (str_present(keep_text) &&
        (call->argument_count == 1 || !str_to_int(keep_text, 1, KEEP_MAX, &keep)))
        return command_usage_error(
            call, "--keep must be a whole number from 1 to 10000, with --to or --follow");
    if (str_present(followed))
        return follow(call, followed, keep);
    const char *file = str_present(folder) ? dated_name(call->mem, folder).ptr
                                           : str_c(call->mem, call->arguments[0]);
    size_t databases = db_address_count(call->settings->store);
    enum err err = db_backup(call->settings->store, file, show_progress, call->console, &why);
    if (!err)
        err = verify_backup(call, file, &why);
    /* Only after the new backup was verified: a damaged one must not replace a good one. */
    if (!err && str_present(keep_text))
        err = delete_older(call->mem, folder, keep, &why);
    if (err)
        return command_fail_store(call, err, &why);
    if (command_has(call, "json")) {
        struct json *json = command_json(call);
        json_open_object(json);
        json_put_str(json, "file", str_of(file));
        if (databases > 1)
            json_put_int(json, "databases", (int64_t)databases);
        json_close_object(json);
        return command_json_done(call, json);
    }
    console_print(call->console,
                  databases > 1 ? "copied the store to %s.1of%zu and so on, a file per database\n"
                                : "copied the store to %s\n",
                  file, databases);
    return 0;
}

/* ---- restore ---- */

static enum err
end_everything(struct db_tx *tx, void *mem)
{
    return session_store_end_everything(tx, mem);
}

struct restoration {
    struct arena *mem;
    const char *old;      /* the store that is replaced; NULL: it cannot be compared */
    bool codes_are_ended; /* all recovery codes */
    struct str aside;     /* absent: there was no old store */
    int64_t time_ms;      /* of the restored state; 0: of a backup file */
};

/* Tokens and sessions that were revoked after the backup must not work again, nor recovery codes
 * that were used. */
static enum err
end_access(struct db *db, void *argument)
{
    struct restoration *restoration = argument;
    enum err err = tx_write(db, end_everything, restoration->mem);
    return err ? err : restore_codes(db, restoration->old, &restoration->codes_are_ended);
}

/* Makes a backup file of a folder that `backup --follow` has filled. */
static enum err
build_backup(struct command_call *call, const char *folder, int64_t until_ms, const char *file,
             struct db_followed *followed, struct why *why)
{
    enum err err = db_followed(call->settings->store, folder, until_ms, file, followed, why);
    if (err == ERR_NOT_FOUND && followed->first_ms > 0)
        why_set(why, "restore: %s has nothing from that time; the earliest is %s", folder,
                time_write(call->mem, (followed->first_ms + 999) / 1000).ptr);
    if (!err && followed->unread_bytes > 0)
        console_error(call->console,
                      "penchant: the last %lld bytes of the log are incomplete or damaged and are "
                      "not used\n",
                      (long long)followed->unread_bytes);
    return err;
}

/* Users sign in again because sessions and tokens of the backup are deleted (end_access()): some of
 * them may have been revoked after it was made. */
static int
report_restored(struct command_call *call, const struct restoration *restoration)
{
    struct str aside = restoration->aside;
    int64_t time_ms = restoration->time_ms;
    struct str when = time_ms > 0 ? time_write(call->mem, time_ms / 1000) : STR_NONE;
    if (command_has(call, "json")) {
        struct json *json = command_json(call);
        json_open_object(json);
        if (str_present(aside))
            json_put_str(json, "replaced", aside);
        if (time_ms > 0) {
            json_put_str(json, "as_of", when);
            json_put_int(json, "as_of_ms", time_ms);
        }
        json_put_bool(json, "recovery_codes_revoked", restoration->codes_are_ended);
        json_close_object(json);
        return command_json_done(call, json);
    }
    struct str state = str_present(when) ? str_format(call->mem, " as of %s", when.ptr) : STR("");
    struct str old = str_present(aside)
                         ? str_format(call->mem, "; the old store is %.*s", STR_ARG(aside))
                         : STR("");
    console_print(call->console, "restored%.*s; users sign in again%s%.*s\n", STR_ARG(state),
                  restoration->codes_are_ended ? " and make new recovery codes" : "", STR_ARG(old));
    return 0;
}

/* A folder of `backup --follow` is first turned into a single file, which is then restored like any
 * other backup. The time is up to the end of the given second. */
static int
restore(struct command_call *call)
{
    struct why why = { 0 };
    struct str at = command_option_value(call, "at");
    struct restoration restoration = { .mem = call->mem };
    struct db_followed followed = { 0 };
    struct stat found;
    const char *file = str_c(call->mem, call->arguments[0]);
    int64_t until = 0;
    enum err err = ERR_NONE;
    /* Before anything is changed, so that a mistyped path has no effect. */
    if (stat(file, &found) != 0 || access(file, R_OK) != 0)
        return command_fail(call, ERR_NOT_FOUND, "restore: cannot read %s: %s", file,
                            strerror(errno));
    bool is_folder = S_ISDIR(found.st_mode);
    if (str_present(at) && (!is_folder || !time_read(at, &until)))
        return command_usage_error(call, "--at must be a time such as 2026-11-14T09:30:00Z, with a "
                                         "folder that `backup --follow` has filled");
    if (is_folder) {
        const char *folder = file;
        file = db_path_beside(call->mem, call->settings->store, ".followed").ptr;
        err = build_backup(call, folder, str_present(at) ? until * 1000 + 999 : INT64_MAX, file,
                           &followed, &why);
    }
    if (!err && restore_codes_known(call->settings->store))
        restoration.old = call->settings->store;
    if (!err)
        err = db_restore(call->settings->store, file, end_access, &restoration, call->mem,
                         &restoration.aside, &why);
    if (is_folder)
        unlink(file); /* the temporary backup */
    if (err)
        return command_fail_store(call, err, &why);
    restoration.time_ms = followed.time_ms;
    return report_restored(call, &restoration);
}

const struct command backup_commands[] = {
    { "backup", "[FILE]", .arguments_max = 1,
      .options = { { "to", "DIR", "write penchant-TIME.db into this folder instead of FILE" },
                   { "follow", "DIR",
                     "copy the store there, then every write within seconds, until SIGTERM" },
                   { "keep", "N", "delete all but the newest N of the backups in that folder" },
                   JSON_OPTION },
      .mode = COMMAND_BESIDE_SERVICE, .run = backup,
      .summary = "copy the store to a new file and verify it; safe while the service runs" },
    { "restore", "PATH", .arguments_min = 1, .arguments_max = 1,
      .options = { { "at", "TIME",
                     "restore the store as of this time; PATH is the DIR of `backup --follow`" },
                   JSON_OPTION },
      .mode = COMMAND_ALONE, .run = restore,
      .summary = "replace the store with a backup, and revoke all sessions and tokens" },
    { 0 },
};
