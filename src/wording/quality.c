/* quality.c - whether a text is only an adjective: "cheap", "too loud", "quiet and cozy".
 *
 * Nouns and adjectives look the same, so lists and endings decide. A text that is wrongly taken for
 * an adjective gets the noun of its member ("hip hop music"), and one that is not recognized is
 * written like a noun. */
#include "wording/quality.h"

#include "base/ascii.h"
#include "value/word_lists.h"

#include <string.h>

#define WORDS_MAX 5
#define JOINED_MAX 28
#define ENDING_MIN 6 /* letters of a word with an ending: not "bed", "olive", or "table" */

/* Without words that are also things or tastes. */
static const char qualities[] =
    " big small large huge tiny long short tall high low heavy light thick thin wide narrow "
    "tight loose deep shallow flat full empty fast slow quick early late old new young modern "
    "recent current vintage classic antique ancient contemporary traditional hot cold warm "
    "cool icy sunny wet dry humid windy dark bright pale shiny dull neutral muted earthy "
    "loud quiet noisy silent calm relaxing relaxed chill chilled mellow soothing peaceful "
    "upbeat energetic lively exciting boring dull tedious slow-paced fast-paced sad happy "
    "cheerful funny silly serious gloomy depressing dark scary creepy spooky disturbing "
    "gory bloody violent graphic sexual explicit romantic sexy cheesy corny sappy tacky kitschy "
    "hard easy difficult simple complex complicated technical practical theoretical abstract "
    "good bad great awful terrible lovely best worst better worse fun cute cozy cosy comfy "
    "comfortable uncomfortable casual formal fancy posh elegant classy trendy fashionable "
    "dirty clean messy tidy smelly greasy oily fatty salty spicy sour bitter sweet bland "
    "savory crunchy crispy creamy juicy fresh raw rare soft hard chewy slimy mushy soggy sticky "
    "fried grilled baked steamed roasted smoked homemade handmade natural artificial synthetic "
    "organic healthy unhealthy light fizzy sparkling carbonated fruity alcoholic strong weak "
    "soft rough scratchy itchy breathable stretchy furry fluffy hairy silky dangerous risky "
    "safe extreme adventurous active lazy social solitary competitive cooperative violent rude "
    "polite kind mean aggressive angry pretentious stupid smart clever busy flashy plain "
    "private public shared free paid foreign local global domestic international exotic remote "
    "rural urban far close nearby central touristy crowded commercial popular famous unknown "
    "obscure underground indie independent mainstream religious political sensitive personal "
    "digital electronic electric manual automatic instrumental acoustic live visual dubbed "
    "flexible durable lasting sturdy useful useless disposable recycled reusable eco vegan "
    "reclining cramped wooden plastic-free hands-on interactive educational informative "
    "stressful physical mental creative intense gentle moderate high-impact low-impact "
    "all-inclusive family-friendly kid-friendly pet-friendly eco-friendly child-friendly "
    "dog-friendly far-away far-off verbose wordy lengthy second-hand online offline outdoor indoor "
    "basic full-size long-haul short-haul ";

/* Those that are hardly names. */
static const char judgments[] =
    " cheap cheaper cheapest expensive overpriced overrated underrated affordable inexpensive "
    "pricey costly low-cost budget-friendly sustainable ethical unethical eco-friendly "
    "environmentally-friendly fair-trade second-hand secondhand handmade homemade local "
    "touristy crowded overcrowded noisy dirty unsafe unreliable unfriendly snobby pretentious "
    "boring tacky depressing bloated outdated overhyped overcomplicated proprietary restrictive "
    "commercial non-commercial viral alcoholic useless unhealthy kid-friendly family-friendly "
    "dog-friendly "
    "pet-friendly loud old slow ";

static bool
is_degree(struct str word)
{
    return words_in(word, " too very really so super quite extremely pretty overly more less most "
                          "least fairly rather as a bit little slightly not way ");
}

/* "crowded", "colorful", "touristy" is in the list. Nationalities and "-ing" are also nouns. */
static bool
has_ending(struct str word)
{
    static const char *const endings[] = { "ful", "less", "ous",   "able", "ible", "tive", "sive",
                                           "ed",  "tual", "ional", "ical", "free", "proof" };
    static const char others[] = " vegetable couscous detective alternative handful spoonful "
                                 "motive locomotive incentive professional rational hospital "
                                 "musical classical tropical biblical wheat-free ";
    if (word.len < ENDING_MIN || words_in(word, others) || str_ends(word, STR("eed")))
        return false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (str_ends(word, str_of(endings[i])))
            return true;
    return false;
}

/* The parts of "low-cost" are one word here. */
static struct str
next_part(struct str *rest)
{
    struct str part;
    do
        if (!str_cut(rest, ' ', &part))
            return STR("");
    while (part.len == 0);
    return part;
}

static bool
is_quality_word(struct str word, enum quality_doubt doubt)
{
    return words_in(word, judgments) || (doubt != HARDLY_A_NAME && words_in(word, qualities)) ||
           (doubt == NO_NAME && has_ending(word));
}

/* "low cost" is "low-cost". */
static bool
is_joined_quality(struct str text, enum quality_doubt doubt)
{
    char joined[JOINED_MAX];
    if (text.len > sizeof joined || str_index(text, ' ') == text.len)
        return false;
    for (size_t i = 0; i < text.len; i++)
        joined[i] = (char)(text.ptr[i] == ' ' ? '-' : text.ptr[i]);
    struct str word = { joined, text.len };
    return words_in(word, judgments) || (doubt != HARDLY_A_NAME && words_in(word, qualities));
}

bool
quality_is(struct str text, enum quality_doubt doubt)
{
    size_t words = 0;
    bool quality = false;
    if (is_joined_quality(text, doubt))
        return true;
    while (text.len > 0) {
        struct str word = next_part(&text);
        if (++words > WORDS_MAX || word.len == 0 || !ascii_is_lower(word.ptr[0]))
            return false;
        bool link = quality && words_in(word, " and or but & ");
        if (!link && !is_degree(word) && !is_quality_word(word, doubt))
            return false;
        quality = !link && is_quality_word(word, doubt);
    }
    return quality;
}
