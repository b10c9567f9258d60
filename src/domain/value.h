/* value.h - one value of a preference: what is taken, when two are the same, what is held.
 *
 * Values reach AI prompts, so they are data and nothing else: one line of visible characters. The
 * form as first written is shown; two values are the same when their keys are. Pure. */
#ifndef DOMAIN_VALUE_H
#define DOMAIN_VALUE_H

#include "base/str.h"
#include "domain/domain.h"

struct arena;
struct json_value;

#define VALUE_MAX_CHARACTERS 200

struct value {
    struct str json; /* as shown, in compact JSON */
    struct str key;  /* canonical */
};

/* NFC, white space folded to single blanks and trimmed, case folded, '_' and '-' as blanks: how
 * values, aliases and vocabularies are compared. Absent if not valid UTF-8. */
struct str value_fold(struct arena *mem, struct str text);

/* NULL, or what is wrong with it, as the end of a sentence: "must be one of …", "holds U+200B,
 * which cannot be seen; leave it out". One item of an array member at a time. */
const char *value_read(struct arena *mem, const struct member *member,
                       const struct json_value *given, struct value *out);

/* What makes a text look as if it were meant for a model or a browser and not for a person: the
 * name of the pattern ("a link", "an instruction to a model"), or NULL. Looks into strings only. */
const char *value_suspicion(struct arena *mem, const struct value *value);

#endif
