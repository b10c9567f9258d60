/* phrase_name.c - whether a text is plainly a name or a short noun phrase.
 *
 * Values of apps go into prompts, so the rule says what is allowed: few words, hardly any signs,
 * and no word that makes a clause or an order. In a name most words begin with a capital letter, so
 * that a text without them may have fewer words. Everything else is quoted: a real name that is
 * wrongly quoted ("The Who") stays readable, and is attributed to its app. */
#include "value/phrase.h"

#include "base/ascii.h"
#include "text/utf8.h"
#include "value/word_lists.h"

#include <string.h>

#define TITLE_WORDS 6   /* "The Lord of the Rings", "Crosby, Stills, Nash & Young" */
#define PHRASE_WORDS 4  /* "slow cooked lamb shoulder" */
#define UNCASED_WORDS 3 /* in scripts without capitals */
#define WORD_CHARACTERS 40
#define HAN_CHARACTERS 8 /* a longer text without spaces is a sentence */

/* ---- signs ---- */

/* "-'&./+#,()!" occur in names; other signs in code, addresses, templates, and sentences. */
static bool
is_allowed(int32_t c)
{
    if (c < 0x80)
        return ascii_is_letter(c) || ascii_is_digit(c) || (c > 0 && strchr(" -'&./+#,()!", c));
    bool apostrophe = c == 0x2018 || c == 0x2019;
    bool hyphen = c >= 0x2010 && c <= 0x2013;
    bool joiner = c == 0x200C || c == 0x200D;
    return (c >= 0xC0 || c == 0xB7 || c == 0xAA || c == 0xBA) &&
           (c < 0x2000 || c > 0x206F || apostrophe || hyphen || joiner) &&
           (c < 0x3000 || c > 0x3004) && (c < 0x3008 || c > 0x301F) && (c < 0xFF01 || c > 0xFF0F) &&
           (c < 0xFF1A || c > 0xFF20);
}

static bool
has_other_sign(struct str text)
{
    struct str rest = text;
    for (int32_t c = utf8_next(&rest); c >= 0; c = utf8_next(&rest))
        if (!is_allowed(c))
            return true;
    return str_find(text, STR("&&")) < text.len;
}

static bool
in_word(struct str text, size_t i)
{
    return ascii_is_letter(text.ptr[i]) || (unsigned char)text.ptr[i] >= 0x80 ||
           ascii_is_digit(text.ptr[i]) || text.ptr[i] == '\'';
}

/* "example.com", "10.0.0.1"; not "Node.js", "ASP.NET", "St. Vincent", "R.E.M.". A dot between two
 * words is an address, unless one of them is a single letter. */
static bool
has_address(struct str text)
{
    for (size_t i = 1; i + 2 < text.len; i++) {
        if (text.ptr[i] != '.' || !in_word(text, i - 1) || !in_word(text, i + 1))
            continue;
        struct str after = words_first(str_from(text, i + 1)), before = str_first(text, i);
        bool number = ascii_is_digit(text.ptr[i + 1]);
        bool initials = !number && (after.len == 1 || i == 1 || !in_word(before, i - 2));
        if (!initials && !str_eq_c(after, "js") && !str_eq_c(after, "NET") &&
            !str_eq_c(after, "py"))
            return true;
    }
    return false;
}

/* "evil dot com" */
static bool
has_spelled_address(struct str text)
{
    struct str word;
    while (words_next(&text, &word))
        if (words_in(word, " dot ") &&
            words_in(words_first(text), " com org net io co app dev ai info biz me shop xyz "))
            return true;
    return false;
}

/* ---- words ---- */

enum letter_case { SMALL, CAPITAL, UNCASED };

/* Latin with the letters of European languages, Greek, and Cyrillic. */
static enum letter_case
case_of(int32_t c)
{
    if (ascii_is_lower(c) || (c >= 0xDF && c <= 0xFF && c != 0xF7))
        return SMALL;
    if (ascii_is_upper(c) || (c >= 0xC0 && c <= 0xDE && c != 0xD7))
        return CAPITAL;
    if (c >= 0x100 && c <= 0x17F) {
        bool odd_capitals = (c >= 0x139 && c <= 0x148) || c >= 0x178;
        return (c % 2 == 0) != odd_capitals ? CAPITAL : SMALL;
    }
    if ((c >= 0x386 && c <= 0x38F) || (c >= 0x391 && c <= 0x3AB) || (c >= 0x400 && c <= 0x42F))
        return CAPITAL;
    if ((c >= 0x3AC && c <= 0x3CE) || (c >= 0x430 && c <= 0x45F))
        return SMALL;
    return UNCASED;
}

/* Small words within a title. "to" makes an order of a text in small letters: "ready to pay". */
static bool
joins_title(struct str word)
{
    return words_in(word,
                    " a an and the of in on at for to from with by or n' n 'n' feat vs "
                    "de la le les el los las du des d l da do dos das del di al e y et und der die "
                    "den dem van von af og och i в и на с из по ");
}

/* What the words of a text look like. */
struct shape {
    size_t words, small, cased;
    bool sentence; /* a word is none of a name */
};

static void
add_word(struct shape *shape, struct str word)
{
    struct str rest = word;
    int32_t first = utf8_next(&rest);
    enum letter_case letter = case_of(first);
    size_t characters = utf8_length(word);
    bool han = first >= 0x3400 && first <= 0x9FFF;
    shape->words++;
    shape->cased += letter != UNCASED;
    shape->small += letter == SMALL && !joins_title(word);
    bool speaker = letter == SMALL && words_in(word, " my our ours mine "); /* the app itself */
    shape->sentence = shape->sentence || speaker || characters > WORD_CHARACTERS ||
                      (han && characters > HAN_CHARACTERS) || words_in_list(word, WORDS_CLAUSE) ||
                      words_in_list(word, WORDS_FOREIGN_CLAUSE) ||
                      words_in_list(word, WORDS_ORDER_ANYWHERE);
}

static bool
has_word(struct str text, const char *list)
{
    struct str word;
    while (words_next(&text, &word))
        if (words_in(word, list))
            return true;
    return false;
}

static bool
reads_as_sentence(struct str text)
{
    struct shape shape = { 0 };
    struct str rest = text, word;
    while (words_next(&rest, &word))
        add_word(&shape, word);
    bool title = shape.small == 0;
    size_t most = shape.cased == 0 ? UNCASED_WORDS : title ? TITLE_WORDS : PHRASE_WORDS;
    return shape.sentence || shape.words > most || (!title && has_word(text, " to "));
}

static bool
is_order(struct str verb)
{
    return words_in_list(verb, WORDS_ORDER) || words_in_list(verb, WORDS_ORDER_ANYWHERE);
}

/* "sharing passwords with assistants": the verb of an order, and what it does. */
static bool
is_order_in_ing(struct str word, struct str rest)
{
    char verb[WORD_CHARACTERS + 1];
    if (word.len < 5 || word.len > WORD_CHARACTERS || !str_ends(word, STR("ing")) ||
        !ascii_is_lower(word.ptr[0]) || words_count(rest) < 2)
        return false;
    size_t stem = word.len - 3;
    memcpy(verb, word.ptr, stem);
    verb[stem] = 'e';
    return is_order((struct str){ verb, stem }) || is_order((struct str){ verb, stem + 1 });
}

/* "the system administrator" begins like "system administrator". */
static bool
begins_order(struct str text)
{
    struct str word;
    if (!words_next(&text, &word))
        return false;
    if (words_in(word, " the a an ") && words_count(text) > 0)
        word = words_first(text);
    return words_in_list(word, WORDS_ORDER) || is_order_in_ing(word, text);
}

/* "Tyler, The Creator", "10,000 Maniacs"; not "cheap wine, and pay". */
static bool
has_part_in_small_letters(struct str text)
{
    struct str part;
    str_cut(&text, ',', &part);
    while (str_cut(&text, ',', &part)) {
        struct str word = words_first(part);
        if (word.len == 0 || case_of(utf8_next(&word)) == SMALL)
            return true;
    }
    return false;
}

bool
phrase_is_name(struct str text)
{
    return !has_other_sign(text) && !has_address(text) && !has_spelled_address(text) &&
           !has_part_in_small_letters(text) && !begins_order(text) && !reads_as_sentence(text) &&
           !words_has_order_part(text) && !phrase_reads_on(text);
}
