/* phrase.c - word lists that decide whether a value fits a sentence.
 *
 * The lists err on the safe side: a value that is wrongly taken for a clause is only quoted, and a
 * wrong "fits" makes a clumsy sentence. Non-ASCII letters count as letters, without rules of their
 * own. */
#include "value/phrase.h"

#include "base/arena.h"
#include "base/ascii.h"
#include "base/buf.h"
#include "value/inflect.h"
#include "value/word_lists.h"

#include <string.h>

#define WORDS_MAX 6       /* of a name or a noun phrase */
#define ADJECTIVE_WORDS 4 /* "whole food plant-based" */
#define CAPITALS_MIN 4    /* a shorter word in capitals is an abbreviation */
#define PHRASE_MAX_BYTES 4096

/* ---- clauses ---- */

bool
phrase_is_clause(struct str text)
{
    struct str word;
    while (words_next(&text, &word))
        if (words_in_list(word, WORDS_CLAUSE))
            return true;
    return false;
}

/* A lowercase word after it distinguishes a sentence from a title: "I want" against "I Robot". */
bool
phrase_is_speech(struct str text)
{
    struct str rest = text, word;
    if (!words_next(&rest, &word) || !words_in(word, " i i'm i've i'd i'll we we're we've "))
        return false;
    struct str next = words_first(rest);
    return rest.len > 0 && rest.ptr[0] == ' ' && next.len > 0 && ascii_is_lower(next.ptr[0]);
}

/* ---- forms ---- */

static bool
ends_with(struct str word, const char *ending)
{
    size_t length = strlen(ending);
    return word.len > length + 1 &&
           str_eq_nocase(str_from(word, word.len - length), str_of(ending));
}

/* "software engineer" of "software engineer at Google", "student" of "student (2nd year)" */
static struct str
without_place(struct str text)
{
    static const char *const links[] = { " at ", " in ",   " for ", " of ",
                                         " @ ",  " with ", " (",    NULL };
    for (size_t i = 0; i < text.len; i++)
        for (size_t k = 0; text.ptr[i] == ' ' && links[k] != NULL; k++)
            if (str_starts(str_from(text, i), str_of(links[k])))
                return str_first(text, i);
    return text;
}

/* "while running", "while at the gym" */
static bool
is_gerund(struct str text)
{
    struct str first = words_first(text);
    return ends_with(first, "ing") || words_in(first, " at in on out alone asleep awake ");
}

static bool
has_any_word(struct str text, const char *list)
{
    struct str word;
    while (words_next(&text, &word))
        if (words_in(word, list))
            return true;
    return false;
}

/* "a vegan diet", not "a no red meat diet" or "a flexitarian on weekdays diet" */
static bool
is_adjective(struct str text)
{
    return words_count(text) <= ADJECTIVE_WORDS && str_index(text, '(') == text.len &&
           str_index(text, ',') == text.len && !words_in(words_last(text), " meat food meals ") &&
           !has_any_word(text, " on at in with without for from during except unless until but ") &&
           !words_in(str_first(text, str_index(text, ' ')), /* "no-sodium" is one */
                     " no not none anything everything any all my the a an je ich "
                     "yo eu io soy sono ");
}

/* "is to lose weight", not "is to more energy" */
static bool
is_verb_phrase(struct str text)
{
    return words_in(
        words_first(text),
        " be bulk slim shed master tackle pass do lose build improve stay reduce run sleep recover "
        "get gain feel do increase train "
        "prepare tone become keep maintain learn complete finish swim cycle lift walk climb "
        "hike burn strengthen stretch relax move look live play join start stop quit break "
        "beat reach touch jump row ride ski surf eat drink cut drop fit have grow lower "
        "manage prevent avoid rehab rebuild regain return compete qualify fight ");
}

/* "music from the 1980s", not "music from black and white" */
static bool
is_period(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (ascii_is_digit(text.ptr[i]))
            return !words_in(words_first(text),
                             " anything everything something whatever any older newer ");
    return has_any_word(text,
                        " decade decades century centuries era age ages today childhood youth "
                        "twenties thirties forties fifties sixties seventies eighties nineties "
                        "war years past renaissance ");
}

/* A lowercase word from the list that a space follows: not "no-bake cookies" or "With Honors". */
static bool
starts_with_any(struct str text, const char *list)
{
    struct str first = words_first(text);
    return first.len > 0 && first.ptr == text.ptr && ascii_is_lower(text.ptr[0]) &&
           first.len < text.len && text.ptr[first.len] == ' ' && words_in(first, list);
}

bool
phrase_excludes(struct str text)
{
    return starts_with_any(text, " no not never without nothing none ") ||
           (starts_with_any(text, " any anything all everything anyone everyone whatever ") &&
            has_any_word(text, " except excluding but besides without "));
}

bool
phrase_is_fragment(struct str text)
{
    return starts_with_any(text, " with by near next away about like from for under over into "
                                 "between among against across behind below above off through "
                                 "during before after since than as of at in on ");
}

/* "is a nurse", not "is a computer science" */
static bool
is_role(struct str text)
{
    static const char *const endings[] = { "er", "or", "ist", "ian", "man", "woman", "ant", "eer" };
    static const char roles[] =
        " lead head chief architect analyst student intern nurse pilot coach chef cook clerk agent "
        "ceo cto cio cfo coo cmo cso vp svp evp sre dba pm po qa expert specialist scientist "
        "freelancer professional engineer developer manager founder cofounder owner partner guru "
        "hobbyist candidate postdoc professor judge guide host hostess waitress actress apprentice "
        "trainee volunteer retiree parent boss admin sysadmin dev swe sde tech mechanic paramedic "
        "medic physician attorney vet veterinarian president executive representative rep "
        "associate "
        "assistant secretary treasurer librarian musician critic cleric diplomat athlete rn lpn "
        "emt "
        "cpa md gp mp barista electrician cop detective dad mom mum housewife househusband florist "
        "surgeon actuary butler maid nanny smith captain sergeant lieutenant major soldier marine "
        "spy monk nun priest imam rabbi pastor deacon novelist poet bard dj mc vj ta ra hr-manager "
        "comedian journalist analyst specialist apprentice au-pair sommelier concierge aide mate "
        "chauffeur masseur masseuse entrepreneur connoisseur ";
    static const char fields[] = " computer water paper power weather number sugar leather fiber "
                                 "career order color labor motor sensor sector interior flavor "
                                 "career restaurant consumer summer winter behavior enter center ";
    struct str last = words_last(without_place(text));
    if (words_in(words_first(text), " the my our this that "))
        return false; /* "a the king" */
    if (words_in(last, roles))
        return true;
    if (words_in(last, fields))
        return false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_with(last, endings[i]))
            return true;
    return false;
}

bool
phrase_begins_clause(struct str text)
{
    return str_eq_c(text, "depends") ||
           starts_with_any(
               text, " whatever whatever's whichever whoever wherever whenever don't dont doesn't "
                     "doesnt haven't havent hasn't can't cant cannot couldn't won't "
                     "wouldn't shouldn't mustn't used must should has have had is are "
                     "was were it it's there there's depends because if unless ");
}

static bool
has_link(struct str text)
{
    static const char *const links[] = { ", ", "; ", " and ", " / ", NULL };
    for (size_t i = 0; i < text.len; i++)
        for (size_t k = 0; links[k] != NULL; k++)
            if (str_starts(str_from(text, i), str_of(links[k])))
                return true;
    return false;
}

bool
phrase_is_several(struct str text, bool is_one)
{
    struct str noun = without_place(text), last = words_last(noun);
    return (!is_one && has_link(noun)) || words_in(words_first(text), " anything everything ") ||
           (!phrase_is_fragment(text) && last.len > 0 && ascii_is_lower(last.ptr[0]) &&
            inflect_is_plural(last));
}

/* A long text or a clause fits no form, whatever its words. */
bool
phrase_fits(enum phrase_form form, struct str text)
{
    if (form == FORM_ANY || form_of_names(form))
        return true;
    if (words_count(text) > WORDS_MAX ||
        phrase_is_clause(form == FORM_VERB && str_starts(text, STR("be ")) ? str_from(text, 3)
                                                                           : text))
        return false;
    /* "dislikes country music", not "dislikes anything loud music" */
    bool names = !words_in(words_first(text), " anything everything something whatever ") &&
                 !phrase_is_fragment(text) && !str_starts(text, STR("to ")) &&
                 !str_starts(text, STR("same ")) && !str_starts(text, STR("the same "));
    switch (form) {
    case FORM_GERUND:
        return is_gerund(text); /* also "at the gym" */
    case FORM_ADJECTIVE:
    case FORM_QUALITY: /* wording/shape.h is stricter */
        return names && is_adjective(text);
    case FORM_ROLE:
        return names && is_role(text);
    case FORM_NOUN:
    case FORM_COMPANY:
        return names;
    case FORM_THING: /* "a boat", not "camping" */
        return !phrase_is_fragment(text) && !phrase_excludes(text) &&
               (words_count(text) > 1 || !ends_with(text, "ing"));
    case FORM_VERB:
        return is_verb_phrase(text);
    case FORM_PERIOD:
        return is_period(text);
    case FORM_ANY:
    case FORM_NAME:
    case FORM_PLACE:
        break;
    }
    return true;
}

/* ---- lists ---- */

/* "IT" is a field of work. */
static bool
is_abbreviation(struct str word)
{
    return word.len == 2 && ascii_is_upper(word.ptr[0]) && ascii_is_upper(word.ptr[1]);
}

/* In a list of hints, such a value could join its neighbors to a sentence that no user stated. */
bool
phrase_reads_on(struct str text)
{
    static const char links[] = " and or but then so to of for with without from by as than into "
                                "onto also which that because if unless until now not only "
                                "y o pero luego entonces et ou mais puis e mas então und oder aber "
                                "dann и или но затем потом और या फिर लेकिन এবং বা কিন্তু তারপর ثم أو "
                                "لكن اور یا پھر لیکن 和 或 然后 并且 ";
    return words_in(words_first(text), links) || words_in(words_last(text), links) ||
           words_in(words_last(text), " the a an your their is are must should ") ||
           (!is_abbreviation(words_first(text)) &&
            (words_in_list(words_first(text), WORDS_ORDER) ||
             words_in_list(words_first(text), WORDS_ORDER_ANYWHERE)));
}

/* Also what is harmless in a text of the user: "no wait", "at". */
bool
phrase_is_part(struct str text)
{
    static const char parts[] = " at in on via per over under about around near within no nope not "
                                "nothing none wait except besides only is are was be been will "
                                "just instead ";
    struct str first = words_first(text), last = words_last(text);
    return phrase_reads_on(text) ||
           (first.len > 0 && ascii_is_lower(first.ptr[0]) && words_in(first, parts)) ||
           (last.len > 0 && ascii_is_lower(last.ptr[0]) && words_in(last, parts));
}

/* ---- person ---- */

/* A capital letter after it makes it a part of a name: "My Fair Lady". */
static bool
is_in_name(struct str word, struct str rest)
{
    struct str next = words_first(rest);
    return ascii_is_upper(word.ptr[0]) && next.len > 0 && ascii_is_upper(next.ptr[0]) &&
           !words_in(next, " my our myself ourselves ");
}

struct str
phrase_without_capitals(struct arena *mem, struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != ' ' && (text.ptr[i] < 'A' || text.ptr[i] > 'Z'))
            return text;
    struct str rest = text, word;
    while (words_next(&rest, &word))
        if (word.len == text.len || word.len < CAPITALS_MIN)
            return text;
    char *small = arena_alloc(mem, text.len);
    for (size_t i = 0; i < text.len; i++)
        small[i] = (char)(text.ptr[i] == ' ' ? ' ' : text.ptr[i] - 'A' + 'a');
    return (struct str){ small, text.len };
}

/* Only possessives and reflexives: changing verbs would need a parser. */
struct str
phrase_third_person(struct arena *mem, struct str text)
{
    struct buf out = buf_in(mem, PHRASE_MAX_BYTES);
    struct str rest = text, word;
    while (words_next(&rest, &word)) {
        size_t before = (size_t)(word.ptr - text.ptr);
        buf_add(&out, str_first(text, before));
        bool own = words_in(word, " my our ") && !is_in_name(word, rest),
             self = words_in(word, " myself ourselves ");
        buf_add(&out, own ? STR("their") : self ? STR("themselves") : word);
        text = rest;
    }
    buf_add(&out, text);
    return out.overflow ? text : str_copy(mem, buf_str(&out));
}
