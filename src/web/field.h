/* field.h - how a route declares its query and form fields, with types and bounds.
 *
 * read_fields.h parses them; handlers get the values with call_text() and call_integer(). Tables
 * are constants that any thread reads; values are in the request's arena. */
#ifndef WEB_FIELD_H
#define WEB_FIELD_H

#include "base/str.h"

#define FIELDS_MAX 16 /* per route */

enum field_kind {
    FIELD_UNSET = 0,
    FIELD_LINE,    /* text, with leading and trailing whitespace removed */
    FIELD_TEXT,    /* text exactly as sent: a password, an OAuth state */
    FIELD_INTEGER, /* an integer from min to max */
};

enum field_source { FIELD_IN_QUERY = 0, FIELD_IN_FORM };

struct field {
    const char *name;
    enum field_kind kind;
    enum field_source in;
    bool required;
    int64_t min;            /* FIELD_INTEGER only */
    int64_t max;            /* FIELD_INTEGER: largest value; otherwise: most characters */
    int64_t fallback;       /* FIELD_INTEGER: value if the field was not sent */
    const char *instead_of; /* names that clients try, separated by spaces, for warnings; or NULL */
};

struct field_value {
    struct str text; /* absent if not sent */
    int64_t whole;
};

#endif
