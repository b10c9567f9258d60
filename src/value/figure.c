#include "value/figure.h"

#include "base/arena.h"
#include "value/mention.h"

#include <string.h>

/* What one is allergic to, or gets hives from, only as a figure of speech. */
static const char figures[] =
    "meetings,meeting,code,music,drama,nonsense,mornings,mondays,work,jargon,hype,"
    "buzzwords,clutter,emails,politics,spreadsheets,commitment,small talk,bullshit,bugs,"
    "boredom,hard work,crowds,queues,stupidity,mediocrity,rules,deadlines,authority,"
    "bureaucracy,commuting,frameworks,service,waiters,tourist traps,tourists,lines,waiting,noise,"
    "monday,friday,fridays,sunday,sundays,weekends,ads,advertising,people,phone "
    "calls,networking,paperwork,exercise,cooking,traffic,"
    "negativity,fake news,cliches,chains,chain restaurants,shopping,chores,puns,jokes,"
    "dad jokes,small print,spam,lies,liars,laziness,early mornings,alarm clocks";

static bool
is_one_of(struct str word, const char *list)
{
    struct str rest = str_of(list), one;
    while (str_cut(&rest, ',', &one))
        if (str_eq(word, one))
            return true;
    return false;
}

/* Where the phrase begins, or the length of `words`. */
static size_t
find_phrase(struct str words, struct str phrase)
{
    const char *found = memmem(words.ptr, words.len, phrase.ptr, phrase.len);
    return found != NULL ? (size_t)(found - words.ptr) : words.len;
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
        size_t at = find_phrase(words, head);
        if (at < words.len)
            return at + head.len - 1;
    }
    return 0;
}

/* "I'm allergic to meetings", "intolerant of slow service", "small talk gives me hives". */
bool
figure_in(struct str words)
{
    size_t at = object_of_allergy(words);
    struct str object = str_from(words, at), word;
    if (at == 0)
        return find_phrase(words, STR(" me hives ")) < words.len &&
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
figure_without_judged(struct arena *mem, struct str words)
{
    static const char judgments[] =
        "bad,small,big,long,boring,mediocre,stupid,fake,slow,lazy,rude,dumb,silly,"
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
