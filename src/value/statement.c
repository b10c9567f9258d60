/* statement.c - what the classes of a statement mean in a domain. */
#include "value/statement.h"

#include "base/arena.h"
#include "domain/domain.h"
#include "reading/mention.h"
#include "reading/statement_class.h"
#include "reading/statement_key.h"
#include "value/value_none.h"

/* The least scores of a statement about safety, measured with tests/eval. In doubt a statement is
 * about safety: including it costs a few tokens, leaving it out can harm. */
#define SCORE_ENOUGH (-LINEAR_SCORE_SCALE)
#define SCORE_POSSIBLE (-4 * LINEAR_SCORE_SCALE) /* with a word for an allergy */
#define SCORE_CERTAIN 0 /* of a few words, and in a domain without critical members */
#define SCORE_DENIED (LINEAR_SCORE_SCALE / 2) /* a danger is named only to deny it */

#define SCORE_PRIVATE (LINEAR_SCORE_SCALE / 4) /* how far the score of a condition may be below */
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

/* Words of a key. Examples cannot name everything that people are allergic to: "allergic to moss".
 */
static const char allergies[] = "allergy,allergic,allergies,anaphylaxis,anaphylactic,epipen,"
                                "intolerance,intolerances,intolerant,celiac,coeliac";
static const char conditions[] = "pregnant,pregnancy,diabetic,diabetes,asthma,asthmatic,epilepsy,"
                                 "epileptic,kosher,halal";

#define CLAIMED (MENTION_CLAIM | MENTION_NOT_NO | MENTION_NOT_OVER)

static struct str
words_of(struct arena *mem, struct str key)
{
    return str_format(mem, " %.*s ", STR_ARG(key));
}

static bool
claims_allergy(struct arena *mem, struct str words)
{
    return mention_in(words, allergies, CLAIMED) && !mention_is_figure(words) &&
           mention_without_judged(mem, words).ptr == words.ptr;
}

static bool
names_danger(struct str words)
{
    return mention_in(words, allergies, MENTION_ANY) || mention_in(words, conditions, MENTION_ANY);
}

/* "outgrew my milk allergy", "not pregnant", "the kosher deli" */
static bool
denies_all(struct str words)
{
    return names_danger(words) && !mention_in(words, allergies, CLAIMED) &&
           !mention_in(words, conditions, CLAIMED);
}

static int32_t
least_score(struct arena *mem, const struct domain *domain, struct str key)
{
    struct str words = words_of(mem, key);
    if (denies_all(words))
        return SCORE_DENIED;
    if (domain != NULL && !domain_has_critical(domain))
        return SCORE_CERTAIN;
    return claims_allergy(mem, words)         ? SCORE_POSSIBLE
           : str_word_count(key) <= FEW_WORDS ? SCORE_CERTAIN
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
class_of(struct arena *mem, const struct domain *domain, struct str text,
         struct statement_scores *scores)
{
    struct str key = statement_key(mem, text);
    if (!str_present(key))
        return STATEMENT_OTHER;
    statement_classify(mem, key, scores);
    enum statement_class best = greatest(scores);
    if (scores->of[best] < least_score(mem, domain, key) ||
        (domain != NULL && denies(mem, domain, text)))
        return STATEMENT_OTHER;
    int32_t private = scores->of[best] - SCORE_PRIVATE;
    return scores->of[STATEMENT_HEALTH] >= private && best != STATEMENT_PHYSICAL ? STATEMENT_HEALTH
                                                                                 : best;
}

enum concern
statement_concern(const struct domain *domain, struct str text)
{
    struct arena *scratch = arena_new(); /* folding takes many times the length of a text */
    struct statement_scores scores;
    enum statement_class class = class_of(scratch, domain, text, &scores);
    arena_free(scratch);
    return class == STATEMENT_OTHER                                 ? CONCERN_NONE
           : class == STATEMENT_ALLERGY || class == STATEMENT_FAITH ? CONCERN_FOOD
                                                                    : CONCERN_PRIVATE;
}

/* In doubt the statement says more: "wheelchair user, kosher", "I use a wheelchair and carry
 * insulin".
 */
bool
statement_is_physical(struct str text)
{
    struct arena *scratch = arena_new();
    struct statement_scores scores;
    bool physical = class_of(scratch, NULL, text, &scores) == STATEMENT_PHYSICAL;
    for (enum statement_class k = STATEMENT_ALLERGY; physical && k < STATEMENT_PHYSICAL; k++)
        physical = scores.of[k] + LINEAR_SCORE_SCALE < scores.of[STATEMENT_PHYSICAL];
    physical = physical && !names_danger(words_of(scratch, statement_key(scratch, text)));
    arena_free(scratch);
    return physical;
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
