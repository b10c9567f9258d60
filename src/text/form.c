/* form.c - names and values are decoded into an arena. There are at most FORM_FIELDS_MAX fields. */
#include "text/form.h"

#include "text/url.h"

/* application/x-www-form-urlencoded as in the URL Standard. `;` separates nothing, as there: older
 * rules treated it like `&`, and a proxy that does so would see other fields. */
enum err
form_read(struct arena *mem, struct str in, struct form *out, struct why *why)
{
    struct str part;
    out->count = 0;
    while (str_cut(&in, '&', &part)) {
        if (part.len == 0)
            continue; /* "a=1&&b=2": empty fields are skipped, as the URL Standard requires */
        if (out->count == FORM_FIELDS_MAX) {
            why_set(why, "there are more than %d fields", FORM_FIELDS_MAX);
            return ERR_INVALID;
        }
        struct form_field *field = &out->fields[out->count++];
        size_t equals = str_index(part, '=');
        if (!url_decode(mem, str_first(part, equals), true, &field->name) ||
            !url_decode(mem, str_from(part, equals + 1), true, &field->value)) {
            why_set(why,
                    "field %zu holds a broken %%-escape, a NUL character or bytes that are not "
                    "UTF-8",
                    out->count);
            return ERR_INVALID;
        }
    }
    return ERR_NONE;
}

/* The first of several; absent: none. */
struct str
form_find(const struct form *form, const char *name)
{
    for (size_t i = 0; i < form->count; i++)
        if (str_eq_c(form->fields[i].name, name))
            return form->fields[i].value;
    return STR_NONE;
}

size_t
form_count(const struct form *form, const char *name)
{
    size_t count = 0;
    for (size_t i = 0; i < form->count; i++)
        count += str_eq_c(form->fields[i].name, name);
    return count;
}
