/* reference_kind.c - schemas in words. */
#include "base/buf.h"
#include "text/json_tree.h"
#include "text/json_write.h"
#include "web/reference_parts.h"

#define KIND_MAX 4096
#define NAMES_SHOWN 8 /* of an enum */

static void add_kind(const struct reading *reading, struct buf *out,
                     const struct json_value *schema);

static void
add_value(struct buf *out, const struct json_value *value)
{
    struct json json = json_into(out);
    if (value->type == JSON_STR)
        buf_add(out, value->text);
    else
        json_tree_write(&json, value);
}

static void
add_choice(struct buf *out, const struct json_value *values)
{
    if (values->count > NAMES_SHOWN) {
        buf_add_format(out, "one of %zu values", values->count);
        return;
    }
    for (size_t i = 0; i < values->count; i++) {
        buf_add_c(out, i == 0 ? "`" : (i + 1 < values->count ? "`, `" : "` or `"));
        add_value(out, &values->children[i]);
    }
    buf_add_c(out, "`");
}

static void
add_bounds(struct buf *out, const struct json_value *schema)
{
    const struct json_value *least = json_member(schema, "minimum");
    const struct json_value *most = json_member(schema, "maximum");
    const struct json_value *longest = json_member(schema, "maxLength");
    if (least != NULL && most != NULL) {
        buf_add_c(out, " from ");
        add_value(out, least);
        buf_add_c(out, " to ");
        add_value(out, most);
    }
    if (longest != NULL)
        buf_add_format(out, " of at most %lld characters", (long long)longest->integer);
}

/* Of the members of an object, if they are few. */
static void
add_names(struct buf *out, const struct json_value *properties)
{
    size_t count = properties == NULL ? 0 : properties->count;
    for (size_t i = 0; i < count && count <= NAMES_SHOWN; i++)
        buf_add_format(out, "%s`%.*s`", i == 0 ? " of " : (i + 1 < count ? ", " : " and "),
                       STR_ARG(properties->children[i].key));
}

static const char *
word_for(struct str type, const struct json_value *schema)
{
    static const struct {
        const char *type;
        const char *word;
    } words[] = {
        { "integer", "whole number" }, { "number", "number" }, { "boolean", "true or false" },
        { "object", "object" },        { "null", "null" },     { "array", "list" },
    };
    const struct json_value *format = json_member(schema, "format");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_eq_c(type, words[i].type))
            return words[i].word;
    return format != NULL && str_eq_c(format->text, "date-time") ? "time" : "text";
}

static void
add_type(const struct reading *reading, struct buf *out, const struct json_value *schema)
{
    const struct json_value *type = json_member(schema, "type");
    const struct json_value *items = json_member(schema, "items");
    if (type == NULL) {
        buf_add_c(out, json_member(schema, "anyOf") != NULL ? "object" : "any value");
    } else if (type->type == JSON_ARRAY) {
        for (size_t i = 0; i < type->count; i++)
            buf_add_format(out, "%s%s", i == 0 ? "" : " or ",
                           word_for(type->children[i].text, schema));
    } else if (items != NULL) {
        buf_add_c(out, "list of ");
        add_kind(reading, out, items);
    } else {
        buf_add_c(out, word_for(type->text, schema));
        add_bounds(out, schema);
        add_names(out, json_member(schema, "properties"));
    }
}

static void
add_kind(const struct reading *reading, struct buf *out, const struct json_value *schema)
{
    schema = reference_follow(reading, schema);
    const struct json_value *choice = json_member(schema, "enum");
    const struct json_value *only = json_member(schema, "const");
    const struct json_value *otherwise = json_member(schema, "default");
    if (only != NULL) {
        buf_add_c(out, "`");
        add_value(out, only);
        buf_add_c(out, "`");
    } else if (choice != NULL) {
        add_choice(out, choice);
    } else {
        add_type(reading, out, schema);
    }
    if (otherwise != NULL) {
        buf_add_c(out, "; ");
        add_value(out, otherwise);
        buf_add_c(out, " if absent");
    }
}

struct str
reference_kind(const struct reading *reading, const struct json_value *schema)
{
    struct buf out = buf_in(reading->mem, KIND_MAX);
    add_kind(reading, &out, schema);
    return buf_str(&out);
}
