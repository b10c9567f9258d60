#include "selection/hint_selection.h"

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
grow_all(struct selector *selector)
{
    size_t first = 0;
    while (first < selector->selection->count &&
           !hint_step_can_grow(selector, &selector->selection->picks[first], TO_ALL))
        first++;
    for (size_t start = first; !selector->done && hint_step_grow(selector, TO_ALL, &start, -1);)
        ;
    for (enum target target = TO_USUAL; target <= TO_ALL; target++)
        for (size_t start = first;
             !selector->done && hint_step_grow(selector, target, &start, INT32_MAX);)
            ;
}

/* ---- choosing the next step ---- */

/* Fetches the hint with this index among the next ones. False: there are fewer. */
static bool
look_ahead(struct selector *selector, size_t index)
{
    struct hint_order *order = &selector->selection->order;
    if (index < selector->waiting)
        return true;
    if (!hint_order_next(order))
        return false;
    selector->next[selector->waiting++] = &order->candidates[order->count - 1];
    return true;
}

static void
take(struct selector *selector, size_t index, const struct pick *pick)
{
    selector->waiting--;
    for (size_t i = index; i < selector->waiting; i++)
        selector->next[i] = selector->next[i + 1];
    hint_step_add(selector, pick);
}

/* Whether a domain without a hint waits before this index, and the hint's domain has one. */
static bool
is_out_of_turn(const struct selector *selector, size_t index)
{
    if (!selector->takes_turns || (selector->led & hint_domain_bit(selector->next[index])) == 0)
        return false;
    for (size_t i = 0; i < index; i++)
        if ((selector->selection->domains & hint_domain_bit(selector->next[i])) == 0)
            return true;
    return false;
}

/* A domain that got a shorter hint than its first one has had its turn. The first hint of a domain
 * without any comes before that one. */
static void
keep_turns(struct selector *selector)
{
    const struct selection *selection = selector->selection;
    if (!selector->takes_turns || (selector->led & hint_domain_bit(selector->next[0])) == 0 ||
        (selection->order.hint_sets & ~selection->domains) == 0)
        return;
    for (size_t i = 1; i < HINT_WINDOW && look_ahead(selector, i); i++) {
        const struct candidate *candidate = selector->next[i];
        if ((selection->domains & hint_domain_bit(candidate)) != 0)
            continue;
        for (; i > 0; i--)
            selector->next[i] = selector->next[i - 1];
        selector->next[0] = candidate;
        return;
    }
}

/* Takes the first of the next hints that adds at most `gap` tokens; of domains that are always
 * relevant, or of the others. False: there is none. */
static bool
take_shorter(struct selector *selector, int gap, size_t window, bool always)
{
    for (size_t i = 1; i < window && look_ahead(selector, i); i++) {
        if (selector->next[i]->set->domain->always != always || is_out_of_turn(selector, i))
            continue;
        struct pick pick;
        if (hint_step_try(selector, selector->next[i], &pick) <= gap) {
            take(selector, i, &pick);
            return true;
        }
    }
    return false;
}

/* Instead of a hint of this cost that does not fit into a budget of the next mark, takes something
 * shorter that does: by then the hint is left out anyway. Statements wait at the first mark only,
 * because they are long and would wait at each. False: there is nothing. */
static bool
fill_mark(struct selector *selector, int cost)
{
    bool is_json = selector->format == HINT_JSON;
    int tokens = selector->selection->tokens,
        least = tokens - is_json; /* a bound, often 1 too high */
    while (*selector->mark > 0 && least * 20 >= *selector->mark * 17)
        selector->mark++;
    int room = *selector->mark - tokens;
    if (cost <= room || room <= 0 ||
        (*selector->mark > marks[0] && statement_holds(selector->next[0]->hint->member)))
        return false;
    size_t start = 0, window = is_json ? NEAR : HINT_WINDOW;
    return hint_step_grow(selector, TO_MOST, &selector->grown_more, room) ||
           take_shorter(selector, room, window, false) ||
           hint_step_grow(selector, TO_ALL, &start, room) ||
           take_shorter(selector, room, window, true);
}

/* Adds the next hint, or a shorter one if it is too long for now. */
static void
take_next(struct selector *selector)
{
    keep_turns(selector);
    struct pick first;
    int cost = hint_step_try(selector, selector->next[0], &first), gap = 0;
    if (*selector->mark > 0 && fill_mark(selector, cost))
        return;
    if (selector->next[0]->never_waits || cost <= (gap = gap_at(selector->selection->tokens)) ||
        !(hint_step_grow(selector, TO_MOST, &selector->grown_more, gap) ||
          take_shorter(selector, gap, NEAR, false)))
        take(selector, 0, &first);
}

/* ---- the end of a JSON object ---- */

/* Adds the keys of hints that are only sentences of this tier or a lower one. */
static void
add_keys(struct selector *selector, unsigned tier)
{
    const struct selection *selection = selector->selection;
    for (size_t i = 0; i < selection->count && !selector->done; i++)
        if (!selection->picks[i].keyed && selection->picks[i].candidate->tier <= tier &&
            !hint_is_none(selection->picks[i].candidate->hint))
            hint_step_tell_also(selector, i, true);
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
sentences_of(const struct selection *selection, const struct hint_set *set)
{
    int count = 0;
    for (size_t i = 0; i < selection->count; i++)
        count += selection->picks[i].candidate->set == set && selection->picks[i].said;
    return count;
}

/* Every fact is included. Now each gets its key, and summaries get the sentences of the definition.
 */
static void
complete_objects(struct selector *selector)
{
    const struct selection *selection = selector->selection;
    add_keys(selector, UINT8_MAX);
    for (size_t i = 0; i < selection->count && !selector->done; i++) {
        const struct candidate *candidate = selection->picks[i].candidate;
        if (!selection->picks[i].said &&
            is_summary_member(candidate->set->domain, candidate->hint->member) &&
            sentences_of(selection, candidate->set) < candidate->set->domain->summary_sentences)
            hint_step_tell_also(selector, i, false);
    }
}

/* ---- the rest of the budget ---- */

/* Uses what is left when the next fact does not fit: for the emphasis of sentences, or in JSON for
 * keys of facts that are only sentences. A larger budget may use it for a fact instead. */
static void
use_rest(struct selector *selector)
{
    const struct selection *selection = selector->selection;
    for (size_t i = 0; i < selection->count; i++) {
        const struct pick *pick = &selection->picks[i];
        const struct hint *hint = pick->candidate->hint;
        selector->done = false;
        if (selector->format == HINT_TEXT)
            hint_step_strengthen(selector, i, INT32_MAX);
        else if (selector->format == HINT_JSON && !pick->keyed && pick->items == hint->total &&
                 selection->tokens + hint->key_tokens < selector->max_tokens && !hint_is_none(hint))
            hint_step_tell_also(selector, i, true);
    }
}

/* ---- the sequence ---- */

/* The sequence of steps is the contract of this module's header. Critical hints come first; then
 * hints grow and are added in turns, so that their average length stays near `pace`; then lists
 * become complete, and in JSON objects. Only if the budget has ended the sequence, its rest is used
 * for what is no fact. No step depends on the budget, so a larger one never includes less. */
void
hint_select(struct arena *mem, const struct hint_query *query, struct selection *out)
{
    struct selector selector = {
        .selection = out,
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
    for (size_t i = 0; i < out->order.critical && !selector.done; i++) {
        struct pick pick;
        hint_step_try(&selector, &out->order.candidates[i], &pick);
        hint_step_add(&selector, &pick);
    }
    while (!selector.done) {
        while (!selector.done && out->tokens < pace * (int)out->count &&
               hint_step_grow(&selector, TO_USUAL, &selector.grown, INT32_MAX))
            ;
        if (query->format == HINT_JSON && out->tokens >= KEYS_FROM)
            add_keys(&selector, 1);
        if (selector.done || !look_ahead(&selector, 0))
            break;
        take_next(&selector);
    }
    grow_all(&selector);
    if (query->format == HINT_JSON)
        complete_objects(&selector);
    if (selector.done)
        use_rest(&selector);
}
