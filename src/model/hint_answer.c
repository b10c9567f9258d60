#include "model/hint_answer.h"

#include "base/arena.h"
#include "model/hint_json.h"
#include "model/hint_words.h"
#include "model/tokenizer.h"
#include "text/json_write.h"

#define ANSWER_MAX_BYTES ((size_t)4 * 1024 * 1024)

static bool
within_count(const struct step *step, int max_tokens)
{
    return step->told <= hint_ladder_most(max_tokens) || step->safety;
}

/* ---- lines ---- */

/* The highest step that fits, and one more; 0: none does. */
static size_t
pick_lines(const struct ladder *ladder, int max_tokens)
{
    size_t count = ladder->step_count;
    while (count > 0 && (ladder->steps[count - 1].cost > max_tokens ||
                         !within_count(&ladder->steps[count - 1], max_tokens)))
        count--;
    return count;
}

static void
write_text(struct arena *mem, struct json *out, const struct ladder *ladder,
           const struct told *told)
{
    struct buf line = buf_in(mem, ANSWER_MAX_BYTES);
    json_open_array(out);
    for (size_t i = 0; i < told->count; i++) {
        const struct hint *hint = ladder->rungs[i].hint;
        line.len = 0;
        hint_sentence(&line, hint, &hint->levels[told->by_rung[i]->level],
                      told->by_rung[i]->strong);
        json_str(out, buf_str(&line));
    }
    json_close_array(out);
}

static void
add_domain_bullets(struct buf *out, const struct ladder *ladder, const struct told *told,
                   size_t first)
{
    for (size_t i = first; i < told->count; i++) {
        const struct rung *rung = &ladder->rungs[i];
        if (rung->card != ladder->rungs[first].card)
            continue;
        buf_add_c(out, out->len == 0 ? "" : "\n");
        hint_bullet(out, rung->hint, &rung->hint->levels[told->by_rung[i]->level]);
    }
}

/* Domains in the order in which they came, each with what is told of it. */
static void
write_bullets(struct arena *mem, struct json *out, const struct ladder *ladder,
              const struct told *told)
{
    struct buf lines = buf_in(mem, ANSWER_MAX_BYTES);
    bool several = false;
    for (size_t i = 1; i < told->count; i++)
        several = several || ladder->rungs[i].card != ladder->rungs[0].card;
    for (size_t i = 0; i < told->count; i++) {
        if (!told_first_of_domain(ladder, i))
            continue;
        if (several)
            buf_add_format(&lines, "%s**%.*s**", lines.len == 0 ? "" : "\n",
                           STR_ARG(ladder->rungs[i].card->domain->heading));
        add_domain_bullets(&lines, ladder, told, i);
    }
    json_str(out, buf_str(&lines));
}

/* ---- JSON ---- */

struct object {
    struct str text;
    size_t tokens;
};

static struct object
write_object(struct arena *mem, const struct ladder *ladder, size_t steps)
{
    struct told told;
    told_after(mem, ladder, steps, &told);
    struct str text = hint_json_object(mem, ladder, &told);
    return (struct object){ text, tokenizer_count(text) };
}

/* What an object costs is known only when it is written, so steps are tried by halving. Of two
 * budgets the larger one turns away from the other's path only to go higher: it never ends lower.
 */
static size_t
pick_object(struct arena *mem, const struct ladder *ladder, int max_tokens, struct object *out)
{
    size_t low = 0, high = ladder->step_count; /* `low` steps fit, more than `high` do not */
    *out = write_object(mem, ladder, 0);
    while (low < high) {
        size_t middle = (low + high + 1) / 2;
        struct object tried = { .tokens = SIZE_MAX };
        if (within_count(&ladder->steps[middle - 1], max_tokens))
            tried = write_object(mem, ladder, middle);
        if (tried.tokens <= (size_t)max_tokens) {
            low = middle;
            *out = tried;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

/* ---- the answer ---- */

static void
count_omitted(struct arena *mem, const struct hint_query *query, const struct ladder *ladder,
              const struct told *told, struct hint_answer *out)
{
    int *shown = ARENA_ARRAY(mem, int, ladder->rung_count + 1);
    if (query->format == HINT_JSON)
        hint_json_shown(mem, ladder, told, shown);
    else
        for (size_t i = 0; i < told->count; i++)
            shown[i] = ladder->rungs[i].hint->levels[told->by_rung[i]->level].items;
    out->safety_complete = true;
    out->omitted = ladder->order.facts;
    for (size_t i = 0; i < ladder->rung_count; i++)
        out->omitted -= shown[i];
    for (size_t i = 0; i < ladder->order.critical; i++)
        if (shown[i] < ladder->rungs[i].hint->total)
            out->safety_complete = false;
}

static struct str
write_lines(struct arena *mem, enum hint_format format, const struct ladder *ladder,
            const struct told *told)
{
    struct buf text = buf_in(mem, ANSWER_MAX_BYTES);
    struct json json = json_into(&text);
    if (format == HINT_TEXT)
        write_text(mem, &json, ladder, told);
    else
        write_bullets(mem, &json, ladder, told);
    return buf_str(&text);
}

void
hint_answer(struct arena *mem, const struct hint_query *query, struct hint_answer *out)
{
    struct ladder ladder;
    struct told told;
    struct object object = { STR_NONE, 0 };
    bool is_object = query->format == HINT_JSON;
    hint_ladder_make(mem, query, &ladder);
    size_t steps = is_object ? pick_object(mem, &ladder, query->max_tokens, &object)
                             : pick_lines(&ladder, query->max_tokens);
    told_after(mem, &ladder, steps, &told);
    *out = (struct hint_answer){ .available = ladder.order.available, .cards = ladder.order.cards };
    out->hints = is_object ? object.text : write_lines(mem, query->format, &ladder, &told);
    if (is_object)
        out->tokens = (int)object.tokens;
    else
        out->tokens = steps == 0 ? 0 : ladder.steps[steps - 1].cost;
    count_omitted(mem, query, &ladder, &told, out);
}
