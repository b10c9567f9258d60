#include "hint/hint_answer.h"

#include "base/arena.h"
#include "hint/hint_json.h"
#include "hint/hint_words.h"
#include "text/json_write.h"

#define ANSWER_MAX_BYTES ((size_t)4 * 1024 * 1024)

/* ---- lines ---- */

/* The number of steps up to the highest one that fits; 0: none does. */
static size_t
pick_lines(const struct ladder *ladder, int max_tokens)
{
    size_t count = ladder->step_count;
    while (count > 0 && ladder->steps[count - 1].cost > max_tokens)
        count--;
    return count;
}

static void
write_text(struct arena *mem, struct json *out, const struct ladder *ladder,
           const struct selection *selection)
{
    struct buf line = buf_in(mem, ANSWER_MAX_BYTES);
    json_open_array(out);
    for (size_t i = 0; i < selection->count; i++) {
        const struct hint *hint = ladder->rungs[i].hint;
        line.len = 0;
        hint_sentence(&line, hint, &hint->levels[selection->by_rung[i]->level],
                      selection->by_rung[i]->strong);
        json_str(out, buf_str(&line));
    }
    json_close_array(out);
}

static void
add_domain_bullets(struct buf *out, const struct ladder *ladder, const struct selection *selection,
                   size_t first)
{
    for (size_t i = first; i < selection->count; i++) {
        const struct rung *rung = &ladder->rungs[i];
        if (rung->set != ladder->rungs[first].set)
            continue;
        buf_add_c(out, out->len == 0 ? "" : "\n");
        hint_bullet(out, rung->hint, &rung->hint->levels[selection->by_rung[i]->level]);
    }
}

/* Writes domains in the order of their first hint, each with its bullets. */
static void
write_bullets(struct arena *mem, struct json *out, const struct ladder *ladder,
              const struct selection *selection)
{
    struct buf lines = buf_in(mem, ANSWER_MAX_BYTES);
    uint64_t domains = 0, written = 0;
    for (size_t i = 0; i < selection->count; i++)
        domains |= (uint64_t)1 << ladder->rungs[i].set_index;
    for (size_t i = 0; i < selection->count; i++) {
        uint64_t domain = (uint64_t)1 << ladder->rungs[i].set_index;
        if ((written & domain) != 0)
            continue;
        written |= domain;
        if (domains != domain) {
            buf_add_c(&lines, lines.len == 0 ? "**" : "\n**");
            buf_add(&lines, ladder->rungs[i].set->domain->heading);
            buf_add_c(&lines, "**");
        }
        add_domain_bullets(&lines, ladder, selection, i);
    }
    json_str(out, buf_str(&lines));
}

/* ---- JSON ---- */

/* Binary search, because the cost of an object is known only after counting its tokens. Costs need
 * not rise with every step, but a larger budget still never ends at a lower step: both searches
 * test the same steps until the larger budget accepts one that the smaller rejects. That requires
 * the same range for every budget, so it is always ladder->height, including steps that were not
 * built.
 */
static size_t
pick_object(struct arena *mem, const struct ladder *ladder, struct hint_objects *objects,
            int max_tokens, int *tokens)
{
    size_t low = 0, high = ladder->height; /* `low` steps fit, more than `high` do not */
    struct selection selection = { 0 };
    *tokens = (int)hint_object_count(objects, &selection);
    while (low < high) {
        size_t middle = (low + high + 1) / 2, count = SIZE_MAX;
        if (middle <= ladder->step_count) {
            selection_after(mem, ladder, middle, &selection);
            count = hint_object_count(objects, &selection);
        }
        if (count <= (size_t)max_tokens) {
            low = middle;
            *tokens = (int)count;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

/* ---- composing ---- */

static void
count_omitted(struct arena *mem, const struct ladder *ladder, const struct selection *selection,
              struct hint_objects *objects, struct hint_answer *out)
{
    int *shown = ARENA_ARRAY(mem, int, ladder->rung_count + 1);
    if (objects != NULL)
        hint_object_shown(objects, selection, shown);
    else
        for (size_t i = 0; i < selection->count; i++)
            shown[i] = ladder->rungs[i].hint->levels[selection->by_rung[i]->level].items;
    out->safety_complete = !ladder->order.safety_withheld;
    out->omitted = ladder->order.facts;
    for (size_t i = 0; i < ladder->rung_count; i++)
        out->omitted -= shown[i];
    for (size_t i = 0; i < ladder->order.critical; i++)
        if (shown[i] < ladder->rungs[i].hint->total)
            out->safety_complete = false;
}

static struct str
write_lines(struct arena *mem, enum hint_format format, const struct ladder *ladder,
            const struct selection *selection)
{
    struct buf text = buf_in(mem, ANSWER_MAX_BYTES);
    struct json json = json_into(&text);
    if (format == HINT_TEXT)
        write_text(mem, &json, ladder, selection);
    else
        write_bullets(mem, &json, ladder, selection);
    return buf_str(&text);
}

void
hint_answer(struct arena *mem, const struct hint_query *query, struct hint_answer *out)
{
    struct ladder ladder;
    struct selection selection;
    struct hint_objects *objects = NULL;
    hint_ladder_make(mem, query, &ladder);
    *out = (struct hint_answer){ .available = ladder.order.available,
                                 .hint_sets = ladder.order.hint_sets };
    if (query->format == HINT_JSON) {
        objects = hint_objects_of(mem, &ladder);
        size_t steps = pick_object(mem, &ladder, objects, query->max_tokens, &out->tokens);
        selection_after(mem, &ladder, steps, &selection);
        out->hints = hint_object_write(objects, &selection);
    } else {
        size_t steps = pick_lines(&ladder, query->max_tokens);
        selection_after(mem, &ladder, steps, &selection);
        out->hints = write_lines(mem, query->format, &ladder, &selection);
        out->tokens = steps == 0 ? 0 : ladder.steps[steps - 1].cost;
    }
    count_omitted(mem, &ladder, &selection, objects, out);
}
