#include "hint/hint_steps.h"

#include "value/value_clean.h"
#include "hint/hint_according.h"
#include "hint/hint_units.h"

bool
hint_step_shares(const struct rung *rung)
{
    const struct hint *hint = rung->hint, *hints = rung->set->hints; /* in the order of members */
    return (hint > hints && hint[-1].member == hint->member) ||
           (hint + 1 < hints + rung->set->count && hint[1].member == hint->member);
}

/* ---- cost ---- */

bool
hint_is_none(const struct hint *hint)
{
    return hint->member->type == MEMBER_ARRAY && hint->sentence >= 0 &&
           str_eq(hint->member->hint.values[hint->sentence].value, VALUE_NONE);
}

/* The tokens of the key of a hint, less if an earlier hint of the same member has it already. */
static int
key_cost(const struct climb *climb, const struct rung *rung)
{
    const struct hint *hint = rung->hint;
    bool shared = hint_step_shares(rung);
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
 * critical ones and those attributed to apps, which get a key later. */
static inline void
fill_pick(const struct climb *climb, const struct rung *rung, struct pick *pick)
{
    const struct hint *hint = rung->hint;
    *pick = (struct pick){ .rung = rung, .items = hint_fewest_items(hint->member, hint->total) };
    for (int more = 1; pick->items < rung->wanted && rung->tier > 0 && more > 0;) {
        more = longer_items(pick);
        pick->items = more > 0 ? more : pick->items;
        pick->level = (uint16_t)(pick->level + (more > 0));
    }
    if (climb->format == HINT_JSON) {
        pick->said = rung->tier == 0 || (climb->ladder->domains & hint_domain_bit(rung)) == 0 ||
                     hint_is_none(hint) || hint_is_attributed(hint);
        pick->keyed = !pick->said;
        pick->key = pick->keyed ? key_cost(climb, rung) : 0;
    }
    count_pick(climb->format, pick);
}

/* The tokens that a hint would add. The first heading comes with the second domain, and the line
 * feed after the last bullet with the next. */
static inline int
cost_to_add(const struct climb *climb, const struct pick *pick)
{
    const struct rung *rung = pick->rung;
    uint64_t domains = climb->ladder->domains;
    bool opens = (domains & hint_domain_bit(rung)) == 0;
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

int
hint_step_try(const struct climb *climb, const struct rung *rung, struct pick *out)
{
    fill_pick(climb, rung, out);
    return cost_to_add(climb, out);
}

/* Counts the name of the domain, and one token less while all its hints have exact counts. */
static void
open_object(struct climb *climb, const struct rung *rung, bool opens)
{
    bool exact = hint_is_exact(rung->hint), was_exact = (climb->exact & hint_domain_bit(rung)) != 0;
    if (opens)
        climb->lines += rung->set->name + (climb->ladder->domains == 0 ? HINT_OBJECT_TOKENS : 0);
    if (opens && exact) {
        climb->exact |= hint_domain_bit(rung);
        climb->lines -= HINT_EXACT_LESS;
    } else if (was_exact && !exact) {
        climb->exact &= ~hint_domain_bit(rung);
        climb->lines += HINT_EXACT_LESS;
    }
}

/* Opens the domain of the hint: its heading, or its object with the summary. */
static void
open_domain(struct climb *climb, const struct rung *rung)
{
    struct ladder *ladder = climb->ladder;
    bool opens = (ladder->domains & hint_domain_bit(rung)) == 0;
    if (climb->format == HINT_JSON)
        open_object(climb, rung, opens);
    if (climb->format == HINT_TEXT || opens || rung->set == ladder->picks[climb->last].rung->set)
        climb->last = ladder->count;
    climb->headings += opens ? rung->set->heading : 0;
    ladder->domains |= hint_domain_bit(rung);
    climb->led |= rung->tier > 0 ? hint_domain_bit(rung) : 0;
}

/* ---- growing ---- */

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

/* The pick with its next length. False: it names all values. */
static bool
next_length(const struct climb *climb, struct pick *pick)
{
    int items = longer_items(pick);
    if (items == 0)
        return false;
    pick->items = items;
    pick->level++;
    count_pick(climb->format, pick);
    return true;
}

/* Names more values of a pick, if that adds at most `gap` tokens. Towards many values, a length is
 * passed over if the next one needs no more tokens: "and 1 more" can be longer than what is left.
 */
static bool
lengthen(struct climb *climb, size_t index, enum target target, int gap)
{
    const struct pick *pick = &climb->ladder->picks[index];
    struct pick longer = *pick;
    if (pick->items >= target_items(climb, pick->rung->hint->member, target) ||
        !next_length(climb, &longer))
        return false;
    for (struct pick next = longer;
         target >= TO_MOST && next_length(climb, &next) && next.cost <= longer.cost;)
        longer = next;
    return longer.cost - pick->cost <= gap && (change(climb, index, &longer), true);
}

bool
hint_step_strengthen(struct climb *climb, size_t index, int gap)
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

void
hint_step_tell_also(struct climb *climb, size_t index, bool keyed)
{
    struct pick pick = climb->ladder->picks[index];
    if (keyed && !pick.keyed)
        pick.key = key_cost(climb, pick.rung);
    pick.keyed = pick.keyed || keyed;
    pick.said = pick.said || !keyed;
    count_pick(climb->format, &pick);
    change(climb, index, &pick);
}

void
hint_step_add(struct climb *climb, const struct pick *pick)
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

bool
hint_step_can_grow(const struct climb *climb, const struct pick *pick, enum target target)
{
    const struct hint *hint = pick->rung->hint;
    return (climb->format == HINT_TEXT && !pick->strong && hint_has_emphasis(hint)) ||
           (pick->level + 1u < hint->level_count &&
            pick->items < target_items(climb, hint->member, target));
}

bool
hint_step_grow(struct climb *climb, enum target target, size_t *start, int gap)
{
    const struct ladder *ladder = climb->ladder;
    while (*start < ladder->count && !hint_step_can_grow(climb, &ladder->picks[*start], target))
        (*start)++;
    for (size_t i = *start; i < ladder->count; i++)
        if (lengthen(climb, i, target, gap) || hint_step_strengthen(climb, i, gap))
            return true;
    return false;
}
