/* form.h - name=value pairs of a query string or an application/x-www-form-urlencoded body. */
#ifndef TEXT_FORM_H
#define TEXT_FORM_H

#include "base/err.h"
#include "base/str.h"

#define FORM_FIELDS_MAX 64

struct form {
    size_t count;
    struct form_field {
        struct str name;
        struct str value;
    } fields[FORM_FIELDS_MAX];
};

/* ERR_INVALID, with why, for a malformed escape, a NUL, bytes that are not UTF-8, or too many
 * fields. Repeated names are kept as they came: whoever reads decides. */
enum err form_read(struct arena *mem, struct str in, struct form *out, struct why *why);

/* The value of the first field of that name, absent if there is none. */
struct str form_find(const struct form *form, const char *name);
size_t form_count(const struct form *form, const char *name);

#endif
