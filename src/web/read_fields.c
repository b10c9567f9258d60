/* read_fields.c - reads the query and the form as the route's field table declares, and names
 * undeclared query parameters.
 *
 * All fields are checked before the request is refused, so that a client sees every problem at
 * once. */
#include "web/read_fields.h"

#include "base/arena.h"
#include "text/form.h"
#include "text/json_write.h"
#include "text/utf8.h"
#include "web/call.h"
#include "web/error.h"
#include "web/field.h"

/* The parse functions return NULL for a valid value, else the problem, worded to follow the field
 * name: "limit must be …". */
static const char *
parse_integer(struct call *call, const struct field *field, struct str text,
              struct field_value *out)
{
    if (str_to_int(text, field->min, field->max, &out->whole))
        return NULL;
    return str_format(call->mem, "must be a whole number from %lld to %lld", (long long)field->min,
                      (long long)field->max)
        .ptr;
}

static const char *
check_length(struct call *call, const struct field *field, struct str text)
{
    if (utf8_length(text) <= (size_t)field->max)
        return NULL;
    return str_format(call->mem, "must have at most %lld characters", (long long)field->max).ptr;
}

/* An empty value counts as not sent. Texts keep their spaces; other kinds are trimmed. */
static const char *
parse_field(struct call *call, const struct field *field, const struct form *form,
            struct field_value *out)
{
    if (form_count(form, field->name) > 1)
        return "must be sent only once";
    struct str text = form_find(form, field->name);
    if (str_present(text) && field->kind != FIELD_TEXT)
        text = str_trim(text);
    if (text.len == 0) {
        out->whole = field->fallback;
        return field->required ? "is missing" : NULL;
    }
    out->text = text;
    return field->kind == FIELD_INTEGER ? parse_integer(call, field, text, out)
                                        : check_length(call, field, text);
}

/* A target without '?' has an empty query: str_from() past the end is empty. NULL: `why` has the
 * problem. */
static const struct form *
read_query(struct call *call, struct why *why)
{
    struct str target = call->exchange->request.target;
    struct form *form = ARENA_NEW(call->mem, struct form);
    enum err err = form_read(call->mem, str_from(target, str_index(target, '?') + 1), form, why);
    return err == ERR_NONE ? form : NULL;
}

static enum err
refuse_unreadable(struct call *call, struct str part, const char *problem)
{
    error_add_detail(call, part, str_format(call->mem, "cannot be read: %s", problem));
    return ERR_INVALID;
}

/* Query and form are parsed only if the route declares a field in them. */
static enum err
read_from(struct call *call, enum field_source source)
{
    const struct form *form = NULL;
    struct why why = { 0 };
    bool invalid = false;
    for (size_t i = 0; i < call->route->field_count; i++) {
        const struct field *field = &call->route->fields[i];
        if (field->in != source)
            continue;
        if (form == NULL)
            form = source == FIELD_IN_QUERY ? read_query(call, &why) : call_form(call);
        if (form == NULL)
            return source == FIELD_IN_QUERY
                       ? refuse_unreadable(call, STR("query"), why.text)
                       : refuse_unreadable(call, STR("body"), call->form_problem);
        const char *problem = parse_field(call, field, form, &call->fields[i]);
        if (problem != NULL) {
            error_add_detail(call, str_of(field->name), str_of(problem));
            invalid = true;
        }
    }
    return invalid ? ERR_INVALID : ERR_NONE;
}

/* Both sources are read, so that the response names all problems. */
enum err
read_fields(struct call *call)
{
    if (call->route->field_count == 0)
        return ERR_NONE;
    enum err in_query = read_from(call, FIELD_IN_QUERY);
    enum err in_form = read_from(call, FIELD_IN_FORM);
    return in_query != ERR_NONE ? in_query : in_form;
}

/* ---- warnings ---- */

#define WARNINGS_MAX 8
#define NAME_MAX_BYTES ((size_t)32) /* of a parameter in a warning */
#define TYPOS_MAX 2                 /* letters to change at most */

/* The number of letters to insert, delete, or replace; or more than TYPOS_MAX. */
static size_t
typos_between(struct str a, struct str b)
{
    size_t row[NAME_MAX_BYTES + 1];
    if (a.len > NAME_MAX_BYTES || b.len > NAME_MAX_BYTES)
        return NAME_MAX_BYTES;
    for (size_t j = 0; j <= b.len; j++)
        row[j] = j;
    for (size_t i = 0; i < a.len; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < b.len; j++) {
            size_t replaced = diagonal + (a.ptr[i] != b.ptr[j]);
            diagonal = row[j + 1];
            size_t least = row[j] < row[j + 1] ? row[j] + 1 : row[j + 1] + 1;
            row[j + 1] = replaced < least ? replaced : least;
        }
    }
    return row[b.len];
}

/* Names that clients try by mistake (`instead_of`); the warning then names the right one. */
static bool
is_instead_of(const struct field *field, struct str name)
{
    struct str part, rest = str_of(field->instead_of == NULL ? "" : field->instead_of);
    while (str_cut(&rest, ' ', &part))
        if (str_eq_nocase(part, name))
            return true;
    return false;
}

/* A name that other services use for this field (.instead_of) is a match without typos. */
static const struct field *
nearest_field(const struct route *route, struct str name)
{
    const struct field *nearest = NULL;
    size_t least = TYPOS_MAX + 1;
    for (size_t i = 0; i < route->field_count; i++) {
        const struct field *field = &route->fields[i];
        size_t typos = is_instead_of(field, name) ? 0 : typos_between(name, str_of(field->name));
        if (field->in == FIELD_IN_QUERY && typos < least) {
            nearest = field;
            least = typos;
        }
    }
    return nearest;
}

static bool
is_declared(const struct route *route, struct str name)
{
    for (size_t i = 0; i < route->field_count; i++)
        if (str_eq_c(name, route->fields[i].name))
            return true;
    return false;
}

/* A long name is cut between characters. */
static struct str
shortened(struct str name)
{
    size_t length = name.len < NAME_MAX_BYTES ? name.len : NAME_MAX_BYTES;
    while (length < name.len && length > 0 && (name.ptr[length] & 0xC0) == 0x80)
        length--;
    return str_first(name, length);
}

/* Unknown parameters are ignored, as OAuth requires for its endpoints (RFC 6749 §3.1), but the
 * response warns about them. */
static struct str
warning_about(struct call *call, struct str name)
{
    const struct field *nearest = nearest_field(call->route, name);
    struct str shown = shortened(name);
    if (nearest == NULL)
        return str_format(call->mem, "%.*s is not a parameter of this endpoint and was ignored.",
                          STR_ARG(shown));
    return str_format(call->mem,
                      "%.*s is not a parameter of this endpoint and was ignored. Did you mean %s?",
                      STR_ARG(shown), nearest->name);
}

/* A parameter that the route does not know may be a typing error with a wrong result, so it is
 * named; it is not refused, because clients add parameters of their own. */
void
read_fields_warn(struct call *call, struct json *out)
{
    struct why why;
    const struct form *form = read_query(call, &why);
    size_t warnings = 0;
    for (size_t i = 0; form != NULL && i < form->count && warnings < WARNINGS_MAX; i++) {
        if (is_declared(call->route, form->fields[i].name))
            continue;
        if (warnings++ == 0) {
            json_key_array(out, "warnings");
        }
        json_str(out, warning_about(call, form->fields[i].name));
    }
    if (warnings > 0)
        json_close_array(out);
}
