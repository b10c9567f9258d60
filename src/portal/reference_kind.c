/* reference_kind.c - describes the type of a schema for the API reference: "integer from 1 to 100;
 * default `20`".
 *
 * Covers what api/ uses of JSON Schema. The result contains backquotes, which become code on pages
 * and in Markdown. */
#include "base/buf.h"
#include "portal/reference_internal.h"
#include "text/json_tree.h"
#include "text/json_write.h"

#define KIND_MAX 4096
#define NAMES_SHOWN 8 /* of an enum */

static void add_kind(const struct reading *reading, struct buf *out,
                     const struct json_value *schema);

/* A text without quotes; any other value as JSON. */
static void
add_value(struct buf *out, const struct json_value *value)
{
    struct json json = json_into(out);
    if (value->type == JSON_STR)
        buf_add(out, value->text);
    else
        json_tree_write(&json, value);
}

/* Long lists are only counted: the schema has them. */
static void
add_choice(struct buf *out, const struct json_value *values)
{
    if (values->count > NAMES_SHOWN) {
        buf_add_format(out, "one of %u values", values->count);
        return;
    }
    for (size_t i = 0; i < values->count; i++) {
        const char *last = values->count > 2 ? "`, or `" : "` or `";
        buf_add_c(out, i == 0 ? "`" : (i + 1 < values->count ? "`, `" : last));
        add_value(out, &values->children[i]);
    }
    buf_add_c(out, "`");
}

/* Bounds of numbers only if there are two. */
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
        buf_add_format(out, " (max %lld characters)", (long long)longest->integer);
}

/* The member names of an object, unless there are too many. */
static void
add_names(struct buf *out, const struct json_value *properties)
{
    size_t count = properties == NULL ? 0 : properties->count;
    const char *last = count > 2 ? ", and " : " and ";
    for (size_t i = 0; i < count && count <= NAMES_SHOWN; i++)
        buf_add_format(out, "%s`%.*s`", i == 0 ? " with " : (i + 1 < count ? ", " : last),
                       STR_ARG(properties->children[i].key));
}

/* The JSON type, or "time" for a string in RFC 3339 format. */
static struct str
type_name(struct str type, const struct json_value *schema)
{
    const struct json_value *format = json_member(schema, "format");
    bool is_time =
        str_eq_c(type, "string") && format != NULL && str_eq_c(format->text, "date-time");
    return is_time ? STR("time") : type;
}

/* Without a type, "anyOf" is used in api/ for objects only. A list of types mostly means that the
 * value may be null. */
static void
add_type(const struct reading *reading, struct buf *out, const struct json_value *schema)
{
    const struct json_value *type = json_member(schema, "type");
    const struct json_value *items = json_member(schema, "items");
    if (type == NULL) {
        buf_add_c(out, json_member(schema, "anyOf") != NULL ? "object" : "varies");
    } else if (type->type == JSON_ARRAY) {
        for (size_t i = 0; i < type->count; i++) {
            buf_add_c(out, i == 0 ? "" : " or ");
            buf_add(out, type_name(type->children[i].text, schema));
        }
    } else if (items != NULL) {
        buf_add_c(out, "array of ");
        add_kind(reading, out, items);
    } else {
        buf_add(out, type_name(type->text, schema));
        add_bounds(out, schema);
        add_names(out, json_member(schema, "properties"));
    }
}

/* Recursive for arrays. A constant or a choice says more than its type. */
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
        buf_add_c(out, "; default `");
        add_value(out, otherwise);
        buf_add_c(out, "`");
    }
}

struct str
reference_kind(const struct reading *reading, const struct json_value *schema)
{
    struct buf out = buf_in(reading->mem, KIND_MAX);
    add_kind(reading, &out, schema);
    return buf_str(&out);
}
