/* value_none.c - reads short texts about absence with word lists of several languages.
 *
 * Each word gets a kind; the rules look at the kinds only. A head is what can be absent
 * ("allergies"), a negation denies what follows in its clause, and everything that is in no list is
 * content. A text means "none" only if no content is left and every head is denied. Values of the
 * vocabulary are found first, so that their words are not taken for content. */
#include "domain/value_none.h"

#include "base/arena.h"
#include "base/ascii.h"
#include "domain/value_text.h"
#include "text/utf8.h"

#include <string.h>

#define WORDS_MAX 40     /* a longer text is a story */
#define NAME_WORDS_MAX 4 /* words of one vocabulary value */

/* ---- words ---- */

enum kind {
    WORD_OTHER,
    WORD_NEGATION,
    WORD_FILLER,
    WORD_SUBJECT,  /* starts a clause: a negation before it does not reach further */
    WORD_REASON,   /* so does this */
    WORD_MODIFIER, /* of a head */
    WORD_SEVERITY,
    WORD_AROUND, /* beside a value: "not even traces" */
    WORD_HEAD,   /* what can be absent, in any member */
    WORD_ALLERGY,
    WORD_ALLERGIC,
    WORD_INTOLERANCE,
    WORD_DIET,
    WORD_CONDITION,
};

static const struct {
    enum kind kind;
    const char *words; /* with a space around each */
} lists[] = {
    { WORD_NEGATION,
      " no not none nope nil nothing never without zero don't dont doesn't doesnt haven't havent "
      "hasn't isn't aren't ain't nor neither kein keine keinen keiner keinerlei nicht nichts sin "
      "ninguna ninguno ningún ningun nada pas aucune aucun rien sans nessuna nessun nessuno niente "
      "senza nenhuma nenhum sem não nao geen niet inga ingen brak нет никаких без не yok नहीं " },
    { WORD_FILLER,
      " a an the any am have has had got that which of know aware at so far to my me is are there "
      "do does did ever currently really thanks thank you or and yet in now right it as anything "
      "yes des de d' du les le la il en ai j'ai ich habe bin tengo tenho ho und y e ou o et ni var "
      "у меня есть है मुझे " },
    { WORD_SUBJECT, " i i'm im i've ive we we're user " },
    { WORD_REASON, " because due since cause bc " },
    { WORD_MODIFIER,
      " known food foods dietary medical special specific particular accessibility access physical "
      "health religious eating drug medicine कोई alimentaires alimentaire alimentarias "
      "alimentari " },
    { WORD_SEVERITY,
      " severe severely serious seriously deadly deathly mild mildly strong bad badly very "
      "extremely extreme highly high life threatening fatal lethal dangerous acute anaphylaxis "
      "anaphylactic reaction shock epipen " },
    { WORD_AROUND,
      " even traces trace amount amounts contains containing contain with can't cant cannot eat "
      "avoid avoiding please absolutely strictly strict products product free touch give feed "
      "kind kinds sort form ever all allergen allergens on ok okay must be i'd " },
    { WORD_HEAD,
      " restriction restrictions requirement requirements need needs needed limitation limitations "
      "limit limits issue issues problem problems einschränkungen restricciones restrições " },
    { WORD_ALLERGY,
      " allergy allergies alergia alergias allergie allergies allergien allergia allergieën "
      "allergi allergier alergi аллергии аллергия аллергий एलर्जी " },
    { WORD_ALLERGIC, " allergic allergisch alérgico alérgica allergique allergico allergica " },
    { WORD_INTOLERANCE,
      " intolerance intolerances intolerant sensitivity sensitivities sensitive intoleranzen "
      "intoleranz intolerancia intolerancias intolerâncias " },
    { WORD_DIET, " diet diets diät dieta régime " },
    { WORD_CONDITION,
      " condition conditions injury injuries illness illnesses disability disabilities " },
};

struct word {
    struct str text; /* as written */
    enum kind kind;
    bool follows_break; /* a comma, a period, or a dash is before it */
    bool named;         /* part of a value of the vocabulary */
    bool starts_name;
    size_t name_words;
    struct str folded;
};

struct words {
    struct word list[WORDS_MAX];
    size_t count;
};

static bool
is_in(struct str word, const char *list)
{
    const char *found = list, *end = list + strlen(list);
    while (word.len > 0 &&
           (found = memmem(found, (size_t)(end - found), word.ptr, word.len)) != NULL) {
        if (found > list && found[-1] == ' ' && found[word.len] == ' ')
            return true;
        found++;
    }
    return false;
}

/* The first list that has the word counts. */
static enum kind
kind_of(struct str word)
{
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (is_in(word, lists[i].words))
            return lists[i].kind;
    return WORD_OTHER;
}

static bool
is_head(enum kind kind)
{
    return kind >= WORD_HEAD;
}

/* The bytes of a mark between words at the start of the text; 0: a letter. */
static size_t
mark_length(struct str text, bool *is_break)
{
    static const char *const long_marks[] = { "\u2013", "\u2014", "\u3001", "\u3002",
                                              "\uff0c", "\u2026", "\u060c", NULL };
    *is_break = strchr(",;:.!?()/&+\"", text.ptr[0]) != NULL;
    if (*is_break || strchr(" -_", text.ptr[0]) != NULL)
        return 1;
    for (size_t i = 0; long_marks[i] != NULL; i++)
        if (str_starts(text, str_of(long_marks[i]))) {
            *is_break = true;
            return strlen(long_marks[i]);
        }
    return 0;
}

/* Lowercase, with the straight apostrophe; the text itself if it cannot be folded. */
static struct str
fold_word(struct arena *mem, struct str word)
{
    struct str folded = utf8_casefold(mem, word);
    if (!str_present(folded))
        return word;
    char *out = arena_alloc(mem, folded.len + 1);
    size_t length = 0;
    for (size_t i = 0; i < folded.len; i++) {
        bool curly = str_starts(str_from(folded, i), STR("\u2019"));
        out[length++] = curly ? '\'' : folded.ptr[i];
        i += curly ? 2 : 0;
    }
    return (struct str){ out, length };
}

/* False: too many words, or none. Breaks between words are kept as flags, because a negation does
 * not go beyond them. */
static bool
read_words(struct arena *mem, struct str text, struct words *out)
{
    bool after_break = false, is_break = false;
    *out = (struct words){ .count = 0 };
    for (size_t i = 0; i < text.len;) {
        size_t mark = mark_length(str_from(text, i), &is_break), end = i;
        if (mark > 0) {
            bool dash = text.ptr[i] == '-' && i > 0 && text.ptr[i - 1] == ' ';
            after_break = after_break || is_break || dash;
            i += mark;
            continue;
        }
        while (end < text.len && mark_length(str_from(text, end), &is_break) == 0)
            end++;
        if (out->count == WORDS_MAX)
            return false;
        struct str word = { text.ptr + i, end - i }, folded = fold_word(mem, word);
        out->list[out->count++] = (struct word){
            .text = word, .kind = kind_of(folded), .follows_break = after_break, .folded = folded
        };
        after_break = false;
        i = end;
    }
    return out->count > 0;
}

static bool
word_is(const struct words *words, size_t i, const char *wanted)
{
    return i < words->count && str_eq_c(words->list[i].folded, wanted);
}

/* ---- none ---- */

/* In languages without spaces, abbreviations, and signs. Compared as a whole. */
static bool
is_word_for_none(struct str folded)
{
    static const char *const whole[] = {
        "n/a",
        "na",
        "nka",
        "nkda",
        "nkfa",
        "no known",
        "none known",
        "nothing known",
        "-",
        "--",
        "unrestricted",
        "not applicable",
        "なし",
        "特になし",
        "アレルギーなし",
        "アレルギーはありません",
        "无",
        "無",
        "没有",
        "沒有",
        "没有过敏",
        "无过敏",
        "无过敏史",
        "没有食物过敏",
        "不过敏",
        "없음",
        "알레르기 없음",
        "لا يوجد",
        "لا توجد حساسية",
        "لا حساسية",
        "ليس لدي حساسية",
        NULL,
    };
    for (size_t i = 0; whole[i] != NULL; i++)
        if (str_eq_c(folded, whole[i]))
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
    return text.len > 0 && memmem(text.ptr, text.len, part, strlen(part)) != NULL;
}

/* Whether a head is what the member's own sentence denies: no allergies say nothing about a diet.
 */
static bool
is_own(const struct member *member, enum kind head)
{
    struct str sentence = none_sentence(member);
    switch (head) {
    case WORD_ALLERGY:
    case WORD_ALLERGIC:
        return has_part(sentence, "allerg");
    case WORD_INTOLERANCE:
        return has_part(sentence, "intoleran");
    case WORD_DIET:
        return has_part(sentence, "diet");
    case WORD_CONDITION:
        return has_part(sentence, "medical") || has_part(sentence, "physical") ||
               has_part(sentence, "accessib");
    case WORD_HEAD:
        return true;
    case WORD_OTHER:
    case WORD_NEGATION:
    case WORD_FILLER:
    case WORD_SUBJECT:
    case WORD_REASON:
    case WORD_MODIFIER:
    case WORD_SEVERITY:
    case WORD_AROUND:
        break;
    }
    return false;
}

/* "I don't know my allergies", "allergies not known": unknown is not none. */
static bool
is_vague(const struct words *words, size_t i)
{
    bool negation = words->list[i].kind == WORD_NEGATION;
    return negation && (word_is(words, i + 1, "know") && !word_is(words, i + 2, "of"));
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
        bool at_all = word_is(words, i, "all") && i > 0 && word_is(words, i - 1, "at");
        if ((word->kind == WORD_OTHER || word->kind == WORD_SEVERITY || word->kind == WORD_AROUND ||
             word->kind == WORD_REASON) &&
            !at_all)
            return false;
        if (is_vague(words, i))
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
        if (!is_head(word->kind))
            continue;
        own = own || is_own(member, word->kind);
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
    return str_present(folded) && (is_word_for_none(folded) ||
                                   (read_words(mem, text, words) && denies_heads(member, words)));
}

/* ---- named values ---- */

/* Content makes it more than a remark. With a negation, it is one only if it is about something
 * else: "no other allergies". */
bool
value_is_remark(struct arena *mem, struct str text)
{
    struct words *words = ARENA_NEW(mem, struct words);
    if (!read_words(mem, text, words))
        return false;
    bool other = false;
    for (size_t i = 0; i < words->count; i++) {
        other = other || word_is(words, i, "other") || word_is(words, i, "else");
        if (words->list[i].kind == WORD_OTHER && !word_is(words, i, "other") &&
            !word_is(words, i, "else"))
            return false;
    }
    for (size_t i = 0; i < words->count; i++)
        if (words->list[i].kind == WORD_NEGATION)
            return other;
    return true;
}

/* Marks the words of the longest value of the vocabulary at each position: "peanut butter" before
 * "peanut". */
static size_t
mark_names(struct arena *mem, const struct vocabulary *vocabulary, struct words *words)
{
    size_t names = 0;
    for (size_t i = 0; i < words->count; i++) {
        for (size_t length = NAME_WORDS_MAX; length > 0; length--) {
            if (i + length > words->count)
                continue;
            struct str first = words->list[i].text, last = words->list[i + length - 1].text;
            struct str span = { first.ptr, (size_t)(last.ptr + last.len - first.ptr) };
            struct str folded = value_fold(mem, span);
            if (!str_present(folded) || str_eq(folded, VALUE_NONE) ||
                value_entry(mem, vocabulary, folded) == NULL)
                continue;
            for (size_t k = i; k < i + length; k++)
                words->list[k].named = true;
            words->list[i].starts_name = true;
            words->list[i].name_words = length;
            i += length - 1;
            names++;
            break;
        }
    }
    return names;
}

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
        if (word->named || word_is(words, i, "traces") || word_is(words, i, "trace"))
            negated = negated == NOTHING ? NOTHING : A_NAME;
        else if (word->kind == WORD_NEGATION)
            negated = word_is(words, i + 1, "to") ? A_NAME : ANYTHING;
        else if (is_head(word->kind) && negated != NOTHING &&
                 (negated == ANYTHING || word->kind != WORD_ALLERGIC))
            return true;
        if (word->kind == WORD_NEGATION && word_is(words, i + 1, "to"))
            return true; /* "nuts, but not to peanuts" */
    }
    return false;
}

bool
value_has_negation(struct arena *mem, struct str text)
{
    struct words *words = ARENA_NEW(mem, struct words);
    bool found = !read_words(mem, text, words) && words->count == WORDS_MAX;
    for (size_t i = 0; i < words->count; i++)
        found = found || words->list[i].kind == WORD_NEGATION;
    return found;
}

bool
value_is_denial(struct arena *mem, const struct member *member, struct str text)
{
    struct words *words = ARENA_NEW(mem, struct words);
    if (member->vocabulary == NULL || !read_words(mem, text, words))
        return false;
    mark_names(mem, member->vocabulary, words);
    return denies_names(words);
}

/* Any word of content ends it: the text says more than the names, and must be kept whole. */
size_t
value_named(struct arena *mem, const struct member *member, struct str text, struct str *out,
            size_t max)
{
    struct words *words = ARENA_NEW(mem, struct words);
    size_t count = 0;
    if (member->vocabulary == NULL || !read_words(mem, text, words) ||
        mark_names(mem, member->vocabulary, words) == 0 || denies_names(words))
        return 0;
    for (size_t i = 0; i < words->count; i++) {
        const struct word *word = &words->list[i];
        bool can_not = word_is(words, i, "can") && word_is(words, i + 1, "not");
        if (!word->named && word->kind == WORD_OTHER && !can_not)
            return 0;
        if (!word->starts_name)
            continue;
        if (count == max)
            return 0;
        struct str last = words->list[i + word->name_words - 1].text;
        out[count++] =
            (struct str){ word->text.ptr, (size_t)(last.ptr + last.len - word->text.ptr) };
    }
    return count;
}
