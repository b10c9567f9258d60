#include "hint/hint_dangers.h"

#include "base/arena.h"
#include "hint/hint.h"
#include "value/danger.h"
#include "value/value_none.h"
#include "text/json_read.h"

struct str
hint_fact_text(struct arena *mem, const struct atom *atom)
{
    const struct json_value *value = NULL;
    struct why why;
    bool is_text =
        json_read(mem, atom->value, 2, &value, &why) == ERR_NONE && value->type == JSON_STR;
    return is_text ? value->text : STR("");
}

const struct dish *
hint_dish(struct arena *mem, struct ranked *fact)
{
    if (fact->dish == NULL) {
        struct dish *dish = ARENA_ARRAY(mem, struct dish, 1);
        dish->text = hint_fact_text(mem, fact->atom);
        value_names(mem, fact->member->vocabulary, dish->text, &dish->named);
        fact->dish = dish;
    }
    return fact->dish;
}

/* The members of a definition are in the order of their gravity: allergies before intolerances. */
const struct member *
hint_gravest_member(const struct domain *domain)
{
    for (size_t i = 0; i < domain->member_count; i++)
        if (member_lists_dangers(&domain->members[i]))
            return &domain->members[i];
    return NULL;
}

static void
leave_out_denials(struct arena *mem, struct ranked *facts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct member *member = facts[i].member;
        if (member_lists_dangers(member) &&
            vocabulary_find(member->vocabulary, facts[i].atom->key) == NULL &&
            value_denies(mem, member, hint_fact_text(mem, facts[i].atom)))
            facts[i].score = -1;
    }
}

/* Whether the statement names a danger or says that there is one: "I carry an EpiPen". */
static bool
states_danger(struct arena *mem, const struct member *gravest, const struct ranked *statement)
{
    struct dangers found;
    struct str text = hint_fact_text(mem, statement->atom);
    return danger_is_allergy(mem, text) ||
           (danger_in_statement(mem, gravest, statement->concern, text, &found) && found.count > 0);
}

/* ---- that there is none ---- */

/* Diets and foods that the user does not eat are about the same thing as allergies to food. */
static bool
is_about_eating(const struct member *gravest, const struct member *member)
{
    const struct vocabulary *vocabulary = member->vocabulary;
    for (size_t i = 0; vocabulary != NULL && i < vocabulary->count; i++)
        if (vocabulary->values[i].exclude_count > 0)
            return true;
    return gravest != NULL && vocabulary == gravest->vocabulary;
}

/* "User has no dietary restrictions.", "User eats everything.", and not "User does not drink." */
static bool
is_absence(const struct ranked *fact)
{
    const struct member *member = fact->member;
    if (member->safety == SAFETY_NONE || member->vocabulary == NULL ||
        (member->type != MEMBER_ARRAY && member->type != MEMBER_STRING) ||
        hint_sentence_of(member, fact->atom->key) < 0)
        return false;
    const struct vocabulary_value *value = vocabulary_find(member->vocabulary, fact->atom->key);
    return value == NULL || value->exclude_count == 0;
}

/* Whether a statement contradicts it. A religious diet says nothing about allergies, and an allergy
 * nothing about a diet. */
static bool
statement_contradicts(struct arena *mem, const struct member *gravest, const struct ranked *none,
                      const struct ranked *statement)
{
    const struct member *member = none->member;
    bool food = statement->concern == CONCERN_FOOD;
    if (member->sensitive)
        return statement->concern == CONCERN_PRIVATE;
    if (member == gravest)
        return food && states_danger(mem, gravest, statement);
    if (member_lists_dangers(member))
        return food && states_danger(mem, gravest, statement) &&
               !danger_is_allergy(mem, hint_fact_text(mem, statement->atom));
    return is_about_eating(gravest, member) &&
           !(member->type == MEMBER_STRING && str_eq(none->atom->key, VALUE_NONE) &&
             danger_is_allergy(mem, hint_fact_text(mem, statement->atom)));
}

/* Whether a typed fact does: "User eats everything" beside anything that the user does not. */
static bool
fact_contradicts(const struct member *gravest, const struct ranked *none, const struct ranked *fact)
{
    const struct member *member = none->member;
    if (member->safety == SAFETY_CRITICAL || fact->member == member ||
        fact->member->safety == SAFETY_NONE || fact->member->type == MEMBER_ENUM ||
        fact->score < 0 || is_absence(fact) || !is_about_eating(gravest, member) ||
        !is_about_eating(gravest, fact->member))
        return false;
    return !(member->type == MEMBER_STRING && str_eq(none->atom->key, VALUE_NONE) &&
             member_lists_dangers(fact->member));
}

/* Leaves out that there is none if another fact says that there is one. */
static void
leave_out_none(struct arena *mem, const struct member *gravest, struct ranked *facts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_absence(&facts[i]))
            continue;
        for (size_t k = 0; k < count && facts[i].score >= 0; k++)
            if (facts[k].concern != CONCERN_NONE
                    ? statement_contradicts(mem, gravest, &facts[i], &facts[k])
                    : fact_contradicts(gravest, &facts[i], &facts[k]))
                facts[i].score = -1;
    }
}

/* ---- the same in other words ---- */

/* Whether one fact may take the place of another: an app's never that of the user's. */
static bool
may_replace(const struct ranked *fact, const struct ranked *other)
{
    return fact->score >= 0 && (fact->atom->by_user || !other->atom->by_user);
}

/* The entry of a diet, or of a food that the user only dislikes: what a danger can already say. */
static const struct vocabulary_value *
lesser_entry(const struct ranked *fact)
{
    const struct member *member = fact->member;
    bool lesser = member->avoid ? member->safety == SAFETY_NONE : member->safety != SAFETY_NONE;
    return lesser && member->vocabulary != NULL
               ? vocabulary_find(member->vocabulary, fact->atom->key)
               : NULL;
}

/* "Gluten-free" is named after the only thing that it excludes, and "walnuts" contain the nuts that
 * the user must not have. */
static bool
is_implied(const struct ranked *fact, const struct vocabulary_value *entry,
           const struct ranked *danger)
{
    struct str key = danger->atom->key;
    if (!fact->member->avoid)
        return entry->exclude_count == 1 && str_eq(entry->excludes[0], key) &&
               str_starts(entry->key, key);
    for (size_t i = 0;
         fact->member->vocabulary == danger->member->vocabulary && i < entry->contain_count; i++)
        if (str_eq(entry->contains[i], key))
            return true;
    return false;
}

/* Leaves out what a danger already says. */
static void
leave_out_implied(struct ranked *facts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct vocabulary_value *entry = lesser_entry(&facts[i]);
        for (size_t k = 0; entry != NULL && k < count; k++)
            if (member_lists_dangers(facts[k].member) && may_replace(&facts[k], &facts[i]) &&
                is_implied(&facts[i], entry, &facts[k]))
                facts[i].score = -1;
    }
}

/* ---- statements ---- */

static bool
has_key(const struct dangers *dangers, struct str key)
{
    for (size_t i = 0; i < dangers->count; i++)
        if (str_eq(dangers->keys[i], key))
            return true;
    return false;
}

/* Whether the member says at least as much as the statement: an intolerance is no allergy. */
static bool
is_as_grave(const struct member *gravest, const struct member *member,
            const struct dangers *dangers)
{
    return member->vocabulary == gravest->vocabulary &&
           (dangers->allergies ? member == gravest : member_lists_dangers(member));
}

/* Whether typed facts of the same authority say everything that the statement says. */
static bool
is_repeated(const struct member *gravest, const struct ranked *statement,
            const struct dangers *dangers, const struct ranked *facts, size_t count)
{
    for (size_t k = 0; k < dangers->count; k++) {
        bool found = false;
        for (size_t i = 0; i < count && !found; i++)
            found = facts[i].score >= 0 && is_as_grave(gravest, facts[i].member, dangers) &&
                    (facts[i].atom->by_user || !statement->atom->by_user) &&
                    str_eq(facts[i].atom->key, dangers->keys[k]);
        if (!found)
            return false;
    }
    return dangers->count > 0;
}

/* Leaves out less serious facts about the same thing, and preferences for what contains it. */
static void
leave_out_lesser(struct arena *mem, const struct member *gravest, const struct ranked *statement,
                 const struct dangers *dangers, struct ranked *facts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct ranked *fact = &facts[i];
        if (fact->member->vocabulary != gravest->vocabulary)
            continue;
        if (fact->member->avoid && dangers->alone && has_key(dangers, fact->atom->key) &&
            !is_as_grave(gravest, fact->member, dangers) &&
            (statement->atom->by_user || !fact->atom->by_user))
            fact->score = -1;
        for (size_t k = 0; k < dangers->count && member_opposes(gravest, fact->member); k++)
            if (named_values_contain(&hint_dish(mem, fact)->named, dangers->keys[k]))
                fact->score = -1;
    }
}

/* Of two statements that name the same, the one that says more is kept, then the first one. */
static bool
is_covered(const struct dangers *dangers, const struct ranked *statement,
           const struct dangers *other, const struct ranked *of)
{
    if (!dangers->whole || other->count == 0 || dangers->allergies > other->allergies ||
        (statement->atom->by_user && !of->atom->by_user) || of->concern != statement->concern)
        return false;
    for (size_t i = 0; i < dangers->count; i++)
        if (!has_key(other, dangers->keys[i]))
            return false;
    bool equal = other->whole && other->count == dangers->count &&
                 other->allergies == dangers->allergies &&
                 statement->atom->by_user == of->atom->by_user;
    return !equal || str_order(of->atom->key, statement->atom->key) < 0;
}

/* Lesser facts are left out before repeated statements: a statement may repeat a fact that the
 * first loop has just left out, and must then stay, or nothing would name the danger. */
void
hint_dangers_resolve(struct arena *mem, const struct domain *domain, struct ranked *facts,
                     size_t count)
{
    const struct member *gravest = hint_gravest_member(domain);
    size_t concerns = 0, found = 0;
    leave_out_denials(mem, facts, count);
    leave_out_none(mem, gravest, facts, count);
    if (gravest == NULL)
        return;
    leave_out_implied(facts, count);
    for (size_t i = 0; i < count; i++)
        concerns += facts[i].concern != CONCERN_NONE;
    struct ranked **statements = ARENA_ARRAY(mem, struct ranked *, concerns + 1);
    struct dangers *dangers = ARENA_ARRAY(mem, struct dangers, concerns + 1);
    for (size_t i = 0; i < count; i++)
        if (facts[i].concern != CONCERN_NONE &&
            danger_in_statement(mem, gravest, facts[i].concern, hint_fact_text(mem, facts[i].atom),
                                &dangers[found]))
            statements[found++] = &facts[i];
    for (size_t i = 0; i < found; i++)
        leave_out_lesser(mem, gravest, statements[i], &dangers[i], facts, count);
    for (size_t i = 0; i < found; i++) {
        bool repeated =
            dangers[i].alone && is_repeated(gravest, statements[i], &dangers[i], facts, count);
        for (size_t j = 0; j < found && !repeated; j++)
            repeated = j != i && is_covered(&dangers[i], statements[i], &dangers[j], statements[j]);
        if (repeated)
            statements[i]->score = -1;
    }
}
