/* statement_key.c - cuts a statement into words, writes contractions out, and leaves out what adds
 * nothing. */
#include "reading/statement_key.h"

#include "base/arena.h"
#include "base/ascii.h"
#include "base/buf.h"
#include "domain/value_text.h"
#include "text/utf8.h"
#include "reading/spelling.h"

#include <string.h>

#define KEY_MAX_BYTES 4096

struct key_words {
    struct str *list;
    size_t count;
};

static bool
is_one_of(struct str word, const char *list)
{
    struct str rest = str_of(list), one;
    while (word.len > 0 && str_cut(&rest, ',', &one))
        if (str_eq(word, one))
            return true;
    return false;
}

/* "" beyond the ends. */
static struct str
word_at(const struct key_words *words, size_t i)
{
    return i < words->count ? words->list[i] : STR("");
}

static bool
in(const struct key_words *words, size_t i, const char *list)
{
    return is_one_of(word_at(words, i), list);
}

static bool
is_number(struct str word)
{
    size_t digits = 0;
    while (digits < word.len && ascii_is_digit(word.ptr[digits]))
        digits++;
    return digits > 0 && digits == word.len;
}

/* ---- words ---- */

/* Signs of all scripts that are written between words. */
static bool
is_mark(int32_t c)
{
    static const struct {
        int32_t first, last;
    } ranges[] = {
        { 0x00a1, 0x00a1 }, { 0x00ab, 0x00ab }, { 0x00b7, 0x00b7 }, { 0x00bb, 0x00bb },
        { 0x00bf, 0x00bf }, { 0x060c, 0x060c }, { 0x061b, 0x061b }, { 0x061f, 0x061f },
        { 0x06d4, 0x06d4 }, { 0x0964, 0x0965 }, { 0x2010, 0x205e }, { 0x3000, 0x3003 },
        { 0x3008, 0x3011 }, { 0xfe0f, 0xfe0f }, { 0xff01, 0xff01 }, { 0xff08, 0xff09 },
        { 0xff0c, 0xff0e }, { 0xff1a, 0xff1b }, { 0xff1f, 0xff1f },
    };
    if (c < 0x80)
        return !ascii_is_lower((char)c) && !ascii_is_digit((char)c) && c != '<' && c != '>';
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (c >= ranges[i].first && c <= ranges[i].last)
            return true;
    return false;
}

static bool
is_apostrophe(int32_t c)
{
    return c == '\'' || c == 0x2018 || c == 0x2019 || c == 0x02bc;
}

/* "-5" is not 5, and "C++" not C. */
static bool
is_sign(struct str before, int32_t c, struct str after)
{
    char last = before.len > 0 ? before.ptr[before.len - 1] : ' ';
    if (c == '-')
        return before.len == 0 && after.len > 0 && ascii_is_digit(after.ptr[0]);
    return (c == '+' || c == '#') && last != ' ' && last != '-';
}

/* Cuts the next word, with straight apostrophes inside it, from the front. *hyphen is set to
 * whether a hyphen follows. False: none is left. */
static bool
next_word(struct arena *mem, struct str *rest, struct str *word, bool *hyphen)
{
    struct buf out = buf_in(mem, KEY_MAX_BYTES);
    bool after_hyphen = *hyphen;
    *hyphen = false;
    while (rest->len > 0) {
        struct str from = *rest;
        int32_t c = utf8_next(rest);
        if (c < 0)
            break;
        if (is_apostrophe(c) && out.len > 0)
            buf_add_char(&out, '\'');
        else if (!is_mark(c) || (is_sign(buf_str(&out), c, *rest) && !after_hyphen))
            buf_add(&out, str_first(from, from.len - rest->len));
        else if (out.len > 0) {
            *hyphen = c == '-' || c == 0x2010 || c == 0x2011;
            if (c == '%' || c == '&')
                *rest = from;
            break;
        } else if (c == '%' || c == '&') {
            *word = c == '%' ? STR("percent") : STR("and");
            return true;
        }
    }
    *word = buf_str(&out);
    return word->len > 0;
}

/* ---- contractions ---- */

static struct str
without_apostrophes(struct arena *mem, struct str word)
{
    char *out = arena_alloc(mem, word.len + 1);
    size_t length = 0;
    for (size_t i = 0; i < word.len; i++)
        if (word.ptr[i] != '\'')
            out[length++] = word.ptr[i];
    return (struct str){ out, length };
}

static void
add(struct key_words *words, struct str word)
{
    if (word.len > 0)
        words->list[words->count++] = word;
}

/* Written without the apostrophe, and no word of its own: not "were", "ill", and "its". */
static bool
add_written_out(struct key_words *words, struct str word)
{
    static const char *const list[][3] = {
        { "im", "i", "am" },
        { "ive", "i", "have" },
        { "cant", "can", "not" },
        { "cannot", "can", "not" },
        { "wont", "will", "not" },
        { "dont", "do", "not" },
        { "doesnt", "does", "not" },
        { "didnt", "did", "not" },
        { "isnt", "is", "not" },
        { "arent", "are", "not" },
        { "wasnt", "was", "not" },
        { "werent", "were", "not" },
        { "hasnt", "has", "not" },
        { "havent", "have", "not" },
        { "hadnt", "had", "not" },
        { "couldnt", "could", "not" },
        { "wouldnt", "would", "not" },
        { "mustnt", "must", "not" },
        { "shouldnt", "should", "not" },
        { "neednt", "need", "not" },
        { "aint", "is", "not" },
        { "youre", "you", "are" },
        { "theyre", "they", "are" },
        { "youve", "you", "have" },
        { "theyve", "they", "have" },
        { "thats", "that", "is" },
        { "theres", "there", "is" },
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if (!str_eq_c(word, list[i][0]))
            continue;
        add(words, str_of(list[i][1]));
        add(words, str_of(list[i][2]));
        return true;
    }
    return false;
}

/* The word after "'s" and "'d" decides what they mean, so that they are replaced later. */
static bool
add_contraction(struct arena *mem, struct key_words *words, struct str word)
{
    static const char *const tails[][2] = {
        { "m", "am" }, { "re", "are" }, { "ve", "have" }, { "ll", "will" }, { "d", "'d" },
    };
    size_t at = str_index(word, '\'');
    struct str head = str_first(word, at), tail = str_from(word, at + 1);
    if (at == word.len || head.len == 0)
        return false;
    if (str_ends(head, STR("n")) && str_eq_c(tail, "t"))
        return add_written_out(words, without_apostrophes(mem, word));
    bool is = is_one_of(head, "he,she,it,that,there,here,what,who,where,how");
    if (str_eq_c(tail, "s") && (is || str_eq_c(head, "let"))) {
        add(words, head);
        add(words, is ? STR("'s") : STR("us"));
        return true;
    }
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++)
        if (str_eq_c(tail, tails[i][0])) {
            add(words, head);
            add(words, str_of(tails[i][1]));
            return true;
        }
    return false;
}

/* Whether the verb after the i-th word is a participle: "it's been", "I'd never had". */
static bool
precedes_participle(const struct key_words *words, size_t i)
{
    do
        i++;
    while (in(words, i, "never,always,not,already,just,ever"));
    return in(words, i, "been,had,got,gone,done,seen,become,taken,eaten,better") ||
           (word_at(words, i).len > 4 && str_ends(word_at(words, i), STR("ed")));
}

static struct str
verb_of(const struct key_words *words, size_t i)
{
    bool participle = precedes_participle(words, i);
    if (str_eq_c(words->list[i], "'d"))
        return participle ? STR("had") : STR("would");
    if (str_eq_c(words->list[i], "'s"))
        return participle && !in(words, i + 1, "better") ? STR("has") : STR("is");
    return words->list[i];
}

/* ---- numbers and compounds ---- */

static const char units[] =
    "am,pm,km,kg,cm,mm,mg,ml,m,g,l,h,hr,hrs,min,mins,sec,mph,kmh,kph,lb,lbs,oz,ft,gb,mb,tb,kcal";

/* "7pm" is "7 pm". */
static bool
add_measure(struct key_words *words, struct str word)
{
    size_t digits = 0;
    while (digits < word.len && ascii_is_digit(word.ptr[digits]))
        digits++;
    if (digits == 0 || !is_one_of(str_from(word, digits), units))
        return false;
    add(words, str_first(word, digits));
    add(words, str_from(word, digits));
    return true;
}

static struct str
digits_of(struct str word)
{
    static const char *const names[] = { "two",   "three", "four", "five",   "six",   "seven",
                                         "eight", "nine",  "ten",  "eleven", "twelve" };
    static const char *const digits[] = {
        "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_eq_c(word, names[i]))
            return str_of(digits[i]);
    return word;
}

/* "kid-friendly", "kidfriendly", and "glutenfree" are two words each. */
static void
add_compound(struct key_words *words, struct str word)
{
    static const char *const ends[] = { "friendly", "free" };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t length = strlen(ends[i]);
        if (word.len < length + 3 || !str_ends(word, str_of(ends[i])))
            continue;
        add(words, str_first(word, word.len - length));
        add(words, str_of(ends[i]));
        return;
    }
    add(words, digits_of(word));
}

/* "e-mail" and "over-order" are one word each. */
static bool
is_prefix(struct str word)
{
    return is_one_of(word, "e,over,under,pre,anti,multi,semi");
}

static void
read_words(struct arena *mem, struct str text, struct key_words *out)
{
    struct str word, next;
    bool hyphen = false;
    out->list = ARENA_ARRAY(mem, struct str, text.len + 2);
    while (next_word(mem, &text, &word, &hyphen)) {
        if (hyphen && is_prefix(word) && next_word(mem, &text, &next, &hyphen))
            word = str_format(mem, "%.*s%.*s", STR_ARG(word), STR_ARG(next));
        if (add_contraction(mem, out, word))
            continue;
        word = spelling_fold(mem, without_apostrophes(mem, word));
        if (!add_written_out(out, word) && !add_measure(out, word))
            add_compound(out, word);
    }
}

/* ---- words that add nothing ---- */

static bool
denies(const struct key_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        if (in(words, i, "not,no,never,nothing,without,nor,neither,hardly,less"))
            return true;
    return false;
}

/* "Please no onions", "no onions please"; not "I like to please", "please everyone". */
static bool
is_please(const struct key_words *words, size_t i)
{
    static const char objects[] = "me,us,him,her,them,everyone,everybody,people,others,my,our";
    static const char subjects[] =
        "to,i,we,they,he,she,it,that,which,not,can,could,will,would,must,should";
    return in(words, i, "please,pls,plz") && !in(words, i + 1, objects) &&
           (i == 0 || !in(words, i - 1, subjects));
}

/* The number of words of a courtesy at the i-th one. */
static size_t
courtesy_at(const struct key_words *words, size_t i)
{
    if (i == 0 && in(words, 0, "could,can,would,will") && in(words, 1, "you") &&
        in(words, 2, "please,kindly"))
        return 3;
    if (is_please(words, i) || (i == 0 && in(words, i, "kindly")))
        return 1;
    size_t thanks = in(words, i, "thanks,thx")                         ? 1
                    : in(words, i, "thank") && in(words, i + 1, "you") ? 2
                                                                       : 0;
    return i == 0 || i + thanks == words->count ? thanks : 0;
}

/* "really" and "just" add nothing, unless they limit what is denied: "not really", "not just". */
static size_t
filler_at(const struct key_words *words, size_t i, bool denied)
{
    if (in(words, i, "a,an,the") || (!denied && in(words, i, "really,just")))
        return 1;
    bool full_hour = str_eq_c(words->list[i], "00") && i > 0 && is_number(words->list[i - 1]) &&
                     in(words, i + 1, "am,pm,a,p"); /* "7:00 pm" */
    return full_hour ? 1 : courtesy_at(words, i);
}

/* The words of "p.m." and "lots of" that are one, or have another form. */
static struct str
joined_at(const struct key_words *words, size_t i, size_t *length)
{
    bool hour = i > 0 && is_number(words->list[i - 1]) && in(words, i + 1, "m");
    *length = hour && in(words, i, "a,p") ? 2 : 1;
    if (*length == 2)
        return in(words, i, "a") ? STR("am") : STR("pm");
    if (in(words, i, "lots") && in(words, i + 1, "of"))
        return STR("lot");
    return verb_of(words, i);
}

/* ---- */

/* The key of a statement of fillers only would be empty, and equal to every other such one: then
 * the whole text is the key. */
struct str
statement_key(struct arena *mem, struct str text)
{
    struct str folded = utf8_casefold(mem, text);
    struct key_words words = { 0 };
    if (!str_present(folded))
        return STR_NONE;
    read_words(mem, spelling_without_marks(mem, folded), &words);
    bool denied = denies(&words);
    struct buf out = buf_in(mem, KEY_MAX_BYTES);
    for (size_t i = 0, length; i < words.count; i += length) {
        struct str word = joined_at(&words, i, &length);
        size_t fillers = length == 1 ? filler_at(&words, i, denied) : 0;
        if (fillers > 0) {
            length = fillers;
            continue;
        }
        buf_add_c(&out, out.len == 0 ? "" : " ");
        buf_add(&out, word);
    }
    return out.len == 0 ? value_fold(mem, text) : buf_str(&out);
}
