/* statement.c - what the classes of a statement mean in a domain. */
#include "value/statement.h"

#include "base/arena.h"
#include "domain/domain.h"
#include "reading/mention.h"
#include "reading/statement_class.h"
#include "reading/statement_key.h"
#include "value/value_none.h"

/* Measured with tests/eval: the least score of a statement about safety; of one with a word for an
 * allergy; of a few words, which say little, and in a domain without critical members, where few
 * statements are; and how far below the greatest score that of a condition may be for the statement
 * to be private. In doubt a statement is about safety: including it costs a few tokens, leaving it
 * out can harm. */
#define SCORE_ENOUGH (-LINEAR_SCORE_SCALE)
#define SCORE_POSSIBLE (-4 * LINEAR_SCORE_SCALE)
#define SCORE_CERTAIN 0
#define SCORE_PRIVATE (LINEAR_SCORE_SCALE / 4)
#define FEW_WORDS 3

/* Whether the text plainly says that there is none: "I'm not allergic to anything", "I'm not
 * allergic to nuts". */
static bool
denies(struct arena *mem, const struct domain *domain, struct str text)
{
    for (size_t i = 0; i < domain->member_count; i++)
        if (member_lists_dangers(&domain->members[i]) &&
            (value_means_none(mem, &domain->members[i], text) ||
             value_denies(mem, &domain->members[i], text)))
            return true;
    return false;
}

/* Examples cannot name everything that people are allergic to: "allergic to moss". Words of a key.
 */
static bool
names_allergy(struct arena *mem, struct str key)
{
    static const char list[] = "allergy,allergic,allergies,anaphylaxis,anaphylactic,epipen,"
                               "intolerance,intolerances,intolerant,celiac,coeliac";
    struct str words = str_format(mem, " %.*s ", STR_ARG(key));
    return mention_in(words, list, MENTION_CLAIM | MENTION_NOT_NO | MENTION_NOT_OVER) &&
           !mention_is_figure(words) && mention_without_judged(mem, words).ptr == words.ptr;
}

static bool
has_few_words(struct str key)
{
    size_t words = 1;
    for (size_t i = 0; i < key.len; i++)
        words += key.ptr[i] == ' ';
    return words <= FEW_WORDS;
}

static int32_t
least_score(struct arena *mem, const struct domain *domain, struct str key)
{
    if (domain != NULL && !domain_has_critical(domain))
        return SCORE_CERTAIN;
    return names_allergy(mem, key) ? SCORE_POSSIBLE
           : has_few_words(key)    ? SCORE_CERTAIN
                                   : SCORE_ENOUGH;
}

static enum statement_class
greatest(const struct statement_scores *scores)
{
    enum statement_class best = STATEMENT_ALLERGY;
    for (enum statement_class k = STATEMENT_FAITH; k < STATEMENT_CLASSES; k++)
        if (scores->of[k] > scores->of[best])
            best = k;
    return best;
}

/* The class of a text, or of its key, because a view knows only that, and both must decide alike.
 * STATEMENT_OTHER: it is not about safety. */
static enum statement_class
class_of(struct arena *mem, const struct domain *domain, struct str text)
{
    struct statement_scores scores;
    struct str key = statement_key(mem, text);
    if (!str_present(key))
        return STATEMENT_OTHER;
    statement_classify(mem, key, &scores);
    enum statement_class best = greatest(&scores);
    if (scores.of[best] < least_score(mem, domain, key) ||
        (domain != NULL && denies(mem, domain, text)))
        return STATEMENT_OTHER;
    int32_t private = scores.of[best] - SCORE_PRIVATE;
    return scores.of[STATEMENT_HEALTH] >= private && best != STATEMENT_PHYSICAL ? STATEMENT_HEALTH
                                                                                : best;
}

enum concern
statement_concern(const struct domain *domain, struct str text)
{
    struct arena *scratch = arena_new(); /* folding takes many times the length of a text */
    enum statement_class class = class_of(scratch, domain, text);
    arena_free(scratch);
    return class == STATEMENT_OTHER                                 ? CONCERN_NONE
           : class == STATEMENT_ALLERGY || class == STATEMENT_FAITH ? CONCERN_FOOD
                                                                    : CONCERN_PRIVATE;
}

bool
statement_is_physical(struct str text)
{
    struct arena *scratch = arena_new();
    enum statement_class class = class_of(scratch, NULL, text);
    arena_free(scratch);
    return class == STATEMENT_PHYSICAL;
}

/* By single words of the key, which has no contractions left: "do not", "can not". */
bool
statement_decides(struct str key)
{
    static const char *const words[] = {
        "avoid", "best",    "dislike", "enjoy", "enough", "except",  "hate",   "instead", "least",
        "limit", "love",    "me",      "most",  "must",   "need",    "needs",  "never",   "no",
        "not",   "nothing", "only",    "over",  "prefer", "quit",    "rather", "refuse",  "should",
        "than",  "too",     "unless",  "want",  "wants",  "without", "would",
    };
    struct str word;
    while (str_cut(&key, ' ', &word))
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (str_eq_c(word, words[i]))
                return true;
    return false;
}
