/* confine.c - derives the rules of the sandbox from the settings. A sandbox cannot be widened
 * later, so at a reload the same list shows whether new settings name files outside of it. */
#include "app/confine.h"

#include "base/arena.h"
#include "base/log.h"
#include "config/settings.h"
#include "db/db.h"
#include "host/sandbox.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Eight settings, the mail file, and the files of the addresses of the databases. Further ones
 * would stay outside of the sandbox. */
#define FILES_MAX 24

/* A file that a setting names, or NULL. */
struct named_file {
    const char *setting;
    const char *path;
    enum sandbox_right right;
    bool is_folder;
};

/* The folder of a file; the file itself if that would be the root folder. */
static const char *
folder_of(struct arena *mem, const char *file)
{
    const char *slash = strrchr(file, '/');
    if (slash == NULL)
        return ".";
    if (slash == file)
        return file;
    return str_copy(mem, (struct str){ file, (size_t)(slash - file) }).ptr;
}

/* Files are replaced by renaming, and links are pointed at newer files, so a rule covers the folder
 * of the name and the folder that a link leads to. */
static void
allow_file(struct arena *mem, struct sandbox *sandbox, const struct named_file *file)
{
    char real[PATH_MAX];
    if (file->is_folder) {
        sandbox_allow(sandbox, file->path, file->right);
        return;
    }
    const char *folder = folder_of(mem, file->path);
    sandbox_allow(sandbox, folder, file->right);
    if (realpath(file->path, real) == NULL)
        return;
    folder = folder_of(mem, str_copy(mem, str_of(real)).ptr);
    if (!sandbox_covers(sandbox, folder, file->right))
        sandbox_allow(sandbox, folder, file->right);
}

static size_t
named_files(struct arena *mem, const struct settings *settings, struct named_file *out)
{
    const struct named_file fixed[] = {
        { "config", settings->config, SANDBOX_READ, false },
        { "domains", settings->domains, SANDBOX_READ, true },
        { "tls-cert", settings->tls_cert, SANDBOX_READ, false },
        { "tls-key", settings->tls_key, SANDBOX_READ, false },
        { "smtp-ca", settings->smtp_ca, SANDBOX_READ, false },
        { "client-documents-ca", settings->client_documents_ca, SANDBOX_READ, false },
        { "smtp-password-file", settings->smtp_password_file, SANDBOX_READ, false },
        { "store-file", settings->store_file, SANDBOX_READ, false },
    };
    size_t count = 0;
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (fixed[i].path != NULL)
            out[count++] = fixed[i];
    if (settings->smtp_url != NULL && strncmp(settings->smtp_url, "file:", 5) == 0)
        out[count++] =
            (struct named_file){ "smtp-url", settings->smtp_url + 5, SANDBOX_WRITE, false };
    if (db_address_is_sqlite(settings->store)) {
        const char *file = db_path_beside(mem, settings->store, "").ptr;
        out[count++] = (struct named_file){ "store", file, SANDBOX_WRITE, false };
        return count;
    }
    const char *files[FILES_MAX];
    size_t more = db_address_files(mem, settings->store, files, FILES_MAX - count);
    for (size_t i = 0; i < more; i++)
        out[count++] = (struct named_file){ "store", files[i], SANDBOX_READ, true };
    return count;
}

/* SQLite writes the temporary file of `check --compact` to a folder of its own choice; the store's
 * folder is the one that it can write to. */
static void
keep_temporary_files(struct arena *mem, const struct settings *settings)
{
    if (db_address_is_sqlite(settings->store))
        setenv("SQLITE_TMPDIR", folder_of(mem, db_path_beside(mem, settings->store, "").ptr), 1);
}

void
confine_process(struct arena *mem, const struct settings *settings, const char *leave,
                struct sandbox *out)
{
    struct named_file files[FILES_MAX];
    struct why why = { 0 };
    *out = (struct sandbox){ .count = 0 };
    if (!settings->sandbox)
        return;
    sandbox_allow_system(out);
    size_t count = named_files(mem, settings, files);
    for (size_t i = 0; i < count; i++)
        allow_file(mem, out, &files[i]);
    /* The right to remove is on the folder above: it contains the entry that is removed. */
    if (leave != NULL)
        sandbox_allow(out, folder_of(mem, leave), SANDBOX_REMOVE_FOLDER);
    keep_temporary_files(mem, settings);
    if (sandbox_enter(out, &why))
        log_warn("sandbox_incomplete", log_text("reason", str_of(why.text)));
}

/* Files are checked by their path, so a file that is replaced inside an allowed folder needs no
 * restart. */
enum err
confine_check(const struct sandbox *sandbox, const struct settings *settings, struct why *why)
{
    struct named_file files[FILES_MAX];
    struct arena *mem = arena_new();
    enum err err = ERR_NONE;
    size_t count = sandbox->count == 0 ? 0 : named_files(mem, settings, files);
    for (size_t i = 0; i < count && !err; i++)
        if (!sandbox_covers(sandbox, files[i].path, files[i].right)) {
            why_set(why,
                    "%s: the sandbox of the running service does not include %s; restart the "
                    "service to use it",
                    files[i].setting, files[i].path);
            err = ERR_INVALID;
        }
    arena_free(mem);
    return err;
}
