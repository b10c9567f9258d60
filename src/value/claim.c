/* claim.c - a small grammar for short texts: a word for an allergy that ends what it is about ("nut
 * allergy"), or a preposition after it ("allergic to nuts"). "Allergy-friendly" is neither. In
 * doubt a text is no claim here, since it stays a fact of its own member. */
#include "value/claim.h"

#include "base/arena.h"
#include "domain/value_text.h"
#include "reading/mention.h"
#include "reading/statement_key.h"
#include "value/statement.h"
#include "value/value_none.h"
#include "value/value_words.h"

enum claim { CLAIM_NONE, CLAIM_INTOLERANCE, CLAIM_ALLERGY, CLAIM_CELIAC };

/* ---- words ---- */

/* Without any of these a text is no claim. */
bool
claim_is_possible(struct str text)
{
    static const char *const stems[] = { "llerg",   "lerg", "lérg",   "ntoler",     "nsitiv",
                                         "naphyla", "liac", "ertr",   "аллерг",     "Аллерг",
                                         "एलर्जी",   "过敏", "過敏",   "アレルギー", "알레르기",
                                         "حساسية",  "LERG", "NTOLER", "LIAC",       NULL };
    for (size_t i = 0; stems[i] != NULL; i++)
        if (str_find(text, str_of(stems[i])) < text.len)
            return true;
    return false;
}

static bool
ends_with_one_of(struct str word, const char *const *list)
{
    for (; *list != NULL; list++)
        if (word.len > str_of(*list).len && str_ends(word, str_of(*list)))
            return true;
    return false;
}

/* What the allergy is to is a part of the word: "Nussallergie", "花生过敏". */
static enum claim
compound_of(struct str word)
{
    static const char *const allergies[] = { "allergie",     "allergien", "allergiker",
                                             "allergikerin", "allergi",   "allergisch",
                                             "过敏",         "過敏",      "アレルギー",
                                             "알레르기",     NULL };
    static const char *const intolerances[] = { "intoleranz", "intolerant", "unverträglichkeit",
                                                "intolerans", NULL };
    return ends_with_one_of(word, allergies)      ? CLAIM_ALLERGY
           : ends_with_one_of(word, intolerances) ? CLAIM_INTOLERANCE
                                                  : CLAIM_NONE;
}

static enum claim
head_of(const struct words *words, size_t i)
{
    static const char *const shocks[] = { "anaphylaxis", "anaphylactic", NULL };
    enum word_kind kind = words->list[i].kind;
    if (kind == WORD_ALLERGY || kind == WORD_ALLERGIC)
        return CLAIM_ALLERGY;
    if (kind == WORD_INTOLERANCE)
        return CLAIM_INTOLERANCE;
    return value_word_is_one_of(words, i, shocks) ||
                   mention_resembles(words->list[i].folded, STR("allergic")) ||
                   mention_resembles(words->list[i].folded, STR("allergy"))
               ? CLAIM_ALLERGY
               : CLAIM_NONE;
}

/* "To nuts", "aux noix", "gegen Nüsse". */
static bool
is_preposition(const struct words *words, size_t i)
{
    static const char *const list[] = { "to",  "from",  "against", "a",   "à",    "au",
                                        "aux", "al",    "ao",      "aos", "alla", "alle",
                                        "ai",  "gegen", "auf",     "för", "mot",  "voor",
                                        "på",  "for",   "на",      "к",   NULL };
    return value_word_is_one_of(words, i, list);
}

/* Whether nothing but remarks follows, or another part of a list: "nut allergy (severe)", "mango
 * allergy and papaya". */
static bool
ends_name(const struct words *words, size_t i)
{
    static const char *const links[] = { "and", "or", "und", "y", "et", "e", "ou", NULL };
    return i + 1 == words->count || words->list[i + 1].follows_break ||
           words->list[i + 1].kind == WORD_SEVERITY || value_word_is_one_of(words, i + 1, links);
}

/* ---- the grammar ---- */

/* *direct: a preposition says what it is to. */
static enum claim
claim_of_words(const struct words *words, bool *direct)
{
    enum claim found = CLAIM_NONE;
    bool content = false;
    for (size_t i = 0; i < words->count; i++) {
        enum claim compound = compound_of(words->list[i].folded), head = head_of(words, i);
        bool nothing = i + 2 < words->count && words->list[i + 2].kind == WORD_NEGATION;
        bool preposition = is_preposition(words, i + 1) && !nothing;
        if (head != CLAIM_NONE && (preposition || ends_name(words, i))) {
            found = head > found ? head : found;
            *direct = *direct || preposition;
        } else if (head == CLAIM_NONE && compound != CLAIM_NONE) {
            found = compound > found ? compound : found;
            content = true;
        } else if (words->list[i].kind == WORD_OTHER) {
            content = true;
        }
    }
    return content ? found : CLAIM_NONE;
}

/* "Celiac disease", "I am a coeliac", and nothing else. */
static bool
is_celiac(const struct words *words)
{
    static const char *const names[] = { "celiac",   "coeliac",   "celiacs", "coeliacs", "ceoliac",
                                         "zöliakie", "celíaco",   "celíaca", "celiaco",  "celiaca",
                                         "cœliaque", "coeliaque", NULL };
    static const char *const others[] = { "disease", "diagnosed", "confirmed", NULL };
    bool named = false;
    for (size_t i = 0; i < words->count; i++) {
        bool name = value_word_is_one_of(words, i, names);
        enum word_kind kind = words->list[i].kind;
        if (!name && kind != WORD_FILLER && kind != WORD_SUBJECT && kind != WORD_SEVERITY &&
            !value_word_is_one_of(words, i, others))
            return false;
        named = named || name;
    }
    return named;
}

/* Not denied, past, supposed, or a figure of speech. */
static bool
is_meant(struct arena *mem, const struct member *member, struct str text)
{
    static const char heads[] = "allergy,allergic,allergies,intolerance,intolerances,intolerant,"
                                "sensitivity,sensitive,anaphylaxis,anaphylactic,celiac,coeliac";
    struct str key = statement_key(mem, text);
    struct str words = str_format(mem, " %.*s ", STR_ARG(key));
    return str_present(key) && !value_is_denial(mem, member, text) && !mention_is_figure(words) &&
           mention_without_judged(mem, words).ptr == words.ptr &&
           (!mention_in(words, heads, MENTION_ANY) ||
            mention_in(words, heads, MENTION_CLAIM | MENTION_NOT_NO | MENTION_NOT_OVER));
}

static enum claim
claim_of(struct arena *mem, const struct member *member, struct str text, bool *direct)
{
    struct words *words;
    enum claim claim;
    *direct = false;
    if (member->vocabulary == NULL || !member->vocabulary->open || statement_holds(member) ||
        (member->type != MEMBER_ARRAY && member->type != MEMBER_STRING) || !claim_is_possible(text))
        return CLAIM_NONE;
    words = ARENA_NEW(mem, struct words);
    if (!value_words_read(mem, text, words))
        return CLAIM_NONE;
    claim = is_celiac(words) ? CLAIM_CELIAC : claim_of_words(words, direct);
    return claim != CLAIM_NONE && is_meant(mem, member, text) ? claim : CLAIM_NONE;
}

bool
claim_in(struct arena *mem, const struct member *member, struct str text)
{
    bool direct;
    enum claim claim = claim_of(mem, member, text, &direct);
    return claim != CLAIM_NONE && !value_is_about(member, WORD_ALLERGY) &&
           !(claim == CLAIM_INTOLERANCE && value_is_about(member, WORD_INTOLERANCE)) &&
           !(claim == CLAIM_CELIAC && member->safety == SAFETY_CRITICAL) &&
           vocabulary_find(member->vocabulary, value_fold(mem, text)) == NULL;
}

/* ---- the member that it belongs to ---- */

/* Members are in the order of their gravity: the first one is for allergies. */
static const struct member *
member_for(const struct domain *domain, enum claim claim)
{
    for (size_t i = 0; i < domain->member_count; i++)
        if (member_lists_dangers(&domain->members[i]) &&
            (claim == CLAIM_ALLERGY || value_is_about(&domain->members[i], WORD_INTOLERANCE)))
            return &domain->members[i];
    return NULL;
}

/* "Nut allergies" as a subject to learn is a topic; as a food or a diet it is an allergy. */
static bool
is_related(const struct member *member, const struct member *to)
{
    return member->vocabulary == to->vocabulary || member->safety != SAFETY_NONE ||
           member_opposes(to, member);
}

const struct member *
claim_member(struct arena *mem, const struct domain *domain, const struct member *member,
             struct str text, struct str *said, bool *certain)
{
    bool direct;
    enum claim claim = claim_of(mem, member, text, &direct);
    const struct member *to = claim == CLAIM_NONE ? NULL : member_for(domain, claim);
    if (to == NULL || to == member || (member_lists_dangers(member) && member < to) ||
        (claim == CLAIM_CELIAC && member->safety == SAFETY_CRITICAL) ||
        (!direct && !is_related(member, to)))
        return NULL;
    *said = claim == CLAIM_CELIAC ? STR("celiac") : text;
    *certain = claim == CLAIM_ALLERGY;
    return to;
}
