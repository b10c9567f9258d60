#include "web/read_fields.h"

#include "base/arena.h"
#include "text/form.h"
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

enum err
read_fields(struct call *call)
{
    if (call->route->field_count == 0)
        return ERR_NONE;
    enum err in_query = read_from(call, FIELD_IN_QUERY);
    enum err in_form = read_from(call, FIELD_IN_FORM);
    return in_query != ERR_NONE ? in_query : in_form;
}
