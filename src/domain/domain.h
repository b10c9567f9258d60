/* domain.h - domains: the kinds of preferences a user can have, one definition for each.
 *
 * Definitions are JSON files (docs/DOMAINS.md). Seven are compiled in; an operator may add more or
 * replace a whole definition. Scope, consent sentence, schema, statistics and hints of a domain all
 * follow from its definition. Definitions are loaded and checked once at startup; afterwards they
 * are read-only and shared between threads. All strings belong to the arena of the set. */
#ifndef DOMAIN_DOMAIN_H
#define DOMAIN_DOMAIN_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct context_index;
struct json;
struct terms;

#define VALUE_MAX_CHARACTERS 200
#define DOMAINS_MAX 48 /* each has a scope, and a set of scopes is a 64-bit word */

enum member_type {
    MEMBER_ARRAY, /* of strings; the only type with several values */
    MEMBER_STRING,
    MEMBER_ENUM,
    MEMBER_NUMBER,
    MEMBER_BOOL,
    MEMBER_OBJECT, /* flat */
};

enum member_safety { SAFETY_NONE, SAFETY_CONSTRAINT, SAFETY_CRITICAL };

/* The grammatical form that the sentence of a hint needs; see value/phrase.h. */
enum phrase_form {
    FORM_ANY,
    FORM_NOUN,
    FORM_GERUND,
    FORM_ADJECTIVE,
    FORM_ROLE,
    FORM_THING,
    FORM_VERB,
    FORM_PERIOD,
    FORM_QUALITY,
    FORM_COMPANY,
    FORM_NAME,
    FORM_PLACE
};

struct vocabulary_value {
    struct str value;           /* canonical spelling, as stored and shown */
    struct str label;           /* as shown to users and agents; the value by default */
    bool labeled;               /* the definition has a label: aliases are shown as this */
    struct str plural;          /* of a label with an article: "dogs" of "a dog"; absent: none */
    struct str note;            /* the meaning of a code, shown when it is chosen; absent: none */
    struct str key;             /* value_fold() of the value */
    const struct str *contains; /* keys of values that are a part of it: cheese contains milk */
    size_t contain_count;
    const struct str *excludes; /* keys of values of other vocabularies: vegan excludes meat */
    size_t exclude_count;
};

struct vocabulary {
    struct str name;
    bool open; /* other values are accepted, too */
    const struct vocabulary_value *values;
    size_t count;
    struct vocabulary_index *index; /* private */
};

/* Finds an entry by value or alias; `folded` is the result of value_fold(). NULL: none. */
const struct vocabulary_value *vocabulary_find(const struct vocabulary *vocabulary,
                                               struct str folded);

/* Finds the entry with the spelling in which `folded` has the fewest errors, of those that start
 * with its first byte. `errors` returns SIZE_MAX for another word. NULL: none, or several. */
const struct vocabulary_value *
vocabulary_nearest(const struct vocabulary *vocabulary, struct str folded,
                   size_t (*errors)(struct str typed, struct str known));

/* All spellings of the vocabulary's values, folded: the i-th one if it is a spelling of `value`,
 * otherwise absent. */
size_t vocabulary_spelling_count(const struct vocabulary *vocabulary);
struct str vocabulary_spelling(const struct vocabulary *vocabulary, size_t i,
                               const struct vocabulary_value *value);

enum property_type { PROPERTY_STRING, PROPERTY_NUMBER, PROPERTY_BOOL };

struct property {
    struct str name;
    enum property_type type;
    struct str phrase;            /* in hints: "{value} bed"; absent: name and value */
    struct str if_true, if_false; /* phrases of a bool */
};

#define NO_CONTEXT_WEIGHT 32768 /* of a context that the member does not mention: 0.5 */

/* Forms that every name fits. */
static inline bool
form_of_names(enum phrase_form form)
{
    return form == FORM_NAME || form == FORM_PLACE;
}

static inline bool
form_takes_names(enum phrase_form form)
{
    return form == FORM_ANY || form_of_names(form);
}

struct value_sentence {
    struct str value;
    struct str sentence;
};

struct member {
    struct str name;
    struct str title; /* as shown to users; absent: the name */
    struct str description;
    enum member_type type;
    const struct vocabulary *vocabulary; /* NULL: any text */
    const struct str *suggested;         /* values to offer, most common first */
    size_t suggested_count;              /* 0: offer the vocabulary in its order */
    enum member_safety safety;
    bool sensitive;
    bool avoid;                /* names things the user does not want */
    const struct str *opposes; /* names of members with the opposite meaning */
    size_t oppose_count;
    struct str no_opposite; /* why no member has the opposite meaning; absent: not stated */
    int64_t half_life_days; /* 0: does not fade */
    int32_t weight;         /* 0 to 65536 */
    bool has_minimum, has_maximum;
    double minimum, maximum;
    size_t max_length;       /* in characters */
    bool separate;           /* no value has a comma or "and", so that a text with them is a list */
    struct str sole;         /* the value of an array that excludes all others: "alone"; folded */
    const struct str *trims; /* phrases removed from either end of a value, folded */
    size_t trim_count;
    const struct property *properties;
    size_t property_count;
    const int32_t *context_weights; /* of the domain's contexts, then of no context; 0 to 65536 */
    const struct str *only_in;      /* contexts of other domains: see DOMAINS.md */
    size_t only_in_count;           /* 0: every one */
    struct {
        struct str text, text_one, short_text; /* absent: none */
        struct str emphasis, emphasis_one;
        enum phrase_form form;
        struct str loose; /* for values that do not have the form */
        struct str noun;  /* what a value describes that names nothing: "places"; absent: none */
        struct str described; /* the sentence for such a value; absent: `text` */
        struct str manner;    /* the sentence for "in the army" or "alone"; absent: none */
        struct str
            speech_text; /* for a sentence in the first person: that of statements; absent: none */
        const struct value_sentence *values;
        size_t value_count;
        bool or_list;  /* "a or b" */
        bool for_each; /* an array with a sentence for each value: statements */
        int base_items, std_items, max_items;
    } hint;
    struct str json_key; /* the name by default */
    int json_limit;      /* JSON names this many values before other members grow; 0: std_items */
};

struct context {
    struct str name;
    const struct str *aliases;
    size_t alias_count;
    const struct terms *terms; /* words of its name and aliases */
};

#define MEMBERS_MAX 128 /* of a domain */

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
    bool always; /* relevant in every context: how the user wants to be answered */
    const struct str *safety_contexts;
    size_t safety_context_count;
    const struct str *strong_words;
    size_t strong_count;
    const struct str *foreign_words; /* strong words in other languages */
    size_t foreign_count;
    const struct str *name_words; /* weak words that count once together */
    size_t name_word_count;
    const struct str *weak_words;
    size_t weak_count;
    const struct str *not_words;
    size_t not_count;
    const struct str *summary_members;
    size_t summary_count;
    int summary_sentences;
    struct str digest; /* of the file; data computed from another digest is stale */
    struct str schema; /* JSON Schema 2020-12 of a record, as text */
};

const struct member *domain_member(const struct domain *domain, struct str name); /* NULL: none */

bool domain_has_critical(const struct domain *domain); /* a member with SAFETY_CRITICAL */

/* Whether the member lists things that can harm the user, such as allergens. */
bool member_lists_dangers(const struct member *member);

/* Whether `other` is among the members with the opposite meaning of `member`. */
bool member_opposes(const struct member *member, const struct member *other);

struct domains {
    const struct domain *list; /* sorted by name */
    size_t count;
    const struct context_index *contexts; /* made by context_index_make(), context/context.h */
};

const struct domain *domains_find(const struct domains *set, struct str name); /* NULL: none */

/* The index of the first safety context of the domain that is neither a name nor an alias of a
 * context of another domain, and thus has no effect; safety_context_count if all are defined. */
size_t domains_undefined_safety_context(const struct domains *set, const struct domain *domain);

/* The first name in `only_in` of a member that is not a context of another domain; absent: none. */
struct str domains_undefined_context(const struct domains *set, const struct domain *domain);

/* A definition file. The domain's name is the file name without directory and extension. */
struct domain_source {
    struct str file; /* as shown in problems */
    struct str name;
    struct str text;
};

/* Loads and checks all definitions. A later source replaces an earlier one of the same name. Source
 * texts must be NUL-terminated. On ERR_INVALID, *why is one line with file, path and problem. */
enum err domains_load(struct arena *mem, const struct domain_source *sources, size_t count,
                      struct domains *out, struct why *why);

#endif
