/* danger.c - which foods a statement such as "peanuts could kill me" is about. Rules look at
 * clauses, because "I love nuts but shrimp gives me hives" names one danger only. */
#include "value/danger.h"

#include "base/arena.h"
#include "value/value_none.h"
#include "domain/value_text.h"
#include "value/value_words.h"

/* Diets for religious reasons exclude foods without being about harm. */
static bool
is_religious(const struct words *words, size_t i)
{
    static const char *const list[] = { "halal",  "kosher",  "haram",     "jain",     "halaal",
                                        "muslim", "hindu",   "jewish",    "jew",      "lent",
                                        "faith",  "ramadan", "religious", "religion", NULL };
    return value_word_is_one_of(words, i, list);
}

static bool
is_liking(const struct words *words, size_t i)
{
    static const char *const list[] = { "love",   "like",  "enjoy",    "adore",
                                        "loves",  "likes", "favorite", "favourite",
                                        "prefer", "crave", NULL };
    return value_word_is_one_of(words, i, list);
}

/* Words of harm by their kind, and words that only occur with harm. */
static bool
is_harm(const struct words *words, size_t i)
{
    static const char *const list[] = { "kill",   "hives", "throat", "breathe", "hospital", "react",
                                        "reacts", "swell", "swells", "celiac",  "coeliac",  NULL };
    enum word_kind kind = words->list[i].kind;
    return kind == WORD_ALLERGY || kind == WORD_ALLERGIC || kind == WORD_INTOLERANCE ||
           kind == WORD_SEVERITY || value_word_is_one_of(words, i, list);
}

static bool
starts_clause(const struct words *words, size_t i)
{
    return words->list[i].follows_break || words->list[i].kind == WORD_SUBJECT ||
           value_word_is(words, i, "but");
}

/* The end of the clause that starts at `from`, and whether it only says what the user likes. */
static size_t
read_clause(const struct words *words, size_t from, bool *harmless)
{
    size_t end = from;
    bool liked = false, harm = false;
    do {
        liked = liked || is_liking(words, end);
        harm = harm || is_harm(words, end);
        end++;
    } while (end < words->count && !starts_clause(words, end));
    *harmless = liked && !harm;
    return end;
}

static void
add_name(struct arena *mem, const struct vocabulary *vocabulary, const struct words *words,
         size_t i, struct dangers *out)
{
    struct str first = words->list[i].text,
               last = words->list[i + words->list[i].name_words - 1].text;
    struct str name = { first.ptr, (size_t)(last.ptr + last.len - first.ptr) };
    const struct vocabulary_value *entry =
        value_danger_entry(mem, vocabulary, value_fold(mem, name));
    if (entry != NULL && out->count < DANGERS_MAX)
        out->keys[out->count++] = entry->key;
}

static void
add_names(struct arena *mem, const struct vocabulary *vocabulary, const struct words *words,
          bool liked_too, struct dangers *out)
{
    bool harmless = false;
    for (size_t i = 0; i < words->count;)
        for (size_t end = read_clause(words, i, &harmless); i < end; i++)
            if (words->list[i].starts_name && (liked_too || !harmless))
                add_name(mem, vocabulary, words, i, out);
}

/* False also for statements about religion and private diets, whose foods the user avoids but is
 * not harmed by. */
bool
danger_in_statement(struct arena *mem, const struct member *member, enum concern concern,
                    struct str statement, struct dangers *out)
{
    struct words *words = ARENA_NEW(mem, struct words);
    struct str named[DANGERS_MAX];
    bool harm = false, religious = false;
    *out = (struct dangers){ .count = 0 };
    if (concern == CONCERN_NONE || !member_lists_dangers(member) ||
        !value_words_read(mem, statement, words) ||
        value_words_name(mem, member->vocabulary, words) == 0 ||
        value_is_denial(mem, member, statement) || value_denies(mem, member, statement))
        return false;
    for (size_t i = 0; i < words->count; i++) {
        harm = harm || is_harm(words, i);
        religious = religious || is_religious(words, i);
        out->allergies = out->allergies || words->list[i].kind == WORD_ALLERGY ||
                         words->list[i].kind == WORD_ALLERGIC ||
                         words->list[i].kind == WORD_SEVERITY;
    }
    if (!harm && (religious || concern == CONCERN_PRIVATE))
        return false; /* "I eat kosher and love beef" */
    add_names(mem, member->vocabulary, words, false, out);
    if (out->count == 0) /* "I love nuts although they could kill me" */
        add_names(mem, member->vocabulary, words, true, out);
    out->whole = harm && value_named(mem, member, statement, named, DANGERS_MAX) == out->count;
    out->alone = out->whole && concern != CONCERN_PRIVATE; /* "I have celiac disease" */
    return true;
}

bool
danger_is_allergy(struct arena *mem, struct str statement)
{
    static const char *const list[] = { "epipen", "hives", "throat", "anaphylaxis", NULL };
    struct words *words = ARENA_NEW(mem, struct words);
    if (!value_words_read(mem, statement, words))
        return words->count == WORDS_MAX; /* in doubt it is */
    for (size_t i = 0; i < words->count; i++)
        if (words->list[i].kind == WORD_ALLERGY || words->list[i].kind == WORD_ALLERGIC ||
            value_word_is_one_of(words, i, list))
            return true;
    return false;
}
