/* value_words.c - word lists of several languages. Each word gets a kind, and the rules of
 * value_none.c and danger.c look at the kinds only. */
#include "value/value_words.h"

#include "base/arena.h"
#include "domain/value_text.h"
#include "text/utf8.h"
#include "reading/misspelling.h"

#include <string.h>

#define NAME_WORDS_MAX 4 /* words of one vocabulary value */

/* ---- words ---- */

static const struct {
    enum word_kind kind;
    const char *words; /* with a space around each */
} lists[] = {
    { WORD_NEGATION,
      " no not none nope nil nothing never without zero don't dont doesn't doesnt haven't havent "
      "hasn't isn't aren't ain't nor neither kein keine keinen keiner keinerlei nicht nichts sin "
      "ninguna ninguno ningún ningun nada pas aucune aucun rien sans nessuna nessun nessuno niente "
      "senza nenhuma nenhum sem não nao geen niet inga ingen brak нет никаких без не yok नहीं " },
    { WORD_FILLER,
      " a an the any am have has had got that which of know aware at so far to my me is are there "
      "do does did ever currently really thanks thank god goodness heavens thankfully luckily "
      "fortunately you or and n plus yet in now right it as anything "
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
static enum word_kind
kind_of(struct str word)
{
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (is_in(word, lists[i].words))
            return lists[i].kind;
    return WORD_OTHER;
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

/* False: too many words for the rules, or none. A word after a mark that ends a clause follows a
 * break, which limits how far a negation before it counts. */
bool
value_words_read(struct arena *mem, struct str text, struct words *out)
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

bool
value_word_is(const struct words *words, size_t i, const char *wanted)
{
    return i < words->count && str_eq_c(words->list[i].folded, wanted);
}

bool
value_word_is_one_of(const struct words *words, size_t i, const char *const *list)
{
    for (; *list != NULL; list++)
        if (value_word_is(words, i, *list))
            return true;
    return false;
}

/* ---- names ---- */

const struct vocabulary_value *
value_danger_entry(struct arena *mem, const struct vocabulary *vocabulary, struct str folded)
{
    const struct vocabulary_value *found = value_entry(mem, vocabulary, folded);
    return found != NULL ? found : vocabulary_nearest(vocabulary, folded, misspelling_errors);
}

/* Whether words that are in no list are a name. Two words must be one name: "penut butter". */
static bool
is_misspelled_name(const struct vocabulary *vocabulary, const struct words *words, size_t i,
                   size_t length, struct str folded)
{
    for (size_t k = i; k < i + length; k++)
        if (words->list[k].kind != WORD_OTHER)
            return false;
    return length <= 2 && vocabulary_nearest(vocabulary, folded, misspelling_errors) != NULL;
}

/* The longest name wins, so that "peanut butter" is not read as "peanut". Words of names are
 * marked, because rules must not read them as grammar. */
size_t
value_words_name(struct arena *mem, const struct vocabulary *vocabulary, struct words *words)
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
                (value_entry(mem, vocabulary, folded) == NULL &&
                 !is_misspelled_name(vocabulary, words, i, length, folded)))
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
