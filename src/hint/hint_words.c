#include "hint/hint_words.h"

#include "value/article.h"
#include "hint/hint_pairs.h"

#include <string.h>

#define VALUE_MAX_BYTES ((size_t)64 * 1024) /* an object of 32 texts of 200 characters fits */

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

/* The number of bytes before the first that may need a backslash. */
static size_t
unmarked_prefix(struct str text)
{
    static const bool may_mark[256] = {
        ['\\'] = true, ['`'] = true, ['*'] = true, ['_'] = true, ['['] = true,
        ['<'] = true,  ['~'] = true, ['&'] = true, [':'] = true, ['.'] = true
    };
    size_t i = 0;
    while (i < text.len && !may_mark[(unsigned char)text.ptr[i]])
        i++;
    return i;
}

static bool
needs_backslash(struct str text, size_t i)
{
    return is_mark(str_from(text, i)) ||
           (text.ptr[i] == '.' && i >= 3 &&
            str_eq_nocase((struct str){ text.ptr + i - 3, 3 }, STR("www")));
}

bool
hint_is_unmarked(struct str value)
{
    size_t i = unmarked_prefix(value);
    while (i < value.len && !needs_backslash(value, i))
        i += 1 + unmarked_prefix(str_from(value, i + 1));
    return i == value.len;
}

/* For bullets, characters that Markdown would interpret get a backslash. */
static void
add_plain(struct buf *out, struct str text, enum escape escape)
{
    size_t i = escape == AS_TEXT ? text.len : unmarked_prefix(text);
    buf_add(out, str_first(text, i));
    while (i < text.len) {
        if (needs_backslash(text, i))
            buf_add_char(out, '\\');
        size_t end = i + 1 + unmarked_prefix(str_from(text, i + 1));
        buf_add(out, (struct str){ text.ptr + i, end - i });
        i = end;
    }
}

/* Position of a value. AT_FRONT: it must not turn the bullet into a nested bullet or a heading. */
enum spot { INSIDE, IN_QUOTES, AT_FRONT };

/* At the front of a line, a text could become a heading, a list, or a quotation. */
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

/* Quoted also at the front of a line if it could be read as Markdown, whatever the format. */
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

/* "does not stay at hostels or campsites", but "places to avoid include hostels and campsites". */
static bool
joins_with_or(const struct hint *hint)
{
    struct str loose = hint->member->hint.loose;
    bool includes = hint->sentence == HINT_LOOSE && str_find(loose, STR(" include")) < loose.len &&
                    str_find(loose, STR(" not ")) == loose.len;
    return hint->member->hint.or_list && !includes;
}

/* A value with a comma makes semicolons the separators, and one with "and" a comma before the last
 * value, so that each value can be recognized. */
static void
add_list(struct buf *out, const struct hint *hint, size_t items, enum escape escape,
         enum spot first)
{
    size_t more = (size_t)hint->total - items;
    size_t parts = items + (more > 0 ? 1 : 0);
    bool comma = false, links = false; /* "War and Peace" */
    for (size_t i = 0; i < items; i++) {
        struct str shown = hint->values[i].shown;
        comma = comma || str_index(shown, ',') < shown.len;
        links = links || (parts == 2 && memmem(shown.ptr, shown.len, " and ", 5) != NULL);
    }
    for (size_t i = 0; i < parts; i++) {
        bool last = i + 1 == parts;
        if (i > 0)
            buf_add_c(out, comma ? "; " : parts > 2 || links ? ", " : " ");
        if (i > 0 && last)
            buf_add_c(out, more == 0 && joins_with_or(hint) ? "or " : "and ");
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
        buf_add_c(out, article_of(value->shown));
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
    if (hint->sentence == HINT_DESCRIBED)
        return member->hint.described;
    if (hint->sentence == HINT_MANNER)
        return member->hint.manner;
    if (hint->sentence == HINT_SPEECH)
        return member->hint.speech_text;
    return is_of_one(hint) && hint->sentence != HINT_OF_MANY && str_present(member->hint.text_one)
               ? member->hint.text_one
               : member->hint.text;
}

static struct str
emphasis_of(const struct hint *hint)
{
    const struct member *member = hint->member;
    return is_of_one(hint) && str_present(member->hint.emphasis_one) ? member->hint.emphasis_one
                                                                     : member->hint.emphasis;
}

/* "According to Grocer, the user is …". Returns the rest of the sentence's pattern, which begins
 * with "User" in nearly all definitions. */
static struct str
add_according(struct buf *out, const struct hint *hint, struct str pattern, enum escape escape)
{
    struct str user = STR("User");
    bool begins =
        str_starts(pattern, user) && pattern.len > user.len && !is_letter(pattern.ptr[user.len]);
    buf_add_c(out, "According to ");
    add_plain(out, hint->according, escape);
    buf_add_c(out, begins ? ", the user" : ": ");
    return begins ? str_from(pattern, user.len) : pattern;
}

static void
add_sentence(struct buf *out, const struct hint *hint, int items, bool strong, enum escape escape)
{
    struct str pattern = pattern_of(hint), emphasis = strong ? emphasis_of(hint) : STR_NONE;
    if (str_present(hint->according))
        pattern = add_according(out, hint, pattern, escape);
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

/* "Diet: {value}", not "OS: {list}" or a value. */
static bool
is_capitalized(struct str pattern)
{
    return pattern.len > 1 && is_upper(pattern.ptr[0]) && is_letter(pattern.ptr[1]) &&
           !is_upper(pattern.ptr[1]);
}

void
hint_bullet(struct buf *out, const struct hint *hint, int items)
{
    struct str pattern = hint->member->hint.short_text;
    buf_add_c(out, "- ");
    if (!str_present(pattern) || (hint->sentence >= 0 && hint->member->type <= MEMBER_STRING)) {
        add_sentence(out, hint, items, false, AS_MARKDOWN);
        return;
    }
    size_t apps = out->len;
    if (str_present(hint->according)) {
        buf_add_c(out, "According to ");
        add_plain(out, hint->according, AS_MARKDOWN);
        buf_add_c(out, ", ");
    }
    size_t start = out->len;
    add_pattern(out, pattern, hint, (size_t)items, AS_MARKDOWN);
    if (start > apps && is_capitalized(pattern))
        out->ptr[start] = (char)(out->ptr[start] - 'A' + 'a'); /* "According to Grocer, diet: …" */
}
