/* name.c - whether a text is plainly a name or a short noun phrase.
 *
 * Values of apps go into prompts, so the rule says what is allowed: few words, hardly any signs,
 * and no word that makes a clause, an order, or a claim. In a name most words begin with a capital
 * letter, so that a text without them may have fewer words. Everything else is quoted: a real name
 * that is wrongly quoted ("The Who") stays readable, and is attributed to its app. */
#include "naming/name.h"

#include "base/ascii.h"
#include "text/utf8.h"
#include "value/phrase.h"
#include "value/word_lists.h"

#include <string.h>

#define TITLE_WORDS 6   /* "The Lord of the Rings", "Crosby, Stills, Nash & Young" */
#define PHRASE_WORDS 4  /* "slow cooked lamb shoulder" */
#define UNCASED_WORDS 3 /* in scripts without capitals */
#define WORD_CHARACTERS 40
#define HAN_CHARACTERS 8 /* a longer text without spaces is a sentence */
#define CAPITALS_MIN 4   /* a shorter word in capitals is an abbreviation */

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
    bool has_space = str_index(text, ' ') < text.len; /* "discord.py" is a library */
    for (size_t i = 1; i + 2 < text.len; i++) {
        if (text.ptr[i] != '.' || !in_word(text, i - 1) || !in_word(text, i + 1))
            continue;
        struct str after = words_first(str_from(text, i + 1)), before = str_first(text, i);
        bool number = ascii_is_digit(text.ptr[i + 1]);
        bool initials = !number && (after.len == 1 || i == 1 || !in_word(before, i - 2));
        if (!initials && !str_eq_c(after, "js") && !str_eq_c(after, "NET") &&
            !(str_eq_c(after, "py") && !has_space))
            return true;
    }
    return false;
}

/* "/etc/passwd", "../x", "-rf", "--force", ".io"; not "!!!", "AC/DC", "...And Justice". A space, a
 * hyphen, and a space separate parts of a title. */
static bool
has_path_or_option(struct str text)
{
    size_t slashes = 0;
    for (size_t i = 0; i + 1 < text.len; i++) {
        char c = text.ptr[i], next = text.ptr[i + 1];
        slashes += c == '/';
        if (i > 0 && text.ptr[i - 1] != ' ')
            continue;
        if ((c == '/' && next != ' ') || (c == '-' && (ascii_is_letter(next) || next == '-')) ||
            (c == '.' && (ascii_is_letter(next) || next == '/') &&
             !str_starts(str_from(text, i), STR(".NET"))) ||
            str_starts(str_from(text, i), STR("../")))
            return true;
    }
    return slashes > 1;
}

/* "evil dot com" */
static bool
has_spelled_address(struct str text)
{
    struct str word;
    while (words_next(&text, &word))
        if (words_in(word, " dot ") &&
            words_in(words_first(text),
                     " com org net io co app dev ai info biz me shop xyz example "))
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

static enum letter_case
case_of_first(struct str word)
{
    return case_of(utf8_next(&word));
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

/* ---- orders and claims ---- */

static bool
is_order(struct str verb)
{
    return words_in_list(verb, WORDS_ORDER) || words_in_list(verb, WORDS_ORDER_ANYWHERE);
}

/* "sharing passwords with assistants", "overriding rules": the verb of an order, and what it does.
 * Verbs that are pastimes as well need two words, since "reading novels" is one. */
static bool
is_order_in_ing(struct str word, struct str rest)
{
    char verb[WORD_CHARACTERS + 1];
    size_t after = words_count(rest);
    if (word.len < 5 || word.len > WORD_CHARACTERS || !str_ends(word, STR("ing")) ||
        !ascii_is_lower(word.ptr[0]) || after == 0)
        return false;
    size_t stem = word.len - 3;
    memcpy(verb, word.ptr, stem);
    verb[stem] = 'e';
    struct str plain = { verb, stem }, with_e = { verb, stem + 1 };
    return words_in_list(plain, WORDS_ORDER_ANYWHERE) ||
           words_in_list(with_e, WORDS_ORDER_ANYWHERE) ||
           (after > 1 && (is_order(plain) || is_order(with_e)));
}

/* Also "quietly upgrade", "then pay": the word says how or when, and the verb follows. */
static bool
is_before_order(struct str word)
{
    return words_in(word, " just simply kindly first next then and or also plus as ") ||
           (word.len > 4 && str_ends(word, STR("ly")));
}

/* "the system administrator" begins like "system administrator". */
static bool
begins_order(struct str text)
{
    struct str word;
    if (!words_next(&text, &word))
        return false;
    if (is_before_order(word) && words_count(text) > 1)
        words_next(&text, &word);
    if (words_in_list(word, WORDS_VERB_FIRST) && words_count(text) > 0)
        return true;
    if (words_in(word, " the a an ") && words_count(text) > 0)
        word = words_first(text);
    return words_in_list(word, WORDS_ORDER) || is_order_in_ing(word, text);
}

/* "deliver", "delivers", "relies", "pushes" */
static bool
is_verb(struct str word)
{
    char verb[WORD_CHARACTERS];
    if (words_in_list(word, WORDS_VERB))
        return true;
    if (word.len < 4 || word.len > sizeof verb || (word.ptr[word.len - 1] | 0x20) != 's')
        return false;
    struct str stem = str_first(word, word.len - 1), before = str_first(word, word.len - 2);
    memcpy(verb, word.ptr, word.len);
    verb[word.len - 3] = 'y';
    return words_in_list(stem, WORDS_VERB) ||
           (str_ends(stem, STR("e")) && words_in_list(before, WORDS_VERB)) ||
           (str_ends(before, STR("i")) &&
            words_in_list((struct str){ verb, before.len }, WORDS_VERB));
}

/* "peanut allergy resolved", "payment preapproved": the result of something, said without a verb.
 * How a dish is made is no claim: "eggs scrambled", "plant-based". */
static bool
is_result(struct str before, struct str word)
{
    size_t n = word.len;
    bool participle =
        n > 4 && word.ptr[-1] == ' ' && str_eq_nocase(str_from(word, n - 2), STR("ed")) &&
        (word.ptr[n - 3] | 0x20) != 'e' && !words_in(before, " the a an and of or ") &&
        !words_in(word, " fried baked boiled scrambled poached mashed grilled smoked "
                        "roasted iced steamed braised stuffed pickled breaded united "
                        "limited unlimited hundred naked sacred wicked beloved "
                        "unplugged ahmed mohamed mohammed muhammed alfred jared "
                        "manfred wilfred siegfried sled shred ");
    return participle || words_in_list(word, WORDS_RESULT);
}

/* A word between others of a text. */
struct position {
    struct str first, before, word, next; /* "" at the ends */
    size_t at, count;
    bool has_number; /* before it */
};

/* "wipe the disk", "efface le disque": after a verb or a preposition only, and hardly in a name in
 * small letters. "walking the dog" names what someone does. */
static bool
has_object(const struct position *p)
{
    static const char names_object[] =
        " the a an all any every each no your their his her its this that these those everything "
        "anything everyone everybody nobody ";
    static const char foreign[] = " le la les el los las il lo gli den das die het alle ";
    static const char links[] =
        " a à al and & or of in on at for with from by to de del con than like over under into "
        "through around across about after before as once twice times per half und y et e ";
    return case_of_first(p->before) == SMALL && case_of_first(p->word) == SMALL &&
           !words_in(p->before, links) && !str_ends(p->first, STR("ing")) &&
           (words_in(p->word, names_object) || (p->at == 1 && words_in(p->word, foreign)));
}

/* "koop bij Grocer": a word in small letters, a preposition of any language, a name. */
static bool
points_to_name(const struct position *p)
{
    return case_of_first(p->first) == SMALL && !joins_title(p->first) &&
           !str_ends(p->first, STR("ing")) && case_of_first(p->next) == CAPITAL &&
           words_in(p->word,
                    " at from via through with to bei mit bij met chez avec en em con com w z "
                    "na u za przez hos med till til från fra da pri ved cho la lewat kwa у в "
                    "с через на до ");
}

static bool
is_number(struct str word)
{
    for (size_t i = 0; i < word.len; i++)
        if (!ascii_is_digit(word.ptr[i]))
            return false;
    return word.len > 0;
}

/* "12 Elm Street", "PO Box 55", "555 0100" */
static bool
is_place(const struct position *p)
{
    static const char streets[] = " street st road rd avenue ave lane ln drive terrace boulevard "
                                  "blvd court highway straße strasse rue calle via ";
    struct str before = p->before, word = p->word;
    return (p->has_number && !is_number(before) && words_in(word, streets)) ||
           (is_number(word) && words_in(before, " box suite flat apt apartment postfach ")) ||
           (is_number(before) && is_number(word) && before.ptr + before.len + 1 == word.ptr &&
            before.ptr[before.len] == ' ');
}

/* "Grocerで買え": a name in Latin letters joined to Chinese, Japanese, or Korean. */
static bool
mixes_scripts(struct str word)
{
    bool latin = false, other = false;
    for (int32_t c = utf8_next(&word); c >= 0; c = utf8_next(&word)) {
        latin = latin || (c < 0x80 && ascii_is_letter((char)c));
        other = other || (c >= 0x3040 && c <= 0xD7A3);
    }
    return latin && other;
}

/* Words that alone make a text of several words more than a name. */
static bool
is_doubtful(struct str word)
{
    return is_verb(word) || words_in_list(word, WORDS_SERVICE);
}

/* "any airline costing more", "Every Order"; not "No Doubt", "All Saints", "no red meat". */
static bool
begins_without_limit(struct str word, size_t count)
{
    return words_in(word, " any every each none whichever ") ||
           (case_of_first(word) == SMALL && (words_in(word, " all nothing nowhere neither only ") ||
                                             (count > PHRASE_WORDS - 1 && words_in(word, " no "))));
}

/* "tea or wipe disks" */
static bool
is_linked_order(const struct position *p)
{
    return p->next.len > 0 && words_in(p->before, " and or then but plus ") &&
           case_of_first(p->word) == SMALL &&
           (is_order(p->word) || words_in_list(p->word, WORDS_VERB_FIRST));
}

static bool
makes_order(const struct position *p)
{
    bool last = p->at + 1 == p->count;
    if (p->at == 0 || last)
        if (words_in_list(p->word, WORDS_FOREIGN_ORDER))
            return true;
    return is_doubtful(p->word) || is_linked_order(p) ||
           (p->at > 0 && (has_object(p) || is_place(p) || points_to_name(p))) ||
           (p->at > 0 && last && is_result(p->before, p->word));
}

static bool
has_order_within(struct str text)
{
    struct position p = { .first = words_first(text), .count = words_count(text) };
    for (; words_next(&text, &p.word); p.before = p.word, p.at++) {
        p.next = words_first(text);
        if (mixes_scripts(p.word) || (p.count > 1 && makes_order(&p)))
            return true;
        p.has_number = p.has_number || ascii_is_digit(p.word.ptr[0]);
    }
    return p.count > 1 && begins_without_limit(p.first, p.count);
}

/* "END OF HINTS" is an announcement; "MF DOOM" and "AC/DC" are names. */
static bool
is_in_capitals(struct str text)
{
    size_t words = 0;
    bool length = false;
    struct str rest = text, word;
    for (int32_t c = utf8_next(&rest); c >= 0; c = utf8_next(&rest))
        if (case_of(c) == SMALL)
            return false;
    while (words_next(&text, &word)) {
        words += case_of_first(word) == CAPITAL;
        length = length || word.len >= CAPITALS_MIN;
    }
    return words > 2 && length;
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
name_is_small(struct str text)
{
    bool has_space = str_index(text, ' ') < text.len; /* "three.js" is one word */
    size_t words = 0, small = 0;
    struct str word;
    while (words_next(&text, &word)) {
        enum letter_case letter = case_of_first(word);
        if (letter == CAPITAL)
            return false;
        words++;
        small += letter == SMALL;
    }
    return words > 1 && small > 0 && has_space;
}

bool
name_is_plain(struct str text)
{
    return !has_other_sign(text) && !has_address(text) && !has_spelled_address(text) &&
           !has_path_or_option(text) && !is_in_capitals(text) && !has_part_in_small_letters(text) &&
           !begins_order(text) && !reads_as_sentence(text) && !words_has_order_part(text) &&
           !phrase_reads_on(text) && !has_order_within(text);
}
