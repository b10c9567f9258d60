#include "hint/hint_words.h"

#include "hint/hint_pairs.h"

#include <string.h>

#define VALUE_MAX_BYTES ((size_t)64 * 1024) /* an object of 32 texts of 200 characters fits */

/* ---- articles ---- */

static bool
is_in(char c, const char *letters)
{
    return c != '\0' && strchr(letters, c) != NULL;
}

static bool
is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool
is_letter(char c)
{
    return is_upper(c) || (c >= 'a' && c <= 'z');
}

static bool
starts_with_one_of(struct str word, const char *const *starts)
{
    for (; *starts != NULL; starts++)
        if (word.len >= strlen(*starts) &&
            str_eq_nocase(str_first(word, strlen(*starts)), str_of(*starts)))
            return true;
    return false;
}

/* Pronounced letter by letter: "SRE", "HTML", "X-ray", "F#"; not "NASA" or "DASH". */
static bool
is_initialism(struct str word)
{
    bool vowel = false;
    for (size_t i = 0; i < word.len; i++) {
        if (!is_upper(word.ptr[i]))
            return false;
        vowel = vowel || is_in(word.ptr[i], "AEIOUY");
    }
    return word.len > 0 && (word.len <= 3 || !vowel);
}

/* Numbers pronounced with a leading vowel: "8-bit", "11-year", "18th", "80s". */
static bool
is_eight(struct str text)
{
    size_t digits = 0;
    while (digits < text.len && text.ptr[digits] >= '0' && text.ptr[digits] <= '9')
        digits++;
    return digits > 0 && (text.ptr[0] == '8' || (digits == 2 && (str_starts(text, STR("11")) ||
                                                                 str_starts(text, STR("18")))));
}

const char *
hint_article(struct str text)
{
    static const char *const silent[] = { "hour", "honest", "hono", "heir", NULL };
    static const char *const spoken[] = { "eu",  "ewe", "one", "once", "use",  "usa",
                                          "usu", "uti", "uto", "ukr",  "ukul", "uran",
                                          "uri", "uro", "uni", "ufo",  NULL };
    static const char *const not_spoken[] = { "unin", "unim", "unid", "onei", NULL };
    size_t length = 0;
    while (length < text.len && is_letter(text.ptr[length]))
        length++;
    struct str word = str_first(text, length);
    if (is_eight(text))
        return "an";
    if (is_initialism(word))
        return is_in(word.ptr[0], "AEFHILMNORSX") ? "an" : "a";
    if (starts_with_one_of(word, silent))
        return "an";
    if (starts_with_one_of(word, spoken) && !starts_with_one_of(word, not_spoken))
        return "a";
    return word.len > 0 && is_in(word.ptr[0], "aeiouAEIOU") ? "an" : "a";
}

/* ---- putting values into placeholders ---- */

enum escape { AS_TEXT, AS_MARKDOWN };

/* "&amp;", "&#33;": Markdown would show them as another character. */
static bool
is_entity(struct str text)
{
    size_t i = 1;
    while (i < text.len && text.ptr[i] != ';' &&
           (text.ptr[i] == '#' || hint_is_word_byte(text.ptr[i])))
        i++;
    return i > 1 && i < text.len && text.ptr[i] == ';';
}

/* Whether the first character is Markdown syntax: CommonMark inlines, and GitHub's strikethrough
 * and autolinks. */
static bool
is_mark(struct str text)
{
    char c = text.ptr[0];
    return (c != '\0' && strchr("\\`*_[<~", c) != NULL) || (c == '&' && is_entity(text)) ||
           (c == ':' && str_starts(text, STR("://")));
}

static void
add_plain(struct buf *out, struct str text, enum escape escape)
{
    if (escape == AS_TEXT) {
        buf_add(out, text);
        return;
    }
    for (size_t i = 0; i < text.len; i++) {
        if (is_mark(str_from(text, i)) ||
            (text.ptr[i] == '.' && i >= 3 &&
             str_eq_nocase((struct str){ text.ptr + i - 3, 3 }, STR("www"))))
            buf_add_char(out, '\\');
        buf_add_char(out, text.ptr[i]);
    }
}

/* Position of a value. AT_FRONT: it must not turn the bullet into a nested bullet or a heading. */
enum spot { INSIDE, IN_QUOTES, AT_FRONT };

static bool
starts_plainly(struct str text)
{
    size_t first = str_starts(text, STR("-")) ? 1 : 0, end = first;
    while (end < text.len && text.ptr[end] >= '0' && text.ptr[end] <= '9')
        end++;
    if (end > first) /* a number, unless "1." or "1)" would begin an ordered list */
        return end == text.len || (text.ptr[end] != '.' && text.ptr[end] != ')') ||
               (end + 1 < text.len && text.ptr[end + 1] != ' ');
    char c = text.len > 0 ? text.ptr[0] : '#';
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

static void
add_value(struct buf *out, const struct hint_value *value, enum escape escape, enum spot spot)
{
    bool quote = value->quote || (spot == AT_FRONT && !starts_plainly(value->shown));
    if (!quote && spot != IN_QUOTES) {
        add_plain(out, value->shown, escape);
        return;
    }
    struct buf inside = buf_in(out->mem, VALUE_MAX_BYTES);
    hint_add_inside_quotes(&inside, value->shown);
    buf_add_c(out, spot == IN_QUOTES ? "" : "\"");
    add_plain(out, buf_str(&inside), escape);
    buf_add_c(out, spot == IN_QUOTES ? "" : "\"");
}

static void
add_list(struct buf *out, const struct hint *hint, size_t items, enum escape escape,
         enum spot first)
{
    size_t more = (size_t)hint->total - items;
    size_t parts = items + (more > 0 ? 1 : 0);
    bool comma = false;
    for (size_t i = 0; i < items; i++)
        comma = comma || str_index(hint->values[i].shown, ',') < hint->values[i].shown.len;
    for (size_t i = 0; i < parts; i++) {
        bool last = i + 1 == parts;
        if (i > 0)
            buf_add_c(out, comma ? "; " : parts > 2 ? ", " : " ");
        if (i > 0 && last)
            buf_add_c(out, hint->member->hint.or_list && more == 0 ? "or " : "and ");
        if (i < items)
            add_value(out, &hint->values[i], escape, i == 0 ? first : INSIDE);
        else
            buf_add_format(out, "%zu more", more);
    }
}

static void
add_placeholder(struct buf *out, struct str pattern, size_t *i, const struct hint *hint,
                size_t items, enum escape escape)
{
    struct str rest = str_from(pattern, *i);
    enum spot spot = *i == 0 ? AT_FRONT : pattern.ptr[*i - 1] == '"' ? IN_QUOTES : INSIDE;
    const struct hint_value *value = &hint->values[0];
    char kind = rest.ptr[1]; /* of {a}, {list}, {value}, {pairs} */
    *i += str_index(rest, '}') + 1;
    if (kind == 'a') {
        buf_add_c(out, hint_article(value->shown));
        return;
    }
    if (kind == 'l')
        add_list(out, hint, items, escape, spot);
    else
        add_value(out, value, escape, spot);
    if (hint->total == 1 && !value->quote)
        *i += hint_overlap(value->shown, str_from(pattern, *i));
}

static void
add_pattern(struct buf *out, struct str pattern, const struct hint *hint, size_t items,
            enum escape escape)
{
    for (size_t i = 0; i < pattern.len;) {
        size_t next = i + str_index(str_from(pattern, i), '{');
        buf_add(out, (struct str){ pattern.ptr + i, next - i });
        i = next;
        if (i < pattern.len)
            add_placeholder(out, pattern, &i, hint, items, escape);
    }
}

static bool
is_of_one(const struct hint *hint)
{
    return hint->member->type == MEMBER_OBJECT ? hint->sentence == HINT_OF_ONE : hint->total == 1;
}

static struct str
pattern_of(const struct hint *hint)
{
    const struct member *member = hint->member;
    if (hint->sentence >= 0)
        return member->hint.values[hint->sentence].sentence;
    if (hint->sentence == HINT_LOOSE)
        return member->hint.loose;
    return is_of_one(hint) && str_present(member->hint.text_one) ? member->hint.text_one
                                                                 : member->hint.text;
}

static struct str
emphasis_of(const struct hint *hint)
{
    const struct member *member = hint->member;
    return is_of_one(hint) && str_present(member->hint.emphasis_one) ? member->hint.emphasis_one
                                                                     : member->hint.emphasis;
}

static void
add_sentence(struct buf *out, const struct hint *hint, int items, bool strong, enum escape escape)
{
    struct str pattern = pattern_of(hint), emphasis = strong ? emphasis_of(hint) : STR_NONE;
    add_pattern(out, str_first(pattern, pattern.len - 1), hint, (size_t)items, escape);
    if (str_present(emphasis)) {
        buf_add_c(out, "; ");
        buf_add(out, emphasis);
    }
    if (out->len == 0 || out->ptr[out->len - 1] != '.') /* "Dinosaur Jr." ends with one */
        buf_add_char(out, '.');
}

void
hint_sentence(struct buf *out, const struct hint *hint, int items, bool strong)
{
    add_sentence(out, hint, items, strong, AS_TEXT);
}

void
hint_bullet(struct buf *out, const struct hint *hint, int items)
{
    struct str pattern = hint->member->hint.short_text;
    buf_add_c(out, "- ");
    if (str_present(pattern) && !(hint->sentence >= 0 && hint->member->type <= MEMBER_STRING))
        add_pattern(out, pattern, hint, (size_t)items, AS_MARKDOWN);
    else
        add_sentence(out, hint, items, false, AS_MARKDOWN);
}
