/* domain_check.c - rules of a definition that involve several values: unique names, references, and
 * templates that fit their member.
 *
 * These rules keep the code that makes hints simple: it puts values into templates without checking
 * that a placeholder exists, comes last, or fits the type. */
#include "base/arena.h"
#include "base/ascii.h"
#include "domain/domain.h"
#include "domain/domain_internal.h"
#include "domain/value_text.h"
#include "text/json_read.h"

/* ---- unique names ---- */

/* The index of the first equal name; i if there is none before it. Quadratic, which is fine for
 * lists of this length at startup. */
static size_t
find_first(const struct str *names, size_t i)
{
    size_t j = 0;
    while (j < i && !str_eq(names[j], names[i]))
        j++;
    return j;
}

/* The second one is reported, since the first may be the right one. */
static void
check_distinct(const struct node *array, const struct str *names, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct node node = node_child(array, i);
        if (find_first(names, i) < i)
            node_reject(&node, "%s is listed twice", definition_quote(array->in, names[i]));
    }
}

/* Keys of JSON hints must differ as well, also from the names of other members, which are their
 * default. */
static void
check_member_names(const struct node *members, const struct domain *domain)
{
    for (size_t i = 1; i < domain->member_count; i++) {
        const struct member *member = &domain->members[i];
        struct node node = node_child(members, i), name = node_member(&node, "name"),
                    json = node_member(&node, "json"), key = node_member(&json, "key");
        for (size_t j = 0; j < i; j++) {
            const struct member *other = &domain->members[j];
            if (str_eq(member->name, other->name))
                node_reject(&name, "members[%zu] has the same name", j);
            if (!str_eq(member->name, other->name) && str_eq(member->json_key, other->json_key))
                node_reject(str_eq(member->json_key, member->name) ? &name : &key,
                            "members[%zu] has the same key", j);
        }
    }
}

/* Names and aliases of contexts share one namespace. */
static void
check_contexts(const struct node *contexts, const struct domain *domain)
{
    size_t count = 0, capacity = domain->context_count;
    for (size_t i = 0; i < domain->context_count; i++)
        capacity += domain->contexts[i].alias_count;
    struct str *names = ARENA_ARRAY(contexts->in->mem, struct str, capacity);
    for (size_t i = 0; i < domain->context_count; i++) {
        const struct context *context = &domain->contexts[i];
        struct node node = node_child(contexts, i), name = node_member(&node, "name"),
                    aliases = node_member(&node, "aliases");
        names[count++] = context->name;
        if (find_first(names, count - 1) < count - 1)
            node_reject(&name, "another context has this name or alias");
        for (size_t j = 0; j < context->alias_count; j++) {
            struct node alias = node_child(&aliases, j);
            names[count++] = context->aliases[j];
            if (find_first(names, count - 1) < count - 1)
                node_reject(
                    &alias,
                    "another context has this name or alias, or this context lists it twice");
        }
    }
}

/* The keyword lists must not overlap. */
static void
check_overlap(const struct node *node, const struct str *words, size_t count,
              const struct str *others, size_t other_count, const char *kind)
{
    for (size_t i = 0; i < count; i++) {
        struct node word = node_child(node, i);
        for (size_t j = 0; j < other_count; j++)
            if (str_eq(words[i], others[j]))
                node_reject(&word, "is a %s keyword as well", kind);
    }
}

/* A word that is strong and weak at once would make the result depend on the order of the lists. */
static void
check_words(const struct node *root, const struct domain *domain)
{
    struct node keywords = node_member(root, "keywords"), strong = node_member(&keywords, "strong"),
                weak = node_member(&keywords, "weak"), not = node_member(&keywords, "not"),
                foreign = node_member(&keywords, "other_languages"),
                names = node_member(&keywords, "names");
    const struct str *strong_words = domain->strong_words, *weak_words = domain->weak_words,
                     *not_words = domain->not_words;
    check_distinct(&strong, strong_words, domain->strong_count);
    check_distinct(&foreign, domain->foreign_words, domain->foreign_count);
    check_distinct(&weak, weak_words, domain->weak_count);
    check_distinct(&names, domain->name_words, domain->name_word_count);
    check_distinct(&not, not_words, domain->not_count);
    check_overlap(&weak, weak_words, domain->weak_count, strong_words, domain->strong_count,
                  "strong");
    check_overlap(&foreign, domain->foreign_words, domain->foreign_count, strong_words,
                  domain->strong_count, "strong");
    check_overlap(&names, domain->name_words, domain->name_word_count, strong_words,
                  domain->strong_count, "strong");
    check_overlap(&names, domain->name_words, domain->name_word_count, weak_words,
                  domain->weak_count, "weak");
    check_overlap(&not, not_words, domain->not_count, strong_words, domain->strong_count, "strong");
    check_overlap(&not, not_words, domain->not_count, weak_words, domain->weak_count, "weak");
}

/* ---- references to members ---- */

/* The definition may give one name or a list of them. */
static void
check_opposes(const struct node *node, const struct domain *domain, const struct member *member)
{
    struct node opposes = node_member(node, "opposes");
    bool list = member->oppose_count > 0 && opposes.value->type == JSON_ARRAY;
    for (size_t i = 0; i < member->oppose_count; i++) {
        struct node at = list ? node_child(&opposes, i) : opposes;
        if (domain_member(domain, member->opposes[i]) == NULL)
            node_reject(&at, "unknown member %s", definition_quote(at.in, member->opposes[i]));
        else if (str_eq(member->opposes[i], member->name))
            node_reject(&at, "a member cannot oppose itself");
    }
    if (list)
        check_distinct(&opposes, member->opposes, member->oppose_count);
}

/* A summary can only have members with a sentence. */
static void
check_summary(const struct node *root, const struct domain *domain)
{
    struct node summary = node_member(root, "summary"), members = node_member(&summary, "members");
    for (size_t i = 0; i < domain->summary_count; i++) {
        const struct member *member = domain_member(domain, domain->summary_members[i]);
        struct node node = node_child(&members, i);
        if (member == NULL)
            node_reject(&node, "unknown member %s",
                        definition_quote(root->in, domain->summary_members[i]));
        else if (!str_present(member->hint.text) && member->hint.value_count == 0)
            node_reject(&node, "has no hint to include in a summary");
    }
    check_distinct(&members, domain->summary_members, domain->summary_count);
}

/* ---- sentences ---- */

/* A byte from 0xC3 on starts a letter of Latin or another script; 0xC2 starts signs. */
static bool
is_letter(char c)
{
    return ascii_is_letter(c) || (unsigned char)c >= 0xC3;
}

/* Sentences of hints are joined with spaces or lines, so each must be complete and single. */
void
domain_check_sentence(const struct node *node, struct str text)
{
    if (!str_ends(text, STR("."))) {
        node_reject(node, "must be a sentence that ends with a period");
        return;
    }
    if (!is_letter(text.ptr[0])) /* tokens of lines add up only if each line starts with a letter */
        node_reject(node, "must start with a letter");
    for (size_t i = 0; i + 1 < text.len; i++)
        if ((text.ptr[i] == '.' || text.ptr[i] == '!' || text.ptr[i] == '?') &&
            text.ptr[i + 1] == ' ')
            node_reject(node, "must be one sentence");
}

/* How often each placeholder occurs in a text. */
struct placeholders {
    size_t list, value, pairs, article;
};

/* Counts the placeholders. False, with a problem, if there are other braces. {a} is known only
 * together with the value whose article it is. */
static bool
count_placeholders(const struct node *node, struct str text, struct placeholders *out)
{
    *out = (struct placeholders){ 0 };
    for (size_t i = str_index(text, '{'); i < text.len; i += str_index(str_from(text, i), '{')) {
        struct str rest = str_from(text, i);
        out->list += str_starts(rest, STR("{list}"));
        out->value += str_starts(rest, STR("{value}"));
        out->pairs += str_starts(rest, STR("{pairs}"));
        out->article += str_starts(rest, STR("{a} {value}"));
        i++;
    }
    size_t opened = 0, closed = 0;
    for (size_t i = 0; i < text.len; i++) {
        opened += text.ptr[i] == '{';
        closed += text.ptr[i] == '}';
    }
    size_t known = out->list + out->value + out->pairs + out->article;
    if (opened == known && closed == known)
        return true;
    node_reject(node, "can contain {list}, {value}, {pairs}, and {a} {value}, but no other braces");
    return false;
}

/* A phrase is a part of a sentence that values are put into; a period or a quotation mark would end
 * it. */
void
domain_check_phrase(const struct node *node, struct str text, bool with_value)
{
    struct placeholders placeholders;
    if (!str_present(text) || !count_placeholders(node, text, &placeholders))
        return;
    if (placeholders.value != with_value ||
        placeholders.list + placeholders.pairs + placeholders.article > 0)
        node_reject(node, with_value ? "must contain {value} once and no other placeholder"
                                     : "must not contain a placeholder");
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == '.' || text.ptr[i] == '!' || text.ptr[i] == '?' || text.ptr[i] == '"')
            node_reject(node, "must be part of a sentence, without . ! ? and quotation marks");
}

/* Requires exactly one placeholder, of the kind that fits the member's type. */
static void
check_placeholders(const struct node *node, struct str text, const struct member *member)
{
    struct placeholders placeholders;
    if (!str_present(text) || !count_placeholders(node, text, &placeholders))
        return;
    size_t all = placeholders.list + placeholders.value + placeholders.pairs;
    size_t fitting = member->type == MEMBER_ARRAY    ? placeholders.list + placeholders.value
                     : member->type == MEMBER_OBJECT ? placeholders.pairs
                                                     : placeholders.value;
    const char *wanted = member->type == MEMBER_ARRAY    ? "{list} (or {value} for one hint each)"
                         : member->type == MEMBER_OBJECT ? "{pairs}"
                                                         : "{value}";
    if (all != 1 || fitting != 1)
        node_reject(node, "must contain %s once and no other placeholder", wanted);
}

static bool
contains_list(struct str text)
{
    return memmem(text.ptr, text.len, "{list}", 6) != NULL;
}

/* A list grows at its end, value by value, until the budget is used: so {list} must come last. */
static void
check_templates(const struct node *hint, const struct member *member)
{
    struct node text = node_member(hint, "text"), text_one = node_member(hint, "text_one"),
                short_text = node_member(hint, "short");
    struct str full = member->hint.text, one = member->hint.text_one,
               brief = member->hint.short_text;
    check_placeholders(&text, full, member);
    check_placeholders(&text_one, one, member);
    check_placeholders(&short_text, brief, member);
    if (str_present(full))
        domain_check_sentence(&text, full);
    if (str_present(one))
        domain_check_sentence(&text_one, one);
    bool list = str_present(full) && contains_list(full);
    if (list && !str_ends(full, STR("{list}.")))
        node_reject(&text, "{list} must come last, right before the period");
    if (str_present(one) && !list && member->type != MEMBER_OBJECT)
        node_reject(&text_one, "is allowed only with a text that contains {list} or {pairs}");
    if (str_present(brief) && str_present(full) && contains_list(brief) != list)
        node_reject(&short_text, "must contain {list} if and only if text does");
    if (str_present(brief) && contains_list(brief) && !str_ends(brief, STR("{list}")))
        node_reject(&short_text, "{list} must come last");
}

/* It is added to a sentence, if the budget allows, so that it must not end it. */
static void
check_emphasis(const struct node *emphasis, struct str text, bool fits, const char *beside)
{
    if (!str_present(text))
        return;
    if (!fits)
        node_reject(emphasis, "requires %s, which is missing", beside);
    if (str_ends(text, STR(".")) || str_index(text, '{') < text.len)
        node_reject(emphasis, "must be a clause without a period and placeholders");
}

/* ---- sentences for single values ---- */

static bool
has_sentence(const struct member *member, struct str value)
{
    for (size_t i = 0; i < member->hint.value_count; i++)
        if (str_eq(member->hint.values[i].value, value))
            return true;
    return false;
}

/* Values of sentences are written as in the vocabulary, not as aliases: they are looked up by the
 * stored value. */
static bool
is_value_of(const struct member *member, struct str text)
{
    if (member->type == MEMBER_BOOL)
        return str_eq_c(text, "true") || str_eq_c(text, "false");
    if (member->type == MEMBER_NUMBER)
        return value_is_number_text(member, text);
    for (size_t i = 0; member->vocabulary != NULL && i < member->vocabulary->count; i++)
        if (str_eq(member->vocabulary->values[i].value, text))
            return true;
    return member->type != MEMBER_ENUM && str_eq_c(text, "none");
}

/* A bool or an enum needs a sentence for every value, because "true" or a code says nothing in a
 * template. */
static void
check_sentences(const struct node *values, const struct member *member)
{
    if (values->value == NULL)
        return;
    if (member->type == MEMBER_OBJECT) {
        node_reject(values, "an object cannot have sentences for single values");
        return;
    }
    for (size_t i = 0; i < member->hint.value_count; i++) {
        struct node node = node_child(values, i);
        if (!is_value_of(member, member->hint.values[i].value))
            node_reject(&node, "is not a value of this member");
    }
    if (member->type == MEMBER_BOOL && member->hint.value_count != 2)
        node_reject(values, "must have a sentence for true and one for false");
    for (size_t i = 0; member->type == MEMBER_ENUM && i < member->vocabulary->count; i++) {
        struct str value = member->vocabulary->values[i].value;
        if (!has_sentence(member, value))
            node_reject(values, "has no sentence for %s", definition_quote(values->in, value));
    }
}

/* A sentence for values that do not fit into the text. */
static void
check_other_sentence(const struct node *node, struct str sentence, const struct member *member)
{
    if (!str_present(sentence))
        return;
    check_placeholders(node, sentence, member);
    domain_check_sentence(node, sentence);
    if (contains_list(sentence) && !str_ends(sentence, STR("{list}.")))
        node_reject(node, "{list} must come last, right before the period");
}

/* A value that does not have the form goes into the `loose` sentence, so that one needs the other.
 * Every name fits. */
static void
check_form(const struct node *hint, const struct member *member)
{
    struct node loose = node_member(hint, "loose"), form = node_member(hint, "form"),
                noun = node_member(hint, "noun"), described = node_member(hint, "described"),
                manner = node_member(hint, "manner");
    bool text = member->type == MEMBER_ARRAY || member->type == MEMBER_STRING;
    bool has_form = member->hint.form != FORM_ANY,
         needs_loose = has_form && !form_of_names(member->hint.form);
    if (has_form && !(text && str_present(member->hint.text)))
        node_reject(&form, "requires an array or a string with a text");
    else if (needs_loose != str_present(member->hint.loose))
        node_reject(&loose, "is required with a form and not allowed without one");
    if (str_present(member->hint.noun) && !(text && str_present(member->hint.text)))
        node_reject(&noun, "requires an array or a string with a text");
    if (str_present(member->hint.described) && !str_present(member->hint.noun))
        node_reject(&described, "requires a noun, which is missing");
    if (str_present(member->hint.manner) && !(text && str_present(member->hint.text)))
        node_reject(&manner, "requires an array or a string with a text");
    check_other_sentence(&loose, member->hint.loose, member);
    check_other_sentence(&described, member->hint.described, member);
    check_other_sentence(&manner, member->hint.manner, member);
}

/* An emphasis needs the text that it emphasizes. */
static void
check_hint(const struct node *node, const struct member *member)
{
    struct node hint = node_member(node, "hint"), values = node_member(&hint, "values");
    if (hint.value == NULL)
        return;
    if (!str_present(member->hint.text) && member->hint.value_count == 0)
        node_reject(&hint, "text is missing");
    check_templates(&hint, member);
    check_form(&hint, member);
    struct node emphasis = node_member(&hint, "emphasis"),
                emphasis_one = node_member(&hint, "emphasis_one");
    check_emphasis(&emphasis, member->hint.emphasis, str_present(member->hint.text), "text");
    check_emphasis(&emphasis_one, member->hint.emphasis_one, str_present(member->hint.emphasis),
                   "emphasis");
    check_sentences(&values, member);
}

/* Rules that concern more than one member, after all of them were read. Names of other domains are
 * checked when all are loaded (config/definitions.c). */
void
domain_check(const struct node *root, const struct domain *domain)
{
    struct node members = node_member(root, "members"), contexts = node_member(root, "contexts"),
                safety = node_member(root, "safety_contexts");
    check_member_names(&members, domain);
    check_contexts(&contexts, domain);
    check_distinct(&safety, domain->safety_contexts, domain->safety_context_count);
    check_words(root, domain);
    for (size_t i = 0; i < domain->member_count; i++) {
        struct node node = node_child(&members, i);
        struct node only_in = node_member(&node, "only_in");
        check_opposes(&node, domain, &domain->members[i]);
        /* Whether these contexts exist is checked when all domains are loaded
         * (config/definitions.c). */
        check_distinct(&only_in, domain->members[i].only_in, domain->members[i].only_in_count);
        check_hint(&node, &domain->members[i]);
    }
    check_summary(root, domain);
}
