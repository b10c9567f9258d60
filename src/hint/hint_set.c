/* A card from the facts of one domain: values as they are shown, and every length counted. */
#include "hint/hint.h"

#include "base/arena.h"
#include "domain/value_text.h"
#include "hint/hint_lengths.h"
#include "hint/hint_pairs.h"
#include "hint/hint_rank.h"
#include "hint/hint_words.h"
#include "hint/tokenizer.h"
#include "model/atom.h"
#include "text/json_read.h"

#include <string.h>

#define EACH_MAX 64 /* sentences of their own that one member can have, unless it is critical */
#define SENTENCE_MAX_BYTES ((size_t)2 * 1024 * 1024) /* 2,000 values of 200 characters fit */
#define LONG_TOKENS 24 /* one that starts above this waits, lest it block a small budget */

/* ---- values ---- */

static struct str
shown_number(struct arena *mem, const struct json_value *value)
{
    return value_number_text(mem, value->type == JSON_REAL ? value->real : (double)value->integer);
}

/* How a definition says a value: of a closed vocabulary always, since people have chosen from its
 * words; of an open one where it has a label. Otherwise people's own words are kept. */
static struct str
label_of(struct arena *mem, const struct member *member, struct str value)
{
    const struct vocabulary *vocabulary = member->vocabulary;
    if (vocabulary == NULL)
        return value;
    const struct vocabulary_value *found = vocabulary_find(vocabulary, value_fold(mem, value));
    bool said = found != NULL && (!vocabulary->open || !str_eq(found->label, found->value));
    return said ? found->label : value;
}

static bool
is_plain_json(struct str json, struct str shown)
{
    return json.len == shown.len + 2 && json.ptr[0] == '"' &&
           memcmp(json.ptr + 1, shown.ptr, shown.len) == 0;
}

/* `pairs` is how many properties an object has. */
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

/* ---- cards ---- */

/* One hint from `count` values of a member, best first. False: a number that has no sentence of its
 * own, in a member that has nothing but those. */
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

/* How many facts of the same member stand at the front. */
static int
run_length(const struct ranked *facts, size_t count)
{
    size_t length = 1;
    while (length < count && facts[length].member == facts[0].member)
        length++;
    return (int)length;
}

/* A hint for each value of a member. Returns how many were made. */
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
