/* hint_pairs.c - the part of a sentence for a value that is an object. */
#include "hint/hint_pairs.h"

#include "base/arena.h"
#include "base/buf.h"
#include "domain/domain.h"
#include "domain/value_text.h"
#include "hint/hint_quotes.h"
#include "text/json_read.h"
#include "naming/name.h"
#include "value/phrase.h"

#define PAIRS_MAX_BYTES ((size_t)64 * 1024) /* 32 texts of 200 characters fit */

bool
hint_is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (unsigned char)c >= 0x80;
}

/* Length of the blank and the word after the placeholder that the value already ends with, as in
 * "world music" before " music"; a plural counts as the same word. 0: no such word. */
size_t
hint_overlap(struct str value, struct str rest)
{
    size_t length = 1, start = value.len;
    while (length < rest.len && hint_is_word_byte(rest.ptr[length]))
        length++;
    if (length < 2 || rest.ptr[0] != ' ')
        return 0;
    while (start > 0 && hint_is_word_byte(value.ptr[start - 1]))
        start--;
    struct str word = { rest.ptr + 1, length - 1 }, last = str_from(value, start);
    bool plural = last.len == word.len + 1 && (last.ptr[word.len] | 0x20) == 's';
    return str_eq_nocase(plural ? str_first(last, word.len) : last, word) ? length : 0;
}

/* ---- one property ---- */

/* Texts of apps are quoted unless they are plainly a name. */
static struct str
shown_value(struct arena *mem, const struct json_value *value, bool by_app)
{
    struct buf out = buf_in(mem, PAIRS_MAX_BYTES);
    if (value->type == JSON_BOOL)
        return value->integer != 0 ? STR("yes") : STR("no");
    if (value->type != JSON_STR)
        return value_number_text(mem,
                                 value->type == JSON_REAL ? value->real : (double)value->integer);
    if (!hint_must_quote(mem, value->text) && str_index(value->text, ',') == value->text.len &&
        (!by_app || name_is_plain(value->text)))
        return value->text; /* a comma could be read as the end of the pair */
    hint_add_quoted(&out, value->text);
    return buf_str(&out);
}

static void
add_named(struct buf *out, struct str name, struct str value)
{
    for (size_t i = 0; i < name.len; i++)
        buf_add_char(out, name.ptr[i] == '_' ? ' ' : name.ptr[i]);
    buf_add_char(out, ' ');
    buf_add(out, value);
}

/* "{value} bed" */
static void
add_phrase(struct buf *out, struct str phrase, struct str value)
{
    size_t brace = str_index(phrase, '{');
    struct str rest = str_from(phrase, brace + sizeof "{value}" - 1);
    buf_add(out, str_first(phrase, brace));
    buf_add(out, value);
    buf_add(out, str_from(rest, hint_overlap(value, rest)));
}

/* The phrase of the definition, or "name: value". */
static struct str
property_words(struct arena *mem, const struct property *property, const struct json_value *value,
               bool by_app)
{
    struct buf out = buf_in(mem, PAIRS_MAX_BYTES);
    if (value->type == JSON_BOOL && str_present(property->if_true))
        return value->integer != 0 ? property->if_true : property->if_false;
    if (str_present(property->phrase))
        add_phrase(&out, property->phrase, shown_value(mem, value, by_app));
    else
        add_named(&out, property->name, shown_value(mem, value, by_app));
    return buf_str(&out);
}

/* ---- all of them ---- */

static size_t
collect(struct arena *mem, const struct member *member, const struct json_value *object,
        bool by_app, struct str *out)
{
    size_t count = 0;
    for (size_t i = 0; i < member->property_count; i++)
        for (size_t j = 0; j < object->count; j++)
            if (str_eq(object->children[j].key, member->properties[i].name))
                out[count++] =
                    property_words(mem, &member->properties[i], &object->children[j], by_app);
    return count;
}

static bool
has_phrases(const struct member *member)
{
    for (size_t i = 0; i < member->property_count; i++)
        if (str_present(member->properties[i].phrase) || str_present(member->properties[i].if_true))
            return true;
    return false;
}

/* With phrases the parts read like a list of a sentence ("a, b, and c"), otherwise like pairs.
 * *count is the number of properties that the object has. */
struct str
hint_pairs(struct arena *mem, const struct member *member, const struct json_value *object,
           bool by_app, size_t *count)
{
    struct str *words = ARENA_ARRAY(mem, struct str, member->property_count + 1);
    struct buf out = buf_in(mem, PAIRS_MAX_BYTES);
    bool as_list = has_phrases(member);
    *count = collect(mem, member, object, by_app, words);
    for (size_t i = 0; i < *count; i++) {
        bool last = i + 1 == *count;
        if (i > 0)
            buf_add_c(&out, as_list && *count == 2 ? " " : ", ");
        if (i > 0 && last && as_list)
            buf_add_c(&out, "and ");
        buf_add(&out, words[i]);
    }
    return buf_str(&out);
}
