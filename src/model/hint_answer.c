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

static struct str
render_object(struct arena *mem, const struct ladder *ladder, size_t steps)
{
    struct told told;
    told_after(mem, ladder, steps, &told);
    return hint_json_object(mem, ladder, &told);
}

/* What an object costs is known only when it is written, so steps are tried by halving. Of two
 * budgets the larger one turns away from the other's path only to go higher: it never ends lower.
 */
static size_t
pick_object(struct arena *mem, const struct ladder *ladder, int max_tokens)
{
    size_t low = 0, high = ladder->step_count; /* `low` steps fit, more than `high` do not */
    while (low < high) {
        size_t middle = (low + high + 1) / 2;
        if (within_count(&ladder->steps[middle - 1], max_tokens) &&
            tokenizer_count(render_object(mem, ladder, middle)) <= (size_t)max_tokens)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* ---- the answer ---- */

static void
list_domains(const struct ladder *ladder, struct hint_answer *out)
{
    for (size_t i = 0; i < ladder->rung_count; i++)
        if (told_first_of_domain(ladder, i) && out->domain_count < DOMAINS_MAX)
            out->domains[out->domain_count++] = ladder->rungs[i].card->domain;
}

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
    for (size_t i = 0; i < ladder->rung_count; i++) {
        const struct hint *hint = ladder->rungs[i].hint;
        out->omitted += hint->total - shown[i] + hint->beyond;
        if (ladder->rungs[i].tier == 0 && shown[i] < hint->total)
            out->safety_complete = false;
    }
}

void
hint_answer(struct arena *mem, const struct hint_query *query, struct hint_answer *out)
{
    struct ladder ladder;
    struct told told;
    hint_ladder_make(mem, query, &ladder);
    size_t steps = query->format == HINT_JSON ? pick_object(mem, &ladder, query->max_tokens)
                                              : pick_lines(&ladder, query->max_tokens);
    told_after(mem, &ladder, steps, &told);
    *out = (struct hint_answer){ .available = (int)ladder.rung_count };
    struct buf text = buf_in(mem, ANSWER_MAX_BYTES);
    struct json json = json_into(&text);
    if (query->format == HINT_TEXT)
        write_text(mem, &json, &ladder, &told);
    else if (query->format == HINT_BULLETS)
        write_bullets(mem, &json, &ladder, &told);
    else
        json_ready(&json, hint_json_object(mem, &ladder, &told));
    out->hints = buf_str(&text);
    if (query->format == HINT_JSON)
        out->tokens = (int)tokenizer_count(out->hints);
    else
        out->tokens = steps == 0 ? 0 : ladder.steps[steps - 1].cost;
    list_domains(&ladder, out);
    count_omitted(mem, query, &ladder, &told, out);
}
