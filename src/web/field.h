/* field.h - inputs, declared with their bounds; they arrive parsed.
 *
 * A row lists its fields; before its handler runs each has been looked for, bounded and converted,
 * or the request has been refused with a sentence for every field that was wrong. A field sent
 * without a value counts as not sent (RFC 6749 §3.1), one sent twice is refused, one that is not
 * declared is ignored. */
#ifndef WEB_FIELD_H
#define WEB_FIELD_H

#include "base/err.h"
#include "base/str.h"

struct call;

#define FIELDS_MAX 16 /* of one row */

enum field_kind {
    FIELD_UNSET = 0,
    FIELD_LINE,    /* text without the blanks at its ends */
    FIELD_TEXT,    /* text exactly as it was sent: a password, a state */
    FIELD_INTEGER, /* a whole number from min to max */
};

enum field_place { FIELD_IN_QUERY = 0, FIELD_IN_FORM };

struct field {
    const char *name;
    enum field_kind kind;
    enum field_place in;
    bool required;
    int64_t min;      /* of a number */
    int64_t max;      /* of a number; of a text: how many characters */
    int64_t fallback; /* the number, when none was sent */
};

struct field_value {
    struct str text; /* absent if not sent */
    int64_t whole;
};

/* Fills call->fields as its row declares them. ERR_INVALID with the details told to the reply. */
enum err field_read_all(struct call *call);

#endif
