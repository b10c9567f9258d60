/* domain.h - what can be known about a person, as data: one definition a domain.
 *
 * Definitions are JSON (docs/DOMAINS.md); four are compiled in, an operator may add more or replace
 * one of them as a whole. Everything about a domain follows from its definition: scope, consent
 * sentence, schema, statistics, hints. Loaded and checked once at start, then read-only and shared
 * between threads. Texts live as long as the set. */
#ifndef DOMAIN_DOMAIN_H
#define DOMAIN_DOMAIN_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct context_index;
struct json;

#define DOMAINS_MAX 48 /* each has a scope, and a set of scopes is a word of bits */

enum member_type {
    MEMBER_ARRAY, /* of strings; the only one that holds many values */
    MEMBER_STRING,
    MEMBER_ENUM,
    MEMBER_NUMBER,
    MEMBER_BOOL,
    MEMBER_OBJECT, /* flat */
};

enum member_safety { SAFETY_NONE, SAFETY_CONSTRAINT, SAFETY_CRITICAL };

struct vocabulary_value {
    struct str value; /* as it is kept and shown when nobody wrote it differently */
    struct str label; /* as it is shown to people and models; the value if the file has none */
    struct str key;   /* value_fold() of the value */
};

struct vocabulary {
    struct str name;
    bool open; /* other values are taken, too */
    const struct vocabulary_value *values;
    size_t count;
    struct vocabulary_index *index; /* private */
};

/* The entry that a text means, by value or alias; `folded` is what value_fold() made. NULL: none.
 */
const struct vocabulary_value *vocabulary_find(const struct vocabulary *vocabulary,
                                               struct str folded);

enum property_type { PROPERTY_STRING, PROPERTY_NUMBER, PROPERTY_BOOL };

struct property {
    struct str name;
    enum property_type type;
    struct str phrase;            /* in hints: "{value} bed"; absent: its name and value */
    struct str if_true, if_false; /* the same of a bool */
};

struct context_weight {
    struct str context; /* "*" is every other */
    int32_t weight;     /* 0 to 65536 */
};

struct value_sentence {
    struct str value;
    struct str sentence;
};

struct member {
    struct str name;
    struct str title; /* for people; absent: they read the name */
    struct str description;
    enum member_type type;
    const struct vocabulary *vocabulary; /* NULL: any text */
    const struct str *suggested;         /* values to offer, the most usual first */
    size_t suggested_count;              /* 0: as the vocabulary has them */
    enum member_safety safety;
    bool sensitive;
    bool avoid;                /* it names what the person does not want */
    const struct str *opposes; /* names of members that say the contrary */
    size_t oppose_count;
    int64_t half_life_days; /* 0: does not fade */
    int32_t weight;         /* 0 to 65536 */
    bool has_minimum, has_maximum;
    double minimum, maximum;
    size_t max_length; /* in characters */
    const struct property *properties;
    size_t property_count;
    const struct context_weight *contexts;
    size_t context_count;
    struct {
        struct str text, text_one, short_text; /* absent: none */
        struct str emphasis, emphasis_one;
        const struct value_sentence *values;
        size_t value_count;
        bool or_list; /* "a or b" */
        int base_items, std_items, max_items;
    } hint;
    struct str json_key; /* absent: none */
    int json_limit;      /* 0: none */
};

struct context {
    struct str name;
    const struct str *aliases;
    size_t alias_count;
};

struct domain {
    struct str name;
    struct str version;
    struct str title;
    struct str heading;
    struct str description;
    struct str consent; /* the sentence for its scope on the consent page */
    const struct member *members;
    size_t member_count;
    const struct vocabulary *vocabularies;
    size_t vocabulary_count;
    const struct context *contexts;
    size_t context_count;
    const struct str *safety_contexts;
    size_t safety_context_count;
    const struct str *strong_words;
    size_t strong_count;
    const struct str *weak_words;
    size_t weak_count;
    const struct str *not_words;
    size_t not_count;
    const struct str *summary_members;
    size_t summary_count;
    int summary_sentences;
    struct str digest; /* of the file: what was computed from another one is computed again */
    struct str schema; /* JSON Schema 2020-12 of a record, as text */
};

const struct member *domain_member(const struct domain *domain, struct str name); /* NULL: none */

struct domains {
    const struct domain *list; /* in the order of their names */
    size_t count;
    const struct context_index *contexts; /* made by context_index_make(), hint/context.h */
};

const struct domain *domains_find(const struct domains *set, struct str name); /* NULL: none */

/* The place of the first of a domain's safety_contexts that is neither name nor alias of a context
 * of another domain, so that it would say nothing; their count: all are. */
size_t domains_undefined_safety_context(const struct domains *set, const struct domain *domain);

/* A definition's file: its name without folder and ending is the domain's. */
struct domain_source {
    struct str file; /* as it is told in problems */
    struct str name;
    struct str text;
};

/* A later source replaces an earlier one of the same name. Every text ends in NUL. ERR_INVALID, and
 * why is one line with file, place and problem. */
enum err domains_load(struct arena *mem, const struct domain_source *sources, size_t count,
                      struct domains *out, struct why *why);

#endif
