/* assets.c - lists the embedded files of pages/ that browsers load.
 *
 * The build has minified style sheets and scripts already (tools/minify.awk). All files are found
 * by name in a list, which is short. */
#include "web/assets.h"

#include "base/arena.h"
#include "base/embedded.h"
#include "web/call.h"
#include "web/response.h"
#include "web/state.h"

#include <string.h>

#define HASH_START 14695981039346656037u

struct asset {
    struct str name; /* "style.css" */
    const char *type;
    const char *tag; /* strong, quoted */
    struct str bytes;
};

/* Points into the program; nothing is read from files. */
struct assets {
    struct str release;
    size_t count;
    struct asset *list;
};

/* NULL: not served. */
static const char *
type_of(struct str name)
{
    static const struct {
        const char *ending;
        const char *type;
    } types[] = {
        { ".css", "text/css; charset=utf-8" },
        { ".js", "text/javascript; charset=utf-8" },
        { ".svg", "image/svg+xml" },
        { ".png", "image/png" },
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (str_ends(name, str_of(types[i].ending)))
            return types[i].type;
    return NULL;
}

static uint64_t
hash_of(uint64_t hash, struct str bytes)
{
    for (size_t i = 0; i < bytes.len; i++)
        hash = (hash ^ (unsigned char)bytes.ptr[i]) * 1099511628211u;
    return hash;
}

/* A weak hash is enough: it only has to differ between releases of one file. */
static const char *
tag_of(struct arena *mem, struct str bytes)
{
    return str_format(mem, "\"%016llx\"", (unsigned long long)hash_of(HASH_START, bytes)).ptr;
}

/* The ETag of each file is a hash of its bytes. `release` is a hash of all files: pages use it in
 * URLs, so that a new version is loaded at once. */
struct assets *
assets_new(struct arena *mem)
{
    size_t files = 0;
    uint64_t all = HASH_START;
    while (embedded_files[files].name != NULL)
        files++;
    struct assets *assets = ARENA_NEW(mem, struct assets);
    assets->list = ARENA_ARRAY(mem, struct asset, files + 1);
    for (size_t i = 0; i < files; i++) {
        struct str path = str_of(embedded_files[i].name);
        const char *type = type_of(path);
        if (type == NULL || !str_starts(path, STR("pages/")))
            continue;
        struct asset *asset = &assets->list[assets->count++];
        asset->name = str_from(path, strlen("pages/"));
        asset->type = type;
        asset->bytes = embedded_find(embedded_files[i].name);
        asset->tag = tag_of(mem, asset->bytes);
        all = hash_of(all, asset->bytes);
    }
    assets->release = str_format(mem, "%016llx", (unsigned long long)all);
    return assets;
}

/* NULL: there is no such file. Few files, so a linear search is enough. */
static const struct asset *
find_asset(const struct assets *assets, struct str name)
{
    for (size_t i = 0; i < assets->count; i++)
        if (str_eq(assets->list[i].name, name))
            return &assets->list[i];
    return NULL;
}

struct str
assets_release(const struct assets *assets)
{
    return assets->release;
}

/* Searches the HTML for quoted paths: pages refer to assets in no other way. */
size_t
assets_loaded_by(const struct assets *assets, struct str page)
{
    const struct str mark = STR("\"/assets/");
    size_t bytes = 0;
    for (size_t at = str_index(page, '"'); at < page.len;
         at += 1 + str_index(str_from(page, at + 1), '"')) {
        struct str rest = str_from(page, at);
        if (!str_starts(rest, mark))
            continue;
        struct str name = str_from(rest, mark.len);
        name = str_first(name, str_index(name, '"'));
        const struct asset *asset = find_asset(assets, str_first(name, str_index(name, '?')));
        bytes += asset == NULL ? 0 : asset->bytes.len;
    }
    return bytes;
}

/* Unknown names are 404; there is no access to files of the machine. */
static enum err
get_asset(struct call *call)
{
    const struct asset *asset = find_asset(call->web->assets, call_param(call, 0));
    if (asset == NULL)
        return ERR_NOT_FOUND;
    response_file(call, asset->type, asset->tag, asset->bytes);
    response_header(call, "Cache-Control", "public, max-age=3600");
    /* An SVG opened directly is a document and could run scripts. */
    response_header(call, "Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
    return ERR_NONE;
}

const struct route asset_routes[] = {
    { GET, "/assets/{file}", get_asset, CALLER_ANYONE,
      .summary = "Serves stylesheets, icons, and scripts.", .page = true },
    { 0 },
};
