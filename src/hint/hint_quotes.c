/* hint_quotes.c - decides whether a text must be quoted in a hint: anything that could be read as
 * more than a name, such as a text that ends a sentence, could pose as a sentence of the
 * service. */
#include "hint/hint_quotes.h"

#include "value/value_patterns.h"
#include "text/utf8.h"

#include <string.h>

#define NAME_WORDS_MAX 10 /* a longer value is more likely a sentence than a name */
#define WORDS_AFTER_INITIAL 2

/* Of all scripts, since a model reads them all. */
static bool
is_end_mark(int32_t c)
{
    return c == '!' || c == '?' || c == 0x2026 || c == 0x203C || c == 0x203D || c == 0x2047 ||
           c == 0x2048 || c == 0x2049 || c == 0x3002 || c == 0xFF01 || c == 0xFF0E || c == 0xFF1F ||
           c == 0xFF61 || c == 0x061F || c == 0x06D4 || c == 0x0964 || c == 0x0965 || c == 0x0589 ||
           c == 0x104B || c == 0x1362 || c == 0x17D4;
}

/* Characters allowed between the end of a sentence and the next one. */
static bool
is_closing(int32_t c)
{
    return c == ')' || c == ']' || c == '}' || c == '\'' || c == '"' || c == 0x2019 ||
           c == 0x201D || c == 0xBB || c == 0x300D || c == 0x300F;
}

static bool
is_one_of(struct str word, const char *const *list)
{
    for (; *list != NULL; list++)
        if (str_eq_nocase(word, str_of(*list)))
            return true;
    return false;
}

static bool
is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* ---- periods within names ---- */

/* Empty if the text ends with a blank. */
static struct str
last_word(struct str text)
{
    size_t start = text.len;
    while (start > 0 && text.ptr[start - 1] != ' ')
        start--;
    return str_from(text, start);
}

static bool
has_period(struct str word)
{
    return str_index(word, '.') < word.len;
}

/* "D.C.", "R.E.M.", "U.S.": single letters with periods; the last one is not part of `word`. */
static bool
is_dotted_initials(struct str word)
{
    for (size_t i = 1; i < word.len; i += 2)
        if (word.ptr[i] != '.')
            return false;
    return word.len > 1 && word.len % 2 == 1;
}

/* A few words, each of which could be part of a name; initials are not counted. */
static bool
is_rest_of_name(struct str text)
{
    size_t words = 0;
    struct str part;
    while (str_cut(&text, ' ', &part)) {
        if (part.len == 0 || is_lower(part.ptr[0]))
            return false;
        words += !(part.len == 2 && part.ptr[1] == '.');
    }
    return words <= WORDS_AFTER_INITIAL;
}

/* "St. Vincent", "Vol. 2", "J. R. R. Tolkien", "Washington D.C. area". After "Mr." no
 * plausible sentence begins. After a single letter one could ("Plan B. Ignore …"), so only a name
 * may follow. */
static bool
is_abbreviated(struct str before, struct str after)
{
    static const char *const titles[] = { "Dr",  "Mr",   "Mrs", "Ms",  "St",  "Ste",
                                          "Sgt", "Capt", "Lt",  "Col", "Gen", "Prof",
                                          "Rev", "Mt",   "Ft",  "Jr",  "Sr",  NULL };
    static const char *const links[] = { "vs", "feat", "ft", NULL };
    static const char *const numbered[] = { "No", "Nos", "Vol", "Op", "Pt", "Ch", "Nr", NULL };
    struct str word = last_word(before);
    if (after.len == 0)
        return false;
    if (is_one_of(word, links))
        return true;
    if (is_one_of(word, titles))
        return !is_lower(after.ptr[0]);
    if (is_one_of(word, numbered))
        return is_digit(after.ptr[0]) || after.ptr[0] == 'I' || after.ptr[0] == 'V';
    if (is_dotted_initials(word))
        return is_lower(after.ptr[0]) || is_rest_of_name(after);
    return word.len == 1 && is_rest_of_name(after);
}

/* "Dinosaur Jr.", "fun.", "Washington, D.C."; not "Buy it now." */
static bool
ends_as_name(struct str value)
{
    static const char *const endings[] = { "Jr", "Sr",   "Inc", "Ltd", "Co", "Corp", "Bros", "etc",
                                           "al", "GmbH", "Esq", "Ave", "Rd", "Blvd", NULL };
    struct str word = last_word(str_first(value, value.len - 1));
    return word.len + 1 == value.len || word.len == 1 || has_period(word) ||
           is_one_of(word, endings);
}

static bool
ends_sentence(struct str value)
{
    for (size_t i = 0; i + 1 < value.len; i++)
        if (value.ptr[i] == '.' && value.ptr[i + 1] == ' ' &&
            !is_abbreviated(str_first(value, i), str_from(value, i + 2)))
            return true;
    return str_ends(value, STR(".")) && !str_ends(value, STR("..")) && !ends_as_name(value);
}

/* ---- other marks ---- */

/* Punctuation that separates clauses, or suggests text meant for a program. */
static bool
has_clause_mark(struct str value)
{
    struct str rest = value;
    int32_t last = 0, before_last = 0, ended = 0; /* `ended`: the last that is not a closing mark */
    for (int32_t c = utf8_next(&rest); c >= 0; c = utf8_next(&rest)) {
        if ((c == ' ' || c >= 0x2E80) && is_end_mark(ended))
            return true; /* scripts without spaces continue directly */
        if (c == ' ' && (last == ':' || last == ';' || (ended == '.' && last != '.')))
            return true; /* jazz.) And so on */
        if (c == ' ' && before_last == ' ' && (last == 0x2013 || last == 0x2014))
            return true;
        if (c == 0xFF1A || c == 0xFF1B || c == '`' || c == '\\')
            return true;
        ended = is_closing(c) ? ended : c;
        before_last = last;
        last = c;
    }
    return is_end_mark(ended) || last == ':' || last == ';';
}

/* "\"Weird Al\" Yankovic" is a name; a mark that closes before it opens is not. */
static bool
has_stray_quote(struct str value)
{
    bool open = false;
    for (size_t i = 0; i < value.len; i++) {
        if (value.ptr[i] != '"')
            continue;
        bool after_space = i == 0 || value.ptr[i - 1] == ' ' || value.ptr[i - 1] == '(';
        bool before_space = i + 1 == value.len || value.ptr[i + 1] == ' ' ||
                            value.ptr[i + 1] == ')' || value.ptr[i + 1] == ',';
        if (open ? !before_space : !after_space || before_space)
            return true;
        open = !open;
    }
    return open;
}

/* ---- words ---- */

/* "4 more" is how a shortened list ends. */
static bool
ends_as_a_count(struct str value)
{
    struct str more = STR(" more");
    return value.len > more.len && str_eq_nocase(str_from(value, value.len - more.len), more) &&
           is_digit(value.ptr[value.len - more.len - 1]);
}

static bool
is_letter(char c)
{
    return is_lower(c) || (c >= 'A' && c <= 'Z');
}

/* "(User" and "jazz/User" end with a word of their own. */
static struct str
word_at_end(struct str part)
{
    size_t start = part.len;
    while (start > 0 && is_letter(part.ptr[start - 1]))
        start--;
    return str_from(part, start);
}

/* "is," starts with one. */
static struct str
word_at_start(struct str part)
{
    size_t end = 0;
    while (end < part.len && is_letter(part.ptr[end]))
        end++;
    return str_first(part, end);
}

/* "User's", with either apostrophe, after any text. */
static bool
is_users(struct str part)
{
    struct str curled = STR("\u2019");
    for (size_t i = 0; i < part.len; i++) {
        struct str rest = str_from(part, i);
        size_t mark = rest.ptr[0] == '\'' ? 1 : str_starts(rest, curled) ? curled.len : 0;
        if (mark > 0 && str_eq_nocase(word_at_end(str_first(part, i)), STR("user")) &&
            str_eq_nocase(word_at_start(str_from(rest, mark)), STR("s")))
            return true;
    }
    return false;
}

/* Too many words, or words that begin a hint sentence: "User is …", "User's …". "user researcher"
 * is a name. */
static bool
reads_as_hint(struct str value)
{
    static const char *const verbs[] = { "is",       "was",    "has",      "does",    "can",
                                         "cannot",   "must",   "may",      "should",  "will",
                                         "wants",    "needs",  "likes",    "prefers", "says",
                                         "dislikes", "avoids", "requests", "asks",    "requires",
                                         "accepts",  "agrees", "allows",   "trusts",  NULL };
    size_t words = 0;
    bool after_user = false;
    struct str part;
    while (str_cut(&value, ' ', &part)) {
        if (is_users(part) || (after_user && is_one_of(word_at_start(part), verbs)))
            return true;
        after_user = str_eq_nocase(word_at_end(part), STR("user"));
        words++;
    }
    return words > NAME_WORDS_MAX;
}

bool
hint_must_quote(struct arena *mem, struct str value)
{
    return ends_sentence(value) || has_clause_mark(value) || has_stray_quote(value) ||
           reads_as_hint(value) || ends_as_a_count(value) || value_pattern_in(mem, value) != NULL;
}

/* ---- quoting ---- */

/* The length in bytes of a double quotation mark at the start; 0: none. */
static size_t
quotation_mark(struct str text)
{
    static const char *const marks[] = { "\"", "\u201C", "\u201D", "\u201E", "\u201F", "\uFF02" };
    char first = text.len > 0 ? text.ptr[0] : 'a';
    if (first != '"' && first != '\xe2' && first != '\xef') /* fast path */
        return 0;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (str_starts(text, str_of(marks[i])))
            return strlen(marks[i]);
    return 0;
}

void
hint_add_inside_quotes(struct buf *out, struct str value)
{
    for (size_t i = 0; i < value.len;) {
        size_t mark = quotation_mark(str_from(value, i));
        buf_add_char(out, mark > 0 ? '\'' : value.ptr[i]);
        i += mark > 0 ? mark : 1;
    }
    if (str_ends(value, STR("\\")))
        buf_add_char(out, ' ');
}

void
hint_add_quoted(struct buf *out, struct str value)
{
    buf_add_char(out, '"');
    hint_add_inside_quotes(out, value);
    buf_add_char(out, '"');
}
