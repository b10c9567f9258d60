#include "hint/hint_units.h"

#include "base/arena.h"
#include "base/buf.h"
#include "text/json_write.h"
#include "tokenizer/tokenizer.h"

#define UNIT_MAX_BYTES ((size_t)2 * 1024 * 1024)
#define TAILS 4

/* The text that can surround a part. The first tail is usual: another key follows. Then: another
 * domain, the end, and for an array another hint below the same key. */
struct surroundings {
    struct str before;
    struct str also_before; /* absent: none */
    struct str after[TAILS];
};

/* Every surrounding is a part of one of these. */
static const char opening[] = { '"', ':', '[', '"' };
static const char quoted[] = { '"', ':', '"' };
static const char object[] = { '"', ':', '{', '"' };
static const char next_item[] = { '"', ',', '"' };
static const char end_array[] = { '"', ']', ',', '"' };
static const char end_last_array[] = { '"', ']', '}', ',', '"' };
static const char end_all_arrays[] = { '"', ']', '}', '}' };
static const char end_domain[] = { '"', '}', ',', '"' };
static const char end_all[] = { '"', '}', '}' };

static const struct surroundings array = {
    { opening, 4 },
    { next_item, 3 },
    { { end_array, 4 }, { end_last_array, 5 }, { end_all_arrays, 4 }, { next_item, 3 } },
};
static const struct surroundings string = {
    { quoted, 3 },
    { NULL, 0 },
    { { next_item, 3 }, { end_domain, 4 }, { end_all, 3 }, { NULL, 0 } },
};
static const struct surroundings raw = {
    { quoted, 2 },
    { NULL, 0 },
    { { next_item + 1, 2 }, { end_domain + 1, 3 }, { end_all + 1, 2 }, { NULL, 0 } },
};

static const struct surroundings *
surroundings_of(const struct member *member)
{
    enum hint_part part = hint_units_part(member);
    return part == PART_ARRAY ? &array : part == PART_STRING ? &string : &raw;
}

enum hint_part
hint_units_part(const struct member *member)
{
    return member->type == MEMBER_ARRAY                                   ? PART_ARRAY
           : member->type == MEMBER_STRING || member->type == MEMBER_ENUM ? PART_STRING
                                                                          : PART_RAW;
}

static bool
is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool
is_sign(char c)
{
    return c > ' ' && c < 0x7f && !is_plain(c);
}

static int
count_joined(struct arena *mem, struct str a, struct str b, struct str c)
{
    struct buf out = buf_in(mem, UNIT_MAX_BYTES);
    buf_add(&out, a);
    buf_add(&out, b);
    buf_add(&out, c);
    return (int)tokenizer_count(buf_str(&out));
}

static int
count(struct str text)
{
    return text.len == 0 ? 0 : (int)tokenizer_count(text);
}

/* The most tokens that `text` can add between `before` and one of `after`. */
static int
most_between(struct arena *mem, struct str before, struct str text, const struct str *after)
{
    int most = count_joined(mem, before, text, STR("")) - count(before);
    for (size_t i = 0; i < TAILS; i++) {
        int added = after[i].len == 0 ? 0
                                      : count_joined(mem, before, text, after[i]) - count(before) -
                                            count(after[i]);
        most = added > most ? added : most;
    }
    return most;
}

/* The same for a text that starts with a letter or digit, so that nothing before it matters. Only
 * the signs at its end are counted with each tail. */
static int
most_after(struct arena *mem, struct tokenizer_series *series, struct str text,
           const struct str *after)
{
    size_t end = text.len;
    while (end > 0 && is_sign(text.ptr[end - 1]))
        end--;
    if (end == 0 || !is_plain(text.ptr[end - 1]))
        return most_between(mem, STR(""), text, after);
    int most = (int)tokenizer_series_count(series, str_first(text, end));
    return end == text.len ? most : most + most_between(mem, STR(""), str_from(text, end), after);
}

static int
most_tokens(struct arena *mem, struct tokenizer_series *series, const struct surroundings *around,
            struct str text)
{
    if (text.len == 0 || is_plain(text.ptr[0]))
        return most_after(mem, series, text, around->after);
    int most = most_between(mem, around->before, text, around->after);
    if (!str_present(around->also_before))
        return most;
    int also = most_between(mem, around->also_before, text, around->after);
    return also > most ? also : most;
}

/* The most tokens by which the end of a domain is longer than a usual tail. */
static int
more_at_end(const struct surroundings *around)
{
    int most = 0;
    for (size_t i = 1; i < TAILS; i++) {
        int more = count(around->after[i]) - count(around->after[0]);
        most = more > most ? more : most;
    }
    return most;
}

static int
more_at_any_end(void)
{
    int most = more_at_end(&array);
    most = more_at_end(&string) > most ? more_at_end(&string) : most;
    return more_at_end(&raw) > most ? more_at_end(&raw) : most;
}

/* ---- exact counts ---- */

/* Tokens of `.","`, `."},"`, `."}}`, and so on. unit/hint/hint_units_test.c compares them with the
 * tokenizer. */
static const uint8_t closing[][3] = {
    [PART_SENTENCE] = { 1, 2, 2 },
    [PART_ARRAY] = { 2, 2, 2 },
    [PART_STRING] = { 1, 2, 1 },
    [PART_RAW] = { 1, 1, 1 },
};

int
hint_units_close(enum hint_part part, enum hint_ending ending)
{
    return closing[part][ending];
}

/* Without what hint_units_name() adds: `":{"`, `summary`, `":"`, `","`, and the longer end. */
int
hint_units_bare_name(const struct hint_set *set)
{
    return set->name - 5;
}

int
hint_units_bare_key(const struct hint *hint)
{
    return hint->key_tokens - 1 - closing[hint_units_part(hint->member)][BEFORE_KEY];
}

bool
hint_units_has_plain_ends(struct str text)
{
    return text.len > 0 && is_plain(text.ptr[0]) && is_plain(text.ptr[text.len - 1]);
}

/* Objects are not plain. " User" and "User" have as many tokens, and " According" and "According";
 * other first words may not. */
bool
hint_units_exact(struct arena *mem, const struct hint *hint, int items, struct str sentence)
{
    size_t quotes = hint_units_part(hint->member) == PART_RAW ? 0 : 1;
    for (int i = 0; i < items; i++) {
        struct buf out = buf_in(mem, UNIT_MAX_BYTES);
        struct json json = json_into(&out);
        hint_units_value(&json, &hint->values[i]);
        if (out.len <= 2 * quotes ||
            !hint_units_has_plain_ends((struct str){ out.ptr + quotes, out.len - 2 * quotes }))
            return false;
    }
    bool known = str_starts(sentence, STR("User ")) || str_starts(sentence, STR("User'")) ||
                 str_starts(sentence, STR("According "));
    return known && str_ends(sentence, STR(".")) && is_plain(sentence.ptr[sentence.len - 2]);
}

/* ---- parts ---- */

int
hint_units_name(struct arena *mem, const struct domain *domain)
{
    return count_joined(mem, domain->name, (struct str){ object, sizeof object }, STR("")) +
           count_joined(mem, STR("summary"), string.before, STR("")) + count(string.after[0]) +
           more_at_any_end();
}

int
hint_units_key(struct arena *mem, const struct member *member)
{
    const struct surroundings *around = surroundings_of(member);
    return count_joined(mem, member->json_key, around->before, STR("")) + count(around->after[0]);
}

/* An upper bound: a tokenizer may join the first and the last bytes of a sentence with its
 * surroundings, which differ from response to response. */
int
hint_units_said(struct arena *mem, struct tokenizer_series *series, struct str sentence)
{
    struct buf out = buf_in(mem, UNIT_MAX_BYTES);
    struct json json = json_into(&out);
    json_str(&json, sentence);
    out.ptr[0] = ' '; /* instead of the quotation mark */
    struct str spaced = { out.ptr, out.len - 1 }, text = str_from(spaced, 1);
    struct str word = str_first(text, str_index(text, ' '));
    int most = most_after(mem, series, spaced, string.after);
    if (text.len > 0 && !is_plain(text.ptr[0])) {
        int first = most_between(mem, string.before, text, string.after);
        return first > most ? first : most;
    }
    int more = count(word) - count(str_first(spaced, word.len + 1));
    return most + (more > 0 ? more : 0);
}

struct str
hint_units_inside(const struct hint_value *value)
{
    if (!str_present(value->json))
        return value->shown;
    bool is_string = value->json.len > 2 && value->json.ptr[0] == '"';
    return is_string ? (struct str){ value->json.ptr + 1, value->json.len - 2 } : STR("");
}

void
hint_units_value(struct json *out, const struct hint_value *value)
{
    if (str_present(value->json))
        json_raw(out, value->json);
    else
        json_add_pieces(out, STR("\""), value->shown, STR("\""));
}

int
hint_units_keyed(struct arena *mem, struct tokenizer_series *series, const struct hint *hint,
                 int items)
{
    const struct surroundings *around = surroundings_of(hint->member);
    size_t quotes = around == &raw ? 0 : 1;
    struct buf out = buf_in(mem, UNIT_MAX_BYTES);
    struct json json = json_into(&out);
    for (int i = 0; i < items; i++)
        hint_units_value(&json, &hint->values[i]);
    return most_tokens(mem, series, around, (struct str){ out.ptr + quotes, out.len - 2 * quotes });
}
