/* spelling.c - regular differences between British and American English, by their endings. */
#include "reading/spelling.h"

#include "base/arena.h"
#include "base/ascii.h"
#include "base/buf.h"
#include "text/utf8.h"

#include <string.h>

#define STEM_MIN 3 /* letters before an ending: "flour" and "prize" have none of these */

/* ---- endings ---- */

static bool
is_one_of(struct str word, const char *list)
{
    struct str rest = str_of(list), one;
    while (str_cut(&rest, ',', &one))
        if (str_eq(word, one))
            return true;
    return false;
}

static bool
is_vowel(char c)
{
    return c != '\0' && strchr("aeiou", c) != NULL;
}

/* `from` at the given place of the word becomes `to`. */
static struct str
replace(struct arena *mem, struct str word, size_t at, const char *from, const char *to)
{
    return str_format(mem, "%.*s%s%.*s", (int)at, word.ptr, to,
                      STR_ARG(str_from(word, at + strlen(from))));
}

/* Where `part` starts if it is followed by one of the endings, of which one may be empty; the
 * length of the word: nowhere. */
static size_t
find_ending(struct str word, const char *part, const char *endings)
{
    for (size_t at = 0; at < word.len; at++)
        if (str_starts(str_from(word, at), str_of(part)) &&
            is_one_of(str_from(word, at + strlen(part)), endings))
            return at;
    return word.len;
}

/* "travelling", and not "selling", which has no syllable before, or "filling", where "filing" is
 * another word. */
static size_t
find_double_l(struct str word)
{
    static const char endings[] = "ed,ing,er,ers,or,ors,ous,ery,ist,ists";
    size_t at = find_ending(word, "ll", endings);
    if (at == word.len || at < 2 || (word.ptr[at - 1] != 'e' && word.ptr[at - 1] != 'a'))
        return word.len;
    for (size_t i = 0; i + 1 < at; i++)
        if (is_vowel(word.ptr[i]))
            return at;
    return word.len;
}

/* Where both forms are words, the longer form is not folded: "timbre" is no timber. */
static struct str
fold_ending(struct arena *mem, struct str word)
{
    static const struct {
        const char *part, *to, *endings;
    } rules[] = {
        { "our", "or", ",s,ed,ing,ite,ites,ful,able,less,hood,hoods,y,er,ers,ly" },
        { "iz", "is", "e,es,ed,ing,er,ers,ation,ations,able" },
        { "yz", "ys", "e,es,ed,ing,er,ers" },
        { "tre", "ter", ",s" },
        { "bre", "ber", ",s" },
        { "tred", "tered", "" },
        { "logue", "log", ",s" },
        { "fence", "fense", ",s" },
        { "icence", "icense", ",s" },
        { "tence", "tense", ",s" },
        { "elery", "elry", "" },
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        size_t at = find_ending(word, rules[i].part, rules[i].endings);
        size_t least = rules[i].part[0] == 'i' || rules[i].part[0] == 'o' ? STEM_MIN : 1;
        if (at < word.len && at >= least && !is_one_of(word, "timbre,timbres,celery"))
            return replace(mem, word, at, rules[i].part, rules[i].to);
    }
    return word;
}

/* Single words, and Greek "ae" and "oe" at the places where they are common. */
static struct str
fold_irregular(struct arena *mem, struct str word)
{
    static const char *const words[][2] = {
        { "grey", "gray" },         { "programme", "program" }, { "programmes", "programs" },
        { "cheque", "check" },      { "doughnut", "donut" },    { "doughnuts", "donuts" },
        { "cosy", "cozy" },         { "yoghurt", "yogurt" },    { "yoghurts", "yogurts" },
        { "odour", "odor" },        { "odours", "odors" },      { "pyjamas", "pajamas" },
        { "mum", "mom" },           { "mummy", "mommy" },       { "sceptical", "skeptical" },
        { "tyre", "tire" },         { "tyres", "tires" },       { "omelette", "omelet" },
        { "omelettes", "omelets" }, { "woollen", "woolen" },    { "storey", "story" },
    };
    static const char *const parts[][2] = { { "haem", "hem" },     { "paed", "ped" },
                                            { "rrhoea", "rrhea" }, { "oestro", "estro" },
                                            { "anaes", "anes" },   { "aluminium", "aluminum" } };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_eq_c(word, words[i][0]))
            return str_of(words[i][1]);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t at = str_find(word, str_of(parts[i][0]));
        if (at < word.len)
            return replace(mem, word, at, parts[i][0], parts[i][1]);
    }
    return word;
}

struct str
spelling_fold(struct arena *mem, struct str word)
{
    if (word.len < 3 || !ascii_is_lower(word.ptr[0]))
        return word;
    size_t at = find_double_l(word);
    if (at < word.len)
        word = replace(mem, word, at, "ll", "l");
    return fold_ending(mem, fold_irregular(mem, word));
}

/* ---- marks ---- */

#define LATIN_FIRST 0xC0
#define LATIN_END 0x250

/* Letters that only Vietnamese has, or that Romanian shares with it. */
static bool
is_vietnamese(struct str text)
{
    for (int32_t c; (c = utf8_next(&text)) >= 0;)
        if (c == 0x103 || c == 0x111 || c == 0x1a1 || c == 0x1b0 || (c >= 0x1ea0 && c <= 0x1ef9))
            return true;
    return false;
}

static bool
is_ascii(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] >= 0x80)
            return false;
    return true;
}

struct str
spelling_without_marks(struct arena *mem, struct str text)
{
    if (is_ascii(text) || is_vietnamese(text))
        return text;
    struct buf out = buf_in(mem, 4 * text.len + 1);
    while (text.len > 0) {
        struct str from = text, letter;
        int32_t c = utf8_next(&text);
        if (c < 0)
            break;
        letter = str_first(from, from.len - text.len);
        struct str plain = c >= LATIN_FIRST && c < LATIN_END ? utf8_match_key(mem, letter) : letter;
        buf_add(&out, str_present(plain) ? plain : letter);
    }
    return buf_str(&out);
}
