/* client_metadata.c - reads the metadata of RFC 7591 as far as this service uses it; unknown
 * members are ignored, as §2 demands.
 *
 * The first problem ends the reading, except that all redirect URIs are checked, so that a
 * developer sees every wrong one at once. Two digests are derived: the mark, which changes when the
 * client redirects elsewhere or has other keys, and the id of a public client. */
#include "client/client_metadata.h"

#include "base/buf.h"
#include "crypt/digest.h"
#include "model/app.h"
#include "model/redirect_uri.h"
#include "text/json_read.h"

#define DEPTH_MAX 8
#define TEXT_MAX 1024
#define URI_SHOWN_MAX 100
#define DESCRIPTION_MAX ((size_t)512 * 1024) /* 10 KiB of JSON have at most 5,000 values */
#define BAD_URI "invalid_redirect_uri"
#define BAD_METADATA "invalid_client_metadata"

static bool
fail(struct client_problem *problem, const char *error, struct str sentence)
{
    *problem = (struct client_problem){ error, sentence };
    return false;
}

/* A member that must be a string if it is there. False: it is something else, or too long. */
static bool
read_text(struct arena *mem, const struct json_value *document, const char *name, struct str *out,
          struct client_problem *problem)
{
    const struct json_value *value = json_member(document, name);
    *out = STR_NONE;
    if (value == NULL || value->type == JSON_NULL)
        return true;
    if (value->type != JSON_STR || value->text.len > TEXT_MAX)
        return fail(problem, BAD_METADATA,
                    str_format(mem, "%s must be a string of at most %d bytes.", name, TEXT_MAX));
    *out = value->text.len == 0 ? STR_NONE : value->text;
    return true;
}

/* URIs are cut, since they are written by the client and the sentence is sent back to it. */
void
client_metadata_add_problem(struct buf *out, size_t index, struct str uri, const char *problem)
{
    if (problem != NULL)
        buf_add_format(out, "%sredirect_uris[%zu] (%.*s) cannot be used. %s",
                       out->len == 0 ? "" : " ", index, STR_ARG(str_first(uri, URI_SHOWN_MAX)),
                       problem);
}

/* At most CLIENT_URIS_MAX, which is the size of the array. */
static bool
read_uris(struct arena *mem, const struct json_value *document, struct str schemes,
          struct client_metadata *out, struct client_problem *problem)
{
    const struct json_value *list = json_member(document, "redirect_uris");
    if (list == NULL || list->type != JSON_ARRAY || list->count == 0 ||
        list->count > CLIENT_URIS_MAX)
        return fail(problem, BAD_URI,
                    str_format(mem, "redirect_uris must be an array of 1 to %d redirect URIs.",
                               CLIENT_URIS_MAX));
    struct buf wrong = buf_in(mem, CLIENT_PROBLEMS_MAX);
    for (size_t i = 0; i < list->count; i++) {
        const struct json_value *item = &list->children[i];
        struct str uri = item->type == JSON_STR ? item->text : STR_NONE;
        client_metadata_add_problem(&wrong, i, uri, redirect_uri_problem(uri, schemes));
        out->uris[out->uri_count++] = uri;
    }
    return wrong.len == 0 || fail(problem, BAD_URI, buf_str(&wrong));
}

/* Without a client_name, the client is shown by where it redirects to. */
static bool
read_name(struct arena *mem, const struct json_value *document, struct client_metadata *out,
          struct client_problem *problem)
{
    struct str name;
    if (!read_text(mem, document, "client_name", &name, problem))
        return false;
    if (!str_present(name)) {
        out->name = str_first(redirect_uri_display(mem, out->uris[0]), APP_CLAIMED_NAME_MAX);
        return true;
    }
    out->has_name = true;
    out->name = app_clean_name(mem, name);
    const char *wrong = app_claimed_name_problem(out->name);
    return wrong == NULL || fail(problem, BAD_METADATA, str_format(mem, "client_name: %s", wrong));
}

/* The context of its requests for hints that send none. No name of the registry of RFC 7591 §4.1
 * starts with penchant_, so none can get another meaning. */
static bool
read_purpose(struct arena *mem, const struct json_value *document, struct client_metadata *out,
             struct client_problem *problem)
{
    struct str purpose;
    if (!read_text(mem, document, "penchant_purpose", &purpose, problem))
        return false;
    purpose = str_trim(purpose);
    out->purpose = purpose.len == 0 ? STR_NONE : purpose;
    return app_purpose_problem(out->purpose) == NULL ||
           fail(problem, BAD_METADATA,
                str_format(mem,
                           "penchant_purpose must be one line of at most %d bytes that names a "
                           "task, such as restaurant_search.",
                           APP_PURPOSE_MAX));
}

/* Also client_secret_expires_at and the like: a document must have none of them. */
static bool
has_secret(const struct json_value *document)
{
    for (size_t i = 0; i < document->count; i++)
        if (str_starts(document->children[i].key, STR("client_secret")))
            return true;
    return false;
}

/* Writes a value so that different values differ: with all lengths before the texts, a character
 * that moves from one text to the next makes a difference. */
static void
describe(struct buf *out, const struct json_value *value)
{
    struct str text = value->type == JSON_STR ? value->text : STR("");
    bool nested = value->type == JSON_ARRAY || value->type == JSON_OBJECT;
    buf_add_format(out, "%d %zu %zu %u\n", (int)value->type, value->key.len, text.len,
                   value->count);
    buf_add(out, value->key);
    buf_add(out, text);
    if (value->type == JSON_INT || value->type == JSON_BOOL)
        buf_add_format(out, "%lld\n", (long long)value->integer);
    for (uint32_t i = 0; nested && i < value->count; i++)
        describe(out, &value->children[i]);
}

/* Keys are not used; a digest shows when they change (client_metadata_mark()). */
static struct str
read_keys(struct arena *mem, const struct json_value *document)
{
    static const char *const names[] = { "jwks_uri", "jwks" };
    struct buf out = buf_in(mem, DESCRIPTION_MAX);
    size_t found = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct json_value *value = json_member(document, names[i]);
        if (value == NULL || value->type == JSON_NULL)
            continue;
        describe(&out, value);
        found++;
    }
    return found > 0 ? digest_text(mem, buf_str(&out)) : STR_NONE;
}

/* Members of RFC 7591. Unknown members and unknown scopes are ignored, as it requires. */
bool
client_metadata_read(struct arena *mem, struct str document, struct str schemes,
                     struct client_metadata *out, struct client_problem *problem)
{
    const struct json_value *root;
    struct why why = { 0 };
    struct str scope;
    *out = (struct client_metadata){ 0 };
    if (json_read(mem, document, DEPTH_MAX, &root, &why) != ERR_NONE)
        return fail(problem, BAD_METADATA, str_format(mem, "The JSON is not valid: %s", why.text));
    if (root->type != JSON_OBJECT)
        return fail(problem, BAD_METADATA, STR("The metadata must be a JSON object."));
    if (!read_uris(mem, root, schemes, out, problem) || !read_name(mem, root, out, problem) ||
        !read_text(mem, root, "client_id", &out->client_id, problem) ||
        !read_text(mem, root, "token_endpoint_auth_method", &out->auth_method, problem) ||
        !read_text(mem, root, "scope", &scope, problem) ||
        !read_text(mem, root, "software_id", &out->software_id, problem) ||
        !read_purpose(mem, root, out, problem))
        return false;
    const struct json_value *logo = json_member(root, "logo_uri");
    if (logo != NULL && logo->type == JSON_STR) /* a wrong one is not worth a refusal */
        out->logo_uri = logo->text;
    scopes_read_known(scope, &out->scopes);
    out->has_secret = has_secret(root);
    out->keys = read_keys(mem, root);
    return true;
}

/* One per line, as in the column of the store. */
struct str
client_metadata_join_uris(struct arena *mem, const struct client_metadata *metadata)
{
    struct buf out = buf_in(mem, (size_t)CLIENT_URIS_MAX * (REDIRECT_URI_MAX + 1));
    for (size_t i = 0; i < metadata->uri_count; i++) {
        if (i > 0)
            buf_add_char(&out, '\n');
        buf_add(&out, metadata->uris[i]);
    }
    return str_copy(mem, buf_str(&out));
}

/* Collects one text for each redirect URI, sorted, each once. Returns their number. */
static size_t
collect(struct arena *mem, const struct client_metadata *metadata,
        struct str (*text_of)(struct arena *mem, struct str uri), struct str out[CLIENT_URIS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < metadata->uri_count; i++) {
        struct str text = text_of(mem, metadata->uris[i]);
        size_t at = count;
        while (at > 0 && str_order(out[at - 1], text) > 0)
            at--;
        if (at > 0 && str_eq(out[at - 1], text))
            continue;
        for (size_t k = count++; k > at; k--)
            out[k] = out[k - 1];
        out[at] = text;
    }
    return count;
}

/* Changes if the document names other keys or sends users to another place: then the users must be
 * asked again. */
struct str
client_metadata_mark(struct arena *mem, const struct client_metadata *metadata)
{
    struct str places[CLIENT_URIS_MAX];
    size_t count = collect(mem, metadata, redirect_uri_display, places);
    struct buf text = buf_in(mem, (size_t)CLIENT_URIS_MAX * (REDIRECT_URI_MAX + 64));
    buf_add(&text, metadata->keys);
    for (size_t i = 0; i < count; i++)
        buf_add_format(&text, "\n%.*s", STR_ARG(places[i]));
    return digest_text(mem, buf_str(&text));
}

/* A public client that registers again with the same metadata gets the same id, so registrations do
 * not pile up. The port of a loopback URI does not count. */
struct str
client_metadata_id(struct arena *mem, const struct client_metadata *metadata)
{
    struct str uris[CLIENT_URIS_MAX];
    size_t count = collect(mem, metadata, redirect_uri_without_port, uris);
    /* Neither a name nor a URI nor a purpose contains a line break; software_id may, so only its
     * digest goes in. No redirect URI starts with a space. */
    struct buf text = buf_in(mem, (size_t)CLIENT_URIS_MAX * (REDIRECT_URI_MAX + 1) + 2 * TEXT_MAX);
    buf_add(&text, metadata->name);
    buf_add_format(&text, "\n%.*s", STR_ARG(digest_text(mem, metadata->software_id)));
    for (size_t i = 0; i < count; i++)
        buf_add_format(&text, "\n%.*s", STR_ARG(uris[i]));
    if (str_present(metadata->purpose))
        buf_add_format(&text, "\n %.*s", STR_ARG(metadata->purpose));
    char digest[DIGEST_SHORT_LENGTH];
    digest_short(buf_str(&text), digest);
    return str_format(mem, "dyn_%.*s", (int)sizeof digest, digest);
}
