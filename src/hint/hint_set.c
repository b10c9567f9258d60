/* Builds a hint set from the facts of one domain: formats values and counts tokens of all lengths.
 */
#include "hint/hint.h"

#include "base/arena.h"
#include "domain/value_text.h"
#include "hint/hint_pairs.h"
#include "hint/hint_rank.h"
#include "hint/hint_words.h"
#include "hint/tokenizer.h"
#include "model/atom.h"
#include "text/json_read.h"

#include <string.h>

#define DOUBLING_FROM 64 /* from this many values on, each length names twice as many */
#define EACH_MAX 64 /* maximum number of one-value sentences of a member that is not critical */
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

/* Critical hints grow from one value to all of them, others from base_items to max_items. */
int
hint_fewest_items(const struct member *member, int total)
{
    bool critical = member->safety == SAFETY_CRITICAL;
    return items_or_all(critical ? 1 : member->hint.base_items, total);
}

/* Long lists double, because each length is written out and its tokens are counted. */
int
hint_more_items(const struct member *member, int total, int items)
{
    int most = member->safety == SAFETY_CRITICAL ? total : member->hint.max_items;
    if (items >= total || items >= most)
        return 0;
    return items_or_all(items + (items < DOUBLING_FROM ? 1 : items), total);
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

size_t
hint_value_limit(const struct member *member, int total)
{
    int most = member->hint.max_items + 1; /* items_or_all() may add one */
    if (member->json_limit > most)
        most = member->json_limit;
    return (size_t)(member->safety == SAFETY_CRITICAL || total < most ? total : most);
}

/* ---- values ---- */

static struct str
shown_number(struct arena *mem, const struct json_value *value)
{
    return value_number_text(mem, value->type == JSON_REAL ? value->real : (double)value->integer);
}

/* The label of a value: always from a closed vocabulary, and from an open one if it defines a
 * label. Otherwise the value as the user wrote it. */
static struct str
label_of(struct arena *mem, const struct member *member, struct str value)
{
    const struct vocabulary *vocabulary = member->vocabulary;
    if (vocabulary == NULL)
        return value;
    const struct vocabulary_value *found = vocabulary_find(vocabulary, value_fold(mem, value));
    bool use_label = found != NULL && (!vocabulary->open || !str_eq(found->label, found->value));
    return use_label ? found->label : value;
}

static bool
is_plain_json(struct str json, struct str shown)
{
    return json.len == shown.len + 2 && json.ptr[0] == '"' &&
           memcmp(json.ptr + 1, shown.ptr, shown.len) == 0;
}

/* *pairs is set to the number of properties of an object. */
static void
make_value(struct arena *mem, const struct member *member, const struct atom *atom,
           struct hint_value *out, struct str *plain, size_t *pairs)
{
    const struct json_value *value = NULL;
    struct why why;
    *out = (struct hint_value){ .shown = STR(""), .json = atom->value };
    if (json_read(mem, atom->value, 4, &value, &why) != ERR_NONE)
        return;
    if (value->type == JSON_STR) {
        *plain = value->text;
        out->shown = label_of(mem, member, value->text);
        out->quote = hint_must_quote(mem, out->shown);
        if (is_plain_json(atom->value, out->shown))
            out->json = STR_NONE;
    } else if (value->type == JSON_BOOL) {
        *plain = value->integer != 0 ? STR("true") : STR("false");
        out->shown = value->integer != 0 ? STR("yes") : STR("no");
    } else if (value->type == JSON_OBJECT) {
        out->shown = hint_pairs(mem, member, value, pairs);
    } else {
        *plain = out->shown = shown_number(mem, value);
    }
}

static int
sentence_of(const struct member *member, struct str plain)
{
    for (size_t i = 0; i < member->hint.value_count; i++)
        if (str_eq(member->hint.values[i].value, plain))
            return (int)i;
    return HINT_FROM_PATTERN;
}

/* ---- levels ---- */

static int
count_line(struct buf *line, int *last)
{
    *last = (int)tokenizer_count(buf_str(line));
    buf_add_char(line, '\n');
    return (int)tokenizer_count(buf_str(line));
}

static void
count_level(struct arena *mem, const struct hint *hint, int items, struct hint_level *out)
{
    struct buf line = buf_in(mem, SENTENCE_MAX_BYTES);
    *out = (struct hint_level){ .items = items };
    hint_sentence(&line, hint, out, false);
    out->text = count_line(&line, &out->text_last);
    line.len = 0;
    hint_bullet(&line, hint, out);
    out->bullet = count_line(&line, &out->bullet_last);
    out->strong = out->text;
    out->strong_last = out->text_last;
    if (!str_present(hint->member->hint.emphasis) || hint->sentence >= 0)
        return;
    line.len = 0;
    hint_sentence(&line, hint, out, true);
    out->strong = count_line(&line, &out->strong_last);
}

static void
make_levels(struct arena *mem, struct hint *hint)
{
    size_t count = hint_length_count(hint->member, hint->total);
    struct hint_level *levels = ARENA_ARRAY(mem, struct hint_level, count);
    int items = hint_fewest_items(hint->member, hint->total);
    for (size_t i = 0; i < count; i++) {
        count_level(mem, hint, items, &levels[i]);
        items = hint_more_items(hint->member, hint->total, items);
    }
    hint->levels = levels;
    hint->level_count = count;
    hint->is_long = hint->member->safety != SAFETY_CRITICAL && levels[0].text_last > LONG_TOKENS;
}

/* ---- hint sets ---- */

/* Makes one hint from `count` values of a member, best first. False: the value has no sentence of
 * its own, and the member has no pattern. */
static bool
make_hint(struct arena *mem, const struct ranked *facts, int count, struct hint *out)
{
    const struct member *member = facts[0].member;
    struct str plain = STR_NONE;
    size_t pairs = 0;
    size_t kept = hint_value_limit(member, count);
    struct hint_value *values = ARENA_ARRAY(mem, struct hint_value, kept);
    for (size_t i = 0; i < kept; i++)
        make_value(mem, member, facts[i].atom, &values[i], &plain, &pairs);
    *out = (struct hint){ .member = member,
                          .sentence = pairs == 1   ? HINT_OF_ONE
                                      : count == 1 ? sentence_of(member, plain)
                                                   : HINT_FROM_PATTERN,
                          .total = count,
                          .values = values,
                          .value_count = kept };
    if (out->sentence < 0 && !str_present(member->hint.text))
        return false;
    for (int i = 0; i < count; i++)
        out->score = facts[i].score > out->score ? facts[i].score : out->score;
    make_levels(mem, out);
    return true;
}

/* The number of facts at the start that belong to the same member. */
static int
run_length(const struct ranked *facts, size_t count)
{
    size_t length = 1;
    while (length < count && facts[length].member == facts[0].member)
        length++;
    return (int)length;
}

/* Makes one hint for each value. Returns the number of hints. */
static size_t
make_each(struct arena *mem, const struct ranked *facts, int count, struct hint *out)
{
    size_t made = 0;
    int most = facts[0].member->safety == SAFETY_CRITICAL || count < EACH_MAX ? count : EACH_MAX;
    for (int i = 0; i < most; i++)
        made += make_hint(mem, facts + i, 1, &out[made]);
    if (made > 0)
        out[made - 1].without_hint = count - most;
    return made;
}

void
hint_set_make(struct arena *mem, const struct domain *domain, const struct atom *atoms,
              size_t count, struct hint_set *out)
{
    struct ranked *facts = NULL;
    size_t found = hint_rank(mem, domain, atoms, count, &facts), made = 0;
    struct hint *hints = ARENA_ARRAY(mem, struct hint, found + 1);
    for (size_t i = 0; i < found;) {
        const struct member *member = facts[i].member;
        int length = run_length(facts + i, found - i);
        if (hint_is_per_value(member))
            made += make_each(mem, facts + i, length, &hints[made]);
        else
            made +=
                make_hint(mem, facts + i, member->type == MEMBER_ARRAY ? length : 1, &hints[made]);
        i += (size_t)length;
    }
    struct str heading = str_format(mem, "**%.*s**\n", STR_ARG(domain->heading));
    *out = (struct hint_set){ domain, (int)tokenizer_count(heading), hints, made };
}
