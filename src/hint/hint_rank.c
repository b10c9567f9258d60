#include "hint/hint_rank.h"

#include "base/arena.h"
#include "value/word_lists.h"
#include "hint/hint_claims.h"
#include "hint/hint.h"
#include "naming/personal.h"

#include <stdlib.h>

#define DAY ((int64_t)24 * 3600)
#define LEAST_SCORE 22938 /* 0.35: facts from apps alone are left out below this score */
#define ABOUT_USER 45875  /* 0.7: of the score, if a statement does not say what the user wants */
#define RECENCY_MIN 19661 /* 0.3: age alone lowers a score but never removes a fact */

/* ---- scores ---- */

/* fading[n] = HINT_ONE * 2^(-n/64). */
static const int32_t fading[64] = {
    65536, 64830, 64132, 63441, 62757, 62081, 61413, 60751, 60097, 59449, 58809, 58176, 57549,
    56929, 56316, 55709, 55109, 54515, 53928, 53347, 52773, 52204, 51642, 51085, 50535, 49991,
    49452, 48920, 48393, 47871, 47356, 46846, 46341, 45842, 45348, 44859, 44376, 43898, 43425,
    42958, 42495, 42037, 41584, 41136, 40693, 40255, 39821, 39392, 38968, 38548, 38133, 37722,
    37316, 36914, 36516, 36123, 35734, 35349, 34968, 34591, 34219, 33850, 33486, 33125
};

static int32_t
recency(const struct member *member, int64_t age_days)
{
    if (member->half_life_days == 0 || member->safety == SAFETY_CRITICAL)
        return HINT_ONE;
    int64_t steps = age_days * 64 / member->half_life_days;
    int64_t left = steps / 64 < 31 ? fading[steps % 64] >> (steps / 64) : 0;
    return RECENCY_MIN + (int32_t)((HINT_ONE - RECENCY_MIN) * left / HINT_ONE);
}

static int32_t
score_of(const struct member *member, const struct atom *atom, int64_t newest)
{
    int64_t confidence = (int64_t)atom_confidence(atom) * HINT_ONE / 100;
    int64_t age = newest / DAY - atom->updated_at / DAY;
    return (int32_t)(confidence * recency(member, age < 0 ? 0 : age) / HINT_ONE);
}

/* ---- contradictions ---- */

/* If two members oppose each other, the one with `avoid` set is against; if equal, the first. */
static bool
is_against(const struct member *member, const struct member *other)
{
    if (!member_opposes(member, other) || !member_opposes(other, member))
        return member_opposes(member, other);
    return member->avoid != other->avoid ? member->avoid : member < other;
}

/* Returns the fact to leave out; `against` is the one whose member opposes the other's. The higher
 * safety class wins, whichever member names the other, so that no preference hides an allergy. Then
 * the user's own statement wins over an app's, then the later day. NULL: keep both. */
static struct ranked *
weaker_fact(struct ranked *against, struct ranked *other)
{
    enum member_safety here = against->member->safety, there = other->member->safety;
    int64_t day = against->atom->updated_at / DAY, other_day = other->atom->updated_at / DAY;
    if (here != there)
        return here > there ? other : against;
    if (here == SAFETY_CRITICAL)
        return NULL;
    if (against->atom->by_user != other->atom->by_user)
        return against->atom->by_user ? other : against;
    return other_day > day ? against : other;
}

static int
compare_keys(const void *left, const void *right)
{
    const struct ranked *const *a = left, *const *b = right;
    return str_order((*a)->atom->key, (*b)->atom->key);
}

/* Both exclude the same thing. The members of a definition are in the order of their gravity. */
static bool
say_the_same(const struct member *a, const struct member *b)
{
    return a != b && a->avoid && b->avoid && a->vocabulary != NULL &&
           a->vocabulary == b->vocabulary;
}

/* Two members that say the same keep the fact of the one that comes first in the definition. */
static void
resolve_pair(struct ranked *a, struct ranked *b)
{
    struct ranked *loser = NULL;
    if (say_the_same(a->member, b->member))
        loser = a->member < b->member ? b : a;
    else if (is_against(a->member, b->member))
        loser = weaker_fact(a, b);
    else if (is_against(b->member, a->member))
        loser = weaker_fact(b, a);
    if (loser != NULL)
        loser->score = -1; /* it stays in the list: it can still exclude a third fact */
}

static void
resolve_contradictions(struct arena *mem, struct ranked *facts, size_t count)
{
    struct ranked **by_key = ARENA_ARRAY(mem, struct ranked *, count + 1);
    for (size_t i = 0; i < count; i++)
        by_key[i] = &facts[i];
    qsort(by_key, count, sizeof *by_key, compare_keys);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count && str_eq(by_key[i]->atom->key, by_key[j]->atom->key); j++)
            resolve_pair(by_key[i], by_key[j]);
}

/* "dairy-free ice cream", "vegan burgers", "oat milk lattes": who must not have dairy or meat can
 * have these. */
static bool
is_substitute(struct arena *mem, const struct vocabulary *vocabulary, struct str dish,
              struct str excluded)
{
    static const char substitutes[] =
        " vegan vegetarian veggie plant meatless nonalcoholic alcoholfree virgin mock non decaf "
        "halal kosher turkey impossible beyond ";
    struct str word, before = STR("");
    while (words_next(&dish, &word)) {
        if (words_in(word, substitutes) ||
            (words_in(word, " milk ") && words_in(before, " oat soy almond coconut rice ")) ||
            (words_in(word, " free ") && before.len > 0 &&
             value_contains(mem, vocabulary, before, excluded)))
            return true;
        before = word;
    }
    return false;
}

/* A fact of an app wins over a taste of the user only if it is about safety. */
static bool
may_hide(const struct ranked *reason, const struct ranked *fact)
{
    return reason->member->safety == SAFETY_CRITICAL || reason->atom->by_user ||
           !fact->atom->by_user;
}

/* Leaves out what contains something that the user must not or will not have: no peanut butter with
 * an allergy, no bacon without pork. */
static void
leave_out_dishes(struct arena *mem, const struct ranked *reason, struct ranked *facts, size_t count)
{
    const struct vocabulary *vocabulary = reason->member->vocabulary;
    if (!reason->member->avoid || reason->member->safety == SAFETY_NONE || vocabulary == NULL ||
        reason->score < 0)
        return;
    for (size_t i = 0; i < count; i++)
        if (facts[i].score >= 0 && facts[i].member->vocabulary == vocabulary &&
            may_hide(reason, &facts[i]) && member_opposes(reason->member, facts[i].member) &&
            named_values_contain(&hint_dish(mem, &facts[i])->named, reason->atom->key) &&
            (reason->member->safety == SAFETY_CRITICAL ||
             !is_substitute(mem, vocabulary, facts[i].dish->text, reason->atom->key)))
            facts[i].score = -1;
}

/* Whether the member is a preference that a danger of the domain can contradict. */
static bool
is_endangered(const struct domain *domain, const struct member *member)
{
    for (size_t i = 0; i < domain->member_count && member->vocabulary != NULL; i++)
        if (member_lists_dangers(&domain->members[i]) &&
            domain->members[i].vocabulary == member->vocabulary &&
            member_opposes(&domain->members[i], member))
            return true;
    return false;
}

/* Leaves out what a diet excludes: no cheeseburgers for vegans. */
static void
leave_out_forbidden(struct arena *mem, const struct domain *domain, const struct ranked *diet,
                    struct ranked *facts, size_t count)
{
    const struct vocabulary_value *value =
        diet->member->vocabulary == NULL || diet->member->safety == SAFETY_NONE || diet->score < 0
            ? NULL
            : vocabulary_find(diet->member->vocabulary, diet->atom->key);
    for (size_t i = 0; value != NULL && value->exclude_count > 0 && i < count; i++) {
        const struct vocabulary *vocabulary = facts[i].member->vocabulary;
        if (facts[i].score < 0 || !may_hide(diet, &facts[i]) ||
            !is_endangered(domain, facts[i].member))
            continue;
        const struct dish *dish = hint_dish(mem, &facts[i]);
        for (size_t k = 0; k < value->exclude_count; k++)
            if (named_values_contain(&dish->named, value->excludes[k]) &&
                !is_substitute(mem, vocabulary, dish->text, value->excludes[k]))
                facts[i].score = -1;
    }
}

/* The next other fact of the same member from *at on. False: none is left. */
static bool
next_beside(const struct ranked *facts, size_t count, const struct ranked *fact, size_t *at)
{
    while (*at < count &&
           (&facts[*at] == fact || facts[*at].member != fact->member || facts[*at].score < 0))
        (*at)++;
    return *at < count;
}

/* The user's own statement wins over an app's, then the later day. */
static bool
is_stronger(const struct atom *sole, const struct atom *other)
{
    if (sole->by_user != other->by_user)
        return sole->by_user;
    return sole->updated_at / DAY > other->updated_at / DAY;
}

/* "none" and the member's sole value ("alone") exclude all others, so hints contain either them
 * or the others. "none" needs a sentence of its own and never hides a value. */
static void
resolve_sole(struct ranked *facts, size_t count, struct ranked *sole)
{
    bool none = str_eq(sole->atom->key, VALUE_NONE);
    bool wins = !none || hint_sentence_of(sole->member, VALUE_NONE) >= 0;
    for (size_t i = 0; wins && next_beside(facts, count, sole, &i); i++)
        wins = !none && is_stronger(sole->atom, facts[i].atom);
    if (!wins)
        sole->score = -1;
    for (size_t i = 0; wins && next_beside(facts, count, sole, &i); i++)
        facts[i].score = -1;
}

/* A fact that another step has left out excludes nothing here. */
static void
leave_out_excluded(struct ranked *facts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct member *member = facts[i].member;
        struct str key = facts[i].atom->key;
        if (member->type == MEMBER_STRING && str_eq(key, VALUE_NONE) &&
            hint_sentence_of(member, VALUE_NONE) < 0)
            facts[i].score = -1; /* an occupation of "nothing right now" */
        if (facts[i].score >= 0 && member->type == MEMBER_ARRAY &&
            (str_eq(key, VALUE_NONE) || (str_present(member->sole) && str_eq(key, member->sole))))
            resolve_sole(facts, count, &facts[i]);
    }
}

/* ---- order ---- */

/* The user's own list keeps the user's order; of single values, the latest comes first. */
static int
compare_facts(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (a->member != b->member)
        return a->member < b->member ? -1 : 1;
    if ((a->concern != CONCERN_NONE) != (b->concern != CONCERN_NONE))
        return a->concern != CONCERN_NONE ? -1 : 1;
    if (a->atom->by_user != b->atom->by_user)
        return a->atom->by_user ? -1 : 1;
    if (a->decides != b->decides)
        return a->decides ? -1 : 1;
    if (a->atom->by_user && a->member->type == MEMBER_ARRAY)
        return (a->atom->sequence > b->atom->sequence) - (a->atom->sequence < b->atom->sequence);
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    if (a->atom->updated_at != b->atom->updated_at)
        return a->atom->updated_at > b->atom->updated_at ? -1 : 1;
    return str_order(a->atom->value, b->atom->value);
}

/* "I pack light" comes after facts that a task depends on; "I never fly at night" does not. */
static void
lower_anecdote(struct ranked *fact)
{
    if (statement_holds(fact->member) && !fact->decides && fact->concern == CONCERN_NONE)
        fact->score = (int32_t)((int64_t)fact->score * ABOUT_USER / HINT_ONE);
}

static bool
has_hint(const struct member *member)
{
    return member != NULL && (str_present(member->hint.text) || member->hint.value_count > 0);
}

/* The steps depend on each other: first pairs that exclude each other, then dishes and ingredients,
 * then statements about dangers, which may hide facts that the pairs kept, and at last single
 * values that exclude all others. A score of -1 keeps a fact in the list, because it can still
 * exclude another one. Age is relative to the newest fact, so the result needs no clock. */
size_t
hint_rank(struct arena *mem, const struct domain *domain, const struct atom *atoms, size_t count,
          struct ranked **out)
{
    atoms = hint_claims_place(mem, domain, atoms, &count);
    struct ranked *facts = ARENA_ARRAY(mem, struct ranked, count + 1);
    size_t found = 0, selected = 0;
    int64_t newest = 0;
    for (size_t i = 0; i < count; i++)
        if (atoms[i].status == ATOM_ACTIVE && atoms[i].updated_at > newest)
            newest = atoms[i].updated_at;
    for (size_t i = 0; i < count; i++) {
        const struct member *member = domain_member(domain, atoms[i].member);
        if (atoms[i].status != ATOM_ACTIVE || !has_hint(member))
            continue;
        struct ranked *fact = &facts[found++];
        *fact = (struct ranked){ .atom = &atoms[i],
                                 .member = member,
                                 .score = score_of(member, &atoms[i], newest) };
        if (statement_holds(member)) {
            fact->concern = statement_concern(domain, hint_fact_text(mem, &atoms[i]));
            fact->sensitive = fact->concern == CONCERN_PRIVATE || personal_statement(atoms[i].key);
            fact->decides = statement_decides(atoms[i].key);
        }
    }
    resolve_contradictions(mem, facts, found);
    for (size_t i = 0; i < found; i++) {
        leave_out_dishes(mem, &facts[i], facts, found);
        leave_out_forbidden(mem, domain, &facts[i], facts, found);
    }
    hint_dangers_resolve(mem, domain, facts, found);
    leave_out_excluded(facts, found);
    for (size_t i = 0; i < found; i++)
        if (facts[i].score >= LEAST_SCORE || (facts[i].score >= 0 && facts[i].atom->by_user)) {
            facts[selected] = facts[i];
            lower_anecdote(&facts[selected++]);
        }
    qsort(facts, selected, sizeof *facts, compare_facts);
    *out = facts;
    return selected;
}
