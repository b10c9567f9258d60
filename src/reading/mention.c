/* mention.c - whether a text really mentions something about the user. Each rule has an example in
 * its comment; the tests have many more. */
#include "reading/mention.h"

#include "base/arena.h"

#include <string.h>

#define WORD_MAX 32        /* letters; longer words are in no list */
#define MISSPELLED_MIN 7   /* shorter words must match exactly */
#define MISSPELLED_MORE 10 /* from this length on, two letters may be wrong */
#define NEAR 5             /* words between which a rule sees a connection */

/* ---- words ---- */

void
tokens_read(struct str words, struct tokens *out)
{
    struct str word;
    out->count = 0;
    while (out->count < TOKENS_MAX && str_cut(&words, ' ', &word))
        if (word.len > 0)
            out->list[out->count++] = word;
}

bool
tokens_in(const struct tokens *tokens, size_t i, const char *list)
{
    struct str rest = str_of(list), one;
    while (i < tokens->count && str_cut(&rest, ',', &one)) {
        bool stem = str_ends(one, STR("*"));
        one = str_first(one, one.len - stem);
        if (stem ? str_starts(tokens->list[i], one) : str_eq(tokens->list[i], one))
            return true;
    }
    return false;
}

/* Whether any word is. */
static bool
tokens_have(const struct tokens *tokens, const char *list)
{
    for (size_t i = 0; i < tokens->count; i++)
        if (tokens_in(tokens, i, list))
            return true;
    return false;
}

/* The number of letters to insert, delete, or replace; two neighbors swapped count once. Three rows
 * of the table are enough, since a swap looks two rows back. Both words have at most WORD_MAX
 * letters. */
static size_t
distance(struct str a, struct str b)
{
    size_t rows[3][WORD_MAX + 1];
    for (size_t j = 0; j <= b.len; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a.len; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *swapped = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            size_t best = above[j - 1] + (a.ptr[i - 1] != b.ptr[j - 1]);
            best = above[j] + 1 < best ? above[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] && a.ptr[i - 2] == b.ptr[j - 1] &&
                swapped[j - 2] + 1 < best)
                best = swapped[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[a.len % 3][b.len];
}

/* The first letter must be right: few misspell it, and "tolerance" is not "intolerance". */
bool
mention_resembles(struct str word, struct str wanted)
{
    if (wanted.len < MISSPELLED_MIN || word.len > WORD_MAX || word.ptr[0] != wanted.ptr[0])
        return false;
    size_t most = wanted.len >= MISSPELLED_MORE ? 2 : 1;
    return word.len + most >= wanted.len && word.len <= wanted.len + most &&
           distance(word, wanted) <= most;
}

/* ---- claims ---- */

/* "not pregnant", "never had asthma", "no longer on warfarin"; "I can't, pregnant" denies nothing,
 * and neither does the "no" of "no, diabetic". */
static bool
is_denied(const struct tokens *tokens, size_t at)
{
    static const char fillers[] = "any,been,have,has,had,am,is,are,be,being,known,history,of,on,"
                                  "with,currently,yet,to,suffer,suffering,from,type";
    size_t i = at;
    while (i > 0 && tokens_in(tokens, i - 1, fillers))
        i--;
    if (i == 0)
        return false;
    i--;
    if (tokens_in(tokens, i, "longer"))
        return i > 0 && tokens_in(tokens, i - 1, "no");
    if (tokens_in(tokens, i, "no"))
        return !tokens_in(tokens, at, "diabetic,pregnant,celiac,coeliac,epileptic,asthmatic");
    return tokens_in(tokens, i, "not,never,without,neither,nor") &&
           !(i > 0 && tokens_in(tokens, i - 1, "can,could,must,should,may,why"));
}

/* "if I were allergic", "imagine being allergic"; "if I eat nuts, I get hives" is real. */
static bool
is_hypothetical(const struct tokens *tokens, size_t at)
{
    for (size_t i = at < NEAR ? 0 : at - NEAR; i < at; i++) {
        if (tokens_in(tokens, i, "imagine,pretend,suppose"))
            return true;
        if (tokens_in(tokens, i, "if") &&
            (tokens_in(tokens, i + 1, "you,anyone,someone,somebody,people") ||
             tokens_in(tokens, i + 2, "were,was,had,ever,became,turned")))
            return true;
    }
    return tokens_in(tokens, 0, "were") && at <= NEAR;
}

static const char businesses[] =
    "restaurant*,deli,delis,baker*,shop,shops,store,stores,market,markets,butcher*,cart,carts,"
    "guys,truck,trucks,label,labels,labeling,clinic*,ward,specialist*,researcher*,nurse*,cafe*,"
    "diner*,pub,pubs,brand,brands,aisle*,section*,cookbook*,app,apps,website*,awareness,"
    "industry,company,companies,startup*,charity,conference*,trend,trends,craze,fad,fads,jokes,"
    "society,association,fundraiser*,tour,tours,menu,menus,list,season,butchery,desserts,class,"
    "classes";

static bool
states_need(const struct tokens *tokens)
{
    return tokens_have(tokens, "need,needs,want,wants,only,must,require,requires,look,looking,find,"
                               "always,strictly,prefer,please,should,avoid,trust,stick,keep,eat,go,"
                               "choose,because,since");
}

static bool
is_of_business(const struct tokens *tokens, size_t i)
{
    for (; tokens_in(tokens, i, "friendly,food"); i++) /* "a diabetic-friendly bakery" */
        ;
    return tokens_in(tokens, i, businesses) && !states_need(tokens);
}

/* "coffee is my medicine", "the best medicine", "a pregnant pause", "learn kosher cooking",
 * "never had an allergic reaction" */
static bool
is_figurative(const struct tokens *tokens, size_t at)
{
    if (tokens_in(tokens, at, "pregnant"))
        return tokens_in(tokens, at + 1, "pause,pauses,silence,silences,moment,with");
    if (tokens_in(tokens, at, "medicine,medicines"))
        return tokens_in(tokens, at + 1, "for") ||
               (at > 0 && tokens_in(tokens, at - 1, "best,is,are")) ||
               (at > 1 && tokens_in(tokens, at - 1, "my,our,best") &&
                tokens_in(tokens, at - 2, "is,are,and"));
    if (tokens_in(tokens, at, "allergic") && tokens_in(tokens, at + 1, "reaction,reactions"))
        return at > 1 && tokens_in(tokens, at - 1, "had,have,any") &&
               (tokens_in(tokens, at - 2, "never") ||
                (at > 2 && tokens_in(tokens, at - 3, "never"))) &&
               !tokens_have(tokens, "but,except,only,until,if,unless,so,to");
    return tokens_in(tokens, at + 1, "cooking,cuisine,recipes,baking") &&
           tokens_have(tokens, "learn,learning,explore,try,curious");
}

/* "the bakery sells gluten-free bread" */
static bool
sells_to_others(const struct tokens *tokens, size_t verb)
{
    for (size_t i = 0; i < verb; i++)
        if (tokens_in(tokens, i, businesses))
            return !states_need(tokens);
    return false;
}

/* "a book about diabetes", "I teach diabetes care" */
static bool
is_topic(const struct tokens *tokens, size_t at)
{
    static const char texts[] =
        "book*,article*,blog*,paper,papers,podcast*,documentar*,movie*,film,films,novel*,story,"
        "stories,research*,lecture*,talk*,course*,thesis,essay*,report,reports,write,writes,wrote,"
        "writing,read,reads,reading,teach,teaches,learn,learning,joke,jokes,curious";
    if (at == 0 || tokens_have(tokens, "myself,because"))
        return false;
    if (tokens_in(tokens, at - 1, "research,teach,study,studies,studying,researching,teaching"))
        return true;
    bool about = false;
    for (size_t i = at; i-- > 0 && i + NEAR >= at;) {
        about = about || tokens_in(tokens, i, "about,on");
        if (about && tokens_in(tokens, i, texts))
            return true;
        if (tokens_in(tokens, i, "sells,serves,offers,sell,serve,offer") &&
            sells_to_others(tokens, i))
            return true;
    }
    return false;
}

/* "outgrew my egg allergy", and not "has not outgrown it" or "may outgrow it". */
static bool
is_outgrown(const struct tokens *tokens)
{
    for (size_t i = 0; i < tokens->count; i++) {
        bool grew = tokens_in(tokens, i, "grew,grown") && tokens_in(tokens, i + 1, "out");
        if (!grew && !tokens_in(tokens, i, "outgrew,outgrown"))
            continue;
        for (size_t k = i < 3 ? 0 : i - 3; k < i; k++)
            if (tokens_in(tokens, k, "not,never,may,might,could,if,until,will,almost,nearly"))
                return false;
        return true;
    }
    return false;
}

/* Whether the condition is past: "used to be allergic", "was allergic, not anymore"; not "still" or
 * "now". */
static bool
is_past(const struct tokens *tokens, size_t at)
{
    bool ended = false;
    for (size_t i = 0; i < tokens->count; i++) {
        if (tokens_in(tokens, i, "still,again,instead") ||
            (tokens_in(tokens, i, "now") && tokens_in(tokens, i + 1, "to,have,react,carry,avoid")))
            return false;
        ended = ended || (tokens_in(tokens, i, "not") &&
                          (tokens_in(tokens, i + 1, "anymore") ||
                           (tokens_in(tokens, i + 1, "any") && tokens_in(tokens, i + 2, "more"))));
    }
    if (is_outgrown(tokens))
        return true;
    for (size_t i = at < NEAR ? 0 : at - NEAR; i < at; i++) {
        if (tokens_in(tokens, i, "used") && tokens_in(tokens, i + 1, "to") &&
            tokens_in(tokens, i + 2, "be,have,get,suffer"))
            return !tokens_in(tokens, i + 3, "able,fine,ok,okay");
        if (ended && tokens_in(tokens, i, "was,were,had"))
            return true;
    }
    return false;
}

bool
mention_counts(const struct tokens *tokens, size_t at, size_t length, unsigned rules)
{
    if (rules == MENTION_ANY)
        return true;
    return !is_hypothetical(tokens, at) && !is_topic(tokens, at) && !is_figurative(tokens, at) &&
           !is_of_business(tokens, at + length) &&
           !((rules & MENTION_NOT_NO) != 0 && is_denied(tokens, at)) &&
           !((rules & MENTION_NOT_OVER) != 0 && is_past(tokens, at));
}

/* ---- lists ---- */

static size_t
token_at(struct str words, const char *found)
{
    size_t index = 0;
    for (const char *c = words.ptr + 1; c < found; c++)
        index += c[0] == ' ' && c[-1] != ' ';
    return index;
}

/* The first pass finds the exact word or phrase, the second compares each word with misspellings.
 * Phrases must be exact. */
static bool
has_word(struct str words, struct tokens *tokens, struct str wanted, unsigned rules)
{
    bool phrase = str_index(wanted, ' ') < wanted.len, exact = wanted.ptr[0] == '=' || phrase;
    wanted = str_from(wanted, wanted.ptr[0] == '=');
    const char *found = words.ptr, *end = words.ptr + words.len;
    while ((found = memmem(found, (size_t)(end - found), wanted.ptr, wanted.len)) != NULL) {
        if (found[-1] == ' ' && found[wanted.len] == ' ') {
            size_t length = 1;
            for (size_t i = 0; i < wanted.len; i++)
                length += wanted.ptr[i] == ' ';
            if (rules != MENTION_ANY && tokens->count == 0)
                tokens_read(words, tokens);
            if (mention_counts(tokens, token_at(words, found), length, rules))
                return true;
        }
        found++;
    }
    struct str rest = words, part;
    for (size_t i = 0; !exact && str_cut(&rest, ' ', &part);) {
        if (part.len == 0)
            continue;
        if (mention_resembles(part, wanted) && !str_eq(part, wanted)) {
            if (rules != MENTION_ANY && tokens->count == 0)
                tokens_read(words, tokens);
            if (mention_counts(tokens, i, 1, rules))
                return true;
        }
        i++;
    }
    return false;
}

bool
mention_in(struct str words, const char *list, unsigned rules)
{
    struct str rest = str_of(list), wanted;
    struct tokens tokens;
    tokens.count = 0;
    while (str_cut(&rest, ',', &wanted))
        if (has_word(words, &tokens, wanted, rules))
            return true;
    return false;
}

/* ---- figures of speech ---- */

/* Things that people are allergic to, or get hives from, only as a figure of speech. */
static const char figures[] =
    "meetings,meeting,code,music,drama,nonsense,mornings,mondays,work,jargon,hype,"
    "buzzwords,clutter,emails,politics,spreadsheets,commitment,small talk,bullshit,bugs,"
    "boredom,hard work,crowds,queues,stupidity,mediocrity,rules,deadlines,authority,"
    "bureaucracy,commuting,frameworks,service,waiters,tourist traps,tourists,lines,waiting,noise,"
    "monday,friday,fridays,sunday,sundays,weekends,ads,advertising,people,phone "
    "calls,networking,paperwork,exercise,cooking,traffic,"
    "negativity,fake news,cliches,chains,chain restaurants,shopping,chores,puns,jokes,"
    "dad jokes,small print,menus,decor,spam,lies,liars,laziness,early mornings,alarm clocks";

static bool
is_one_of(struct str word, const char *list)
{
    struct str rest = str_of(list), one;
    while (str_cut(&rest, ',', &one))
        if (str_eq(word, one))
            return true;
    return false;
}

/* "allergic to stupidity": what such a word names is no substance. */
static bool
is_abstract(struct str word)
{
    return (str_ends(word, STR("ity")) && word.len > 5) || str_ends(word, STR("ities")) ||
           str_ends(word, STR("ism")) ||
           (str_ends(word, STR("ness")) && !str_eq_c(word, "guinness"));
}

/* "allergic to doing dishes", and not "to herring" */
static bool
is_doing(struct str word)
{
    return str_ends(word, STR("ing")) &&
           !is_one_of(word, "herring,dressing,pudding,stuffing,icing,topping,seasoning,"
                            "coloring,colouring,nothing,anything,everything,something,flavoring,"
                            "flavouring,shortening,filling,frosting,thing");
}

/* Of a word for an allergy with a preposition, where its object begins; 0: none. */
static size_t
object_of_allergy(struct str words)
{
    static const char *const heads[] = { " allergic to ", " allergy to ", " intolerant of ",
                                         " intolerant to ", NULL };
    for (size_t i = 0; heads[i] != NULL; i++) {
        struct str head = str_of(heads[i]);
        size_t at = str_find(words, head);
        if (at < words.len)
            return at + head.len - 1;
    }
    return 0;
}

/* "I'm allergic to meetings", "intolerant of slow service", "small talk gives me hives". */
bool
mention_is_figure(struct str words)
{
    size_t at = object_of_allergy(words);
    struct str object = str_from(words, at), word;
    if (at == 0)
        return str_find(words, STR(" me hives ")) < words.len &&
               mention_in(words, figures, MENTION_ANY);
    if (mention_in(object, figures, MENTION_ANY))
        return true;
    for (size_t at_word = 0; at_word < 3 && str_cut(&object, ' ', &word); at_word++)
        if (is_abstract(word) || (at_word < 2 && is_doing(word)))
            return true;
    return false;
}

/* "my allergy to bad coffee": no one is allergic to the quality of something. */
struct str
mention_without_judged(struct arena *mem, struct str words)
{
    static const char judgments[] =
        "bad,fancy,loud,small,big,long,boring,mediocre,stupid,fake,slow,lazy,rude,dumb,silly,"
        "pretentious,overpriced,overrated,lousy,soggy,ugly";
    size_t at = object_of_allergy(words);
    struct str rest = str_from(words, at), judgment, judged;
    if (at == 0 || !str_cut(&rest, ' ', &judgment) || !str_cut(&rest, ' ', &judgment) ||
        !is_one_of(judgment, judgments) || !str_cut(&rest, ' ', &judged))
        return words;
    char *out = memcpy(arena_alloc(mem, words.len), words.ptr, words.len);
    memset(out + (judgment.ptr - words.ptr), ' ', judgment.len + 1 + judged.len);
    return (struct str){ out, words.len };
}
