#include "hint/hint_ladder.h"

#include "base/arena.h"
#include "value/statement.h"
#include "value/value_clean.h"
#include "hint/hint_according.h"
#include "hint/hint_units.h"

#define PACE 20       /* tokens per hint */
#define PACE_JSON 12  /* the same for a key and its values */
#define KEYS_FROM 120 /* tokens: from here on, JSON has a key for what is most important */
#define WINDOW 16     /* the next hints among which a shorter one is searched; */
#define NEAR 8        /* the same to keep a gap small, and for JSON, which costs more */
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

struct climb {
    struct ladder *ladder;
    enum hint_format format;
    int max_tokens;
    bool takes_turns; /* every domain has a hint before any has two */
    bool done;        /* a step did not fit */
    int lines;        /* tokens of all lines with their line feeds, or of the object */
    int headings;
    uint64_t exact;                  /* in JSON: domains whose hints all have exact counts */
    uint64_t led;                    /* domains with a hint that is not critical */
    const int *mark;                 /* the next one; 0: there are no more */
    size_t last;                     /* the pick of the last line */
    size_t grown, grown_more;        /* the first picks that cannot grow any more */
    struct rung const *next[WINDOW]; /* the next hints in their order */
    size_t waiting;
};

bool
hint_ladder_shares(const struct rung *rung)
{
    const struct hint *hint = rung->hint, *hints = rung->set->hints; /* in the order of members */
    return (hint > hints && hint[-1].member == hint->member) ||
           (hint + 1 < hints + rung->set->count && hint[1].member == hint->member);
}

/* ---- cost ---- */

/* "none" has a sentence; below a key it would look like a value. */
static bool
is_none(const struct hint *hint)
{
    return hint->member->type == MEMBER_ARRAY && hint->sentence >= 0 &&
           str_eq(hint->member->hint.values[hint->sentence].value, VALUE_NONE);
}

/* The tokens of the key of a hint, less if an earlier hint of the same member has it already. */
static int
key_cost(const struct climb *climb, const struct rung *rung)
{
    const struct hint *hint = rung->hint;
    bool shared = hint_ladder_shares(rung);
    for (size_t i = 0; i < climb->ladder->count && shared; i++) {
        const struct pick *other = &climb->ladder->picks[i];
        if (other->keyed && other->rung->hint->member == hint->member)
            return HINT_MERGE_TOKENS;
    }
    return hint->key_tokens;
}

/* Sets the tokens of a pick, in JSON without its key. */
static inline void
count_pick(enum hint_format format, struct pick *pick)
{
    const struct hint *hint = pick->rung->hint;
    enum hint_count which = format == HINT_BULLETS ? COUNT_BULLET
                            : format == HINT_JSON  ? COUNT_SAID
                            : pick->strong         ? COUNT_STRONG
                                                   : COUNT_TEXT;
    struct hint_pair pair = hint_tokens(hint, pick->level, which);
    if (format == HINT_JSON)
        pick->cost = (pick->said ? pair.first : 0) + (pick->keyed ? pair.second : 0);
    else
        pick->cost = pair.first;
    pick->bare = pair.second;
}

/* Without the line feed after the last line; headings only for several domains. */
static int
total_cost(const struct climb *climb)
{
    const struct ladder *ladder = climb->ladder;
    if (ladder->count == 0 || climb->format == HINT_JSON)
        return climb->lines;
    const struct pick *last = &ladder->picks[climb->last];
    bool several = (ladder->domains & (ladder->domains - 1)) != 0;
    return climb->lines - last->cost + last->bare +
           (climb->format == HINT_BULLETS && several ? climb->headings : 0);
}

/* ---- steps ---- */

/* Replaces a pick if the result fits; otherwise the climb is done. */
static bool
change(struct climb *climb, size_t index, const struct pick *changed)
{
    struct pick *pick = &climb->ladder->picks[index], before = *pick;
    int lines = climb->lines;
    climb->lines += changed->cost - before.cost;
    if (changed->keyed && !before.keyed)
        climb->lines += changed->key;
    *pick = *changed;
    int tokens = total_cost(climb);
    if (tokens <= climb->max_tokens) {
        climb->ladder->tokens = tokens;
        return true;
    }
    *pick = before;
    climb->lines = lines;
    climb->done = true;
    return false;
}

static uint64_t
domain_bit(const struct rung *rung)
{
    return (uint64_t)1 << rung->set_index;
}

/* The number of values of the next length; 0: there is none. */
static int
longer_items(const struct pick *pick)
{
    const struct hint *hint = pick->rung->hint;
    return pick->level + 1u < hint->level_count
               ? hint_more_items(hint->member, hint->total, pick->items)
               : 0;
}

/* The pick with which a hint is added. The first hint of a domain in JSON is a sentence. So are all
 * critical ones and those attributed to apps, which get a key later (add_keys()). */
static struct pick
first_pick(const struct climb *climb, const struct rung *rung)
{
    struct pick pick = { .rung = rung };
    const struct hint *hint = rung->hint;
    pick.items = hint_fewest_items(hint->member, hint->total);
    for (int more = 1; pick.items < rung->wanted && rung->tier > 0 && more > 0;) {
        more = longer_items(&pick);
        pick.items = more > 0 ? more : pick.items;
        pick.level = (uint16_t)(pick.level + (more > 0));
    }
    if (climb->format == HINT_JSON) {
        pick.said = rung->tier == 0 || (climb->ladder->domains & domain_bit(rung)) == 0 ||
                    is_none(hint) || hint_is_attributed(hint);
        pick.keyed = !pick.said;
        pick.key = pick.keyed ? key_cost(climb, rung) : 0;
    }
    count_pick(climb->format, &pick);
    return pick;
}

/* The tokens that a hint would add. The first heading comes with the second domain, and the line
 * feed after the last bullet with the next. */
static int
cost_to_add(const struct climb *climb, const struct pick *pick)
{
    const struct rung *rung = pick->rung;
    uint64_t domains = climb->ladder->domains;
    bool opens = (domains & domain_bit(rung)) == 0;
    if (climb->format == HINT_JSON)
        return pick->cost + pick->key + (opens ? rung->set->name : 0);
    if (climb->format == HINT_TEXT || domains == 0)
        return pick->cost;
    const struct pick *last = &climb->ladder->picks[climb->last];
    int feed = (last->cost - last->bare) - (pick->cost - pick->bare);
    return pick->cost + (feed > 0 ? feed : 0) +
           (!opens                           ? 0
            : (domains & (domains - 1)) == 0 ? rung->set->heading + climb->headings
                                             : rung->set->heading);
}

/* Counts the name of the domain, and one token less while all its hints have exact counts. */
static void
open_object(struct climb *climb, const struct rung *rung, bool opens)
{
    bool exact = hint_is_exact(rung->hint), was_exact = (climb->exact & domain_bit(rung)) != 0;
    if (opens)
        climb->lines += rung->set->name + (climb->ladder->domains == 0 ? HINT_OBJECT_TOKENS : 0);
    if (opens && exact) {
        climb->exact |= domain_bit(rung);
        climb->lines -= HINT_EXACT_LESS;
    } else if (was_exact && !exact) {
        climb->exact &= ~domain_bit(rung);
        climb->lines += HINT_EXACT_LESS;
    }
}

/* Opens the domain of the hint: its heading, or its object with the summary. */
static void
open_domain(struct climb *climb, const struct rung *rung)
{
    struct ladder *ladder = climb->ladder;
    bool opens = (ladder->domains & domain_bit(rung)) == 0;
    if (climb->format == HINT_JSON)
        open_object(climb, rung, opens);
    if (climb->format == HINT_TEXT || opens || rung->set == ladder->picks[climb->last].rung->set)
        climb->last = ladder->count;
    climb->headings += opens ? rung->set->heading : 0;
    ladder->domains |= domain_bit(rung);
    climb->led |= rung->tier > 0 ? domain_bit(rung) : 0;
}

/* ---- growing ---- */

enum target { TO_BASE, TO_USUAL, TO_MOST, TO_ALL };

static int
target_items(const struct climb *climb, const struct member *member, enum target target)
{
    if (target == TO_ALL)
        return INT32_MAX;
    if (target == TO_BASE)
        return member->hint.base_items;
    if (target == TO_MOST)
        return member->hint.max_items;
    return climb->format == HINT_JSON && member->json_limit > 0 ? member->json_limit
                                                                : member->hint.std_items;
}

/* Names more values of a pick, if that adds at most `gap` tokens. */
static bool
lengthen(struct climb *climb, size_t index, enum target target, int gap)
{
    const struct pick *pick = &climb->ladder->picks[index];
    const struct member *member = pick->rung->hint->member;
    int items = pick->items < target_items(climb, member, target) ? longer_items(pick) : 0;
    if (items == 0)
        return false;
    struct pick longer = *pick;
    longer.items = items;
    longer.level++;
    count_pick(climb->format, &longer);
    return longer.cost - pick->cost <= gap && (change(climb, index, &longer), true);
}

/* Adds the emphasis of a pick in the same way. */
static bool
strengthen(struct climb *climb, size_t index, int gap)
{
    const struct pick *pick = &climb->ladder->picks[index];
    if (climb->format != HINT_TEXT || pick->strong || !hint_has_emphasis(pick->rung->hint))
        return false;
    struct pick stronger = *pick;
    stronger.strong = true;
    count_pick(climb->format, &stronger);
    return stronger.cost - pick->cost <= gap && (change(climb, index, &stronger), true);
}

/* ---- adding ---- */

/* Sets the key of a selected hint, or its sentence. */
static void
tell_also(struct climb *climb, size_t index, bool keyed)
{
    struct pick pick = climb->ladder->picks[index];
    if (keyed && !pick.keyed)
        pick.key = key_cost(climb, pick.rung);
    pick.keyed = pick.keyed || keyed;
    pick.said = pick.said || !keyed;
    count_pick(climb->format, &pick);
    change(climb, index, &pick);
}

/* Adds a critical hint with all its values, any other with base_items. */
static void
add_pick(struct climb *climb, const struct pick *pick)
{
    struct ladder *ladder = climb->ladder;
    const struct rung *rung = pick->rung;
    int lines = climb->lines, headings = climb->headings;
    uint64_t domains = ladder->domains, exact = climb->exact;
    size_t index = ladder->count, last = climb->last;
    open_domain(climb, rung);
    ladder->picks[ladder->count++] = (struct pick){ .rung = rung };
    if (!change(climb, index, pick)) {
        climb->lines = lines;
        climb->headings = headings;
        climb->last = last;
        climb->exact = exact;
        ladder->count--;
        ladder->domains = domains;
        return;
    }
    while (!climb->done && lengthen(climb, index, rung->tier == 0 ? TO_ALL : TO_BASE, INT32_MAX))
        ;
}

/* Whether a pick could grow if the gap was larger. */
static bool
can_grow(const struct climb *climb, const struct pick *pick, enum target target)
{
    const struct hint *hint = pick->rung->hint;
    return (climb->format == HINT_TEXT && !pick->strong && hint_has_emphasis(hint)) ||
           (pick->level + 1u < hint->level_count &&
            pick->items < target_items(climb, hint->member, target));
}

/* Adds values, or the emphasis, to the first hint that can grow by at most `gap` tokens. False:
 * none can. The first *start picks cannot grow any more. */
static bool
grow(struct climb *climb, enum target target, size_t *start, int gap)
{
    const struct ladder *ladder = climb->ladder;
    while (*start < ladder->count && !can_grow(climb, &ladder->picks[*start], target))
        (*start)++;
    for (size_t i = *start; i < ladder->count; i++)
        if (lengthen(climb, i, target, gap) || strengthen(climb, i, gap))
            return true;
    return false;
}

/* Usually no hint can grow any more when this is called. */
static void
grow_all(struct climb *climb)
{
    size_t first = 0;
    while (first < climb->ladder->count && !can_grow(climb, &climb->ladder->picks[first], TO_ALL))
        first++;
    for (enum target target = TO_USUAL; target <= TO_ALL; target++)
        for (size_t start = first; !climb->done && grow(climb, target, &start, INT32_MAX);)
            ;
}

/* ---- choosing the next step ---- */

/* Fetches the hint with this index among the next ones. False: there are not so many. */
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
    add_pick(climb, pick);
}

/* Whether a domain without a hint waits before this index, and the hint's domain has one. */
static bool
is_out_of_turn(const struct climb *climb, size_t index)
{
    if (!climb->takes_turns || (climb->led & domain_bit(climb->next[index])) == 0)
        return false;
    for (size_t i = 0; i < index; i++)
        if ((climb->ladder->domains & domain_bit(climb->next[i])) == 0)
            return true;
    return false;
}

/* A domain that got a shorter hint than its first one has had its turn. The first hint of a domain
 * without any comes before that one. */
static void
keep_turns(struct climb *climb)
{
    const struct ladder *ladder = climb->ladder;
    if (!climb->takes_turns || (climb->led & domain_bit(climb->next[0])) == 0 ||
        (ladder->order.hint_sets & ~ladder->domains) == 0)
        return;
    for (size_t i = 1; i < WINDOW && look_ahead(climb, i); i++) {
        const struct rung *rung = climb->next[i];
        if ((ladder->domains & domain_bit(rung)) != 0)
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
        struct pick pick = first_pick(climb, climb->next[i]);
        if (cost_to_add(climb, &pick) <= gap) {
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
    size_t start = 0, window = is_json ? NEAR : WINDOW;
    return grow(climb, TO_MOST, &climb->grown_more, room) ||
           take_shorter(climb, room, window, false) || grow(climb, TO_ALL, &start, room) ||
           take_shorter(climb, room, window, true);
}

/* The next hint, unless it is too long for now and something shorter can be told instead. */
static void
take_next(struct climb *climb)
{
    keep_turns(climb);
    struct pick first = first_pick(climb, climb->next[0]);
    int cost = cost_to_add(climb, &first), gap = 0;
    if (*climb->mark > 0 && fill_mark(climb, cost))
        return;
    if (climb->next[0]->firm || cost <= (gap = gap_at(climb->ladder->tokens)) ||
        !(grow(climb, TO_MOST, &climb->grown_more, gap) || take_shorter(climb, gap, NEAR, false)))
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
            !is_none(ladder->picks[i].rung->hint))
            tell_also(climb, i, true);
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
            tell_also(climb, i, false);
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
            strengthen(climb, i, INT32_MAX);
        else if (climb->format == HINT_JSON && !pick->keyed && pick->items == hint->total &&
                 ladder->tokens + hint->key_tokens < climb->max_tokens && !is_none(hint))
            tell_also(climb, i, true);
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
        struct pick pick = first_pick(&climb, &out->order.rungs[i]);
        add_pick(&climb, &pick);
    }
    while (!climb.done) {
        while (!climb.done && out->tokens < pace * (int)out->count &&
               grow(&climb, TO_USUAL, &climb.grown, INT32_MAX))
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
