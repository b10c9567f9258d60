#include "hint/hint_order.h"

#include "base/arena.h"

#include <stdlib.h>

#define LEAST_CONTEXT 9830 /* 0.15: members with a lower weight in the context are left out */
#define NO_WEIGHT 32768    /* 0.5 */
#define FEW 32             /* up to this many are sorted by insertion */
#define FEW_TURNS 4        /* up to this many turns, finding the minimum is cheaper than sorting */

/* ---- matching and weighting ---- */

/* How a query applies to one domain. */
struct view {
    bool known; /* a known context; without one, all members have the same weight */
    bool chosen, safety, named;
    enum hint_fallback fallback;
    const struct context *context;
};

static struct view
view_of(const struct hint_query *query, const struct domain *domain)
{
    struct view view = { .known = query->context->known,
                         .named = query->domains_named,
                         .fallback = domain->always ? HINT_EVERYTHING : query->fallback };
    if (!view.known)
        return view;
    const struct context_choice *choice = context_chosen(query->context, domain);
    view.chosen = choice != NULL || domain->always;
    view.context = choice == NULL ? NULL : choice->context;
    view.safety = choice != NULL || context_is_safety(query->context, domain);
    return view;
}

static int32_t
context_weight(const struct member *member, const struct context *context)
{
    int32_t other = NO_WEIGHT;
    for (size_t i = 0; i < member->context_count; i++) {
        if (context != NULL && str_eq(member->contexts[i].context, context->name))
            return member->contexts[i].weight;
        if (str_eq(member->contexts[i].context, STR("*")))
            other = member->contexts[i].weight;
    }
    return other;
}

/* False: the member is left out in this context. */
static bool
weigh(const struct view *view, const struct hint *hint, int32_t *out)
{
    *out = HINT_ONE;
    if (!view->known)
        return view->fallback == HINT_EVERYTHING ||
               (view->fallback == HINT_ONLY_SAFETY && hint->safety == SAFETY_CRITICAL &&
                !hint->sensitive);
    if (!view->named && !view->chosen &&
        !(view->safety &&
          hint->safety == SAFETY_CRITICAL)) /* critical hints of other domains may be needed */
        return false;
    *out = context_weight(hint->member, view->context);
    return view->named || hint->safety == SAFETY_CRITICAL || *out >= LEAST_CONTEXT;
}

#define SCORE_BITS 17 /* a score can be HINT_ONE = 1 << 16 */
#define BY_APP_BIT ((uint32_t)1 << SCORE_BITS)
#define TIER_AT (SCORE_BITS + 1)

/* Within a tier, facts that the user stated or accepted come before those of apps alone. */
static uint32_t
rank_of(const struct hint *hint, unsigned tier, int32_t weight)
{
    const struct member *member = hint->member;
    uint64_t score =
        (uint64_t)weight * (uint64_t)member->weight / HINT_ONE * (uint64_t)hint->score / HINT_ONE;
    return (uint32_t)(HINT_ONE - score) | (hint->by_app ? BY_APP_BIT : 0) | tier << TIER_AT |
           (hint->is_long ? 4u << TIER_AT : 0);
}

/* ---- sorting ---- */

static bool
comes_before(const struct rung *a, const struct rung *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank;
    int order = a->set == b->set ? 0 : str_order(a->set->domain->name, b->set->domain->name);
    if (order == 0 && a->hint->member != b->hint->member)
        order = str_order(a->hint->member->name, b->hint->member->name);
    return order != 0 ? order < 0 : a->hint < b->hint;
}

static int
compare_rungs(const void *left, const void *right)
{
    return comes_before(left, right) ? -1 : comes_before(right, left);
}

static void
sort_rungs(struct rung *rungs, size_t count)
{
    if (count > FEW) {
        qsort(rungs, count, sizeof *rungs, compare_rungs);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        struct rung rung = rungs[i];
        size_t j = i;
        for (; j > 0 && comes_before(&rung, &rungs[j - 1]); j--)
            rungs[j] = rungs[j - 1];
        rungs[j] = rung;
    }
}

/* The hints of one domain that are not critical. */
struct queue {
    struct rung *next, *end;
    uint32_t best;
    bool sorted;
};

static bool
queue_before(const struct queue *a, const struct queue *b)
{
    if (a->best != b->best)
        return a->best < b->best;
    return str_order(a->next->set->domain->name, b->next->set->domain->name) < 0;
}

static void
add_queue(struct queue *queues, size_t *count, struct rung *first, struct rung *end)
{
    const uint32_t score_bits = ((uint32_t)1 << SCORE_BITS) - 1;
    struct queue queue = { first, end, UINT32_MAX, false };
    size_t at = (*count)++;
    for (const struct rung *rung = first; rung < end; rung++)
        queue.best = (rung->rank & score_bits) < queue.best ? rung->rank & score_bits : queue.best;
    for (; at > 0 && queue_before(&queue, &queues[at - 1]); at--)
        queues[at] = queues[at - 1];
    queues[at] = queue;
}

/* Takes the first of a queue. Sorts lazily, since often only a few are needed. */
static const struct rung *
take_first(struct queue *queue)
{
    struct rung *first = queue->next;
    for (struct rung *rung = first + 1; rung < queue->end && !queue->sorted; rung++)
        first = comes_before(rung, first) ? rung : first;
    struct rung taken = *first;
    *first = *queue->next;
    *queue->next = taken;
    return queue->next++;
}

static void
take_turns(struct queue *queues, size_t count, size_t most, struct hint_order *out)
{
    size_t wanted = most > out->count ? most - out->count : 0;
    for (size_t i = 0; i < count && wanted / count >= FEW_TURNS; i++) {
        sort_rungs(queues[i].next, (size_t)(queues[i].end - queues[i].next));
        queues[i].sorted = true;
    }
    for (size_t left = 1; left > 0 && out->count < most;) {
        left = 0;
        for (size_t i = 0; i < count && out->count < most; i++) {
            if (queues[i].next == queues[i].end)
                continue;
            out->rungs[out->count++] = *take_first(&queues[i]);
            left++;
        }
    }
}

/* ---- collecting ---- */

/* Collects the hints of one set that match the query: critical ones into the order, the others from
 * `next` on. Returns the end of the latter. */
static struct rung *
gather(const struct hint_query *query, size_t set_index, struct hint_order *out, struct rung *next)
{
    const struct hint_set *set = &query->hint_sets[set_index];
    struct view view = view_of(query, set->domain);
    bool sensitive = query->sensitive >> set_index & 1;
    for (size_t i = 0; i < set->count; i++) {
        struct hint *hint = &set->hints[i];
        int32_t weight;
        if (!weigh(&view, hint, &weight))
            continue;
        if (hint->sensitive && !sensitive) {
            out->safety_withheld = out->safety_withheld || hint->safety == SAFETY_CRITICAL;
            continue;
        }
        unsigned tier = SAFETY_CRITICAL - hint->safety;
        struct rung *rung = tier == 0 ? &out->rungs[out->critical++] : next++;
        *rung = (struct rung){ set, hint, rank_of(hint, tier, weight), (uint8_t)tier,
                               (uint8_t)set_index };
        out->available++;
        out->facts += hint->total + hint->without_hint;
        out->hint_sets |= (uint64_t)1 << set_index;
    }
    return next;
}

void
hint_order_make(struct arena *mem, const struct hint_query *query, size_t most,
                struct hint_order *out)
{
    struct queue queues[DOMAINS_MAX];
    size_t count = 0, queue_count = 0;
    for (size_t i = 0; i < query->set_count; i++)
        count += query->hint_sets[i].count;
    *out = (struct hint_order){ .rungs = ARENA_ARRAY(mem, struct rung, count + 1) };
    struct rung *others = ARENA_ARRAY(mem, struct rung, count + 1);
    for (size_t i = 0; i < query->set_count; i++) {
        struct rung *end = gather(query, i, out, others);
        if (end > others)
            add_queue(queues, &queue_count, others, end);
        others = end;
    }
    sort_rungs(out->rungs, out->critical);
    out->count = out->critical;
    take_turns(queues, queue_count, most, out);
}
