/* domain_schema.c - the JSON Schema of a domain's record, as GET /v1/domains/{domain}/schema
 * returns it.
 *
 * It describes what a client may send and what it gets: bounds and lengths are those that value.c
 * checks. The text is made once, when the definition is loaded. */
#include "base/buf.h"
#include "domain/domain.h"
#include "domain/domain_internal.h"
#include "domain/value_text.h"
#include "text/json_write.h"

#define SCHEMA_MAX_BYTES (1024 * 1024)
/* Values of a list in one write. A record may have more. */
#define ITEMS_MAX 100

static void
put_number(struct json *out, const char *key, double number)
{
    json_key(out, key);
    json_number(out, number);
}

/* Lists the canonical values of a closed vocabulary; the API describes that aliases are accepted.
 * An open vocabulary only suggests values, so that it is not part of the schema. */
static void
put_text(struct json *out, const struct member *member)
{
    json_put_str(out, "type", STR("string"));
    if (member->vocabulary != NULL && !member->vocabulary->open) {
        json_key_array(out, "enum");
        for (size_t i = 0; i < member->vocabulary->count; i++)
            json_str(out, member->vocabulary->values[i].value);
        json_close_array(out);
        return;
    }
    json_put_int(out, "minLength", 1);
    json_put_int(out, "maxLength", (int64_t)member->max_length);
}

static void
put_bounds(struct json *out, double minimum, double maximum)
{
    json_put_str(out, "type", STR("number"));
    put_number(out, "minimum", minimum);
    put_number(out, "maximum", maximum);
}

/* Numbers have the bounds of all stored numbers. */
static void
put_property(struct json *out, const struct member *member, const struct property *property)
{
    json_open_object(out);
    switch (property->type) {
    case PROPERTY_STRING:
        put_text(out, member);
        break;
    case PROPERTY_NUMBER:
        put_bounds(out, -VALUE_NUMBER_MAX, VALUE_NUMBER_MAX);
        break;
    case PROPERTY_BOOL:
        json_put_str(out, "type", STR("boolean"));
        break;
    }
    json_close_object(out);
}

/* Every property may be absent, but one must exist: an empty object would state nothing. */
static void
put_object(struct arena *mem, struct json *out, const struct member *member)
{
    json_put_str(out, "type", STR("object"));
    json_put_bool(out, "additionalProperties", false);
    json_put_int(out, "minProperties", 1);
    json_key_object(out, "properties");
    for (size_t i = 0; i < member->property_count; i++) {
        json_key(out, str_c(mem, member->properties[i].name));
        put_property(out, member, &member->properties[i]);
    }
    json_close_object(out);
}

/* The schema describes what can be written: names of the properties of an object are in
 * put_object(). */
static void
put_member(struct arena *mem, struct json *out, const struct member *member)
{
    json_key_object(out, str_c(mem, member->name));
    if (member->description.len > 0)
        json_put_str(out, "description", member->description);
    switch (member->type) {
    case MEMBER_ARRAY:
        json_put_str(out, "type", STR("array"));
        json_put_int(out, "maxItems", ITEMS_MAX);
        json_key_object(out, "items");
        put_text(out, member);
        json_close_object(out);
        break;
    case MEMBER_STRING:
    case MEMBER_ENUM:
        put_text(out, member);
        break;
    case MEMBER_NUMBER:
        put_bounds(out, member->has_minimum ? member->minimum : -VALUE_NUMBER_MAX,
                   member->has_maximum ? member->maximum : VALUE_NUMBER_MAX);
        break;
    case MEMBER_BOOL:
        json_put_str(out, "type", STR("boolean"));
        break;
    case MEMBER_OBJECT:
        put_object(mem, out, member);
        break;
    }
    json_close_object(out);
}

/* JSON Schema 2020-12. additionalProperties is false, since unknown members are an error when they
 * are written. */
struct str
domain_schema(struct arena *mem, const struct domain *domain)
{
    struct buf text = buf_in(mem, SCHEMA_MAX_BYTES);
    struct json out = json_into(&text);
    json_open_object(&out);
    json_put_str(&out, "$schema", STR("https://json-schema.org/draft/2020-12/schema"));
    json_put_str(&out, "title", domain->title);
    if (domain->description.len > 0)
        json_put_str(&out, "description", domain->description);
    json_put_str(&out, "type", STR("object"));
    json_put_bool(&out, "additionalProperties", false);
    json_key_object(&out, "properties");
    for (size_t i = 0; i < domain->member_count; i++)
        put_member(mem, &out, &domain->members[i]);
    json_close_object(&out);
    json_close_object(&out);
    return str_copy(mem, buf_str(&text));
}
