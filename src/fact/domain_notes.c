/* domain_notes.c - two searches over the facts of a domain, each with a budget of comparisons.
 *
 * Contradictions compare each fact of a member that opposes others (allergies) with the facts of
 * those members (favorites). Mistyped values are compared with the vocabulary of their member and
 * with older facts of it. Both would take time proportional to the square of the number of facts;
 * the budgets end them, and contradictions come first, because they matter more. At most six notes
 * are made. */
#include "fact/domain_notes.h"

#include "base/arena.h"
#include "base/ascii.h"
#include "text/nearest.h"
#include "domain/domain.h"
#include "domain/named_values.h"
#include "domain/value_text.h"
#include "model/atom.h"
#include "text/json_read.h"

#define NOTES_MAX 6
#define AGAINST_MAX 50  /* facts of members that oppose others */
#define PAIRS_MAX 20000 /* comparisons of a fact with an opposite one */
#define WORDS_MAX 20000 /* comparisons of two words by their length */
#define LETTERS_MIN 5   /* shorter words have too many neighbors */
#define LETTERS_MAX 40  /* longer texts are sentences */
#define LETTERS_PER_TYPO \
    4 /* letters per allowed difference, of which there are at most TYPOS_MAX */
#define TYPOS_MAX 2

/* Comparisons are limited (`pairs`, `words`), since a page must not take long for a user with many
 * facts. */
struct noting {
    struct arena *mem;
    const struct domain *domain;
    const struct sourced_atom *facts;
    size_t count;
    struct domain_notes *out;
    size_t pairs, words;               /* comparisons left */
    const struct named_values **named; /* of each fact; NULL until named_by() has read them */
};

/* NULL: the fact is not active, or its member is not in the definition anymore. */
static const struct member *
member_of(const struct noting *noting, size_t fact)
{
    const struct atom *atom = &noting->facts[fact].atom;
    return atom->status == ATOM_ACTIVE ? domain_member(noting->domain, atom->member) : NULL;
}

/* Empty if the value is no text. */
static struct str
text_of(const struct noting *noting, size_t fact)
{
    const struct json_value *value = NULL;
    bool is_text =
        json_read(noting->mem, noting->facts[fact].atom.value, 2, &value, NULL) == ERR_NONE &&
        value->type == JSON_STR;
    return is_text ? value->text : STR("");
}

/* At most NOTES_MAX notes are kept, the first ones. */
static void
add(struct noting *noting, size_t fact, const struct member *against, struct str instead)
{
    struct domain_notes *out = noting->out;
    for (size_t i = 0; i < out->count; i++)
        if (out->list[i].fact == &noting->facts[fact])
            return; /* one note for each fact is enough */
    if (out->count < NOTES_MAX)
        out->list[out->count++] = (struct domain_note){ &noting->facts[fact], against, instead };
}

/* ---- contradictions ---- */

/* What a fact names in the vocabulary of its member, which has one. */
static const struct named_values *
named_by(const struct noting *noting, size_t fact)
{
    if (noting->named[fact] == NULL) {
        struct named_values *named = ARENA_ARRAY(noting->mem, struct named_values, 1);
        value_names(noting->mem, member_of(noting, fact)->vocabulary, text_of(noting, fact), named);
        noting->named[fact] = named;
    }
    return noting->named[fact];
}

/* Whether a fact contradicts one of a member that opposes its own: the same value, or a dish with
 * what the user must not have. */
static bool
contradicts(const struct noting *noting, size_t fact, const struct member *against, size_t other)
{
    struct str key = noting->facts[other].atom.key;
    const struct vocabulary *vocabulary = against->vocabulary;
    if (str_eq(noting->facts[fact].atom.key, key))
        return true;
    return against->safety != SAFETY_NONE && vocabulary != NULL &&
           member_of(noting, fact)->vocabulary == vocabulary &&
           named_values_contain(named_by(noting, fact), key);
}

/* `pairs` bounds the comparisons, since a user can have thousands of facts. */
static void
find_contradictions(struct noting *noting)
{
    size_t seen = 0;
    for (size_t i = 0; i < noting->count && seen < AGAINST_MAX; i++) {
        const struct member *against = member_of(noting, i);
        if (against == NULL || against->oppose_count == 0)
            continue;
        seen++;
        for (size_t j = 0; j < noting->count && noting->pairs > 0; j++) {
            const struct member *member = member_of(noting, j);
            if (member == NULL || member == against || !member_opposes(against, member))
                continue;
            noting->pairs--;
            if (contradicts(noting, j, against, i))
                add(noting, j, against, text_of(noting, i));
        }
    }
}

/* ---- mistyped words ---- */

static bool
is_word(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (ascii_is_digit(text.ptr[i]))
            return false; /* numbers that differ are different things */
    return text.len >= LETTERS_MIN && text.len <= LETTERS_MAX;
}

/* Plural and singular are no typing mistake. */
static bool
is_plural(struct str one, struct str many)
{
    return many.len == one.len + 1 && str_starts(many, one) && many.ptr[one.len] == 's';
}

/* Uses up one comparison, also if the lengths already differ too much. */
static bool
is_near(struct noting *noting, struct str typed, struct str known)
{
    size_t most = typed.len / LETTERS_PER_TYPO;
    most = most < TYPOS_MAX ? most : TYPOS_MAX;
    if (noting->words == 0)
        return false;
    noting->words--;
    return typed.len <= known.len + most && known.len <= typed.len + most && is_word(known) &&
           !is_plural(typed, known) && !is_plural(known, typed) &&
           nearest_distance(typed, known) <= most;
}

/* The first entry that is near enough, not the nearest one: it is only a suggestion. */
static struct str
near_in_vocabulary(struct noting *noting, const struct vocabulary *vocabulary, struct str typed)
{
    for (size_t v = 0; v < vocabulary->count; v++)
        if (is_near(noting, typed, vocabulary->values[v].key))
            return vocabulary->values[v].value;
    return STR_NONE;
}

/* An older fact of the same member. */
static struct str
near_in_facts(struct noting *noting, size_t fact, struct str typed)
{
    const struct member *member = member_of(noting, fact);
    for (size_t i = 0; i < fact; i++)
        if (member_of(noting, i) == member && is_near(noting, typed, noting->facts[i].atom.key))
            return text_of(noting, i);
    return STR_NONE;
}

/* Only facts that were stated a short time ago: the user has just typed them, and a note about an
 * old one would be unasked advice. */
static void
find_typos(struct noting *noting, int64_t now)
{
    for (size_t i = noting->count; i > 0; i--) { /* the newest first */
        const struct atom *atom = &noting->facts[i - 1].atom;
        const struct member *member = member_of(noting, i - 1);
        bool is_text =
            member != NULL && (member->type == MEMBER_ARRAY || member->type == MEMBER_STRING);
        if (!is_text || atom->updated_at < now - DOMAIN_NOTE_SECONDS)
            continue;
        struct str typed = value_fold(noting->mem, text_of(noting, i - 1)), known = STR_NONE;
        const struct vocabulary *vocabulary = member->vocabulary;
        if (!is_word(typed) ||
            /* A value of the vocabulary is right, even if it is near another one. */
            (vocabulary != NULL && value_entry(noting->mem, vocabulary, typed) != NULL))
            continue;
        if (vocabulary != NULL)
            known = near_in_vocabulary(noting, vocabulary, typed);
        if (!str_present(known) && member->type == MEMBER_ARRAY)
            known = near_in_facts(noting, i - 1, typed);
        if (str_present(known))
            add(noting, i - 1, NULL, known);
    }
}

/* Contradictions come first, since they matter more if there are many notes. */
struct domain_notes
domain_notes_make(struct arena *mem, const struct domain *domain, const struct sourced_atom *facts,
                  size_t count, int64_t now)
{
    struct domain_notes out = { .list = ARENA_ARRAY(mem, struct domain_note, NOTES_MAX) };
    struct noting noting = { mem, domain, facts, count, &out, PAIRS_MAX, WORDS_MAX, NULL };
    noting.named = ARENA_ARRAY(mem, const struct named_values *, count + 1);
    find_contradictions(&noting);
    find_typos(&noting, now);
    return out;
}
