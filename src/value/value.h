/* value.h - validates and normalizes one value of a preference.
 *
 * Values end up in AI prompts, so a value is one line of visible characters. Two values are equal
 * when their keys are equal. A value keeps the form as first written unless it had to be found in a
 * longer wording, which is then kept beside it; see value/value_clean.h.
 *
 * Pure functions; results are allocated from `mem`. Any thread may call them. */
#ifndef VALUE_VALUE_H
#define VALUE_VALUE_H

#include "base/str.h"
#include "domain/domain.h"

struct arena;
struct json_value;

struct value {
    struct str json;    /* as shown, in compact JSON */
    struct str key;     /* canonical */
    struct str wording; /* what was written, in JSON; absent: the value itself */
};

/* Returns NULL, or the problem as the end of a sentence: "must be one of …", "contains U+200B,
 * which cannot be seen; leave it out". For an array member, call it once for each item. */
const char *value_read(struct arena *mem, const struct member *member,
                       const struct json_value *given, struct value *out);

/* The same for an item of an array, which can be a list: "milk, eggs and soy" are three values. */
const char *value_read_list(struct arena *mem, const struct member *member,
                            const struct json_value *given, struct value **out, size_t *count);

/* The values of a text that belongs to another member of the domain, which *to is set to: an
 * allergy or an intolerance (claim.h), or a taste among dangers ("I don't like olives"). *to is the
 * same member if one of them is a diet. 0: it belongs where it is. *known: all of them are in the
 * vocabulary. */
size_t value_claimed(struct arena *mem, const struct domain *domain, const struct member *member,
                     struct str text, const struct member **to, struct value **out, bool *known);

/* The member for a value among dangers that is a diet, such as "vegan", and the value there. NULL:
 * it is none. */
const struct member *value_diet(struct arena *mem, const struct domain *domain,
                                const struct member *member, const struct value *value,
                                struct value *diet);

/* Returns the name of the first pattern found that suggests the text addresses a model or a browser
 * ("a link", "an instruction to a model"), or NULL. Only strings are searched. */
const char *value_suspicion(struct arena *mem, const struct value *value);

/* Whether a value that an app wrote waits until the user confirms it: it is suspicious, it is a
 * statement, which hints would attribute to the user, or it is not in the vocabulary of a
 * member that is critical, or that is part of every hint (how to answer). */
bool value_needs_user(struct arena *mem, const struct domain *domain, const struct member *member,
                      const struct value *value);

#endif
