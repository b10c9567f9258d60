#include "hint/hint_ladder.h"

#include "base/arena.h"
#include "value/statement.h"

#define PACE 20       /* tokens per hint */
#define PACE_JSON 12  /* the same for a key and its values */
#define KEYS_FROM 120 /* tokens: from here on, JSON has a key for what is most important */
#define NEAR 8        /* HINT_WINDOW to keep a gap small, and for JSON, which costs more */
#define LEAST_GAP 8   /* tokens: a step up to this long never waits */

/* Marks: budgets of which the sequence leaves little unused, if anything fits. Above them, and in
 * JSON from 60 tokens on, small gaps have the same effect. */
static const int marks[] = { 50, 60, 70, 80, 0 }, marks_json[] = { 50, 0 };

/* The rest of a budget that may stay unused: 15 %, as a share of the selection. */
static int
gap_at(int tokens)
{
    int gap = tokens * 3 / 17;
    return gap > LEAST_GAP ? gap : LEAST_GAP;
}

/* Usually no hint can grow any more when this is called. Lists that get shorter with their last
 * values come first ("/" instead of "and 2 more"): the saved tokens are used for other facts. */
static void
grow_all(struct climb *climb)
{
    size_t first = 0;
    while (first < climb->ladder->count &&
           !hint_step_can_grow(climb, &climb->ladder->picks[first], TO_ALL))
        first++;
    for (size_t start = first; !climb->done && hint_step_grow(climb, TO_ALL, &start, -1);)
        ;
    for (enum target target = TO_USUAL; target <= TO_ALL; target++)
        for (size_t start = first;
             !climb->done && hint_step_grow(climb, target, &start, INT32_MAX);)
            ;
}

/* ---- choosing the next step ---- */

/* Fetches the hint with this index among the next ones. False: there are fewer. */
static bool
look_ahead(struct climb *climb, size_t index)
{
    struct hint_order *order = &climb->ladder->order;
    if (index < climb->waiting)
        return true;
    if (!hint_order_next(order))
        return false;
    climb->next[climb->waiting++] = &order->rungs[order->count - 1];
    return true;
}

static void
take(struct climb *climb, size_t index, const struct pick *pick)
{
    climb->waiting--;
    for (size_t i = index; i < climb->waiting; i++)
        climb->next[i] = climb->next[i + 1];
    hint_step_add(climb, pick);
}

/* Whether a domain without a hint waits before this index, and the hint's domain has one. */
static bool
is_out_of_turn(const struct climb *climb, size_t index)
{
    if (!climb->takes_turns || (climb->led & hint_domain_bit(climb->next[index])) == 0)
        return false;
    for (size_t i = 0; i < index; i++)
        if ((climb->ladder->domains & hint_domain_bit(climb->next[i])) == 0)
            return true;
    return false;
}

/* A domain that got a shorter hint than its first one has had its turn. The first hint of a domain
 * without any comes before that one. */
static void
keep_turns(struct climb *climb)
{
    const struct ladder *ladder = climb->ladder;
    if (!climb->takes_turns || (climb->led & hint_domain_bit(climb->next[0])) == 0 ||
        (ladder->order.hint_sets & ~ladder->domains) == 0)
        return;
    for (size_t i = 1; i < HINT_WINDOW && look_ahead(climb, i); i++) {
        const struct rung *rung = climb->next[i];
        if ((ladder->domains & hint_domain_bit(rung)) != 0)
            continue;
        for (; i > 0; i--)
            climb->next[i] = climb->next[i - 1];
        climb->next[0] = rung;
        return;
    }
}

/* Takes the first of the next hints that adds at most `gap` tokens; of domains that are always
 * relevant, or of the others. False: there is none. */
static bool
take_shorter(struct climb *climb, int gap, size_t window, bool always)
{
    for (size_t i = 1; i < window && look_ahead(climb, i); i++) {
        if (climb->next[i]->set->domain->always != always || is_out_of_turn(climb, i))
            continue;
        struct pick pick;
        if (hint_step_try(climb, climb->next[i], &pick) <= gap) {
            take(climb, i, &pick);
            return true;
        }
    }
    return false;
}

/* Instead of a hint of this cost that does not fit into a budget of the next mark, takes something
 * shorter that does: by then the hint is left out anyway. Statements wait at the first mark only,
 * because they are long and would wait at each. False: there is nothing. */
static bool
fill_mark(struct climb *climb, int cost)
{
    bool is_json = climb->format == HINT_JSON;
    int tokens = climb->ladder->tokens, least = tokens - is_json; /* a bound, often 1 too high */
    while (*climb->mark > 0 && least * 20 >= *climb->mark * 17)
        climb->mark++;
    int room = *climb->mark - tokens;
    if (cost <= room || room <= 0 ||
        (*climb->mark > marks[0] && statement_holds(climb->next[0]->hint->member)))
        return false;
    size_t start = 0, window = is_json ? NEAR : HINT_WINDOW;
    return hint_step_grow(climb, TO_MOST, &climb->grown_more, room) ||
           take_shorter(climb, room, window, false) ||
           hint_step_grow(climb, TO_ALL, &start, room) || take_shorter(climb, room, window, true);
}

/* Adds the next hint, or a shorter one if it is too long for now. */
static void
take_next(struct climb *climb)
{
    keep_turns(climb);
    struct pick first;
    int cost = hint_step_try(climb, climb->next[0], &first), gap = 0;
    if (*climb->mark > 0 && fill_mark(climb, cost))
        return;
    if (climb->next[0]->firm || cost <= (gap = gap_at(climb->ladder->tokens)) ||
        !(hint_step_grow(climb, TO_MOST, &climb->grown_more, gap) ||
          take_shorter(climb, gap, NEAR, false)))
        take(climb, 0, &first);
}

/* ---- the end of a JSON object ---- */

/* Adds the keys of hints that are only sentences of this tier or a lower one. */
static void
add_keys(struct climb *climb, unsigned tier)
{
    const struct ladder *ladder = climb->ladder;
    for (size_t i = 0; i < ladder->count && !climb->done; i++)
        if (!ladder->picks[i].keyed && ladder->picks[i].rung->tier <= tier &&
            !hint_is_none(ladder->picks[i].rung->hint))
            hint_step_tell_also(climb, i, true);
}

static bool
is_summary_member(const struct domain *domain, const struct member *member)
{
    for (size_t i = 0; i < domain->summary_count; i++)
        if (str_eq(domain->summary_members[i], member->name))
            return true;
    return false;
}

static int
sentences_of(const struct ladder *ladder, const struct hint_set *set)
{
    int count = 0;
    for (size_t i = 0; i < ladder->count; i++)
        count += ladder->picks[i].rung->set == set && ladder->picks[i].said;
    return count;
}

/* Every fact is included. Now each gets its key, and summaries get the sentences of the definition.
 */
static void
complete_objects(struct climb *climb)
{
    const struct ladder *ladder = climb->ladder;
    add_keys(climb, UINT8_MAX);
    for (size_t i = 0; i < ladder->count && !climb->done; i++) {
        const struct rung *rung = ladder->picks[i].rung;
        if (!ladder->picks[i].said && is_summary_member(rung->set->domain, rung->hint->member) &&
            sentences_of(ladder, rung->set) < rung->set->domain->summary_sentences)
            hint_step_tell_also(climb, i, false);
    }
}

/* ---- the rest of the budget ---- */

/* Uses what is left when the next fact does not fit: for the emphasis of sentences, or in JSON for
 * keys of facts that are only sentences. A larger budget may use it for a fact instead. */
static void
use_rest(struct climb *climb)
{
    const struct ladder *ladder = climb->ladder;
    for (size_t i = 0; i < ladder->count; i++) {
        const struct pick *pick = &ladder->picks[i];
        const struct hint *hint = pick->rung->hint;
        climb->done = false;
        if (climb->format == HINT_TEXT)
            hint_step_strengthen(climb, i, INT32_MAX);
        else if (climb->format == HINT_JSON && !pick->keyed && pick->items == hint->total &&
                 ladder->tokens + hint->key_tokens < climb->max_tokens && !hint_is_none(hint))
            hint_step_tell_also(climb, i, true);
    }
}

/* ---- climbing ---- */

void
hint_ladder_climb(struct arena *mem, const struct hint_query *query, struct ladder *out)
{
    struct climb climb = {
        .ladder = out,
        .format = query->format,
        .max_tokens = query->max_tokens,
        .takes_turns = !query->context->known,
        .mark = query->format == HINT_JSON ? marks_json : marks,
    };
    int pace = query->format == HINT_JSON ? PACE_JSON : PACE;
    hint_order_make(mem, query, &out->order);
    out->count = 0;
    out->tokens = 0;
    out->domains = 0;
    out->picks = ARENA_ARRAY(mem, struct pick, (size_t)out->order.available + 1);
    for (size_t i = 0; i < out->order.critical && !climb.done; i++) {
        struct pick pick;
        hint_step_try(&climb, &out->order.rungs[i], &pick);
        hint_step_add(&climb, &pick);
    }
    while (!climb.done) {
        while (!climb.done && out->tokens < pace * (int)out->count &&
               hint_step_grow(&climb, TO_USUAL, &climb.grown, INT32_MAX))
            ;
        if (query->format == HINT_JSON && out->tokens >= KEYS_FROM)
            add_keys(&climb, 1);
        if (climb.done || !look_ahead(&climb, 0))
            break;
        take_next(&climb);
    }
    grow_all(&climb);
    if (query->format == HINT_JSON)
        complete_objects(&climb);
    if (climb.done)
        use_rest(&climb);
}
