/* value_text.c - how values are compared and how numbers are written. */
#include "base/arena.h"
#include "base/buf.h"
#include "domain/value_text.h"
#include "text/json_write.h"
#include "text/utf8.h"

#include <math.h>

#define NUMBER_LENGTH_MAX 32

/* ---- texts ---- */

/* Unicode's White_Space. */
static bool
is_space(int32_t point)
{
    return point == ' ' || (point >= 0x09 && point <= 0x0d) || point == 0x85 || point == 0xa0 ||
           point == 0x1680 || (point >= 0x2000 && point <= 0x200a) || point == 0x2028 ||
           point == 0x2029 || point == 0x202f || point == 0x205f || point == 0x3000;
}

/* Leading and trailing spaces disappear, since `pending` is written only between two characters. */
struct str
value_collapse_spaces(struct arena *mem, struct str text)
{
    char *out = arena_alloc(mem, text.len + 1);
    size_t length = 0;
    bool pending = false;
    for (struct str rest = text; rest.len > 0;) {
        struct str from = rest;
        int32_t point = utf8_next(&rest);
        if (point < 0)
            break;
        if (is_space(point)) {
            pending = length > 0;
            continue;
        }
        if (pending)
            out[length++] = ' ';
        pending = false;
        memcpy(out + length, from.ptr, from.len - rest.len);
        length += from.len - rest.len;
    }
    return (struct str){ out, length };
}

static bool
joins_words(char c)
{
    return c == ' ' || c == '-' || c == '_';
}

/* The bytes of a typographic apostrophe at the start of the text, which most phones write; 0: none.
 */
static size_t
apostrophe_length(struct str text)
{
    bool curly = str_starts(text, STR("\u2019")) || str_starts(text, STR("\u2018"));
    return curly ? 3 : str_starts(text, STR("\u02bc")) ? 2 : 0;
}

static struct str
with_straight_apostrophes(struct str text, char *out)
{
    size_t length = 0;
    for (size_t i = 0; i < text.len; i++) {
        size_t mark = apostrophe_length(str_from(text, i));
        out[length++] = mark > 0 ? '\'' : text.ptr[i];
        i += mark > 0 ? mark - 1 : 0;
    }
    return (struct str){ out, length };
}

/* "trip_hop", "trip-hop" and "trip - hop" are equal. Signs at the ends are kept, since they can be
 * part of a name ("C--", "-M-"). */
struct str
value_fold(struct arena *mem, struct str text)
{
    struct str folded = utf8_casefold(mem, text);
    if (!str_present(folded))
        return STR_NONE;
    folded = value_collapse_spaces(mem, folded);
    char *out = arena_alloc(mem, folded.len + 1);
    folded = with_straight_apostrophes(folded, arena_alloc(mem, folded.len + 1));
    size_t first = 0, end = folded.len, length = 0;
    while (first < end && joins_words(folded.ptr[first]))
        first++;
    while (end > first && joins_words(folded.ptr[end - 1]))
        end--;
    for (size_t i = 0; i < folded.len; i++) {
        bool within = i >= first && i < end;
        if (!within || !joins_words(folded.ptr[i]))
            out[length++] = folded.ptr[i];
        else if (!joins_words(folded.ptr[i - 1]))
            out[length++] = ' ';
    }
    return (struct str){ out, length };
}

/* English plurals only, by trying both forms: a vocabulary has one of them. */
const struct vocabulary_value *
value_entry(struct arena *mem, const struct vocabulary *vocabulary, struct str folded)
{
    const struct vocabulary_value *found = vocabulary_find(vocabulary, folded);
    if (found == NULL && folded.len > 2)
        found = vocabulary_find(vocabulary, str_format(mem, "%.*ss", STR_ARG(folded)));
    if (found == NULL && folded.len > 3 && str_ends(folded, STR("s")))
        found = vocabulary_find(vocabulary, str_first(folded, folded.len - 1));
    if (found == NULL && folded.len > 4 && str_ends(folded, STR("es")))
        found = vocabulary_find(vocabulary, str_first(folded, folded.len - 2));
    return found;
}

/* ---- numbers ---- */

bool
value_number_fits(double number)
{
    return isfinite(number) && fabs(number) <= VALUE_NUMBER_MAX;
}

/* The shortest text that reads as the same number. */
struct str
value_number_text(struct arena *mem, double number)
{
    struct buf text = buf_in(mem, NUMBER_LENGTH_MAX);
    struct json out = json_into(&text);
    json_number(&out, number);
    return str_copy(mem, buf_str(&text));
}

/* The text must be the canonical one: sentences for single numbers are found by comparing texts. */
bool
value_is_number_text(const struct member *member, struct str text)
{
    char copy[NUMBER_LENGTH_MAX], *end;
    if (text.len == 0 || text.len >= sizeof copy || str_index(text, '\0') < text.len)
        return false;
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    double number = strtod(copy, &end);
    if (*end != '\0' || !value_number_fits(number) ||
        (member->has_minimum && number < member->minimum) ||
        (member->has_maximum && number > member->maximum))
        return false;
    struct arena *mem = arena_new();
    bool same = str_eq(value_number_text(mem, number), text);
    arena_free(mem);
    return same;
}
