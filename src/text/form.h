/* form.h - parses a query string or an application/x-www-form-urlencoded body. Names and values are
 * allocated from the arena. Any thread may call these functions. */
#ifndef TEXT_FORM_H
#define TEXT_FORM_H

#include "base/err.h"
#include "base/str.h"

#define FORM_FIELDS_MAX 128

struct form {
    size_t count;
    struct form_field {
        struct str name;
        struct str value;
    } fields[FORM_FIELDS_MAX];
};

/* ERR_INVALID, with why, for a malformed escape, a NUL, invalid UTF-8, or more than FORM_FIELDS_MAX
 * fields. Repeated names are kept in order; the caller decides whether they are allowed. */
enum err form_read(struct arena *mem, struct str in, struct form *out, struct why *why);

/* The value of the first field of that name, or absent. */
struct str form_find(const struct form *form, const char *name);
size_t form_count(const struct form *form, const char *name);

#endif
