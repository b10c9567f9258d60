/* Builds a hint set from the facts of one domain. */
#include "hint/hint.h"

#include "base/arena.h"
#include "domain/value_text.h"
#include "hint/hint_according.h"
#include "hint/hint_levels.h"
#include "hint/hint_rank.h"
#include "hint/hint_elsewhere.h"
#include "hint/hint_set_words.h"
#include "hint/hint_units.h"
#include "hint/hint_value.h"
#include "model/atom.h"
#include "tokenizer/tokenizer.h"

#include <string.h>

/* ---- hint sets ---- */

/* A sentence that the definition has for this value wins over every pattern; then the first person,
 * then the form of the value. */
static int
pattern_for(const struct member *member, const struct hint_form *form, int count)
{
    int sentence = count == 1 ? hint_sentence_of(member, form->plain) : HINT_FROM_PATTERN;
    if (sentence >= 0)
        return sentence;
    if (count == 1 && form->speech && str_present(member->hint.speech_text))
        return HINT_SPEECH;
    if (form->described || form->manner)
        return form->manner ? HINT_MANNER : HINT_DESCRIBED;
    return form->pairs == 1              ? HINT_OF_ONE
           : form->loose                 ? HINT_LOOSE
           : count == 1 && form->several ? HINT_OF_MANY
                                         : HINT_FROM_PATTERN;
}

/* "user" comes first and once, then at most HINT_ORIGINS_MAX apps, each once, in the order of the
 * facts. Separated by spaces, which ids do not contain. */
static struct str
origin_of(struct arena *mem, const struct ranked *facts, int count)
{
    struct str origin = STR("");
    int apps = 0;
    for (int i = 0; i < count && origin.len == 0; i++)
        origin = facts[i].atom->by_user ? SOURCE_USER : origin;
    for (int i = 0; i < count && apps < HINT_ORIGINS_MAX; i++) {
        struct str app = facts[i].atom->app;
        if (!str_present(app) || app.len == 0 || str_has_word(origin, app))
            continue;
        origin = str_format(mem, "%.*s%s%.*s", STR_ARG(origin), origin.len == 0 ? "" : " ",
                            STR_ARG(app));
        apps++;
    }
    return origin;
}

/* A quotation in an object's words is part of what is shown. */
static bool
has_quotation(const struct member *member, const struct hint_value *values, int count)
{
    for (int i = 0; i < count; i++) {
        struct str shown = values[i].shown;
        if (values[i].quote || (member->type == MEMBER_OBJECT && str_index(shown, '"') < shown.len))
            return true;
    }
    return false;
}

/* State while one hint set is made. */
struct maker {
    struct arena *mem;
    const struct app_names *names;
    struct hint_set *set;
    const struct hint_set *before; /* NULL: none; see hint_set_update() */
    const bool *changed;
};

static struct str
according_to(const struct maker *maker, const struct hint *hint, const struct ranked *facts)
{
    bool attributed =
        hint->by_app &&
        (hint_attributes(maker->set->domain, hint->member) || statement_holds(hint->member) ||
         (hint->sentence < 0 && has_quotation(hint->member, hint->values, hint->total)));
    return attributed ? hint_according(maker->mem, maker->names, facts, (size_t)hint->total)
                      : STR_NONE;
}

static int32_t
best_score(const struct ranked *facts, int count)
{
    int32_t best = 0;
    for (int i = 0; i < count; i++)
        best = facts[i].score > best ? facts[i].score : best;
    return best;
}

/* ---- hints that stay as they are ---- */

/* Whether the hint, with all its values open, was made from these facts. Its apps may have another
 * name since. */
static bool
is_made_of(const struct maker *maker, const struct hint *hint, const struct ranked *facts)
{
    for (int i = 0; i < hint->total; i++)
        if (!hint_value_is(&hint->values[i], facts[i].atom->value))
            return false;
    struct str according = according_to(maker, hint, facts);
    return str_eq(hint->origin, origin_of(maker->mem, facts, hint->total)) &&
           str_present(according) == str_present(hint->according) &&
           str_eq(according, hint->according);
}

/* Adds the hint of the same facts from the set before the change. False: there is none. */
static bool
add_same(const struct maker *maker, const struct ranked *facts, int count)
{
    const struct hint_set *before = maker->before;
    if (before == NULL || maker->changed[facts[0].member - before->domain->members])
        return false;
    for (size_t i = 0; i < before->count; i++) {
        struct hint hint = before->hints[i];
        if (hint.member != facts[0].member || hint.total != count)
            continue;
        hint_open(maker->mem, &hint, count);
        if (!is_made_of(maker, &hint, facts))
            continue;
        hint.score = best_score(facts, count); /* relative to the newest fact of the domain */
        maker->set->hints[maker->set->count++] = hint;
        return true;
    }
    return false;
}

/* The first list of the member before the change, with its values open. False: none. */
static bool
find_list(const struct maker *maker, const struct member *member, struct hint *out)
{
    const struct hint_set *before = maker->before;
    for (size_t i = 0; before != NULL && i < before->count; i++) {
        if (before->hints[i].member != member || before->hints[i].total < 2)
            continue;
        *out = before->hints[i];
        hint_open(maker->mem, out, out->total);
        return true;
    }
    return false;
}

/* ---- new hints ---- */

/* A hint reaches as far as one of its values. */
static void
set_elsewhere(const struct maker *maker, const struct ranked *facts, struct hint *out)
{
    const struct domain *domain = maker->set->domain;
    bool critical = out->safety == SAFETY_CRITICAL;
    for (int i = 0; i < out->total; i++) {
        out->open =
            out->open || (critical && hint_elsewhere_is_open(maker->mem, domain, &facts[i]));
        out->carried =
            out->carried || (!critical && hint_elsewhere_is_carried(maker->mem, domain, &facts[i]));
    }
}

/* Adds a hint made from `count` values of a member, best first, unless the value has no sentence of
 * its own and the member has no pattern. */
static void
add_hint(const struct maker *maker, const struct ranked *facts, int count)
{
    if (add_same(maker, facts, count))
        return;
    struct arena *mem = maker->mem;
    struct hint *out = &maker->set->hints[maker->set->count];
    const struct member *member = facts[0].member;
    struct hint_form form;
    struct hint list;
    bool listed = count > 1 && find_list(maker, member, &list);
    struct hint_value *values = hint_values_make(mem, facts, count, listed ? &list : NULL, &form);
    *out = (struct hint){
        .member = member,
        .sentence = pattern_for(member, &form, count),
        .safety =
            facts[0].concern != CONCERN_NONE ? SAFETY_CRITICAL
            : hint_sentence_of(member, VALUE_NONE) >= 0 && str_eq(facts[0].atom->key, VALUE_NONE)
                ? SAFETY_NONE
                : member->safety,
        .sensitive = member->sensitive || facts[0].sensitive,
        .by_app = true,
        .origin = origin_of(mem, facts, count),
        .exact = true,
        .plain = true,
        .total = count,
        .values = values,
        .key_tokens = hint_units_key(mem, member),
    };
    if (out->sentence < 0 && !str_present(member->hint.text))
        return;
    out->score = best_score(facts, count);
    for (int i = 0; i < count; i++)
        out->by_app = out->by_app && !facts[i].atom->by_user;
    out->according = according_to(maker, out, facts);
    set_elsewhere(maker, facts, out);
    hint_levels_make(mem, out, listed ? &list : NULL);
    hint_set_words(mem, out);
    maker->set->count++;
}

/* Values that are left were shown by themselves, so that they can be made from their JSON again. */
void
hint_shorten(struct arena *mem, const struct domain *domain, struct hint *hint,
             const bool *left_out)
{
    struct atom *atoms = ARENA_ARRAY(mem, struct atom, (size_t)hint->total);
    struct ranked *facts = ARENA_ARRAY(mem, struct ranked, (size_t)hint->total);
    struct hint_form form;
    int count = 0;
    for (int i = 0; i < hint->total; i++) {
        const struct hint_value *value = &hint->values[i];
        if (left_out[i])
            continue;
        atoms[count] = (struct atom){ .by_user = !value->by_app };
        atoms[count].value = str_present(value->json)
                                 ? value->json
                                 : str_format(mem, "\"%.*s\"", STR_ARG(value->shown));
        facts[count] = (struct ranked){ .atom = &atoms[count], .member = hint->member };
        count++;
    }
    hint->values = hint_values_make(mem, facts, count, NULL, &form);
    hint->total = count;
    hint->sentence = pattern_for(hint->member, &form, count);
    hint->encoded = STR_NONE;
    hint->exact = hint->plain = true;
    hint->contexts = 0;
    hint_levels_make(mem, hint, NULL);
    hint_set_words(mem, hint);
    hint_set_contexts(domain, hint, 1);
}

/* The number of facts at the start that belong to the same member. */
static int
run_length(const struct ranked *facts, size_t count)
{
    size_t length = 1;
    while (length < count && facts[length].member == facts[0].member)
        length++;
    return (int)length;
}

/* More would not fit into the largest budget, and each takes memory several times. */
#define EACH_MAX 200

/* Adds one hint for each of the best values, and counts the others. */
static void
add_each(const struct maker *maker, const struct ranked *facts, int count)
{
    for (int i = 0; i < count; i++) {
        if (i < EACH_MAX)
            add_hint(maker, facts + i, 1);
        else if (facts[i].concern != CONCERN_NONE)
            maker->set->unlisted_critical++;
        else
            maker->set->unlisted++;
    }
}

/* The number of facts at the start that the user stated; they come first. */
static int
stated_count(const struct ranked *facts, int count)
{
    int stated = 0;
    while (stated < count && facts[stated].atom->by_user)
        stated++;
    return stated;
}

/* Adds the hints of an array: one for each value with a sentence of its own, and one list of the
 * others, or two if those of apps are attributed. */
static void
add_lists(const struct maker *maker, const struct ranked *facts, int count)
{
    struct ranked *listed = ARENA_ARRAY(maker->mem, struct ranked, (size_t)count + 1);
    int left = 0;
    for (int i = 0; i < count; i++) {
        if (hint_value_has_sentence(maker->mem, &facts[i]))
            add_hint(maker, &facts[i], 1);
        else
            listed[left++] = facts[i];
    }
    int first =
        hint_attributes(maker->set->domain, facts[0].member) ? stated_count(listed, left) : left;
    if (first > 0)
        add_hint(maker, listed, first);
    if (left > first)
        add_hint(maker, listed + first, left - first);
}

/* Statements are one hint each, values of a list share hints, and every other fact is one hint. */
static void
make_set(struct maker *maker, const struct domain *domain, const struct atom *atoms, size_t count)
{
    struct arena *mem = maker->mem;
    struct hint_set *out = maker->set;
    struct ranked *facts = NULL;
    size_t found = hint_rank(mem, domain, atoms, count, &facts);
    struct str heading = str_format(mem, "**%.*s**\n", STR_ARG(domain->heading));
    *out = (struct hint_set){ .domain = domain,
                              .heading = (int)tokenizer_count(heading),
                              .name = hint_units_name(mem, domain),
                              .hints = ARENA_ARRAY(mem, struct hint, found + 1) };
    for (size_t i = 0; i < found;) {
        const struct member *member = facts[i].member;
        int length = run_length(facts + i, found - i);
        if (statement_holds(member))
            add_each(maker, facts + i, length);
        else if (member->type == MEMBER_ARRAY)
            add_lists(maker, facts + i, length);
        else
            add_hint(maker, facts + i, 1);
        i += (size_t)length;
    }
    hint_set_contexts(domain, out->hints, out->count);
}

void
hint_set_make(struct arena *mem, const struct domain *domain, const struct atom *atoms,
              size_t count, const struct app_names *names, struct hint_set *out)
{
    struct maker maker = { .mem = mem, .names = names, .set = out };
    make_set(&maker, domain, atoms, count);
}

void
hint_set_update(struct arena *mem, const struct hint_set *before, const bool *changed,
                const struct atom *atoms, size_t count, const struct app_names *names,
                struct hint_set *out)
{
    struct maker maker = {
        .mem = mem, .names = names, .set = out, .before = before, .changed = changed
    };
    make_set(&maker, before->domain, atoms, count);
}

struct str
hint_set_rewrite(struct arena *mem, const struct domain *domain, struct str before,
                 const bool *changed, const struct atom *atoms, size_t count,
                 const struct app_names *names)
{
    struct hint_set read, set;
    if (str_present(before) && hint_set_read(mem, domain, before, &read))
        hint_set_update(mem, &read, changed, atoms, count, names, &set);
    else
        hint_set_make(mem, domain, atoms, count, names, &set);
    return hint_set_write(mem, &set);
}
