#include "hint/hint_words.h"

#include "hint/article.h"
#include "hint/hint_pairs.h"

#include <string.h>

#define VALUE_MAX_BYTES ((size_t)64 * 1024) /* an object of 32 texts of 200 characters fits */

static bool
is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (unsigned char)c >= 0x80;
}

/* ---- putting values into places ---- */

enum escape { AS_TEXT, AS_MARKDOWN };

/* "&amp;", "&#33;": what Markdown would show as another character. */
static bool
is_entity(struct str text)
{
    size_t i = 1;
    while (i < text.len && text.ptr[i] != ';' && (text.ptr[i] == '#' || is_word_byte(text.ptr[i])))
        i++;
    return i > 1 && i < text.len && text.ptr[i] == ';';
}

/* Whether the first character would be more than itself in Markdown: CommonMark's inline marks, and
 * GitHub's struck-out text and bare links. */
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

/* Where a value stands: a bullet's first character must not make it another bullet or a heading. */
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
add_place(struct buf *out, struct str pattern, size_t *i, const struct hint *hint, size_t items,
          enum escape escape)
{
    struct str rest = str_from(pattern, *i);
    enum spot spot = *i == 0 ? AT_FRONT : pattern.ptr[*i - 1] == '"' ? IN_QUOTES : INSIDE;
    const struct hint_value *value = &hint->values[0];
    *i += str_index(rest, '}') + 1;
    if (str_starts(rest, STR("{a}"))) {
        buf_add_c(out, article_for(value->shown));
        return;
    }
    if (str_starts(rest, STR("{list}")))
        add_list(out, hint, items, escape, spot);
    else /* {value}, {pairs} */
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
            add_place(out, pattern, &i, hint, items, escape);
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
add_sentence(struct buf *out, const struct hint *hint, const struct hint_level *level, bool strong,
             enum escape escape)
{
    struct str pattern = pattern_of(hint), emphasis = emphasis_of(hint);
    add_pattern(out, str_first(pattern, pattern.len - 1), hint, (size_t)level->items, escape);
    if (strong && str_present(emphasis)) {
        buf_add_c(out, "; ");
        buf_add(out, emphasis);
    }
    if (!str_ends(buf_str(out), STR("."))) /* "Dinosaur Jr." has its full stop */
        buf_add_char(out, '.');
}

void
hint_sentence(struct buf *out, const struct hint *hint, const struct hint_level *level, bool strong)
{
    add_sentence(out, hint, level, strong, AS_TEXT);
}

void
hint_bullet(struct buf *out, const struct hint *hint, const struct hint_level *level)
{
    struct str pattern = hint->member->hint.short_text;
    buf_add_c(out, "- ");
    if (str_present(pattern))
        add_pattern(out, pattern, hint, (size_t)level->items, AS_MARKDOWN);
    else
        add_sentence(out, hint, level, false, AS_MARKDOWN);
}

bool
hint_is_per_value(const struct member *member)
{
    return member->type == MEMBER_ARRAY && str_present(member->hint.text) &&
           memmem(member->hint.text.ptr, member->hint.text.len, "{value}", 7) != NULL;
}
