#include "hint/hint_levels.h"

#include "base/arena.h"
#include "hint/hint_units.h"
#include "hint/hint_words.h"
#include "text/json_write.h"
#include "tokenizer/tokenizer.h"

#define WHOLE_FROM 5     /* lists with this many base_items are not shortened below */
#define DOUBLING_FROM 64 /* from this many values on, each length names twice as many */
#define SENTENCE_MAX_BYTES ((size_t)2 * 1024 * 1024) /* 2,000 values of 200 characters fit */
#define LONG_TOKENS \
    24 /* hints that start longer than this come later, to leave room in small budgets */

/* ---- lengths ---- */

/* Names the last value instead of writing "and 1 more". */
static int
items_or_all(int items, int total)
{
    return total - items == 1 || items > total ? total : items;
}

/* Lists grow from one value on, so that each step fits into a small rest of a budget. A list with a
 * large base_items says little if it is shortened. */
int
hint_fewest_items(const struct member *member, int total)
{
    bool from_one = member->safety == SAFETY_CRITICAL || member->hint.base_items < WHOLE_FROM;
    return items_or_all(from_one ? 1 : member->hint.base_items, total);
}

/* Each length is written out and its tokens are counted, so long lists grow faster: critical ones
 * double from DOUBLING_FROM on, others grow by a quarter beyond max_items. */
int
hint_more_items(const struct member *member, int total, int items)
{
    bool critical = member->safety == SAFETY_CRITICAL;
    int more = critical ? (items < DOUBLING_FROM ? 1 : items)
                        : (items < member->hint.max_items ? 1 : (items + 3) / 4);
    return items >= total ? 0 : items_or_all(items + more, total);
}

size_t
hint_length_count(const struct member *member, int total)
{
    size_t count = 0;
    for (int items = hint_fewest_items(member, total); items != 0 && count < HINT_LENGTHS_MAX;
         items = hint_more_items(member, total, items))
        count++;
    return count;
}

/* ---- counting a written length ---- */

/* Each length of a list begins like the one before. */
struct lines {
    struct tokenizer_series *text, *bullet, *strong, *said, *keyed;
};

static void
count_line(struct tokenizer_series *series, struct buf *line, int *whole, int *last)
{
    *last = (int)tokenizer_series_count(series, buf_str(line));
    buf_add_char(line, '\n');
    *whole = (int)tokenizer_series_count(series, buf_str(line));
    line->len = 0;
}

/* Counts one length of a hint in every form in which it can be written: as text, as a bullet, in
 * JSON as a key or in the summary, each as the last line and before another. All series continue
 * the previous length. */
static void
count_level(struct arena *mem, const struct lines *lines, struct hint *hint, int items,
            struct hint_level *out)
{
    struct buf line = buf_in(mem, SENTENCE_MAX_BYTES);
    int *tokens = out->tokens;
    out->items = items;
    hint_sentence(&line, hint, items, false);
    hint->plain = hint->plain && json_is_plain(buf_str(&line));
    tokens[COUNT_SAID] = hint_units_said(mem, lines->said, buf_str(&line));
    hint->exact = hint->exact && hint_units_exact(mem, hint, items, buf_str(&line));
    count_line(lines->text, &line, &tokens[COUNT_TEXT], &tokens[COUNT_TEXT_LAST]);
    hint_bullet(&line, hint, items);
    hint->plain = hint->plain && json_is_plain(buf_str(&line));
    count_line(lines->bullet, &line, &tokens[COUNT_BULLET], &tokens[COUNT_BULLET_LAST]);
    tokens[COUNT_KEYED] = hint_units_keyed(mem, lines->keyed, hint, items);
    tokens[COUNT_STRONG] = tokens[COUNT_TEXT];
    tokens[COUNT_STRONG_LAST] = tokens[COUNT_TEXT_LAST];
    if (!hint_has_emphasis(hint))
        return;
    hint_sentence(&line, hint, items, true);
    hint->plain = hint->plain && json_is_plain(buf_str(&line));
    count_line(lines->strong, &line, &tokens[COUNT_STRONG], &tokens[COUNT_STRONG_LAST]);
}

/* ---- lists of plain values ---- */

/* The tokenizer splits such a list at both ends of each value, so the tokens of a length are those
 * of a shorter one plus those of the values and separators between. No value may therefore share
 * a token with the punctuation around it or need an escape. */
static bool
is_plain_value(const struct hint_value *value)
{
    struct str shown = value->shown, json = hint_units_inside(value);
    return !value->quote && tokenizer_is_separate(shown) && json_is_plain(shown) &&
           hint_is_unmarked(shown) && (json.ptr == shown.ptr || tokenizer_is_separate(json));
}

/* The text after the list is the same in all lengths; it must not continue a word. */
static bool
is_plain_pattern(struct str pattern)
{
    struct str rest = str_from(pattern, str_index(pattern, '{'));
    struct str list = STR("{list}"), after = str_from(rest, list.len);
    return str_starts(rest, list) && str_index(after, '{') == after.len &&
           (after.len == 0 || after.ptr[0] == '.' || after.ptr[0] == ' ');
}

/* Only the tokens of such a list are the sum of those of its values, because no value changes how
 * its neighbors are split. Lists with fewer than four values have so few lengths that all are
 * counted. */
static bool
is_plain_list(const struct hint *hint)
{
    if (hint->total < 4 || hint->member->type != MEMBER_ARRAY ||
        hint->sentence != HINT_FROM_PATTERN || !is_plain_pattern(hint->member->hint.text) ||
        (str_present(hint->member->hint.short_text) &&
         !is_plain_pattern(hint->member->hint.short_text)))
        return false;
    for (int i = 0; i < hint->total; i++)
        if (!is_plain_value(&hint->values[i]))
            return false;
    return true;
}

/* Tokens of "," or ";" in a sentence, and of the punctuation between values in JSON. */
#define COMMA 1
#define NEXT_ITEM 1

/* The tokens of values with the separators before them, in a sentence and below a key. */
struct tokens {
    int text, keyed;
};

static void
add_tokens(struct tokens *sum, struct tokens more, int sign)
{
    sum->text += sign * more.text;
    sum->keyed += sign * more.keyed;
}

/* With the comma and blank before it, as within a list. */
static struct tokens
tokens_of_value(struct arena *mem, const struct hint_value *value)
{
    struct buf line = buf_in(mem, SENTENCE_MAX_BYTES);
    size_t text, keyed;
    buf_add_char(&line, ' ');
    buf_add(&line, value->shown);
    text = tokenizer_count_spaced(buf_str(&line), &keyed);
    if (str_present(value->json))
        keyed = tokenizer_count(hint_units_inside(value));
    return (struct tokens){ COMMA + (int)text, NEXT_ITEM + (int)keyed };
}

/* How many tokens a length with more than one value has beyond the sum of its values: "and 7 more",
 * or "and" but no comma before the last value. Three digits are a token. */
static int
tokens_of_end(const struct hint *hint, int items)
{
    int more = hint->total - items;
    return more == 0 ? 1 - COMMA : more < 1000 ? 4 : 5;
}

/* ---- a list that was counted before ---- */

/* A plain list before a change. Its lengths give sums of the tokens of its values, plus a constant,
 * so that most values need not be counted again. */
struct former {
    const struct hint *list; /* NULL: none */
    struct tokens *sums;     /* of the first 0, 1, … values */
    bool *known;             /* which sums are */
    int at;                  /* the value to look for first; 0: not yet known */
};

/* The counts of the stored list, by number of values, so that counts of unchanged values need not
 * be computed again. Absent (list = NULL) if the stored list does not have the lengths of this
 * version. */
static struct former
former_of(struct arena *mem, const struct hint *list)
{
    struct former former = { .list = list };
    if (list == NULL || !is_plain_list(list) ||
        list->level_count != hint_length_count(list->member, list->total))
        return (struct former){ .list = NULL };
    former.sums = ARENA_ARRAY(mem, struct tokens, (size_t)list->total + 1);
    former.known = ARENA_ARRAY(mem, bool, (size_t)list->total + 1);
    int items = hint_fewest_items(list->member, list->total);
    for (size_t i = 0; i < list->level_count; i++) {
        former.known[items] = items > 1;
        former.sums[items].text =
            hint_tokens(list, i, COUNT_TEXT).first - tokens_of_end(list, items);
        former.sums[items].keyed = hint_tokens(list, i, COUNT_SAID).second;
        items = hint_more_items(list->member, list->total, items);
    }
    return former;
}

/* The sum of the first `items` values, from the nearest one that is known. There is one, because
 * that of all values is. */
static struct tokens
sum_of(struct arena *mem, struct former *former, int items)
{
    int below = items, above = items;
    while (!former->known[below] && !former->known[above]) {
        below -= below > 0;
        above += above < former->list->total;
    }
    bool add = former->known[below];
    struct tokens sum = former->sums[add ? below : above];
    for (int i = add ? below : items; i < (add ? items : above); i++)
        add_tokens(&sum, tokens_of_value(mem, &former->list->values[i]), add ? 1 : -1);
    former->known[items] = true;
    former->sums[items] = sum;
    return sum;
}

#define SKIPPED_MAX 2 /* values that were removed between two that were not */

/* How many of these values follow one another in the former list as well, from former->at on. */
static int
run_in(struct former *former, const struct hint_value *values, int count)
{
    int run = 0, total = former->list == NULL ? 0 : former->list->total;
    for (int at = former->at; run == 0 && at < total && at <= former->at + SKIPPED_MAX; at++) {
        const struct hint_value *old = &former->list->values[at];
        while (run < count && at + run < total && str_eq(values[run].shown, old[run].shown) &&
               str_eq(values[run].json, old[run].json))
            run++;
        if (run > 0)
            former->at = at;
    }
    return run;
}

/* Runs of values that the stored list has in the same order are taken from its sums; only other
 * values are counted. */
static struct tokens
tokens_of_values(struct arena *mem, struct former *former, const struct hint_value *values,
                 int count)
{
    struct tokens sum = { 0 };
    for (int i = 0, run; i < count; i += run) {
        run = run_in(former, values + i, count - i);
        if (run == 0) {
            run = 1;
            add_tokens(&sum, tokens_of_value(mem, &values[i]), 1);
            continue;
        }
        add_tokens(&sum, sum_of(mem, former, former->at), -1);
        former->at += run;
        add_tokens(&sum, sum_of(mem, former, former->at), 1);
    }
    return sum;
}

/* Counts a length from a shorter one that names at least two values and not all. */
static void
extend_level(struct arena *mem, struct hint *hint, struct former *former,
             const struct hint_level *shorter, int items, struct hint_level *out)
{
    const struct hint_value *added = hint->values + shorter->items;
    int count = items - shorter->items;
    former->at = former->at > 0 ? former->at : shorter->items - 1; /* one may have come before */
    struct tokens more = tokens_of_values(mem, former, added, count);
    more.text += tokens_of_end(hint, items) - tokens_of_end(hint, shorter->items);
    for (int i = 0; i < count; i++)
        hint->exact = hint->exact && hint_units_has_plain_ends(hint_units_inside(&added[i]));
    *out = *shorter;
    out->items = items;
    for (int i = 0; i < COUNTS; i++)
        out->tokens[i] += i == COUNT_KEYED ? more.keyed : more.text;
}

/* ---- all lengths ---- */

/* Counting tokens is most of the work of a write, so everything that is known is used again. */
void
hint_levels_make(struct arena *mem, struct hint *hint, const struct hint *list)
{
    size_t count = hint_length_count(hint->member, hint->total);
    struct hint_level *levels = ARENA_ARRAY(mem, struct hint_level, count);
    int items = hint_fewest_items(hint->member, hint->total);
    bool plain = is_plain_list(hint);
    struct arena *scratch = arena_new(); /* a user can have thousands of hints */
    struct lines lines = { tokenizer_series_new(scratch), tokenizer_series_new(scratch),
                           tokenizer_series_new(scratch), tokenizer_series_new(scratch),
                           tokenizer_series_new(scratch) };
    struct former former = former_of(scratch, plain ? list : NULL);
    for (size_t i = 0; i < count; i++) {
        if (plain && i > 0 && levels[i - 1].items > 1)
            extend_level(scratch, hint, &former, &levels[i - 1], items, &levels[i]);
        else
            count_level(scratch, &lines, hint, items, &levels[i]);
        items = hint_more_items(hint->member, hint->total, items);
    }
    arena_free(scratch);
    hint->levels = levels;
    hint->level_count = count;
    hint->is_long =
        hint->safety != SAFETY_CRITICAL && levels[0].tokens[COUNT_TEXT_LAST] > LONG_TOKENS;
}
