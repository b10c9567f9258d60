/* vocabulary.c - values of a vocabulary, and an index of all their spellings.
 *
 * A value can be written as itself, as its label, or as an alias; all are folded (value_fold()) and
 * sorted for bisection. Two values must not share a spelling, since a text must mean one of them. A
 * value may list other values that it contains, which must exist: warnings about allergies depend
 * on them. */
#include "base/arena.h"
#include "domain/domain.h"
#include "domain/domain_internal.h"
#include "domain/value_text.h"

#define VALUES_MAX 4096
#define ALIASES_MAX 64

/* One spelling of a value. The index is sorted for binary search. */
struct spelling {
    struct str folded;
    const struct vocabulary_value *value;
    size_t position; /* in the file: of two equal spellings, the later one is reported */
};

struct vocabulary_index {
    struct spelling *spellings;
    size_t count;
};

/* Equal spellings are ordered by position, so that sorting gives the same result everywhere. */
static int
compare_spellings(const void *a, const void *b)
{
    const struct spelling *one = a, *other = b;
    int order = str_order(one->folded, other->folded);
    return order != 0 ? order
                      : (one->position > other->position) - (one->position < other->position);
}

/* NULL: no value or alias has this spelling. Aliases are in the same index as values. */
const struct vocabulary_value *
vocabulary_find(const struct vocabulary *vocabulary, struct str folded)
{
    const struct vocabulary_index *index = vocabulary->index;
    size_t low = 0, high = index->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = str_order(folded, index->spellings[middle].folded);
        if (order == 0)
            return index->spellings[middle].value;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/* The first spelling that is not before the text. */
static size_t
first_spelling(const struct vocabulary_index *index, struct str folded)
{
    size_t low = 0, high = index->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (str_order(index->spellings[middle].folded, folded) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct vocabulary_value *
vocabulary_nearest(const struct vocabulary *vocabulary, struct str folded,
                   size_t (*errors)(struct str typed, struct str known))
{
    const struct vocabulary_index *index = vocabulary->index;
    const struct vocabulary_value *found = NULL;
    struct str first = str_first(folded, 1);
    size_t least = SIZE_MAX;
    for (size_t i = first_spelling(index, first); folded.len > 0 && i < index->count; i++) {
        const struct spelling *one = &index->spellings[i];
        if (!str_starts(one->folded, first))
            break;
        size_t wrong = errors(folded, one->folded);
        if (wrong == SIZE_MAX || wrong > least)
            continue;
        found = wrong < least || found == one->value ? one->value : NULL;
        least = wrong;
    }
    return found;
}

size_t
vocabulary_spelling_count(const struct vocabulary *vocabulary)
{
    return vocabulary->index->count;
}

/* By position, so that a caller can go through all spellings without a copy of the index. */
struct str
vocabulary_spelling(const struct vocabulary *vocabulary, size_t i,
                    const struct vocabulary_value *value)
{
    const struct spelling *spelling = &vocabulary->index->spellings[i];
    return spelling->value == value ? spelling->folded : STR_NONE;
}

/* ---- reading ---- */

/* Values are compared folded, but shown as written, so white space must be right already. */
struct str
vocabulary_text(const struct node *node)
{
    struct str text = node_text(node, 1, VALUE_LENGTH_DEFAULT);
    if (str_present(text) && !str_eq(text, value_collapse_spaces(node->in->mem, text)))
        node_reject(node, "must not have spaces around it or several in a row");
    return text;
}

static void
add_spelling(struct vocabulary_index *index, const struct vocabulary_value *value,
             struct str folded)
{
    index->spellings[index->count] = (struct spelling){ folded, value, index->count };
    index->count++;
}

/* The label counts as a spelling, also if it equals the value: duplicates of one value do no harm.
 */
static void
read_value(const struct node *node, struct vocabulary_value *out, struct vocabulary_index *index)
{
    static const char *const keys[] = { "value", "",         "label",    "plural", "aliases",
                                        "note",  "contains", "excludes", NULL };
    struct arena *mem = node->in->mem;
    size_t alias_count = 0;
    if (!node_is_object(node, keys))
        return;
    struct node value = node_member(node, "value"), label = node_member(node, "label"),
                plural = node_member(node, "plural"), aliases = node_member(node, "aliases"),
                note = node_member(node, "note"), contains = node_member(node, "contains"),
                excludes = node_member(node, "excludes");
    out->value = vocabulary_text(&value);
    out->label = vocabulary_text(&label);
    out->plural = vocabulary_text(&plural);
    out->labeled = str_present(out->label);
    if (!out->labeled)
        out->label = out->value;
    out->key = value_fold(mem, out->value);
    out->note = node_text(&note, 0, 200);
    const struct str *texts = node_texts(&aliases, ALIASES_MAX, vocabulary_text, &alias_count);
    struct str *parts = node_texts(&contains, ALIASES_MAX, vocabulary_text, &out->contain_count);
    for (size_t i = 0; i < out->contain_count && !node->in->failed; i++)
        parts[i] = value_fold(mem, parts[i]);
    out->contains = parts;
    parts = node_texts(&excludes, ALIASES_MAX, vocabulary_text, &out->exclude_count);
    for (size_t i = 0; i < out->exclude_count && !node->in->failed; i++)
        parts[i] = value_fold(mem, parts[i]);
    out->excludes = parts;
    add_spelling(index, out, out->key);
    add_spelling(index, out, value_fold(mem, out->label));
    if (str_present(out->plural))
        add_spelling(index, out, value_fold(mem, out->plural));
    for (size_t i = 0; i < alias_count; i++)
        add_spelling(index, out, value_fold(mem, texts[i]));
}

/* Each spelling must belong to one value only. Equal spellings are adjacent after sorting. */
static void
check_spellings(const struct node *values, const struct vocabulary *vocabulary)
{
    const struct vocabulary_index *index = vocabulary->index;
    for (size_t i = 1; i < index->count; i++) {
        const struct spelling *one = &index->spellings[i - 1], *other = &index->spellings[i];
        if (!str_eq(one->folded, other->folded) || one->value == other->value)
            continue;
        struct node node = node_child(values, (size_t)(other->value - vocabulary->values));
        node_reject(&node, "%s is already a spelling of %s",
                    definition_quote(values->in, other->folded),
                    definition_quote(values->in, one->value->value));
    }
}

/* By the value itself, not by an alias: `contains` is compared with keys later. */
static void
check_parts(const struct node *values, const struct vocabulary *vocabulary)
{
    for (size_t i = 0; i < vocabulary->count; i++) {
        const struct vocabulary_value *value = &vocabulary->values[i];
        struct node node = node_child(values, i), contains = node_member(&node, "contains");
        for (size_t j = 0; j < value->contain_count && !values->in->failed; j++) {
            const struct vocabulary_value *part = vocabulary_find(vocabulary, value->contains[j]);
            struct node child = node_child(&contains, j);
            if (part == NULL || !str_eq(part->key, value->contains[j]))
                node_reject(&child, "is not a value of this vocabulary");
        }
    }
}

static bool
is_value_of_another(const struct vocabulary *list, size_t count, size_t own, struct str key)
{
    for (size_t i = 0; i < count; i++) {
        const struct vocabulary_value *found = i == own ? NULL : vocabulary_find(&list[i], key);
        if (found != NULL && str_eq(found->key, key))
            return true;
    }
    return false;
}

/* After all vocabularies are read: "vegan" of the diets excludes "meat" of the foods. */
static void
check_exclusions(const struct node *node, const struct vocabulary *list, size_t count)
{
    for (size_t i = 0; i < count && !node->in->failed; i++) {
        struct node vocabulary = node_child(node, i), values = node_member(&vocabulary, "values");
        for (size_t j = 0; j < list[i].count; j++) {
            const struct vocabulary_value *value = &list[i].values[j];
            struct node one = node_child(&values, j), excludes = node_member(&one, "excludes");
            for (size_t k = 0; k < value->exclude_count && !node->in->failed; k++) {
                struct node child = node_child(&excludes, k);
                if (!is_value_of_another(list, count, i, value->excludes[k]))
                    node_reject(&child, "is not a value of another vocabulary");
            }
        }
    }
}

/* The value, its label, its plural, and its aliases. */
static size_t
spellings_at_most(const struct node *values)
{
    size_t count = 0;
    for (size_t i = 0; i < node_count(values); i++) {
        struct node value = node_child(values, i), aliases = node_member(&value, "aliases");
        count += 3 + node_count(&aliases);
    }
    return count;
}

/* All spellings of values and aliases are in one sorted index; duplicates are found as
 * neighbors. */
static void
read_vocabulary(const struct node *node, struct vocabulary *out)
{
    static const char *const keys[] = { "values", "", "open", NULL };
    struct arena *mem = node->in->mem;
    if (!is_definition_name(node->key))
        node_reject(node, "must have a name of lowercase letters, digits, and _");
    out->name = node->key;
    out->index = ARENA_NEW(mem, struct vocabulary_index);
    if (!node_is_object(node, keys))
        return;
    struct node values = node_member(node, "values"), open = node_member(node, "open");
    out->open = node_bool(&open);
    if (!node_is_array(&values, 1, VALUES_MAX))
        return;
    struct vocabulary_value *list = ARENA_ARRAY(mem, struct vocabulary_value, node_count(&values));
    out->index->spellings = ARENA_ARRAY(mem, struct spelling, spellings_at_most(&values));
    out->values = list;
    out->count = node_count(&values);
    for (size_t i = 0; i < out->count && !node->in->failed; i++) {
        struct node value = node_child(&values, i);
        read_value(&value, &list[i], out->index);
    }
    qsort(out->index->spellings, out->index->count, sizeof(struct spelling), compare_spellings);
    check_spellings(&values, out);
    check_parts(&values, out);
}

/* Exclusions can name values of other vocabularies, so they are checked after all were read. */
struct vocabulary *
vocabularies_read(const struct node *node, size_t *count)
{
    *count = 0;
    if (!node_is_map(node, 0, 64))
        return NULL;
    struct vocabulary *list = ARENA_ARRAY(node->in->mem, struct vocabulary, node_count(node));
    for (size_t i = 0; i < node_count(node); i++) {
        struct node child = node_child(node, i);
        read_vocabulary(&child, &list[i]);
    }
    check_exclusions(node, list, node->in->failed ? 0 : node_count(node));
    *count = node_count(node);
    return list;
}

const struct vocabulary *
vocabulary_named(const struct domain *domain, struct str name)
{
    for (size_t i = 0; i < domain->vocabulary_count; i++)
        if (str_eq(domain->vocabularies[i].name, name))
            return &domain->vocabularies[i];
    return NULL;
}
