/* surface.c - copies api/mcp_surface.json and replaces its placeholders: {version}, {base}, and a
 * list that contains only {domains}.
 *
 * A list of domains in a schema would make every prompt longer, so it is left out if there are
 * many. The file is compiled in, so members that must exist are not checked. */
#include "mcp/surface.h"

#include "base/arena.h"
#include "base/embedded.h"
#include "domain/domain.h"
#include "text/json_read.h"
#include "text/json_write.h"

#define DEPTH_MAX 16
#define BYTES_MAX ((size_t)256 * 1024)
#define DOMAINS_LISTED_MAX 16 /* more would make the tools' schemas too long for a prompt */
#define TTL_MS 300000

/* State while the fixed parts of responses are written at the start. */
struct writing {
    struct arena *mem;
    struct str base_url;
    const struct domains *domains;
    const struct json_value *document;
    const struct json_value *fixtures;
};

/* ---- values with placeholders ---- */

/* Two placeholders: the version, and the base URL at the beginning of a text. */
static void
write_text(const struct writing *writing, struct json *out, struct str text)
{
    static const struct str base = STR("{base}");
    if (str_eq_c(text, "{version}"))
        json_str(out, STR(PENCHANT_VERSION));
    else if (str_starts(text, base))
        json_str(out, str_format(writing->mem, "%.*s%.*s", STR_ARG(writing->base_url),
                                 STR_ARG(str_from(text, base.len))));
    else
        json_str(out, text);
}

static bool
is_domains(const struct json_value *value)
{
    return value->type == JSON_ARRAY && value->count == 1 && value->children[0].type == JSON_STR &&
           str_eq_c(value->children[0].text, "{domains}");
}

static void
write_domains(const struct writing *writing, struct json *out)
{
    json_open_array(out);
    for (size_t i = 0; i < writing->domains->count; i++)
        json_str(out, writing->domains->list[i].name);
    json_close_array(out);
}

/* json_tree_write() with placeholders. */
static void
write_value(const struct writing *writing, struct json *out, const struct json_value *value)
{
    if (is_domains(value)) {
        write_domains(writing, out);
    } else if (value->type == JSON_ARRAY) {
        json_open_array(out);
        for (size_t i = 0; i < value->count; i++)
            write_value(writing, out, &value->children[i]);
        json_close_array(out);
    } else if (value->type == JSON_OBJECT) {
        json_open_object(out);
        for (size_t i = 0; i < value->count; i++) {
            const struct json_value *member = &value->children[i];
            if (is_domains(member) && writing->domains->count > DOMAINS_LISTED_MAX)
                continue;
            json_key_str(out, member->key);
            write_value(writing, out, member);
        }
        json_close_object(out);
    } else if (value->type == JSON_STR) {
        write_text(writing, out, value->text);
    } else if (value->type == JSON_REAL) {
        json_number(out, value->real);
    } else if (value->type == JSON_INT) {
        json_int(out, value->integer);
    } else {
        json_bool(out, value->integer != 0);
    }
}

static void
put(const struct writing *writing, struct json *out, const char *key)
{
    json_key(out, key);
    write_value(writing, out, json_member(writing->document, key));
}

/* ---- results ---- */

/* `_meta` of a modern result has only name and version: some clients pass it to the model. */
static void
put_meta(struct json *out)
{
    json_key_object(out, "_meta");
    json_key_object(out, MCP_META "serverInfo");
    json_put_str(out, "name", STR("penchant"));
    json_put_str(out, "version", STR(PENCHANT_VERSION));
    json_close_object(out);
    json_close_object(out);
}

/* For all users: it contains nothing about any of them. */
static void
put_cached(struct json *out)
{
    json_put_int(out, "ttlMs", TTL_MS);
    json_put_str(out, "cacheScope", STR("public"));
}

static void
write_items(const struct writing *writing, struct json *out, const struct json_value *list)
{
    for (size_t i = 0; i < list->count; i++)
        write_value(writing, out, &list->children[i]);
}

/* The same items in both eras; a modern result also says for how long it may be cached. */
static struct str
make_list(const struct writing *writing, const char *key, enum mcp_era era)
{
    struct buf buf = buf_in(writing->mem, BYTES_MAX);
    struct json out = json_into(&buf);
    json_open_object(&out);
    json_key_array(&out, key);
    write_items(writing, &out, json_member(writing->document, key));
    if (writing->fixtures != NULL)
        write_items(writing, &out, json_member(writing->fixtures, key));
    json_close_array(&out);
    if (era == MCP_MODERN) {
        json_put_str(&out, "resultType", STR("complete"));
        put_meta(&out);
        put_cached(&out);
    }
    json_close_object(&out);
    return buf_str(&buf);
}

/* The members without the braces around them. */
static struct str
inside(struct str object)
{
    return str_from(str_first(object, object.len - 1), 1);
}

/* Without braces, because initialize puts the version of the client before it. */
static struct str
make_server(const struct writing *writing)
{
    struct buf buf = buf_in(writing->mem, BYTES_MAX);
    struct json out = json_into(&buf);
    json_open_object(&out);
    put(writing, &out, "capabilities");
    put(writing, &out, "serverInfo");
    put(writing, &out, "instructions");
    json_close_object(&out);
    return inside(buf_str(&buf));
}

/* The members without the braces, so that they can be written into any object. */
static struct str
make_meta(const struct writing *writing)
{
    struct buf buf = buf_in(writing->mem, BYTES_MAX);
    struct json out = json_into(&buf);
    json_open_object(&out);
    put_meta(&out);
    json_close_object(&out);
    return inside(buf_str(&buf));
}

/* The response of server/discover, written once at the start, since it is the same for all
 * clients. */
static struct str
make_discover(const struct writing *writing)
{
    struct buf buf = buf_in(writing->mem, BYTES_MAX);
    struct json out = json_into(&buf);
    json_open_object(&out);
    json_key_array(&out, "supportedVersions");
    json_str(&out, STR(MCP_VERSION));
    json_close_array(&out);
    put(writing, &out, "capabilities");
    put(writing, &out, "instructions");
    json_put_str(&out, "resultType", STR("complete"));
    put_cached(&out);
    json_key_object(&out, "_meta");
    json_key(&out, MCP_META "serverInfo");
    write_value(writing, &out, json_member(writing->document, "serverInfo"));
    json_close_object(&out);
    json_close_object(&out);
    return buf_str(&buf);
}

/* Everything that does not depend on the user is written here, once per era of the protocol. */
enum err
surface_make(struct arena *mem, struct str base_url, const struct domains *domains,
             const struct json_value *fixtures, const struct mcp_surface **out, struct why *why)
{
    struct writing writing = { mem, base_url, domains, NULL, fixtures };
    enum err err =
        json_read(mem, embedded_find("api/mcp_surface.json"), DEPTH_MAX, &writing.document, why);
    if (err != ERR_NONE)
        return err;
    struct mcp_surface *surface = ARENA_NEW(mem, struct mcp_surface);
    surface->discover = make_discover(&writing);
    surface->server = make_server(&writing);
    surface->meta = make_meta(&writing);
    surface->fixtures = writing.fixtures;
    surface->texts = json_member(writing.document, "prompt_texts");
    surface->list_prompts = json_member(writing.document, "prompts");
    for (enum mcp_era era = MCP_LEGACY; era <= MCP_MODERN; era++) {
        surface->tools[era] = make_list(&writing, "tools", era);
        surface->prompts[era] = make_list(&writing, "prompts", era);
        surface->templates[era] = make_list(&writing, "resourceTemplates", era);
    }
    *out = surface;
    return ERR_NONE;
}
