/* settings_load.c - reads the values from the places that they come from.
 *
 * Sources are applied in order of precedence: defaults, file, variables, flags; a later one
 * overwrites. Settings that name a file with a secret are read last. */
#include "config/settings_load.h"

#include "base/arena.h"
#include "config/secret_file.h"
#include "config/setting_row.h"
#include "db/db.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX_BYTES (64 * 1024)

/* ---- one value ---- */

/* A choice is a bool or an enum, which GCC and Clang store as unsigned. */
static void
put_choice(const struct setting_row *row, size_t index, struct settings *out)
{
    char *member = (char *)out + row->offset;
    if (row->width == sizeof(bool))
        *(bool *)member = index != 0;
    else
        *(unsigned *)(void *)member = (unsigned)index;
}

/* Stores a valid value and returns NULL; otherwise returns the problem as the end of a sentence. */
static const char *
put_value(struct arena *mem, const struct setting_row *row, struct str value, struct settings *out)
{
    char *member = (char *)out + row->offset;
    /* Values become C strings; the rest after a NUL byte would be ignored. */
    if (str_index(value, '\0') < value.len)
        return "contains a NUL byte";
    switch (row->kind) {
    case SETTING_TEXT: {
        const char *text = str_c(mem, value);
        const char *problem = value.len == 0 ? "is empty" : NULL;
        if (problem == NULL && row->problem != NULL)
            problem = row->problem(text);
        if (problem == NULL)
            *(const char **)(void *)member = text;
        return problem;
    }
    case SETTING_NUMBER:
        if (str_to_int(value, row->min, row->max, (int64_t *)(void *)member))
            return NULL;
        return str_format(mem, "must be a whole number from %lld to %lld", (long long)row->min,
                          (long long)row->max)
            .ptr;
    case SETTING_CHOICE:
        for (size_t i = 0; i < sizeof row->choices / sizeof row->choices[0]; i++) {
            if (row->choices[i] != NULL && str_eq_c(value, row->choices[i])) {
                put_choice(row, i, out);
                return NULL;
            }
        }
        return str_format(mem, "must be %s", setting_choices(mem, row).ptr).ptr;
    }
    return "has an unknown type";
}

/* As put_value(), for a setting that the same source has set before: adds the value after a space.
 * A list of SQLite files would be one file whose name contains a space. */
static const char *
put_more(struct arena *mem, const struct setting_row *row, struct str value, struct settings *out)
{
    const char *before = *(const char **)(void *)((char *)out + row->offset);
    if (strncmp(before, "sqlite:", 7) == 0 || str_starts(value, STR("sqlite:")))
        return "can be repeated for PostgreSQL only";
    return put_value(mem, row, str_format(mem, "%s %.*s", before, STR_ARG(value)), out);
}

/* ---- sources: file, environment, command line ---- */

/* CR LF files are accepted. A value may contain "="; only the first one separates. */
bool
settings_next_line(struct str *rest, struct str *name, struct str *value, size_t *line)
{
    struct str text;
    while (str_cut(rest, '\n', &text)) {
        ++*line;
        if (text.len > 0 && text.ptr[text.len - 1] == '\r')
            text.len--;
        text = str_trim(text);
        if (text.len == 0 || text.ptr[0] == '#')
            continue;
        size_t equals = str_index(text, '=');
        *name = equals < text.len ? str_trim(str_first(text, equals)) : STR_NONE;
        *value = equals < text.len ? str_trim(str_from(text, equals + 1)) : STR_NONE;
        if (name->len == 0)
            *name = STR_NONE;
        return true;
    }
    return false;
}

/* *open_to_all: other users may read the file. Whether that matters depends on what it contains. */
static enum err
read_file(struct arena *mem, const char *path, struct str *out, bool *open_to_all, struct why *why)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    if (fd < 0 || fstat(fd, &info) != 0) {
        why_set(why, "config: cannot read %s: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return ERR_INVALID;
    }
    char *text = arena_alloc(mem, FILE_MAX_BYTES + 1);
    /* One byte more than allowed, to notice a file that is too large. */
    ssize_t length = read(fd, text, FILE_MAX_BYTES + 1);
    close(fd);
    if (length < 0 || length > FILE_MAX_BYTES) {
        why_set(why, "config: %s is larger than %d bytes, or cannot be read", path, FILE_MAX_BYTES);
        return ERR_INVALID;
    }
    *out = (struct str){ text, (size_t)length };
    *open_to_all = (info.st_mode & S_IRWXO) != 0;
    /* It may contain a password, so other users must not read the file. */
    if ((info.st_mode & S_IRWXO) != 0 &&
        memmem(text, (size_t)length, "postgresql://", 13) != NULL) {
        why_set(why,
                "config: %s contains a PostgreSQL store address and is readable by every user; "
                "run chmod o= on it",
                path);
        return ERR_INVALID;
    }
    return ERR_NONE;
}

/* A setting that appears twice is refused, since one of the two would be ignored without notice. */
static enum err
apply_file(struct arena *mem, const char *path, struct settings *out, struct why *why)
{
    struct str rest, name, value;
    size_t line = 0;
    /* The line of each setting; 0: not found yet. */
    size_t *lines = ARENA_ARRAY(mem, size_t, setting_row_count);
    bool open_to_all = false;
    enum err err = read_file(mem, path, &rest, &open_to_all, why);
    if (err)
        return err;
    while (settings_next_line(&rest, &name, &value, &line)) {
        const struct setting_row *row = setting_row_find(name);
        if (row == NULL) {
            why_set(why,
                    "%s, line %zu: %.*s is not a setting; write `key = value` with a key of "
                    "`penchant help settings`",
                    path, line, str_present(name) ? (int)str_first(name, 64).len : 4,
                    str_present(name) ? name.ptr : "this");
            return ERR_INVALID;
        }
        if (row->secret && open_to_all) {
            why_set(why, "config: %s contains %s and is readable by every user; run chmod o= on it",
                    path, row->name);
            return ERR_INVALID;
        }
        size_t *first = &lines[row - setting_rows];
        if (*first != 0 && !row->repeats) {
            why_set(why, "%s: %s is set twice, on line %zu and on line %zu; remove one of them",
                    path, row->name, *first, line);
            return ERR_INVALID;
        }
        const char *problem =
            *first != 0 ? put_more(mem, row, value, out) : put_value(mem, row, value, out);
        *first = line;
        if (problem != NULL) {
            why_set(why, "%s, line %zu: %s %s", path, line, row->name, problem);
            return ERR_INVALID;
        }
    }
    return ERR_NONE;
}

/* An empty variable is refused like an empty value: it is probably a mistake in a script. */
static enum err
apply_variables(struct arena *mem, struct settings *out, struct why *why)
{
    for (size_t i = 0; i < setting_row_count; i++) {
        const char *variable = setting_variable(mem, setting_rows[i].name);
        const char *value = getenv(variable);
        if (value == NULL)
            continue;
        const char *problem = put_value(mem, &setting_rows[i], str_of(value), out);
        if (problem != NULL) {
            why_set(why, "%s %s", variable, problem);
            return ERR_INVALID;
        }
    }
    return ERR_NONE;
}

/* Secrets are refused: every user of the machine can list the arguments of a process. */
static enum err
apply_flags(struct arena *mem, const struct setting_flag *flags, size_t count, struct settings *out,
            struct why *why)
{
    bool *given = ARENA_ARRAY(mem, bool, setting_row_count);
    for (size_t i = 0; i < count; i++) {
        const struct setting_row *row = setting_row_find(flags[i].name);
        if (row == NULL)
            continue; /* --config */
        bool more = row->repeats && given[row - setting_rows];
        const char *problem =
            row->secret ? "would be visible to other users of this machine; use the variable or "
                          "the settings file"
            : more      ? put_more(mem, row, flags[i].value, out)
                        : put_value(mem, row, flags[i].value, out);
        given[row - setting_rows] = true;
        if (problem != NULL) {
            why_set(why, "--%s %s", row->name, problem);
            return ERR_INVALID;
        }
    }
    return ERR_NONE;
}

/* Reads the settings that are in files of their own. `given`: a value was set as well. */
static enum err
apply_secret_file(struct arena *mem, const char *setting, const char **file, const char **value,
                  bool given, struct why *why)
{
    if (*file == NULL)
        return ERR_NONE;
    if (given) {
        why_set(why, "%s and %s-file are both set; remove one of them", setting, setting);
        return ERR_INVALID;
    }
    *file = secret_file_path(mem, *file);
    return secret_file_read(mem, str_format(mem, "%s-file", setting).ptr, *file, value, why);
}

/* The default of `store` counts as not given: the pointers are compared. */
static enum err
apply_secret_files(struct arena *mem, const char *default_store, struct settings *out,
                   struct why *why)
{
    enum err err = apply_secret_file(mem, "smtp-password", &out->smtp_password_file,
                                     &out->smtp_password, out->smtp_password != NULL, why);
    if (!err)
        err = apply_secret_file(mem, "store", &out->store_file, &out->store,
                                out->store != default_store, why);
    const char *problem = err ? NULL : db_address_problem(out->store);
    if (problem == NULL)
        return err;
    why_set(why, "store-file: the address in %s %s", out->store_file, problem);
    return ERR_INVALID;
}

/* Checks that involve more than one setting. */
static enum err
check_together(const struct settings *settings, struct why *why)
{
    if ((settings->smtp_url == NULL) != (settings->smtp_from == NULL)) {
        why_set(why, "%s is set without %s; email needs both",
                settings->smtp_url != NULL ? "smtp-url" : "smtp-from",
                settings->smtp_url != NULL ? "smtp-from" : "smtp-url");
        return ERR_INVALID;
    }
    if ((settings->tls_cert == NULL) == (settings->tls_key == NULL))
        return ERR_NONE;
    why_set(why, "%s is set without %s; TLS needs both",
            settings->tls_cert != NULL ? "tls-cert" : "tls-key",
            settings->tls_cert != NULL ? "tls-key" : "tls-cert");
    return ERR_INVALID;
}

/* --config is looked for first, because the file it names comes before all flags. */
enum err
settings_load(struct arena *mem, const struct setting_flag *flags, size_t count,
              struct settings *out, struct why *why)
{
    const char *config = getenv("PENCHANT_CONFIG");
    if (config == NULL && access(PENCHANT_CONFIG_FILE, F_OK) == 0)
        /* The file of the Debian package. A file that was named and is missing is an error; this
         * one is optional. */
        config = PENCHANT_CONFIG_FILE;
    *out = (struct settings){ 0 };
    for (size_t i = 0; i < setting_row_count; i++)
        if (setting_rows[i].fallback != NULL)
            put_value(mem, &setting_rows[i], str_of(setting_rows[i].fallback), out);
    for (size_t i = 0; i < count; i++)
        if (str_eq_c(flags[i].name, "config"))
            config = str_c(mem, flags[i].value);
    out->config = config;
    /* Of the defaults, before any source is applied. */
    const char *default_store = out->store;
    enum err err = config == NULL ? ERR_NONE : apply_file(mem, config, out, why);
    if (!err)
        err = apply_variables(mem, out, why);
    if (!err)
        err = apply_flags(mem, flags, count, out, why);
    if (!err)
        err = apply_secret_files(mem, default_store, out, why);
    return err ? err : check_together(out, why);
}
