/* value.h - validates and normalizes one value of a preference.
 *
 * Values end up in AI prompts, so a value is one line of visible characters. The form as first
 * written is shown; two values are equal when their keys are equal.
 *
 * Pure functions; results are allocated from `mem`. Any thread may call them. */
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

/* Returns NULL, or the problem as the end of a sentence: "must be one of …", "contains U+200B,
 * which cannot be seen; leave it out". For an array member, call it once for each item. */
const char *value_read(struct arena *mem, const struct member *member,
                       const struct json_value *given, struct value *out);

/* Returns the name of the first pattern found that suggests the text addresses a model or a browser
 * ("a link", "an instruction to a model"), or NULL. Only strings are searched. */
const char *value_suspicion(struct arena *mem, const struct value *value);

#endif
