/* value_speech.c - a small grammar: subject, adverbs, a verb of liking or disliking, an infinitive,
 * and the object, which is what remains.
 * A text that is wrongly taken for such a sentence loses its first words. Therefore, only verbs of
 * the lists count, and only if a short noun phrase remains. Everything else stays as it was
 * written, and is quoted in hints. */
#include "value/value_speech.h"

#include "base/arena.h"
#include "base/ascii.h"
#include "value/inflect.h"
#include "value/phrase.h"

#include <string.h>

/* Phrases are separated by commas; of several that match, the longest counts. */
static const char adverbs[] =
    "really,absolutely,mostly,mainly,usually,often,always,also,just,only,truly,generally,"
    "typically,particularly,especially,still,currently,definitely,totally,sometimes,kind of,"
    "kinda,sort of,quite,very much,primarily,normally,simply,personally,please";

static const char subjects[] = "i,we";
static const char states[] = "i am,i'm,im,we are,we're"; /* before "into" and "a fan of" */
static const char conditionals[] = "i would,i'd,id,we would,we'd";

static const char likes[] =
    "love,like,enjoy,prefer,adore,want,need,wish for,drink,eat,watch,read,play,use,own,speak,"
    "follow,support,listen to,go to,have,stream,collect,cook,write,code in,program in,work with,"
    "work in,work at,shop at,buy,learn,live with,travel with,fly with,stay at,get around by,"
    "choose,pick,go for,care about,look for,can't live without,can't get enough of";
static const char liked_states[] =
    "into,a fan of,a big fan of,a huge fan of,fond of,crazy about,obsessed with,interested in,"
    "learning,keen on,looking for,playing,reading,watching,studying,big on";
static const char would_likes[] = "love,like,prefer,rather have,rather";

static const char dislikes[] =
    "don't like,do not like,dont like,don't really like,do not really like,don't love,don't enjoy,"
    "do not enjoy,dont enjoy,hate,dislike,detest,despise,loathe,avoid,can't stand,cannot stand,"
    "can not stand,cant stand,don't eat,do not eat,dont eat,never eat,don't drink,do not drink,"
    "never drink,don't use,do not use,dont use,never use,don't want,do not want,dont want,"
    "don't watch,do not watch,never watch,don't listen to,never listen to,never listen,don't read,"
    "never read,don't buy,do not buy,never buy,refuse to use,can't eat,cannot eat,don't care for,"
    "don't play,never play,can't watch,refuse,stay away from,never go to,don't go to";
static const char disliked_states[] = "not a fan of,not into,no fan of,sick of,tired of,done with,"
                                      "afraid of,scared of,not interested in,bored by,against";

/* After "to", the object follows. Other verbs are what the user likes to do. */
static const char object_verbs[] =
    "visit,see,go to,travel to,explore,go and see,go see,listen to,watch,read,eat,drink,play,use,"
    "have,get,receive,learn,try,own,speak,buy,hear,stay at,stay in,fly with,fly,shop at,work with,"
    "be in,travel with,travel by,go by,go on,take,order,study,wear,collect";

static const char ways[] = "how to,to";
static const char openings[] =
    "a lot of,a lot in,mostly in,mainly in,in,lots of,mostly,mainly,a good deal of,all kinds of,"
    "primarily,some,any,anything with,going to,listening to,watching,"
    "reading,eating,drinking,using";
static const char endings[] =
    "someday,some day,one day,a lot,at all,the most,the best,so much,very much,"
    "please,too,though,all the time,at some point,again";

/* ---- matching ---- */

/* The length of the longest phrase that the text starts with, including the space after it; 0:
 * none, or nothing follows. */
static size_t
starting_phrase(struct str text, const char *list)
{
    struct str rest = str_of(list), phrase;
    size_t longest = 0;
    while (str_cut(&rest, ',', &phrase))
        if (phrase.len + 1 > longest && text.len > phrase.len + 1 && text.ptr[phrase.len] == ' ' &&
            str_eq_nocase(str_first(text, phrase.len), phrase))
            longest = phrase.len + 1;
    return longest;
}

static bool
skip(struct str *text, const char *list)
{
    size_t length = starting_phrase(*text, list);
    *text = str_from(*text, length);
    return length > 0;
}

static void
skip_all(struct str *text, const char *list)
{
    while (skip(text, list))
        ;
}

static struct str
without_ending(struct str text)
{
    struct str rest = str_of(endings), phrase;
    while (text.len > 0 && strchr(" .!,", text.ptr[text.len - 1]) != NULL)
        text = str_first(text, text.len - 1);
    while (str_cut(&rest, ',', &phrase)) {
        size_t start = text.len > phrase.len ? text.len - phrase.len : 0;
        if (start > 1 && text.ptr[start - 1] == ' ' && str_eq_nocase(str_from(text, start), phrase))
            return without_ending(str_first(text, start - 1));
    }
    return text;
}

struct str
value_with_straight_apostrophes(struct arena *mem, struct str text)
{
    char *out = arena_alloc(mem, text.len + 1);
    size_t length = 0;
    for (size_t i = 0; i < text.len; i++) {
        bool curly = str_starts(str_from(text, i), STR("\u2019"));
        out[length++] = curly ? '\'' : text.ptr[i];
        i += curly ? 2 : 0;
    }
    return (struct str){ out, length };
}

/* ---- sentences ---- */

/* After a verb of liking: an infinitive, or the object. */
static bool
read_object(struct arena *mem, const struct member *member, struct str text, bool is_plan,
            struct str *object)
{
    skip_all(&text, adverbs);
    skip(&text, "it when");
    if (skip(&text, "to")) {
        skip_all(&text, adverbs);
        if (member->hint.form == FORM_VERB) { /* "I don't want to get bulky" */
            *object = without_ending(text);
            return object->len > 0;
        }
        bool has_object = skip(&text, object_verbs);
        if (!has_object && is_plan)
            return false; /* "I want to become a pilot" */
        if (!has_object || skip(&text, ways))
            text = inflect_gerund(mem, text); /* "I like to bake", "I want to learn to cook" */
    }
    skip_all(&text, openings);
    *object = without_ending(text);
    return object->len > 0;
}

/* "learn the guitar", "walk in the woods": a verb in its plain form is one only before such a word;
 * "play parties" and "dance music" are nouns. Verbs of orders stay as written, so that they are
 * quoted if an app wrote them. */
static bool
is_plain_verb(struct str text)
{
    struct str after = text;
    return skip(&after, "see,learn,play,watch,bake,draw,paint,sing,climb,swim,walk,listen,meet,"
                        "hang out,volunteer,cook,dance,ride,hike,camp,knit,sew,collect,jog,skate,"
                        "craft,grow,explore,wander,sleep,relax,chat") &&
           starting_phrase(after, "the,a,an,my,our,some,to,with,in,on,at,for,new,out,about") > 0;
}

/* "to read", "go fishing": what the user likes to do, or does not. A wish stays as it is. */
static bool
read_infinitive(struct arena *mem, const struct member *member, struct str text, struct str *object)
{
    if (member->hint.form == FORM_VERB || (member->vocabulary == NULL && !member->separate))
        return false;
    if (skip(&text, "to")) {
        skip(&text, "go,be,try");
        *object = without_ending(inflect_gerund(mem, text));
        return object->len > 4 && str_index(*object, ' ') > 3;
    }
    *object = text;
    return skip(object, "go") && str_ends(str_first(*object, str_index(*object, ' ')), STR("ing"));
}

/* Whether the definition cuts off its first words: "see" of a destination. */
static bool
is_trimmed(const struct member *member, struct str text)
{
    for (size_t i = 0; i < member->trim_count; i++)
        if (str_starts(text, member->trims[i]) && text.len > member->trims[i].len &&
            text.ptr[member->trims[i].len] == ' ')
            return true;
    return false;
}

/* The branches are in the order from the most specific beginning to the usual one, a subject and a
 * verb of liking. */
static bool
read_liking(struct arena *mem, const struct member *member, struct str text, struct str *object)
{
    struct str after = text;
    if (member->hint.form != FORM_VERB && ascii_is_lower(text.ptr[0]) && is_plain_verb(text) &&
        !is_trimmed(member, text)) {
        *object = without_ending(inflect_gerund(mem, text));
        return true;
    }
    if (skip(&after, "how to,learn how to,learn to,learning to,learning how to")) {
        *object = without_ending(inflect_gerund(mem, after));
        return true;
    }
    if (skip(&after, states)) {
        skip_all(&after, adverbs);
        return skip(&after, liked_states) && read_object(mem, member, after, false, object);
    }
    if (skip(&after, conditionals)) {
        skip_all(&after, adverbs);
        return skip(&after, would_likes) && read_object(mem, member, after, true, object);
    }
    if (!skip(&after, subjects))
        return false;
    skip_all(&after, adverbs);
    bool is_plan = starting_phrase(after, "want,need") > 0;
    return skip(&after, likes) && read_object(mem, member, after, is_plan, object);
}

bool
value_lists_absences(const struct member *member)
{
    for (size_t i = 0; member->vocabulary != NULL && i < member->vocabulary->count; i++)
        if (str_starts(member->vocabulary->values[i].key, STR("no ")))
            return true;
    return false;
}

/* "no PHP please". With a capital letter it can be a name: "No Doubt". */
static bool
read_refusal(struct arena *mem, const struct member *member, struct str text, struct str *object)
{
    skip_all(&text, "please,absolutely");
    if (value_lists_absences(member))
        return false; /* "no elevator" is what the user does not want */
    if (text.len == 0 || (!ascii_is_lower(text.ptr[0]) && member->vocabulary == NULL))
        return false;
    return skip(&text, "no,not,never,never again,no more,nothing with") &&
           read_object(mem, member, text, false, object);
}

static bool
read_disliking(struct arena *mem, const struct member *member, struct str text, struct str *object)
{
    struct str after = text;
    if (skip(&after, "not a fan of,not into,not keen on,not fond of,not big on,no fan of"))
        return read_object(mem, member, after, false, object);
    if (read_refusal(mem, member, text, object))
        return true;
    if (skip(&after, states)) {
        skip_all(&after, adverbs);
        return skip(&after, disliked_states) && read_object(mem, member, after, false, object);
    }
    if (!skip(&after, subjects))
        return false;
    skip_all(&after, adverbs);
    return skip(&after, dislikes) && read_object(mem, member, after, false, object);
}

/* "I learn best with a teacher" says how, not what. */
static bool
is_manner(struct str object)
{
    return starting_phrase(object, "best,better,well,faster,fastest,more,most,less,least,much,"
                                   "enough,too,badly,hard,early,late") > 0;
}

/* "this conversation" refers to something outside the text. */
static bool
begins_with_pronoun(struct str object)
{
    return starting_phrase(object, "this,that,these,those,it,them,him,her,you,your") > 0;
}

/* A capital letter after the subject makes it a title: "I Want to Hold Your Hand". */
static bool
is_title(struct str text)
{
    size_t space = str_index(text, ' ');
    return str_eq_nocase(str_first(text, space), STR("i")) && space + 1 < text.len &&
           ascii_is_upper(text.ptr[space + 1]);
}

bool
value_spoken_object(struct arena *mem, const struct member *member, struct str text,
                    struct str *object)
{
    bool of_roles = member->hint.form == FORM_ROLE; /* "I own a bakery" is no bakery */
    if (value_is_of_names(member) || of_roles || text.len < 4 || is_title(text))
        return false;
    text = value_with_straight_apostrophes(mem, text);
    bool found = read_infinitive(mem, member, text, object) ||
                 (member->avoid ? read_disliking(mem, member, text, object)
                                : read_liking(mem, member, text, object));
    return found && object->len > 0 && phrase_fits(FORM_NOUN, *object) &&
           (member->hint.form == FORM_VERB || !phrase_reads_on(*object)) &&
           !begins_with_pronoun(*object) && !is_manner(*object);
}
