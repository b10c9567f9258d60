/* member_read.c - reads one member of a definition: its type, values, weights, and templates.
 *
 * Which keys are allowed depends on the type, so that the type comes first. A key that does not fit
 * the type is an error, not ignored: its author expects an effect. */
#include "base/arena.h"
#include "domain/domain.h"
#include "domain/domain_internal.h"
#include "domain/value_text.h"
#include "text/json_read.h"

#include <string.h>

#define ITEMS_MAX 64
/* Days. */
#define HALF_LIFE_MAX 36500
#define PROPERTIES_MAX 32
#define SENTENCES_MAX 256

/* ---- single keys ---- */

/* cardinality and items follow from the type; they must be stated nevertheless, so that a
 * definition can be read without this code. */
static void
read_type(const struct node *node, struct member *out)
{
    static const char *const types[] = {
        "array", "string", "enum", "number", "bool", "object", NULL
    };
    static const char *const cardinalities[] = { "one", "many", NULL };
    static const char *const items[] = { "string", NULL };
    struct node type = node_member(node, "type"), cardinality = node_member(node, "cardinality"),
                item = node_member(node, "items");
    out->type = (enum member_type)node_choice(&type, types, MEMBER_ARRAY);
    bool many = node_choice(&cardinality, cardinalities, 0) == 1;
    node_choice(&item, items, 0);
    if (many != (out->type == MEMBER_ARRAY))
        node_reject(&cardinality, "must be many for an array and one for every other type");
    if ((item.value != NULL) != (out->type == MEMBER_ARRAY))
        node_reject(&item, "is required for an array and not allowed otherwise");
}

/* Vocabularies were read before, so that the pointer stays valid. */
static void
read_vocabulary_of(const struct node *node, const struct domain *domain, struct member *out)
{
    struct node vocabulary = node_member(node, "vocabulary");
    struct str name = node_name(&vocabulary);
    bool fits = out->type == MEMBER_ARRAY || out->type == MEMBER_STRING || out->type == MEMBER_ENUM;
    if (!str_present(name)) {
        if (out->type == MEMBER_ENUM)
            node_reject(node, "an enum needs a vocabulary");
        return;
    }
    out->vocabulary = vocabulary_named(domain, name);
    if (out->vocabulary == NULL)
        node_reject(&vocabulary, "unknown vocabulary %s", definition_quote(node->in, name));
    else if (!fits)
        node_reject(&vocabulary, "only an array, a string, or an enum can have a vocabulary");
    else if (out->type == MEMBER_ENUM && out->vocabulary->open)
        node_reject(&vocabulary, "the vocabulary of an enum must not be open");
}

/* Values that pages offer must be accepted when they are chosen. */
static void
read_suggested(const struct node *node, struct member *out)
{
    struct node suggest = node_member(node, "suggest");
    const struct vocabulary *vocabulary = out->vocabulary;
    if (suggest.value == NULL)
        return;
    if (out->type != MEMBER_ARRAY && out->type != MEMBER_STRING) {
        node_reject(&suggest, "only an array or a string can suggest values");
        return;
    }
    if (!node_is_array(&suggest, 1, ITEMS_MAX))
        return;
    out->suggested = node_texts(&suggest, ITEMS_MAX, vocabulary_text, &out->suggested_count);
    for (size_t i = 0; i < out->suggested_count; i++) {
        struct node child = node_child(&suggest, i);
        struct str value = out->suggested[i];
        if (vocabulary != NULL && !vocabulary->open && str_present(value) &&
            vocabulary_find(vocabulary, value_fold(node->in->mem, value)) == NULL)
            node_reject(&child, "is not in the vocabulary, which is closed");
        for (size_t j = 0; j < i; j++)
            if (str_eq(value, out->suggested[j]))
                node_reject(&child, "%s is listed twice", definition_quote(node->in, value));
    }
}

/* Phrases are compared with folded values, so they are folded here. */
static void
read_trims(const struct node *node, struct member *out)
{
    struct node trim = node_member(node, "trim");
    if (trim.value == NULL)
        return;
    if (out->type != MEMBER_ARRAY && out->type != MEMBER_STRING) {
        node_reject(&trim, "only an array or a string can be trimmed");
        return;
    }
    if (!node_is_array(&trim, 1, ITEMS_MAX))
        return;
    struct str *list = node_texts(&trim, ITEMS_MAX, vocabulary_text, &out->trim_count);
    for (size_t i = 0; i < out->trim_count && !node->in->failed; i++)
        list[i] = value_fold(node->in->mem, list[i]);
    out->trims = list;
}

/* One name, or a list of names. */
static void
read_opposes(const struct node *node, struct member *out)
{
    struct node opposes = node_member(node, "opposes");
    if (opposes.value == NULL)
        return;
    if (opposes.value->type == JSON_ARRAY) {
        if (node_is_array(&opposes, 1, ITEMS_MAX))
            out->opposes = node_texts(&opposes, ITEMS_MAX, node_name, &out->oppose_count);
        return;
    }
    struct str *one = ARENA_NEW(node->in->mem, struct str);
    *one = node_name(&opposes);
    out->opposes = one;
    out->oppose_count = 1;
}

/* Contexts of other domains, which may not exist in this installation. */
static void
read_only_in(const struct node *node, const struct domain *domain, struct member *out)
{
    struct node only_in = node_member(node, "only_in");
    if (only_in.value == NULL)
        return;
    if (!domain->always)
        node_reject(&only_in, "only a domain that is always relevant can have it");
    else if (node_is_array(&only_in, 1, ITEMS_MAX))
        out->only_in = node_texts(&only_in, ITEMS_MAX, node_name, &out->only_in_count);
}

/* Each problem is reported at the node that is wrong. Only the first is kept (definition.h), so the
 * more likely ones come first. */
static void
read_bounds(const struct node *node, struct member *out)
{
    struct node minimum = node_member(node, "minimum"), maximum = node_member(node, "maximum"),
                length = node_member(node, "max_length");
    out->has_minimum = minimum.value != NULL;
    out->has_maximum = maximum.value != NULL;
    out->minimum = node_number(&minimum);
    out->maximum = node_number(&maximum);
    out->max_length = (size_t)node_int(&length, 1, VALUE_MAX_CHARACTERS, VALUE_LENGTH_DEFAULT);
    if (out->type != MEMBER_NUMBER && (out->has_minimum || out->has_maximum))
        node_reject(out->has_minimum ? &minimum : &maximum, "only a number can have bounds");
    else if (out->has_minimum && out->has_maximum && out->minimum > out->maximum)
        node_reject(&minimum, "is larger than the maximum");
    else if (out->has_minimum && !value_number_fits(out->minimum))
        node_reject(&minimum, "must be between -1e15 and 1e15");
    else if (out->has_maximum && !value_number_fits(out->maximum))
        node_reject(&maximum, "must be between -1e15 and 1e15");
    if (length.value != NULL &&
        (out->type == MEMBER_ENUM || out->type == MEMBER_NUMBER || out->type == MEMBER_BOOL))
        node_reject(&length, "only strings can have a length");
}

/* Flat: a property is a string, a number, or a bool, and never an object. */
static void
read_properties(const struct node *node, struct member *out)
{
    static const char *const types[] = { "string", "number", "bool", NULL };
    struct node properties = node_member(node, "properties");
    if ((properties.value != NULL) != (out->type == MEMBER_OBJECT)) {
        node_reject(&properties, "is required for an object and not allowed otherwise");
        return;
    }
    if (!node_is_map(&properties, 1, PROPERTIES_MAX))
        return;
    struct property *list = ARENA_ARRAY(node->in->mem, struct property, node_count(&properties));
    for (size_t i = 0; i < node_count(&properties); i++) {
        struct node child = node_child(&properties, i);
        if (!is_definition_name(child.key))
            node_reject(&child, "must have a name of lowercase letters, digits, and _");
        list[i].name = node_key(&child);
        list[i].type = (enum property_type)node_choice(&child, types, PROPERTY_STRING);
    }
    out->properties = list;
    out->property_count = node_count(&properties);
}

/* The index of a context in the domain, or the number of contexts. */
static size_t
context_index_of(const struct domain *domain, struct str name)
{
    size_t i = 0;
    while (i < domain->context_count && !str_eq(domain->contexts[i].name, name))
        i++;
    return i;
}

/* "*" is any context that is not listed. The last weight is that of no context. */
static void
read_context_weights(const struct node *node, const struct domain *domain, struct member *out)
{
    struct node contexts = node_member(node, "contexts");
    size_t count = domain->context_count;
    int32_t *weights = ARENA_ARRAY(node->in->mem, int32_t, count + 1), other = NO_CONTEXT_WEIGHT;
    bool *listed = ARENA_ARRAY(node->in->mem, bool, count + 1);
    bool is_map = node_is_map(&contexts, 0, count + 1);
    for (size_t i = 0; is_map && i < node_count(&contexts); i++) {
        struct node child = node_child(&contexts, i);
        size_t index = context_index_of(domain, child.key);
        if (index == count && !str_eq_c(child.key, "*"))
            node_reject(&child, "unknown context");
        weights[index] = node_unit(&child, 0);
        listed[index] = true;
    }
    other = listed[count] ? weights[count] : other;
    for (size_t i = 0; i <= count; i++)
        weights[i] = listed[i] ? weights[i] : other;
    out->context_weights = weights;
}

/* ---- hint and json ---- */

/* A sentence of a value replaces the pattern of the member, so it has no placeholder. */
static void
read_sentences(const struct node *node, struct member *out)
{
    if (!node_is_map(node, 1, SENTENCES_MAX))
        return;
    struct value_sentence *list =
        ARENA_ARRAY(node->in->mem, struct value_sentence, node_count(node));
    for (size_t i = 0; i < node_count(node); i++) {
        struct node child = node_child(node, i);
        list[i].value = node_key(&child);
        list[i].sentence = node_text(&child, 1, 200);
        domain_check_sentence(&child, list[i].sentence);
        if (str_index(list[i].sentence, '{') < list[i].sentence.len)
            node_reject(&child, "must be a complete sentence without placeholders");
    }
    out->hint.values = list;
    out->hint.value_count = node_count(node);
}

/* For a property that is true or false, a phrase for each; otherwise one phrase with the value. */
static void
read_phrase(const struct node *node, struct property *out)
{
    static const char *const keys[] = { "true", "false", NULL };
    if (out->type != PROPERTY_BOOL) {
        out->phrase = node_text(node, 1, 80);
        domain_check_phrase(node, out->phrase, true);
    } else if (node_is_object(node, keys)) {
        struct node yes = node_member(node, "true"), no = node_member(node, "false");
        out->if_true = node_text(&yes, 1, 80);
        out->if_false = node_text(&no, 1, 80);
        domain_check_phrase(&yes, out->if_true, false);
        domain_check_phrase(&no, out->if_false, false);
    }
}

/* Phrases of properties; a property without one is written as name and value. The properties are
 * copied, since the list that was read before is const. */
static void
read_phrases(const struct node *node, struct member *out)
{
    if (node->value == NULL)
        return;
    if (out->type != MEMBER_OBJECT) {
        node_reject(node, "only an object can have pairs");
        return;
    }
    if (!node_is_map(node, 1, PROPERTIES_MAX))
        return;
    struct property *list = ARENA_ARRAY(node->in->mem, struct property, out->property_count + 1);
    for (size_t i = 0; i < out->property_count; i++)
        list[i] = out->properties[i];
    for (size_t i = 0; i < node_count(node); i++) {
        struct node child = node_child(node, i);
        size_t j = 0;
        while (j < out->property_count && !str_eq(list[j].name, child.key))
            j++;
        if (j == out->property_count)
            node_reject(&child, "unknown property");
        else
            read_phrase(&child, &list[j]);
    }
    out->properties = list;
}

/* Derives missing counts from the given ones, so that any of the three can be given alone. */
static void
read_items(const struct node *node, struct member *out)
{
    struct node base = node_member(node, "base_items"), std = node_member(node, "std_items"),
                max = node_member(node, "max_items");
    int base_given = node_int(&base, 1, ITEMS_MAX, 0), std_given = node_int(&std, 1, ITEMS_MAX, 0),
        max_given = node_int(&max, 1, ITEMS_MAX, 0);
    int least = base_given > std_given ? base_given : std_given;
    out->hint.max_items = max_given > 0 ? max_given : least > 8 ? least : 8;
    out->hint.std_items = std_given > 0 ? std_given : base_given > 4 ? base_given : 4;
    if (std_given == 0 && out->hint.std_items > out->hint.max_items)
        out->hint.std_items = out->hint.max_items;
    out->hint.base_items = base_given > 0 ? base_given : 3;
    if (base_given == 0 && out->hint.base_items > out->hint.std_items)
        out->hint.base_items = out->hint.std_items;
    if (out->hint.base_items > out->hint.std_items)
        node_reject(&base, "is larger than std_items");
    else if (out->hint.std_items > out->hint.max_items)
        node_reject(std_given > 0 ? &std : &base, "is larger than max_items");
}

/* A member without a hint is stored and returned by the API, but never appears in hints. */
static void
read_hint(const struct node *node, struct member *out)
{
    static const char *const keys[] = {
        "",          "text",   "text_one",    "short",     "emphasis",  "emphasis_one",
        "values",    "pairs",  "conjunction", "form",      "loose",     "noun",
        "described", "manner", "base_items",  "std_items", "max_items", NULL
    };
    static const char *const conjunctions[] = { "and", "or", NULL };
    static const char *const forms[] = { "any",   "noun",  "gerund", "adjective", "role",
                                         "thing", "verb",  "period", "quality",   "company",
                                         "name",  "place", NULL };
    struct node hint = node_member(node, "hint");
    read_items(&hint, out);
    if (!node_is_object(&hint, keys))
        return;
    struct node text = node_member(&hint, "text"), text_one = node_member(&hint, "text_one"),
                short_text = node_member(&hint, "short"), emphasis = node_member(&hint, "emphasis"),
                emphasis_one = node_member(&hint, "emphasis_one"),
                values = node_member(&hint, "values"), pairs = node_member(&hint, "pairs"),
                conjunction = node_member(&hint, "conjunction"), form = node_member(&hint, "form"),
                loose = node_member(&hint, "loose"), noun = node_member(&hint, "noun"),
                described = node_member(&hint, "described"), manner = node_member(&hint, "manner");
    out->hint.text = node_text(&text, 1, 200);
    out->hint.text_one = node_text(&text_one, 1, 200);
    out->hint.short_text = node_text(&short_text, 1, 200);
    out->hint.emphasis = node_text(&emphasis, 1, 120);
    out->hint.emphasis_one = node_text(&emphasis_one, 1, 120);
    out->hint.for_each = out->type == MEMBER_ARRAY && str_present(out->hint.text) &&
                         memmem(out->hint.text.ptr, out->hint.text.len, "{value}", 7) != NULL;
    out->hint.or_list = node_choice(&conjunction, conjunctions, 0) == 1;
    out->hint.form = (enum phrase_form)node_choice(&form, forms, FORM_ANY);
    out->hint.loose = node_text(&loose, 1, 200);
    out->hint.noun = node_text(&noun, 1, 40);
    out->hint.described = node_text(&described, 1, 200);
    out->hint.manner = node_text(&manner, 1, 200);
    read_sentences(&values, out);
    read_phrases(&pairs, out);
}

/* "summary" is a key that JSON hints add themselves. */
static void
read_json(const struct node *node, struct member *out)
{
    static const char *const keys[] = { "key", "", "limit", NULL };
    struct node json = node_member(node, "json"), name = node_member(node, "name");
    out->json_key = out->name;
    if (!node_is_object(&json, keys)) {
        if (str_eq_c(out->json_key, "summary"))
            node_reject(&name, "summary is reserved in hints; set json.key");
        return;
    }
    struct node key = node_member(&json, "key"), limit = node_member(&json, "limit");
    out->json_key = node_name(&key);
    out->json_limit = node_int(&limit, 1, ITEMS_MAX, 0);
    if (str_eq_c(out->json_key, "summary"))
        node_reject(&key, "summary is reserved");
    if (out->json_limit > 0 && out->type != MEMBER_ARRAY)
        node_reject(&limit, "only an array can have a limit");
}

/* Folded like the keys of values, with which it is compared. */
static void
read_sole(const struct node *node, struct member *out)
{
    struct node sole = node_member(node, "sole");
    out->sole = node_text(&sole, 1, 80);
    if (!str_present(out->sole))
        return;
    out->sole = value_fold(node->in->mem, out->sole);
    if (out->type != MEMBER_ARRAY)
        node_reject(&sole, "only an array can have a value that excludes the others");
}

/* With a vocabulary, the values themselves show where a text must be split. */
static void
read_separate(const struct node *node, struct member *out)
{
    struct node separate = node_member(node, "separate");
    out->separate = node_bool(&separate);
    if (out->separate && (out->type != MEMBER_ARRAY || out->vocabulary != NULL))
        node_reject(&separate, "is allowed only for an array without a vocabulary");
}

/* The type comes first: it decides which other keys are allowed. */
void
member_read(const struct node *node, const struct domain *domain, struct member *out)
{
    static const char *const keys[] = {
        "name",       "type",        "cardinality", "",           "items",      "description",
        "vocabulary", "safety",      "sensitive",   "polarity",   "opposes",    "half_life_days",
        "weight",     "minimum",     "maximum",     "max_length", "properties", "contexts",
        "hint",       "json",        "title",       "suggest",    "trim",       "sole",
        "only_in",    "no_opposite", "separate",    NULL
    };
    static const char *const safeties[] = { "constraint", "critical", NULL };
    static const char *const polarities[] = { "prefer", "avoid", NULL };
    if (!node_is_object(node, keys))
        return;
    struct node name = node_member(node, "name"), title = node_member(node, "title"),
                description = node_member(node, "description"),
                safety = node_member(node, "safety"), sensitive = node_member(node, "sensitive"),
                polarity = node_member(node, "polarity"),
                half_life = node_member(node, "half_life_days"),
                weight = node_member(node, "weight"),
                no_opposite = node_member(node, "no_opposite");
    out->name = node_name(&name);
    out->title = node_text(&title, 1, 80);
    out->description = node_text(&description, 0, 300);
    if (!str_present(out->description))
        out->description = STR("");
    out->no_opposite = node_text(&no_opposite, 1, 120);
    read_type(node, out);
    read_vocabulary_of(node, domain, out);
    read_suggested(node, out);
    read_trims(node, out);
    read_sole(node, out);
    read_separate(node, out);
    if (safety.value != NULL)
        out->safety = node_choice(&safety, safeties, 0) == 1 ? SAFETY_CRITICAL : SAFETY_CONSTRAINT;
    out->sensitive = node_bool(&sensitive);
    out->avoid = node_choice(&polarity, polarities, 0) == 1;
    read_opposes(node, out);
    out->half_life_days = node_int(&half_life, 0, HALF_LIFE_MAX, 0);
    out->weight = node_unit(&weight, 32768);
    read_bounds(node, out);
    read_properties(node, out);
    read_context_weights(node, domain, out);
    read_only_in(node, domain, out);
    read_hint(node, out);
    read_json(node, out);
}
