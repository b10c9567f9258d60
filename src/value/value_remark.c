/* value_remark.c - closed lists decide. In doubt a part is no remark, so that it stays a value. */
#include "value/value_remark.h"

#include "value/word_lists.h"

#define CLAUSE_WORDS_MAX 6 /* a longer clause says more than that something is fine */

/* ---- reactions ---- */

bool
value_word_describes(const struct words *words, size_t i)
{
    static const char list[] =
        " me us my our them mine makes make making gives give gave giving causes cause causing "
        "triggers trigger upset upsets upsetting hurt hurts hurting bothers bother feel get gets "
        "from after eating drinking real true actual genuine diagnosed confirmed tested "
        "headache headaches migraine migraines hives rash rashes eczema itch itches itchy itching "
        "swell swells swelling swollen tingle tingles tingling vomit vomiting throw up puke "
        "nausea nauseous nauseated sick ill unwell bloat bloats bloated bloating gas gassy wind "
        "cramp cramps cramping pain pains ache aches sore heartburn reflux diarrhea diarrhoea "
        "runs constipation constipated indigestion flush flushing flushes sneeze sneezing wheeze "
        "wheezing breakout breakouts acne stomach tummy belly gut guts bowel bowels mouth lips lip "
        "tongue throat face skin eyes head chest heart close closes burn burns burning ";
    return i < words->count && words->list[i].kind == WORD_OTHER &&
           words_in(words->list[i].folded, list);
}

/* Remedies, advice, and judgments. In a statement, these are worth a hint of their own. */
static bool
is_aside(const struct words *words, size_t i)
{
    static const char list[] =
        " carry carries epi pen pens epipens injector injectors inhaler antihistamine "
        "antihistamines benadryl lactaid lactase enzyme enzymes pill pills tablet tablets "
        "doctor doctor's doctors dr's orders order advice recommendation hate hates yuck yuk ew "
        "eww "
        "gross ";
    return words_in(words->list[i].folded, list);
}

/* ---- what is not meant ---- */

static bool
links_clause(const struct words *words, size_t i)
{
    static const char *const links[] = { "but", "though", "although", "however", NULL };
    return value_word_is_one_of(words, i, links);
}

/* The clause from `from` on ends before this word. */
static size_t
clause_end(const struct words *words, size_t from)
{
    size_t end = from + 1;
    while (end < words->count && !words->list[end].follows_break && !links_clause(words, end))
        end++;
    return end;
}

/* "Prawns ok", "but baked is fine". */
static bool
is_tolerated(const struct words *words, size_t from, size_t end)
{
    static const char *const fine[] = { "ok",      "okay",    "fine",      "good", "alright",
                                        "allowed", "totally", "tolerated", NULL };
    for (size_t i = from; i < end; i++)
        if (words->list[i].kind == WORD_NEGATION)
            return false;
    return end - from > 1 && end - from <= CLAUSE_WORDS_MAX &&
           value_word_is_one_of(words, end - 1, fine);
}

/* "Not shellfish". "No shellfish" is what the user must not have. */
static bool
is_excluded(const struct words *words, size_t from, size_t end)
{
    from += links_clause(words, from) ? 1 : 0;
    if (!value_word_is(words, from, "not"))
        return false;
    bool names = false;
    for (size_t i = from + 1; i < end; i++) {
        names = names || words->list[i].named;
        if (!words->list[i].named)
            return false;
    }
    return names;
}

static void
set_aside(struct words *words, size_t from, size_t end)
{
    for (size_t i = from; i < end; i++) {
        words->list[i].kind = WORD_FILLER;
        words->list[i].named = words->list[i].starts_name = false;
    }
}

/* After "milk is ok", "but not eggs" names a danger. */
void
value_words_set_aside(struct words *words)
{
    bool named = false;
    for (size_t from = 0, end; from < words->count; from = end) {
        end = clause_end(words, from);
        if (!named && is_tolerated(words, from, end))
            return;
        if (named && (is_tolerated(words, from, end) || is_excluded(words, from, end)))
            set_aside(words, from, end);
        bool denies = words->list[from].kind == WORD_NEGATION;
        for (size_t i = from; i < end && !denies; i++)
            named = named || words->list[i].named;
    }
}

/* ---- parts of a list ---- */

/* Content makes it more than a remark. With a negation, it is one only if it is about something
 * else: "no other allergies". */
bool
value_is_remark(struct arena *mem, const struct member *member, struct str text)
{
    struct words words;
    bool other = false, negated = false;
    if (!value_words_read(mem, text, &words))
        return false;
    if (member_lists_dangers(member)) {
        value_words_name(mem, member->vocabulary, &words);
        if (is_tolerated(&words, 0, words.count) || is_excluded(&words, 0, words.count))
            return true;
    }
    for (size_t i = 0; i < words.count; i++) {
        bool of_other = value_word_is(&words, i, "other") || value_word_is(&words, i, "else");
        other = other || of_other;
        negated = negated || words.list[i].kind == WORD_NEGATION;
        if (words.list[i].named || (words.list[i].kind == WORD_OTHER && !of_other &&
                                    !value_word_describes(&words, i) && !is_aside(&words, i)))
            return false;
    }
    return !negated || other;
}

/* ---- tastes ---- */

/* The number of words from the i-th on that say so: "don't like", "hate", "am not a fan of". */
static size_t
dislike_length(const struct words *words, size_t i)
{
    static const char *const alone[] = { "hate", "dislike", "detest", "loathe", NULL };
    static const char *const denied[] = { "like", "love", "enjoy", "stand", NULL };
    if (value_word_is_one_of(words, i, alone))
        return 1;
    size_t from = i;
    i += value_word_is(words, i, "do") || value_word_is(words, i, "can") ||
         value_word_is(words, i, "am");
    bool can_not = value_word_is(words, i, "can't") || value_word_is(words, i, "cannot");
    if (i >= words->count || (words->list[i].kind != WORD_NEGATION && !can_not))
        return 0;
    i++;
    i += value_word_is(words, i, "really");
    if (value_word_is_one_of(words, i, denied))
        return i + 1 - from;
    i += value_word_is(words, i, "a");
    return value_word_is(words, i, "fan") && value_word_is(words, i + 1, "of") ? i + 2 - from : 0;
}

struct str
value_disliked(struct arena *mem, const struct member *member, struct str text)
{
    struct words words;
    size_t i = 0, names;
    if (member->vocabulary == NULL || !value_words_read(mem, text, &words))
        return STR_NONE;
    names = value_words_name(mem, member->vocabulary, &words);
    while (i < words.count &&
           (words.list[i].kind == WORD_SUBJECT || value_word_is(&words, i, "really")))
        i++;
    size_t length = dislike_length(&words, i), first = i + length;
    for (i = first; i < words.count; i++)
        if (!words.list[i].named && !value_word_is(&words, i, "and") &&
            !value_word_is(&words, i, "or"))
            return STR_NONE;
    return length > 0 && names > 0 && first < words.count
               ? str_from(text, (size_t)(words.list[first].text.ptr - text.ptr))
               : STR_NONE;
}
