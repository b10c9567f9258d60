/* definitions.c - collects the sources of all definitions, built-in ones first, and loads them
 * together.
 *
 * domains_load() lets a later source replace an earlier one of the same name, so files of the
 * folder replace built-in domains. The context index is made last; it is read-only from then on. */
#include "config/definitions.h"

#include "base/arena.h"
#include "base/embedded.h"
#include "text/nearest.h"
#include "domain/domain.h"
#include "context/context.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SOURCES_MAX ((size_t)2 * DOMAINS_MAX) /* files in the folder */
#define READ_MAX ((size_t)256 * 1024 + 1)     /* one byte more than the limit of a definition */

struct sources {
    struct domain_source list[SOURCES_MAX + DOMAINS_MAX];
    size_t count;
};

/* "domains/food_profile.json" -> "food_profile" */
static struct str
name_of(struct str file)
{
    struct str name = str_first(file, file.len - strlen(".json"));
    while (str_index(name, '/') < name.len)
        name = str_from(name, str_index(name, '/') + 1);
    return name;
}

/* At most DOMAINS_MAX, so that the list has room for all files of the folder. */
static void
add_embedded(struct sources *out)
{
    for (const struct embedded *file = embedded_files; file->name != NULL; file++) {
        struct str path = str_of(file->name);
        if (!str_starts(path, STR("domains/")) || out->count == DOMAINS_MAX)
            continue;
        struct str text = { file->bytes, (size_t)(file->end - file->bytes) };
        out->list[out->count++] = (struct domain_source){ path, name_of(path), text };
    }
}

/* ---- built-in domains that are left out ---- */

static const struct domain_source *
find_source(const struct sources *sources, struct str name)
{
    for (size_t i = 0; i < sources->count; i++)
        if (str_eq(sources->list[i].name, name))
            return &sources->list[i];
    return NULL;
}

/* Names the nearest domain, since the name is probably mistyped. */
static void
reject_unknown(const struct sources *built_in, struct str name, struct why *why)
{
    const struct domain_source *nearest = &built_in->list[0];
    for (size_t i = 1; i < built_in->count; i++) {
        const struct domain_source *known = &built_in->list[i];
        if (nearest_distance(name, known->name) < nearest_distance(name, nearest->name))
            nearest = known;
    }
    why_set(why, "domains-off: \"%.*s\" is not a built-in domain; the nearest name is %.*s",
            STR_ARG(name), STR_ARG(nearest->name));
}

/* Checks every name before it removes anything. */
static enum err
leave_out(struct sources *built_in, struct str off, struct why *why)
{
    struct str rest = off, word;
    size_t kept = 0;
    while (str_cut(&rest, ' ', &word)) {
        if (find_source(built_in, word) != NULL)
            continue;
        reject_unknown(built_in, word, why);
        return ERR_INVALID;
    }
    for (size_t i = 0; i < built_in->count; i++)
        if (!str_has_word(off, built_in->list[i].name))
            built_in->list[kept++] = built_in->list[i];
    built_in->count = kept;
    return ERR_NONE;
}

/* ---- a folder ---- */

/* Skips *.schema.json: the schema may be in the same folder, for editors. */
static int
is_definition(const struct dirent *entry)
{
    struct str name = str_of(entry->d_name);
    return name.len > strlen(".json") && name.ptr[0] != '.' && str_ends(name, STR(".json")) &&
           !str_ends(name, STR(".schema.json"));
}

/* Independent of the locale. */
static int
compare_entries(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Reads one byte more than allowed, so that the parser can report a file that is too large. */
static enum err
read_whole(struct arena *mem, const char *path, struct str *out, struct why *why)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* opening a FIFO must not block */
    if (fd < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        why_set(why, "%s: %s", path, fd < 0 ? strerror(errno) : "is not a file");
        if (fd >= 0)
            close(fd);
        return ERR_INVALID;
    }
    char *text = arena_alloc(mem, READ_MAX);
    size_t length = 0;
    ssize_t got = 0;
    while (length < READ_MAX && (got = read(fd, text + length, READ_MAX - length)) > 0)
        length += (size_t)got;
    if (got < 0)
        why_set(why, "%s: %s", path, strerror(errno));
    close(fd);
    if (got < 0)
        return ERR_INVALID;
    *out = (struct str){ text, length };
    return ERR_NONE;
}

/* Files of a folder, sorted by name, so that the order is the same on all nodes. */
static enum err
add_entries(struct arena *mem, const char *folder, struct dirent **entries, size_t count,
            struct sources *out, struct why *why)
{
    if (count > SOURCES_MAX) {
        why_set(why, "domains: %s has more than %zu definitions", folder, SOURCES_MAX);
        return ERR_INVALID;
    }
    for (size_t i = 0; i < count; i++) {
        struct str path = str_format(mem, "%s/%s", folder, entries[i]->d_name);
        struct str text;
        enum err err = read_whole(mem, path.ptr, &text, why);
        if (err)
            return err;
        struct str name = name_of(str_copy(mem, str_of(entries[i]->d_name)));
        out->list[out->count++] = (struct domain_source){ path, name, text };
    }
    return ERR_NONE;
}

/* In the order of names, so that of several mistakes always the same one is reported. */
static enum err
add_folder(struct arena *mem, const char *folder, struct sources *out, struct why *why)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_definition, compare_entries);
    if (count < 0) {
        why_set(why, "domains: cannot read the folder %s: %s", folder, strerror(errno));
        return ERR_INVALID;
    }
    enum err err = add_entries(mem, folder, entries, (size_t)count, out, why);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    return err;
}

/* Checks references between definitions, only for those from the folder: a built-in definition may
 * refer to a context that a replacement removed, and the operator cannot fix that. */
static enum err
check_together(const struct sources *sources, size_t first, const struct domains *set,
               struct why *why)
{
    for (size_t i = first; i < sources->count; i++) {
        const struct domain_source *source = &sources->list[i];
        const struct domain *domain = domains_find(set, source->name);
        struct str unknown = domains_undefined_context(set, domain);
        if (str_present(unknown)) {
            why_set(why, "%.*s: only_in: %.*s is not a context of another domain",
                    STR_ARG(source->file), STR_ARG(unknown));
            return ERR_INVALID;
        }
        size_t undefined = domains_undefined_safety_context(set, domain);
        if (undefined == domain->safety_context_count)
            continue;
        why_set(why, "%.*s: safety_contexts[%zu]: %.*s is not a context of another domain",
                STR_ARG(source->file), undefined, STR_ARG(domain->safety_contexts[undefined]));
        return ERR_INVALID;
    }
    return ERR_NONE;
}

/* References between definitions are checked when all are loaded, since a later one may replace an
 * earlier one. */
enum err
definitions_load(struct arena *mem, const char *folder, const char *off, struct domains *out,
                 struct why *why)
{
    struct sources *sources = ARENA_NEW(mem, struct sources);
    add_embedded(sources);
    enum err err = off == NULL ? ERR_NONE : leave_out(sources, str_of(off), why);
    /* Sources after these are the operator's own. */
    size_t built_in = sources->count;
    if (!err && folder != NULL)
        err = add_folder(mem, folder, sources, why);
    if (!err && sources->count == 0) {
        why_set(why, "domains-off: no domain is left; keep one, or name a folder with domains");
        err = ERR_INVALID;
    }
    if (!err)
        err = domains_load(mem, sources->list, sources->count, out, why);
    if (!err)
        err = check_together(sources, built_in, out, why);
    if (err)
        return err;
    out->contexts = context_index_make(mem, out);
    return ERR_NONE;
}
