#include "model/hint_words.h"

#include "model/value_patterns.h"
#include "text/utf8.h"

#include <string.h>

/* ---- what must be quoted ---- */

static bool
is_end_mark(int32_t c)
{
    return c == '!' || c == '?' || c == 0x2026 || c == 0x203C || c == 0x203D || c == 0x2047 ||
           c == 0x2048 || c == 0x2049 || c == 0x3002 || c == 0xFF01 || c == 0xFF0E || c == 0xFF1F ||
           c == 0xFF61 || c == 0x061F || c == 0x06D4 || c == 0x0964 || c == 0x0965 || c == 0x0589 ||
           c == 0x104B || c == 0x1362 || c == 0x17D4;
}

/* What may stand between the end of a sentence and the next one. */
static bool
is_closing(int32_t c)
{
    return c == ')' || c == ']' || c == '}' || c == '\'' || c == '"' || c == 0x2019 ||
           c == 0x201D || c == 0xBB || c == 0x300D || c == 0x300F;
}

/* "4 more" is how a list ends that names only some. */
static bool
ends_as_a_count(struct str value)
{
    struct str more = STR(" more");
    return value.len > more.len && str_eq_nocase(str_from(value, value.len - more.len), more) &&
           value.ptr[value.len - more.len - 1] >= '0' && value.ptr[value.len - more.len - 1] <= '9';
}

/* "J. Cole", "St. Vincent", "Ursula K. Le Guin": a short word with a full stop, and behind it one
 * or two words that do not start small. More could be a sentence. */
static bool
is_abbreviation(struct str before, struct str behind)
{
    static const char *const known[] = { "Dr", "Mr", "Mrs", "Ms", "St", "Jr", "Sr", "Mt", "vs" };
    size_t start = before.len;
    while (start > 0 && before.ptr[start - 1] != ' ')
        start--;
    struct str word = str_from(before, start);
    bool fine = word.len == 1 || (word.len > 1 && str_index(word, '.') < word.len);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        fine = fine || str_eq_c(word, known[i]);
    size_t words = 0;
    struct str part, rest = behind;
    while (fine && str_cut(&rest, ' ', &part)) {
        fine = part.len > 0 && !(part.ptr[0] >= 'a' && part.ptr[0] <= 'z');
        words++;
    }
    return fine && words <= 2;
}

bool
hint_must_quote(struct arena *mem, struct str value)
{
    struct str rest = value;
    int32_t last = 0, before = 0; /* `before`: the last that closes nothing */
    bool open = false;
    for (size_t i = 0; i + 1 < value.len; i++)
        if (value.ptr[i] == '.' && value.ptr[i + 1] == ' ' &&
            !is_abbreviation(str_first(value, i), str_from(value, i + 2)))
            return true;
    for (int32_t c = utf8_next(&rest); c >= 0; c = utf8_next(&rest)) {
        if ((c == ' ' || c >= 0x2E80) && is_end_mark(before))
            return true; /* scripts without blanks go on at once */
        if (c == ' ' && (last == ':' || last == ';' || last == 0xFF1A || last == 0xFF1B))
            return true;
        if (c == ' ' && before == '.' && last != '.')
            return true; /* jazz.) And so on */
        open = c == '"' ? !open : open;
        before = is_closing(c) ? before : c;
        last = c;
    }
    return open || is_end_mark(before) || last == ':' || last == ';' || last == 0xFF1A ||
           last == 0xFF1B || ends_as_a_count(value) || value_pattern_in(mem, value) != NULL;
}

/* ---- putting values into places ---- */

enum escape { AS_TEXT, AS_MARKDOWN };

/* How long a double quotation mark is that stands at the front; 0: none does. */
static size_t
quotation_mark(struct str text)
{
    static const char *const marks[] = { "\"", "\u201C", "\u201D", "\u201E", "\u201F", "\uFF02" };
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (str_starts(text, str_of(marks[i])))
            return strlen(marks[i]);
    return 0;
}

static void
add_plain(struct buf *out, struct str text, enum escape escape, bool quoted)
{
    for (size_t i = 0; i < text.len;) {
        size_t mark = quoted ? quotation_mark(str_from(text, i)) : 0;
        char c = mark > 0 ? '\'' : text.ptr[i];
        if (escape == AS_MARKDOWN && c != '\0' && strchr("\\`*_[<", c) != NULL)
            buf_add_char(out, '\\');
        buf_add_char(out, c);
        i += mark > 0 ? mark : 1;
    }
}

void
hint_add_quoted(struct buf *out, struct str value)
{
    buf_add_char(out, '"');
    add_plain(out, value, AS_TEXT, true);
    buf_add_char(out, '"');
}

/* Where a value stands: a bullet's first character must not make it another bullet or a heading.
 */
enum spot { INSIDE, IN_QUOTES, AT_FRONT };

static bool
starts_plainly(struct str text)
{
    char c = text.len > 0 ? text.ptr[0] : '#';
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

static void
add_value(struct buf *out, const struct hint_value *value, enum escape escape, enum spot spot)
{
    bool quote = value->quote || (spot == AT_FRONT && !starts_plainly(value->shown));
    bool add_quotes = quote && spot != IN_QUOTES;
    if (add_quotes)
        buf_add_char(out, '"');
    add_plain(out, value->shown, escape, quote || spot == IN_QUOTES);
    if (add_quotes)
        buf_add_char(out, '"');
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

static bool
starts_with_vowel(struct str text)
{
    return text.len > 0 && strchr("aeiouAEIOU", text.ptr[0]) != NULL && text.ptr[0] != '\0';
}

static void
add_place(struct buf *out, struct str pattern, size_t *i, const struct hint *hint, size_t items,
          enum escape escape)
{
    struct str rest = str_from(pattern, *i);
    enum spot spot = *i == 0 ? AT_FRONT : pattern.ptr[*i - 1] == '"' ? IN_QUOTES : INSIDE;
    if (str_starts(rest, STR("{a}")))
        buf_add_c(out, starts_with_vowel(hint->values[0].shown) ? "an" : "a");
    else if (str_starts(rest, STR("{list}")))
        add_list(out, hint, items, escape, spot);
    else /* {value}, {pairs} */
        add_value(out, &hint->values[0], escape, spot);
    *i += str_index(rest, '}') + 1;
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

static struct str
pattern_of(const struct hint *hint)
{
    const struct member *member = hint->member;
    if (hint->sentence >= 0)
        return member->hint.values[hint->sentence].sentence;
    bool one = hint->total == 1 && str_present(member->hint.text_one);
    return one ? member->hint.text_one : member->hint.text;
}

static void
add_sentence(struct buf *out, const struct hint *hint, const struct hint_level *level, bool strong,
             enum escape escape)
{
    struct str pattern = pattern_of(hint), emphasis = hint->member->hint.emphasis;
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
hint_tells_each(const struct member *member)
{
    return member->type == MEMBER_ARRAY && str_present(member->hint.text) &&
           memmem(member->hint.text.ptr, member->hint.text.len, "{value}", 7) != NULL;
}
