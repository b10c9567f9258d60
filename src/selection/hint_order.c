#include "selection/hint_order.h"

#include "base/arena.h"
#include "hint/hint_dangers.h"
#include "hint/hint_elsewhere.h"
#include "value/statement.h"

#include <stdlib.h>

#define LEAST_CONTEXT 29491 /* 0.45: members with a lower weight in the context are left out */
#define LEAST_DOMAIN 9830   /* 0.15: the same where the task names the domain but no context */
#define IN_LISTED 45875     /* 0.7: the least weight in a context that `only_in` lists */
#define LEADS 32768         /* 0.5: a member that excludes choices leads from this weight on */
#define FEW 32              /* up to this many are sorted by insertion */
#define ALWAYS_EVERY 12     /* a domain that is always relevant has one hint for this many others */
#define LONG_AFTER 6        /* in a context, its long ones come after this many others */

/* The weight of a user's statement in its own domain: the first two lead, and so do all that share
 * words with the task. Further ones lose a step each, so that what the context depends on is not
 * left out for a user with many statements. hint_rank() lowers the score of those that are only
 * about the user. */
#define STATEMENTS_LEAD 2
#define STATEMENT_STEP 7864   /* 0.12 */
#define STATEMENT_LEAST 26214 /* 0.4 */
#define SECOND_PARTS 8        /* a weight in the second context loses one of these parts */
#define GENERAL_PARTS 8       /* in a context, a member's general weight is one of these parts */

/* Where examples say how much a member matters to the task (context.h), they count half, and its
 * weight in the definition half: the weight is SCORED + the score in steps + half of that weight.
 * Measured with tests/eval. */
#define SCORED 16384
#define SCORE_STEP 1024
#define DEFINED_PARTS 2
#define LEAST_SCORED 19661 /* 0.3: lower weights are left out */
#define SURELY 39000       /* 0.6: with this weight in the definition, any above 0 is enough */
#define LEADS_SCORED 24576 /* 0.375: as LEADS */

/* ---- matching and weighting ---- */

/* How a query applies to one domain. */
struct query_view {
    bool known; /* a known context; without one, all members have the same weight */
    bool chosen, named;
    enum hint_fallback fallback;
    bool has_context;
    size_t context; /* index in the domain; the number of contexts: none */
    size_t second;  /* the same: one that is about as likely */
    const struct terms *task;
    const struct context_match *match;
    const struct domain *domain;
    const struct domains *domains;
    struct arena *mem;
    enum { SAFETY_UNKNOWN, SAFETY_NEEDED, SAFETY_NOT_NEEDED } safety; /* critical_needed() */
    int statements;                                                   /* seen so far */
    const struct context_choice *choice;                              /* NULL: not chosen */
};

/* The context index is context_count if no context of the domain was chosen: weights have an entry
 * for it. */
static struct query_view
view_of(struct arena *mem, const struct hint_query *query, const struct domain *domain,
        const struct terms *task)
{
    struct query_view view = { .known = query->context->known,
                               .named = query->domains_named,
                               .fallback = domain->always ? HINT_EVERYTHING : query->fallback,
                               .context = domain->context_count,
                               .second = domain->context_count,
                               .task = task,
                               .match = query->context,
                               .domain = domain,
                               .domains = query->domains,
                               .mem = mem };
    if (!view.known)
        return view;
    const struct context_choice *choice = context_chosen(query->context, domain);
    view.chosen = choice != NULL || domain->always;
    view.has_context = choice != NULL && choice->context != NULL;
    if (view.has_context)
        view.context = (size_t)(choice->context - domain->contexts);
    if (choice != NULL && choice->second != NULL)
        view.second = (size_t)(choice->second - domain->contexts);
    view.choice = choice;
    return view;
}

/* The relevance of a hint for the query. */
struct relevance {
    int32_t weight;
    int32_t defined; /* the part of the weight that is not learned */
    bool scored;     /* there is a learned part */
    int match;       /* words shared with the task, at most 3 */
    int wanted;      /* values to name for that */
};

/* Whether the critical hints of a domain that is not chosen are needed. Few domains have any. */
static bool
critical_needed(struct query_view *view)
{
    if (view->safety == SAFETY_UNKNOWN)
        view->safety =
            context_is_safety(view->match, view->domain) ? SAFETY_NEEDED : SAFETY_NOT_NEEDED;
    return view->safety == SAFETY_NEEDED;
}

/* Whether an open hint concerns another domain that the task is about, or whose critical facts it
 * needs. */
static bool
needed_by_another(const struct query_view *view, struct hint *hint)
{
    for (size_t i = 0; view->domains != NULL && i < view->domains->count; i++) {
        const struct domain *other = &view->domains->list[i];
        if (hint_gravest_member(other) != NULL &&
            (context_chosen(view->match, other) != NULL || context_is_safety(view->match, other)) &&
            hint_elsewhere_concerns(view->mem, view->domains, view->domain, hint, other))
            return true;
    }
    return false;
}

/* Whether a hint of a domain that the task is not about is needed for safety. */
static bool
is_needed(struct query_view *view, struct hint *hint)
{
    bool critical = hint->safety == SAFETY_CRITICAL;
    return ((critical || hint->carried) && critical_needed(view)) ||
           (hint->open && needed_by_another(view, hint));
}

/* A task can belong to two contexts: the second one counts a little less. */
static int32_t
weight_of(const struct query_view *view, const struct member *member)
{
    int32_t first = member->context_weights[view->context];
    int32_t second = member->context_weights[view->second] / SECOND_PARTS * (SECOND_PARTS - 1);
    return view->second < view->domain->context_count && second > first ? second : first;
}

/* Adds what examples say about the member and the task. A weight of 0 in the definition stays. */
static void
add_score(const struct query_view *view, const struct member *member, struct relevance *out)
{
    size_t at = (size_t)(member - view->domain->members);
    if (view->choice == NULL || !view->choice->scored || at >= CONTEXT_SCORED ||
        view->choice->scores[at] == CONTEXT_NO_SCORE || out->defined == 0)
        return;
    int32_t weight = SCORED + view->choice->scores[at] * SCORE_STEP + out->defined / DEFINED_PARTS;
    out->weight = weight < 0 ? 0 : weight > HINT_ONE ? HINT_ONE : weight;
    out->scored = true;
}

/* What matters to a context's own name is for the definition to say; examples only rank it. */
static bool
is_decided_by_examples(const struct query_view *view, const struct relevance *found)
{
    return found->scored && !view->choice->by_name;
}

/* Whether the member matters enough to the task. */
static bool
is_relevant(const struct query_view *view, const struct relevance *found)
{
    if (is_decided_by_examples(view, found))
        return found->weight >= (found->defined >= SURELY ? 1 : LEAST_SCORED);
    return found->defined >= (view->has_context ? LEAST_CONTEXT : LEAST_DOMAIN);
}

/* Whether a member that excludes choices leads. */
static bool
leads(const struct query_view *view, const struct relevance *found)
{
    return is_decided_by_examples(view, found) ? found->weight >= LEADS_SCORED
                                               : found->defined >= LEADS;
}

/* False: the hint is left out. */
static bool
find_relevance(struct query_view *view, struct hint *hint, struct relevance *out)
{
    bool critical = hint->safety == SAFETY_CRITICAL;
    *out = (struct relevance){ .weight = HINT_ONE, .defined = HINT_ONE };
    if (!view->known)
        return view->fallback == HINT_EVERYTHING ||
               (view->fallback == HINT_ONLY_SAFETY && critical && !hint->sensitive);
    if (!view->named && !view->chosen && !is_needed(view, hint))
        return false;
    out->weight = out->defined = weight_of(view, hint->member);
    if (critical)
        return true;
    out->match = hint_match(hint, view->task, view->has_context ? view->context : HINT_CONTEXTS_MAX,
                            &out->wanted);
    add_score(view, hint->member, out);
    if (view->named || out->match > 0)
        return true;
    if (hint->member->only_in_count > 0 && !view->has_context) {
        if (!context_is_among(view->match, hint->member->only_in, hint->member->only_in_count))
            return false;
        if (out->defined < IN_LISTED)
            out->weight = out->defined = IN_LISTED;
    }
    return is_relevant(view, out);
}

enum { GROUP_EXCLUDES, GROUP_MATCHES, GROUP_OTHERS, GROUP_LONG };
enum { MATCH_AT = 17, BY_APP_AT = 19, GROUP_AT = 20 }; /* a score can be HINT_ONE = 1 << 16 */
#define SCORE_MASK (((uint32_t)1 << MATCH_AT) - 1)

static uint32_t
group_of(const struct hint *hint, unsigned tier, int match)
{
    return tier < 2        ? GROUP_EXCLUDES
           : match > 0     ? GROUP_MATCHES
           : hint->is_long ? GROUP_LONG
                           : GROUP_OTHERS;
}

static uint32_t
rank_of(const struct hint *hint, unsigned tier, const struct relevance *found, int32_t weight)
{
    uint64_t score = (uint64_t)weight * (uint64_t)hint->score / HINT_ONE;
    return (uint32_t)(HINT_ONE - score) | (uint32_t)(3 - found->match) << MATCH_AT |
           (hint->by_app ? (uint32_t)1 << BY_APP_AT : 0) |
           group_of(hint, tier, found->match) << GROUP_AT;
}

/* ---- sorting ---- */

static bool
comes_before(const struct candidate *a, const struct candidate *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank;
    int order = a->set == b->set ? 0 : str_order(a->set->domain->name, b->set->domain->name);
    if (order == 0 && a->hint->member != b->hint->member)
        order = str_order(a->hint->member->name, b->hint->member->name);
    return order != 0 ? order < 0 : a->hint < b->hint;
}

static int
compare_candidates(const void *left, const void *right)
{
    return comes_before(left, right) ? -1 : comes_before(right, left);
}

/* Few candidates are the usual case, for which insertion sort needs no calls. */
static void
sort_candidates(struct candidate *candidates, size_t count)
{
    if (count > FEW) {
        qsort(candidates, count, sizeof *candidates, compare_candidates);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        struct candidate candidate = candidates[i];
        size_t j = i;
        for (; j > 0 && comes_before(&candidate, &candidates[j - 1]); j--)
            candidates[j] = candidates[j - 1];
        candidates[j] = candidate;
    }
}

static bool
queue_before(const struct hint_queue *a, const struct hint_queue *b)
{
    if (a->best != b->best)
        return a->best < b->best;
    return str_order(a->next->set->domain->name, b->next->set->domain->name) < 0;
}

/* Queues are sorted by their best candidate, so the domain with the best one has the first turn. */
static void
add_queue(struct hint_order *order, struct candidate *first, struct candidate *end)
{
    struct hint_queue queue = { first, end, UINT32_MAX }, *queues = order->queues;
    for (const struct candidate *candidate = first; candidate < end; candidate++)
        queue.best =
            (candidate->rank & SCORE_MASK) < queue.best ? candidate->rank & SCORE_MASK : queue.best;
    if (first->set->domain->always && order->always.next == NULL) { /* a second one takes turns */
        order->always = queue;
        return;
    }
    size_t at = order->queue_count++;
    for (; at > 0 && queue_before(&queue, &queues[at - 1]); at--)
        queues[at] = queues[at - 1];
    queues[at] = queue;
}

/* The first of a queue. Does not sort, since often only a few are needed. */
static inline struct candidate *
find_first(const struct hint_queue *queue)
{
    struct candidate *first = queue->next;
    for (struct candidate *candidate = first + 1; candidate < queue->end; candidate++)
        first = comes_before(candidate, first) ? candidate : first;
    return first;
}

static void
take(struct hint_order *order, struct hint_queue *queue, struct candidate *first)
{
    struct candidate taken = *first;
    *first = *queue->next;
    queue->next++;
    taken.never_waits = taken.never_waits || order->round == 0;
    order->candidates[order->count++] = taken;
}

/* The next queue in turn that is not empty; NULL: all are. */
static struct hint_queue *
queue_in_turn(struct hint_order *order)
{
    for (size_t tried = 0; tried <= order->queue_count; tried++) {
        if (order->turn == order->queue_count) {
            order->turn = 0;
            order->round++;
        }
        struct hint_queue *queue = &order->queues[order->turn++];
        if (order->queue_count > 0 && queue->next < queue->end)
            return queue;
    }
    return NULL;
}

/* It would take most of a small budget. */
static inline bool
is_long(const struct candidate *candidate)
{
    return candidate->rank >> GROUP_AT == GROUP_LONG;
}

/* The always relevant domain gets one hint after ALWAYS_EVERY others, but none while the other
 * domains have their first turn; a long one of it waits for `long_after` others, so that it does
 * not fill a small budget. If the others have none left, the rest of it follows. */
bool
hint_order_next(struct hint_order *order)
{
    bool is_first_round = order->always_taken > 0 && order->others_taken < order->queue_count;
    struct hint_queue *always = &order->always;
    if (always->next < always->end && !is_first_round &&
        order->always_taken * ALWAYS_EVERY <= order->others_taken) {
        struct candidate *first = find_first(always);
        if (!is_long(first) || order->others_taken >= order->long_after) {
            order->always_taken++;
            take(order, always, first);
            return true;
        }
    }
    struct hint_queue *queue = queue_in_turn(order);
    if (queue == NULL && always->next == always->end)
        return false;
    order->others_taken += queue != NULL;
    queue = queue != NULL ? queue : always;
    take(order, queue, find_first(queue));
    return true;
}

/* ---- collecting ---- */

/* In a context, its own weight decides and the member's general one breaks ties. A statement has
 * the weight of its place among the user's statements. */
static int32_t
total_weight(struct query_view *view, const struct hint *hint, const struct relevance *found)
{
    uint64_t general = (uint64_t)hint->member->weight;
    if (view->has_context && !statement_holds(hint->member))
        general = (HINT_ONE * (GENERAL_PARTS - 1) + general) / GENERAL_PARTS;
    if (!view->known || !view->chosen || !statement_holds(hint->member))
        return (int32_t)((uint64_t)found->weight * general / HINT_ONE);
    int more = found->match > 0 ? 0 : ++view->statements - STATEMENTS_LEAD;
    int32_t weight = HINT_ONE - (more > 0 ? STATEMENT_STEP * more : 0);
    return weight > STATEMENT_LEAST ? weight : STATEMENT_LEAST;
}

/* A fact that excludes choices counts as such only if it matters to the context. Facts that share
 * words with the task never wait. */
static inline void
fill_candidate(struct candidate *candidate, struct query_view *view, const struct hint_set *set,
               struct hint *hint, const struct relevance *found)
{
    unsigned tier = SAFETY_CRITICAL - hint->safety;
    if (tier == 1 && !leads(view, found))
        tier = 2;
    *candidate = (struct candidate){
        .set = set,
        .hint = hint,
        .rank = rank_of(hint, tier, found, total_weight(view, hint, found)),
        .tier = (uint8_t)tier,
        .wanted = (uint8_t)found->wanted,
        .never_waits = tier < 2 || found->match > 0 ||
                       (view->chosen && !view->domain->always && statement_holds(hint->member)),
    };
}

static bool
has_statement(const struct candidate *candidates, const struct candidate *end)
{
    for (; candidates < end; candidates++)
        if (statement_holds(candidates->hint->member))
            return true;
    return false;
}

/* Statements without a hint match if others like them do: the set's critical candidates from
 * `critical` on, or the others. */
static void
count_unlisted(const struct hint_set *set, struct hint_order *out, size_t critical,
               const struct candidate *others, const struct candidate *end)
{
    bool plain = has_statement(others, end);
    if (plain)
        out->facts += set->unlisted;
    if (plain || has_statement(out->candidates + critical, out->candidates + out->critical))
        out->facts += set->unlisted_critical;
    out->safety_withheld = out->safety_withheld || set->unlisted_critical > 0;
}

/* Collects the hints of one set that match the query: critical ones into the order, the others from
 * `next` on. Returns the end of the latter. */
static struct candidate *
gather(struct arena *mem, const struct hint_query *query, size_t set_index,
       const struct terms *task, struct hint_order *out, struct candidate *next)
{
    const struct hint_set *set = &query->hint_sets[set_index];
    struct query_view view = view_of(mem, query, set->domain, task);
    bool sensitive = query->sensitive >> set_index & 1;
    size_t critical = out->critical;
    const struct candidate *others = next;
    for (size_t i = 0; i < set->count; i++) {
        struct hint *hint = &set->hints[i];
        struct relevance found;
        if (!find_relevance(&view, hint, &found) || (hint->sensitive && !sensitive)) {
            out->safety_withheld = out->safety_withheld || hint->safety == SAFETY_CRITICAL;
            continue;
        }
        struct candidate *candidate =
            hint->safety == SAFETY_CRITICAL ? &out->candidates[out->critical++] : next++;
        fill_candidate(candidate, &view, set, hint, &found);
        candidate->set_index = (uint8_t)set_index;
        out->available++;
        out->facts += hint->total;
        out->hint_sets |= (uint64_t)1 << set_index;
    }
    if (set->unlisted + set->unlisted_critical > 0)
        count_unlisted(set, out, critical, others, next);
    return next;
}

/* Critical candidates are sorted and fetched at once; others stay in one queue per domain. */
void
hint_order_make(struct arena *mem, const struct hint_query *query, struct hint_order *out)
{
    static const struct terms no_task = { .count = 0 };
    const struct terms *task = query->task != NULL ? query->task : &no_task;
    size_t count = 0;
    for (size_t i = 0; i < query->set_count; i++)
        count += query->hint_sets[i].count;
    out->candidates = ARENA_ARRAY(mem, struct candidate, count + 1);
    out->count = out->critical = 0;
    out->available = out->facts = 0;
    out->hint_sets = 0;
    out->safety_withheld = false;
    out->always = (struct hint_queue){ NULL, NULL, UINT32_MAX };
    out->queue_count = out->turn = out->round = 0;
    out->always_taken = out->others_taken = 0;
    out->long_after = query->context->known ? LONG_AFTER : 0;
    struct candidate *others = ARENA_ARRAY(mem, struct candidate, count + 1);
    for (size_t i = 0; i < query->set_count; i++) {
        struct candidate *end = gather(mem, query, i, task, out, others);
        if (end > others)
            add_queue(out, others, end);
        others = end;
    }
    sort_candidates(out->candidates, out->critical);
    out->count = out->critical;
}
