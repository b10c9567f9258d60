/* value_none.c - reads short texts about absence with word lists of several languages.
 *
 * Each word gets a kind; the rules look at the kinds only. A head is what can be absent
 * ("allergies"), a negation denies what follows in its clause, and everything that is in no list is
 * content. A text means "none" only if no content is left and every head is denied. Values of the
 * vocabulary are found first, so that their words are not taken for content. */
#include "value/value_none.h"

#include "base/arena.h"
#include "domain/value_text.h"
#include "value/value_remark.h"
#include "value/value_words.h"
#include "value/word_lists.h"

#include <string.h>

#define UNKNOWN_MAX 2 /* words of a value that is not in the vocabulary */

/* ---- none ---- */

/* "n.a." is "na". */
static struct str
without_periods(struct arena *mem, struct str text)
{
    char *out = arena_alloc(mem, text.len + 1);
    size_t length = 0;
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != '.')
            out[length++] = text.ptr[i];
    return (struct str){ out, length };
}

/* In languages without spaces, abbreviations, and signs. Compared as a whole. */
static bool
is_word_for_none(struct arena *mem, struct str folded)
{
    struct str text,
        plain = without_periods(mem, folded),
        whole =
            STR("n/a,na,n a,nka,nkda,nkfa,no known,none known,nothing known,-,--,–,"
                "—,unrestricted,not "
                "applicable,なし,特になし,アレルギーなし,アレルギーはありません,无,無,没有,沒有,"
                "没有过敏,无过敏,无过敏史,没有食物过敏,不过敏,없음,알레르기 없음,لا يوجد,لا توجد "
                "حساسية,لا حساسية,"
                "ليس لدي حساسية");
    while (str_cut(&whole, ',', &text))
        if (str_eq(plain, text))
            return true;
    return false;
}

/* The definition's own sentence says what the member is about: "has no known allergies". */
static struct str
none_sentence(const struct member *member)
{
    for (size_t i = 0; i < member->hint.value_count; i++)
        if (str_eq(member->hint.values[i].value, VALUE_NONE))
            return member->hint.values[i].sentence;
    return STR("");
}

static bool
has_part(struct str text, const char *part)
{
    return str_find(text, str_of(part)) < text.len;
}

/* Whether a head is what the member's own sentence denies: no allergies say nothing about a diet.
 */
bool
value_is_about(const struct member *member, enum word_kind head)
{
    struct str sentence = none_sentence(member);
    if (head == WORD_ALLERGY || head == WORD_ALLERGIC)
        return has_part(sentence, "allerg");
    if (head == WORD_INTOLERANCE)
        return has_part(sentence, "intoleran");
    if (head == WORD_DIET)
        return has_part(sentence, "diet");
    if (head == WORD_CONDITION)
        return has_part(sentence, "medical") || has_part(sentence, "physical") ||
               has_part(sentence, "accessib");
    return head == WORD_HEAD;
}

/* "I don't know my allergies", "allergies not known": unknown is not none. */
static bool
is_unknown(const struct words *words, size_t i)
{
    bool negation = words->list[i].kind == WORD_NEGATION;
    return negation && (value_word_is(words, i + 1, "know") && !value_word_is(words, i + 2, "of"));
}

/* Every head must follow a negation of its own clause, or a last negation must follow the only
 * head: "allergies: none". */
static bool
denies_heads(const struct member *member, const struct words *words)
{
    bool negated = false, own = false, pending = false;
    size_t heads = 0, negations = 0, modifiers = 0;
    for (size_t i = 0; i < words->count; i++) {
        const struct word *word = &words->list[i];
        /* "All" alone is content; in "at all" it is nothing. */
        bool at_all = value_word_is(words, i, "all") && i > 0 && value_word_is(words, i - 1, "at");
        if ((word->kind == WORD_OTHER || word->kind == WORD_SEVERITY || word->kind == WORD_AROUND ||
             word->kind == WORD_REASON) &&
            !at_all)
            return false;
        if (is_unknown(words, i))
            return false;
        if (word->follows_break || word->kind == WORD_SUBJECT)
            negated = false;
        if (word->kind == WORD_NEGATION) {
            if (negated)
                return false; /* "not without allergies" */
            negated = true;
            negations++;
        }
        modifiers += word->kind == WORD_MODIFIER;
        if (!value_word_is_head(word->kind))
            continue;
        own = own || value_is_about(member, word->kind);
        heads++;
        if (!negated && (heads > 1 || i > modifiers))
            return false; /* the text says that there is one */
        pending = !negated || pending;
    }
    if (pending)
        return own && heads == 1 && negations == 1 &&
               words->list[words->count - 1].kind == WORD_NEGATION;
    return negations > 0 && (heads > 0 ? own : modifiers == 0);
}

bool
value_means_none(struct arena *mem, const struct member *member, struct str text)
{
    struct str folded = value_fold(mem, text);
    struct words *words = ARENA_NEW(mem, struct words);
    return str_present(folded) &&
           (is_word_for_none(mem, folded) ||
            (value_words_read(mem, text, words) && denies_heads(member, words)));
}

/* ---- named values ---- */

/* "No peanut allergy" and "not allergic to nuts" deny, "no nuts, severe allergy" does not: between
 * a value and the allergy there is a break, a reason, or how severe it is. */
static bool
denies_names(const struct words *words)
{
    enum { NOTHING, ANYTHING, A_NAME } negated = NOTHING;
    for (size_t i = 0; i < words->count; i++) {
        const struct word *word = &words->list[i];
        if (word->follows_break || word->kind == WORD_REASON || word->kind == WORD_SUBJECT ||
            (negated == A_NAME && (word->kind == WORD_SEVERITY || word->kind == WORD_FILLER)))
            negated = NOTHING;
        if (word->named || value_word_is(words, i, "traces") || value_word_is(words, i, "trace"))
            negated = negated == NOTHING ? NOTHING : A_NAME;
        else if (word->kind == WORD_NEGATION)
            negated = value_word_is(words, i + 1, "to") ? A_NAME : ANYTHING;
        else if (value_word_is_head(word->kind) && negated != NOTHING &&
                 (negated == ANYTHING || word->kind != WORD_ALLERGIC))
            return true;
        if (word->kind == WORD_NEGATION && value_word_is(words, i + 1, "to"))
            return true; /* "nuts, but not to peanuts" */
    }
    return false;
}

bool
value_has_negation(struct arena *mem, struct str text)
{
    struct words *words = ARENA_NEW(mem, struct words);
    bool found = !value_words_read(mem, text, words) && words->count == WORDS_MAX;
    for (size_t i = 0; i < words->count; i++)
        found = found || words->list[i].kind == WORD_NEGATION;
    return found;
}

bool
value_is_denial(struct arena *mem, const struct member *member, struct str text)
{
    struct words *words = ARENA_NEW(mem, struct words);
    if (member->vocabulary == NULL || !value_words_read(mem, text, words))
        return false;
    value_words_name(mem, member->vocabulary, words);
    return denies_names(words);
}

static bool
is_plural(const struct word *word)
{
    return str_ends(word->folded, STR("s"));
}

/* "Milk sugar", "cashew cheese": the first name says what the second is made of. */
static bool
is_compound(const struct words *words, size_t i)
{
    static const char *const products[] = { "milk",  "butter", "cream",  "cheese",  "flour",
                                            "sugar", "bread",  "yogurt", "noodles", NULL };
    size_t end = i + words->list[i].name_words;
    bool first = i == 0 || words->list[i].follows_break || !words->list[i - 1].named;
    return first && end + 1 == words->count && words->list[end].starts_name &&
           !words->list[end].follows_break && value_word_is_one_of(words, end, products) &&
           !is_plural(&words->list[end - 1]);
}

/* "Sulfites in wine": where the danger is. */
static bool
is_place_of(const struct words *words, size_t i)
{
    return i > 0 && value_word_is(words, i - 1, "in");
}

/* Any word of content ends it: the text says more than the names, and must be kept whole. */
size_t
value_named(struct arena *mem, const struct member *member, struct str text, struct str *out,
            size_t max)
{
    struct words *words = ARENA_NEW(mem, struct words);
    size_t count = 0;
    if (member->vocabulary == NULL || !value_words_read(mem, text, words) ||
        value_words_name(mem, member->vocabulary, words) == 0 || denies_names(words))
        return 0;
    value_words_set_aside(words);
    for (size_t i = 0; i < words->count; i++) {
        const struct word *word = &words->list[i];
        bool can_not = value_word_is(words, i, "can") && value_word_is(words, i + 1, "not");
        if (!word->named && word->kind == WORD_OTHER && !can_not && !value_word_describes(words, i))
            return 0;
        if (!word->starts_name || (count > 0 && is_place_of(words, i)))
            continue;
        if (is_compound(words, i))
            return 0;
        if (count == max)
            return 0;
        struct str last = words->list[i + word->name_words - 1].text;
        out[count++] =
            (struct str){ word->text.ptr, (size_t)(last.ptr + last.len - word->text.ptr) };
    }
    return count;
}

/* ---- denials of dangers ---- */

/* Words that turn a denial into its opposite, in part or as a whole. */
static bool
limits(const struct words *words, size_t i)
{
    static const char *const list[] = { "but",  "except", "besides", "only", "just", "until",
                                        "than", "joke",   "longer",  "more", NULL };
    return value_word_is_one_of(words, i, list);
}

/* "Used to be allergic to milk, grew out of it". Not if another clause names something. */
static bool
is_over(const struct words *words)
{
    static const char list[] = " used grew grown out growing outgrew outgrown was were when child "
                               "kid baby toddler young younger little small years ago longer "
                               "childhood teenager but anymore ";
    bool over = false, head = false, named = false, closed = false;
    for (size_t i = 0; i < words->count; i++) {
        const struct word *word = &words->list[i];
        bool longer = value_word_is(words, i, "no") && value_word_is(words, i + 1, "longer");
        closed = closed || (named && word->follows_break);
        over = over || longer || value_word_is(words, i, "outgrew") ||
               value_word_is(words, i, "outgrown") ||
               (value_word_is(words, i, "used") && value_word_is(words, i + 1, "to")) ||
               (value_word_is(words, i + 1, "out") &&
                (value_word_is(words, i, "grew") || value_word_is(words, i, "grown")));
        head = head || value_word_is_head(word->kind);
        if ((word->named && closed) || value_word_is(words, i, "now") ||
            (!word->named && word->kind == WORD_OTHER && !words_in(word->folded, list)) ||
            (word->kind == WORD_NEGATION && !longer) || word->kind == WORD_SEVERITY ||
            (word->kind == WORD_AROUND && !value_word_is(words, i, "be")))
            return false;
        named = named || word->named;
    }
    return over && head && named;
}

/* One negation before everything else, one head, and what it denies on one side of the head only:
 * "no peanut allergy", "not allergic to nuts". Before the head, "nuts" can mean "no nuts!". */
bool
value_denies(struct arena *mem, const struct member *member, struct str value)
{
    struct words *words = ARENA_NEW(mem, struct words);
    size_t negations = 0, heads = 0, before = 0, after = 0, unknown = 0;
    if (!member_lists_dangers(member) || !value_words_read(mem, value, words))
        return false;
    size_t names = value_words_name(mem, member->vocabulary, words);
    if (is_over(words))
        return true;
    for (size_t i = 0; i < words->count; i++) {
        const struct word *word = &words->list[i];
        bool other = word->named || word->kind == WORD_OTHER;
        if (word->follows_break || limits(words, i))
            return false;
        if (other && (negations == 0 || (heads == 0 && is_plural(word))))
            return false;
        unknown += other && !word->named;
        before += other && heads == 0;
        after += other && heads > 0;
        if (other || word->kind == WORD_FILLER || word->kind == WORD_MODIFIER ||
            (word->kind == WORD_SUBJECT && negations == 0))
            continue;
        if (word->kind == WORD_NEGATION && heads == 0)
            negations++;
        else if (value_word_is_head(word->kind) && negations == 1 &&
                 (word->kind != WORD_ALLERGIC || value_word_is(words, i + 1, "to")))
            heads++;
        else
            return false;
    }
    return negations == 1 && heads == 1 && (before == 0) != (after == 0) &&
           (names > 0 ? unknown == 0 : unknown <= UNKNOWN_MAX);
}
