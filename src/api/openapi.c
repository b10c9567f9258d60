/* openapi.c - fills the placeholders of the files in api/.
 *
 * The files are parsed to a tree and written again value by value. A placeholder for one item
 * becomes as many items as there are domains or scopes; "{{members of FILE}}" is replaced by the
 * members of that file, in which placeholders are filled as well. The first problem sets `failed`,
 * and nothing is written after it. Runs once, at startup. */
#include "api/openapi.h"

#include "base/buf.h"
#include "base/embedded.h"
#include "domain/domain.h"
#include "model/scope.h"
#include "text/json_read.h"
#include "text/json_tree.h"
#include "text/json_write.h"

#include <string.h>

#define DOCUMENT_MAX ((size_t)16 * 1024 * 1024)
#define FILE_PLACEHOLDER "{{members of "

/* State while the placeholders of the document are filled. `failed` stays set after the first
 * problem. */
struct filling {
    struct arena *mem;
    const struct openapi_params *params;
    struct json *out;
    struct why *why;
    bool failed;
};

static void fill(struct filling *filling, const struct json_value *value);
static void fill_members(struct filling *filling, const struct json_value *object);

/* The first problem stays in `why`: see why_set(). */
static void
report_placeholder(struct filling *filling, struct str text)
{
    why_set(filling->why, "api/: unknown placeholder or file: %.*s", STR_ARG(text));
    filling->failed = true;
}

/* ---- placeholders that repeat for each domain or scope ---- */

static const struct domain *
domain_at(const struct filling *filling, size_t index)
{
    return &filling->params->domains->list[index];
}

static void
put_domain_name(struct filling *filling, size_t index)
{
    json_str(filling->out, domain_at(filling, index)->name);
}

static void
put_domain_ref(struct filling *filling, size_t index)
{
    struct str name = domain_at(filling, index)->name;
    json_open_object(filling->out);
    json_put_str(filling->out, "$ref",
                 str_format(filling->mem, "#/components/schemas/%.*s", STR_ARG(name)));
    json_close_object(filling->out);
}

/* One alternative: the scope of this domain suffices. */
static void
put_domain_security(struct filling *filling, size_t index)
{
    json_open_object(filling->out);
    json_key_array(filling->out, "oauth2");
    put_domain_name(filling, index);
    json_close_array(filling->out);
    json_close_object(filling->out);
}

/* An item of the example of GET /v1/domains. */
static void
put_domain_summary(struct filling *filling, size_t index)
{
    const struct domain *domain = domain_at(filling, index);
    json_open_object(filling->out);
    json_put_str(filling->out, "domain", domain->name);
    json_put_str(filling->out, "title", domain->title);
    json_put_str(filling->out, "description", domain->description);
    json_put_str(filling->out, "scope", domain->name);
    json_put_bool(filling->out, "readable", true);
    json_put_int(filling->out, "atom_count", 0);
    json_close_object(filling->out);
}

static void
put_domain_property(struct filling *filling, size_t index)
{
    json_key_str(filling->out, domain_at(filling, index)->name);
    put_domain_ref(filling, index);
}

/* A member in a record. Without maxItems, which limits one write and not the record. */
static void
put_member_schema(struct json *out, const struct json_value *member)
{
    json_key_str(out, member->key);
    json_open_object(out);
    for (size_t i = 0; i < member->count; i++) {
        if (str_eq(member->children[i].key, STR("maxItems")))
            continue;
        json_key_str(out, member->children[i].key);
        json_tree_write(out, &member->children[i]);
    }
    json_close_object(out);
}

/* The schema of the definition, without $schema and the limits of one write. */
static void
put_domain_schema(struct filling *filling, size_t index)
{
    const struct domain *domain = domain_at(filling, index);
    const struct json_value *schema = NULL;
    struct json *out = filling->out;
    if (json_read(filling->mem, domain->schema, OPENAPI_DEPTH_MAX, &schema, filling->why)) {
        filling->failed = true;
        return;
    }
    json_key_str(out, domain->name);
    json_open_object(out);
    for (size_t i = 0; i < schema->count; i++) {
        const struct json_value *child = &schema->children[i];
        if (str_eq(child->key, STR("$schema"))) /* the default of OpenAPI 3.1 */
            continue;
        json_key_str(out, child->key);
        if (!str_eq(child->key, STR("properties"))) {
            json_tree_write(out, child);
            continue;
        }
        json_open_object(out);
        for (size_t m = 0; m < child->count; m++)
            put_member_schema(out, &child->children[m]);
        json_close_object(out);
    }
    json_close_object(out);
}

static void
put_scope_name(struct filling *filling, size_t index)
{
    json_str(filling->out, str_of(scope_row(index)->name));
}

/* A member of the OAuth flow: the scope and what it allows. */
static void
put_scope_sentence(struct filling *filling, size_t index)
{
    json_put_str(filling->out, scope_row(index)->name, str_of(scope_row(index)->sentence));
}

static size_t
count_domains(const struct filling *filling)
{
    return filling->params->domains == NULL ? 0 : filling->params->domains->count;
}

static size_t
count_scopes(const struct filling *filling)
{
    (void)filling;
    return scope_count();
}

static const struct {
    const char *text;
    size_t (*count)(const struct filling *filling);
    void (*put)(struct filling *filling, size_t index);
} placeholders[] = {
    { "{{each domain: name}}", count_domains, put_domain_name },
    { "{{each domain: ref}}", count_domains, put_domain_ref },
    { "{{each domain: security}}", count_domains, put_domain_security },
    { "{{each domain: summary}}", count_domains, put_domain_summary },
    { "{{each domain: property}}", count_domains, put_domain_property },
    { "{{each domain: schema}}", count_domains, put_domain_schema },
    { "{{each scope: name}}", count_scopes, put_scope_name },
    { "{{each scope: sentence}}", count_scopes, put_scope_sentence },
};

/* Unknown placeholders fail at startup, so that none can be published. */
static void
fill_each(struct filling *filling, struct str text)
{
    for (size_t i = 0; i < sizeof placeholders / sizeof *placeholders; i++) {
        if (!str_eq_c(text, placeholders[i].text))
            continue;
        for (size_t n = 0; n < placeholders[i].count(filling); n++)
            placeholders[i].put(filling, n);
        return;
    }
    report_placeholder(filling, text);
}

/* ---- placeholders in strings ---- */

/* Absent: unknown placeholder. */
static struct str
value_of(const struct filling *filling, struct str name)
{
    if (str_eq(name, STR("base_url")))
        return filling->params->base_url;
    if (str_eq(name, STR("auth_url")))
        return filling->params->auth_url;
    return str_eq(name, STR("version")) ? STR(PENCHANT_VERSION) : STR_NONE;
}

/* The position of the first `part`, or the length of the text. */
static size_t
find(struct str text, struct str part)
{
    size_t at = 0;
    while (at < text.len && !str_starts(str_from(text, at), part))
        at++;
    return at;
}

/* Without "}}" the rest is the name of a placeholder, which does not exist. */
static struct str
fill_text(struct filling *filling, struct str text)
{
    struct buf out = buf_in(filling->mem, DOCUMENT_MAX);
    for (;;) {
        size_t opens = find(text, STR("{{"));
        buf_add(&out, str_first(text, opens));
        if (opens == text.len)
            return buf_str(&out);
        struct str rest = str_from(text, opens + 2);
        size_t closes = find(rest, STR("}}"));
        struct str value = value_of(filling, str_first(rest, closes));
        if (!str_present(value)) {
            report_placeholder(filling, text);
            return text;
        }
        buf_add(&out, value);
        text = str_from(rest, closes + 2);
    }
}

/* ---- files ---- */

/* NULL: the problem was reported. */
static const struct json_value *
read_file(struct filling *filling, struct str name)
{
    const struct json_value *file = NULL;
    struct why why = { 0 };
    struct str text = embedded_find(str_c(filling->mem, name));
    if (!str_present(text))
        report_placeholder(filling, name);
    else if (json_read(filling->mem, text, OPENAPI_DEPTH_MAX, &file, &why)) {
        filling->failed = true;
        why_set(filling->why, "%.*s, %s", STR_ARG(name), why.text);
    }
    return filling->failed ? NULL : file;
}

/* `name` ends with the rest of the placeholder. */
static void
fill_file(struct filling *filling, struct str name)
{
    const struct json_value *file = read_file(filling, str_first(name, find(name, STR("}}"))));
    if (file != NULL)
        fill_members(filling, file);
}

/* A key that is a placeholder is replaced by other members; its value is ignored. */
static void
fill_members(struct filling *filling, const struct json_value *object)
{
    for (size_t i = 0; i < object->count && !filling->failed; i++) {
        const struct json_value *child = &object->children[i];
        if (str_starts(child->key, STR(FILE_PLACEHOLDER))) {
            fill_file(filling, str_from(child->key, strlen(FILE_PLACEHOLDER)));
        } else if (str_starts(child->key, STR("{{"))) {
            fill_each(filling, child->key);
        } else {
            json_key_str(filling->out, child->key);
            fill(filling, child);
        }
    }
}

/* Only a whole item can stand for several. */
static void
fill_items(struct filling *filling, const struct json_value *array)
{
    for (size_t i = 0; i < array->count; i++) {
        const struct json_value *child = &array->children[i];
        if (child->type == JSON_STR && str_starts(child->text, STR("{{each ")))
            fill_each(filling, child->text);
        else
            fill(filling, child);
    }
}

/* Writes a value with everything in it; numbers and other simple values as they are. */
static void
fill(struct filling *filling, const struct json_value *value)
{
    if (value->type == JSON_STR) {
        json_str(filling->out, fill_text(filling, value->text));
    } else if (value->type == JSON_ARRAY) {
        json_open_array(filling->out);
        fill_items(filling, value);
        json_close_array(filling->out);
    } else if (value->type == JSON_OBJECT) {
        json_open_object(filling->out);
        fill_members(filling, value);
        json_close_object(filling->out);
    } else {
        json_tree_write(filling->out, value);
    }
}

/* api/openapi.json is the frame, which includes the other files. */
enum err
openapi_make(struct arena *mem, const struct openapi_params *params, struct str *out,
             struct why *why)
{
    struct buf text = buf_in(mem, DOCUMENT_MAX);
    struct json json = json_into(&text);
    struct filling filling = { .mem = mem, .params = params, .out = &json, .why = why };
    const struct json_value *document = read_file(&filling, STR("api/openapi.json"));
    if (document != NULL)
        fill(&filling, document);
    if (filling.failed || text.overflow)
        return ERR_INVALID;
    *out = buf_str(&text);
    return ERR_NONE;
}
