#include "hint/hint_elsewhere.h"

#include "base/arena.h"
#include "domain/value_text.h"
#include "hint/hint_dangers.h"
#include "reading/mention.h"
#include "reading/statement_key.h"
#include "value/danger.h"
#include "value/value_none.h"

#define MATTERS                                                                      \
    32768 /* 0.5: a fact with a lower weight in any context is not carried to others \
           */

/* ---- vocabularies ---- */

/* Whether the domain knows that one thing can be hidden in another, as milk in cheese. */
static bool
knows_contents(const struct domain *domain)
{
    const struct member *gravest = hint_gravest_member(domain);
    for (size_t i = 0; gravest != NULL && i < gravest->vocabulary->count; i++)
        if (gravest->vocabulary->values[i].contain_count > 0)
            return true;
    return false;
}

static bool
names_any(struct arena *mem, const struct domain *domain, struct str text)
{
    const struct member *gravest = hint_gravest_member(domain);
    struct named_values named;
    if (gravest == NULL)
        return false;
    value_names(mem, gravest->vocabulary, text, &named);
    return named.count > 0;
}

/* ---- making a set ---- */

/* "I'm allergic to dust" names only what this member lists. */
static bool
is_own(struct arena *mem, const struct member *gravest, struct str text)
{
    struct str names[DANGERS_MAX];
    return vocabulary_find(gravest->vocabulary, value_fold(mem, text)) != NULL ||
           value_named(mem, gravest, text, names, DANGERS_MAX) > 0;
}

bool
hint_elsewhere_is_open(struct arena *mem, const struct domain *domain, const struct ranked *fact)
{
    const struct member *gravest = hint_gravest_member(domain);
    struct str text = hint_fact_text(mem, fact->atom);
    if (member_lists_dangers(fact->member))
        return !str_eq(fact->atom->key, VALUE_NONE) && !is_own(mem, fact->member, text);
    if (fact->concern == CONCERN_NONE)
        return false;
    if (knows_contents(domain))
        return fact->concern == CONCERN_FOOD && danger_is_allergy(mem, text) &&
               !names_any(mem, domain, text);
    if (fact->concern == CONCERN_PRIVATE)
        return !statement_is_physical(text);
    return gravest == NULL || !is_own(mem, gravest, text);
}

/* The end of the member's sentence after its value: " diet." */
static struct str
after_value(const struct member *member)
{
    struct str pattern = member->hint.text;
    size_t end = pattern.len;
    while (end > 0 && pattern.ptr[end - 1] != '}')
        end--;
    return str_from(pattern, end);
}

/* Diets and exclusions for reasons of religion or health, as in a key. '=': not misspelled. */
static const char ruled[] =
    "halal,halaal,kosher,=jain,hindu,buddhist,muslim,jewish,no pork,no beef,no alcohol,not drink "
    "alcohol,"
    "gluten free,no gluten,=gluten,dairy free,lactose free,no lactose,=lactose,"
    "celiac,celiacs,coeliac,coeliacs,diabetic,diabetes,pregnant,pregnancy,=renal,"
    "fodmap,fodmaps,low salt,low sodium,low protein,low purine";

static bool
is_ruled(struct arena *mem, struct str text)
{
    struct str key = statement_key(mem, text);
    return str_present(key) &&
           mention_in(str_format(mem, " %.*s ", STR_ARG(key)), ruled, MENTION_CLAIM);
}

/* As the user would say it: "halal diet", "no pork". A negated value is complete: "no dairy" */
static struct str
phrase_of(struct arena *mem, const struct member *member, struct str text)
{
    bool negated = !member->avoid || value_has_negation(mem, text);
    struct str after = after_value(member);
    return str_format(mem, "%s%.*s%.*s", negated ? "" : "no ", STR_ARG(text), STR_ARG(after));
}

bool
hint_elsewhere_is_carried(struct arena *mem, const struct domain *domain, const struct ranked *fact)
{
    const struct member *member = fact->member;
    if (member->safety != SAFETY_CONSTRAINT || hint_gravest_member(domain) == NULL ||
        member->context_weights[domain->context_count] < MATTERS)
        return false;
    int sentence = hint_sentence_of(member, fact->atom->key);
    if (sentence >= 0)
        return is_ruled(mem, member->hint.values[sentence].sentence);
    return is_ruled(mem, phrase_of(mem, member, hint_fact_text(mem, fact->atom))) ||
           is_ruled(mem, phrase_of(mem, member, fact->atom->key)); /* "kidney" is a renal diet */
}

/* ---- a request ---- */

static bool
is_private(const struct hint *hint)
{
    return statement_holds(hint->member) && hint->sensitive;
}

bool
hint_elsewhere_concerns(struct arena *mem, const struct domains *domains, const struct domain *of,
                        struct hint *hint, const struct domain *other)
{
    bool in_doubt = knows_contents(other);
    if (other == of || is_private(hint))
        return other != of && in_doubt;
    hint_open(mem, hint, hint->total);
    for (int i = 0; i < hint->total; i++) {
        struct str text = hint->values[i].shown;
        bool elsewhere = false;
        if (names_any(mem, other, text))
            return true;
        for (size_t k = 0; in_doubt && k < domains->count; k++)
            elsewhere = elsewhere || names_any(mem, &domains->list[k], text);
        if (in_doubt && !elsewhere)
            return true;
    }
    return false;
}

/* What an open hint says to another domain. */
struct warning {
    bool danger, allergy;
    struct str *keys; /* of the vocabulary of the other domain */
    size_t count;
};

static void
add_statement(struct arena *mem, const struct hint *hint, const struct member *gravest,
              struct str text, struct warning *out)
{
    struct dangers found;
    enum concern concern = is_private(hint) ? CONCERN_PRIVATE : CONCERN_FOOD;
    out->allergy = danger_is_allergy(mem, text);
    out->danger = out->danger && out->allergy;
    if (!danger_in_statement(mem, gravest, concern, text, &found))
        return;
    out->danger = out->danger || found.count > 0;
    out->keys = ARENA_ARRAY(mem, struct str, found.count + 1);
    for (size_t i = 0; i < found.count; i++)
        out->keys[out->count++] = found.keys[i];
}

static void
add_values(struct arena *mem, const struct hint *hint, const struct member *gravest,
           struct warning *out)
{
    struct named_values named;
    out->allergy = out->danger;
    for (int i = 0; i < hint->total; i++) {
        value_names(mem, gravest->vocabulary, hint->values[i].shown, &named);
        struct str *keys = ARENA_ARRAY(mem, struct str, out->count + named.count + 1);
        for (size_t k = 0; k < out->count; k++)
            keys[k] = out->keys[k];
        for (size_t k = 0; k < named.count; k++)
            keys[out->count++] = named.list[k]->key;
        out->keys = keys;
    }
}

/* "User has no known food allergies", and about intolerances unless it is only about an allergy. */
static bool
is_denied(const struct hint *hint, const struct member *gravest, const struct warning *warning)
{
    return warning->danger && hint->sentence >= 0 && member_lists_dangers(hint->member) &&
           str_eq(hint->member->hint.values[hint->sentence].value, VALUE_NONE) &&
           (hint->member == gravest || !warning->allergy);
}

/* False: nothing is left of the hint. */
static bool
leave_out_favorites(struct arena *mem, const struct domain *domain, const struct member *gravest,
                    const struct warning *warning, struct hint *hint)
{
    if (warning->count == 0 || !member_opposes(gravest, hint->member))
        return true;
    hint_open(mem, hint, hint->total);
    bool *left_out = ARENA_ARRAY(mem, bool, (size_t)hint->total);
    int count = 0, total = hint->total;
    for (int i = 0; i < total; i++) {
        struct named_values named;
        value_names(mem, gravest->vocabulary, hint->values[i].shown, &named);
        left_out[i] = false;
        for (size_t k = 0; k < warning->count; k++)
            left_out[i] = left_out[i] || named_values_contain(&named, warning->keys[k]);
        count += left_out[i];
    }
    if (count > 0 && count < total)
        hint_shorten(mem, domain, hint, left_out);
    return count < total;
}

/* The hints are copied, since a set can be shared. */
static void
apply_warning(struct arena *mem, const struct member *gravest, const struct warning *warning,
              struct hint_set *set)
{
    struct hint *hints = ARENA_ARRAY(mem, struct hint, set->count + 1);
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++) {
        hints[count] = set->hints[i];
        count += !is_denied(&hints[count], gravest, warning) &&
                 leave_out_favorites(mem, set->domain, gravest, warning, &hints[count]);
    }
    set->hints = hints;
    set->count = count;
}

static void
warn(struct arena *mem, const struct domains *domains, const struct domain *of, struct hint *hint,
     struct hint_set *set)
{
    const struct member *gravest = hint_gravest_member(set->domain);
    if (set->domain == of || gravest == NULL)
        return;
    struct warning warning = { .danger =
                                   hint_elsewhere_concerns(mem, domains, of, hint, set->domain) };
    hint_open(mem, hint, hint->total);
    if (statement_holds(hint->member))
        add_statement(mem, hint, gravest, hint->values[0].shown, &warning);
    else
        add_values(mem, hint, gravest, &warning);
    if (warning.danger || warning.count > 0)
        apply_warning(mem, gravest, &warning, set);
}

void
hint_elsewhere_resolve(struct arena *mem, const struct domains *domains, struct hint_set *sets,
                       size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < sets[i].count; k++)
            for (size_t other = 0; sets[i].hints[k].open && other < count; other++)
                warn(mem, domains, sets[i].domain, &sets[i].hints[k], &sets[other]);
}
