#include "selection/hint_steps.h"

#include "value/value_clean.h"
#include "hint/hint_according.h"
#include "hint/hint_units.h"

bool
hint_step_shares(const struct candidate *candidate)
{
    const struct hint *hint = candidate->hint,
                      *hints = candidate->set->hints; /* in the order of members */
    return (hint > hints && hint[-1].member == hint->member) ||
           (hint + 1 < hints + candidate->set->count && hint[1].member == hint->member);
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
key_cost(const struct selector *selector, const struct candidate *candidate)
{
    const struct hint *hint = candidate->hint;
    bool shared = hint_step_shares(candidate);
    for (size_t i = 0; i < selector->selection->count && shared; i++) {
        const struct pick *other = &selector->selection->picks[i];
        if (other->keyed && other->candidate->hint->member == hint->member)
            return HINT_MERGE_TOKENS;
    }
    return hint->key_tokens;
}

/* Sets the tokens of a pick, in JSON without its key. */
static inline void
count_pick(enum hint_format format, struct pick *pick)
{
    const struct hint *hint = pick->candidate->hint;
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
total_cost(const struct selector *selector)
{
    const struct selection *selection = selector->selection;
    if (selection->count == 0 || selector->format == HINT_JSON)
        return selector->lines;
    const struct pick *last = &selection->picks[selector->last];
    bool several = (selection->domains & (selection->domains - 1)) != 0;
    return selector->lines - last->cost + last->bare +
           (selector->format == HINT_BULLETS && several ? selector->headings : 0);
}

/* ---- steps ---- */

/* Replaces a pick if the result fits; otherwise the selector is done. */
static bool
change(struct selector *selector, size_t index, const struct pick *changed)
{
    struct pick *pick = &selector->selection->picks[index], before = *pick;
    int lines = selector->lines;
    selector->lines += changed->cost - before.cost;
    if (changed->keyed && !before.keyed)
        selector->lines += changed->key;
    *pick = *changed;
    int tokens = total_cost(selector);
    if (tokens <= selector->max_tokens) {
        selector->selection->tokens = tokens;
        return true;
    }
    *pick = before;
    selector->lines = lines;
    selector->done = true;
    return false;
}

/* The number of values of the next length; 0: there is none. */
static int
longer_items(const struct pick *pick)
{
    const struct hint *hint = pick->candidate->hint;
    return pick->level + 1u < hint->level_count
               ? hint_more_items(hint->member, hint->total, pick->items)
               : 0;
}

/* The pick with which a hint is added. The first hint of a domain in JSON is a sentence. So are all
 * critical ones and those attributed to apps, which get a key later. */
static inline void
fill_pick(const struct selector *selector, const struct candidate *candidate, struct pick *pick)
{
    const struct hint *hint = candidate->hint;
    *pick = (struct pick){ .candidate = candidate,
                           .items = hint_fewest_items(hint->member, hint->total) };
    for (int more = 1; pick->items < candidate->wanted && candidate->tier > 0 && more > 0;) {
        more = longer_items(pick);
        pick->items = more > 0 ? more : pick->items;
        pick->level = (uint16_t)(pick->level + (more > 0));
    }
    if (selector->format == HINT_JSON) {
        pick->said = candidate->tier == 0 ||
                     (selector->selection->domains & hint_domain_bit(candidate)) == 0 ||
                     hint_is_none(hint) || hint_is_attributed(hint);
        pick->keyed = !pick->said;
        pick->key = pick->keyed ? key_cost(selector, candidate) : 0;
    }
    count_pick(selector->format, pick);
}

/* The tokens that a hint would add. The first heading comes with the second domain, and the line
 * feed after the last bullet with the next. */
static inline int
cost_to_add(const struct selector *selector, const struct pick *pick)
{
    const struct candidate *candidate = pick->candidate;
    uint64_t domains = selector->selection->domains;
    bool opens = (domains & hint_domain_bit(candidate)) == 0;
    if (selector->format == HINT_JSON)
        return pick->cost + pick->key + (opens ? candidate->set->name : 0);
    if (selector->format == HINT_TEXT || domains == 0)
        return pick->cost;
    const struct pick *last = &selector->selection->picks[selector->last];
    int feed = (last->cost - last->bare) - (pick->cost - pick->bare);
    return pick->cost + (feed > 0 ? feed : 0) +
           (!opens                           ? 0
            : (domains & (domains - 1)) == 0 ? candidate->set->heading + selector->headings
                                             : candidate->set->heading);
}

int
hint_step_try(const struct selector *selector, const struct candidate *candidate, struct pick *out)
{
    fill_pick(selector, candidate, out);
    return cost_to_add(selector, out);
}

/* Counts the name of the domain, and one token less while all its hints have exact counts. */
static void
open_object(struct selector *selector, const struct candidate *candidate, bool opens)
{
    bool exact = hint_is_exact(candidate->hint),
         was_exact = (selector->exact & hint_domain_bit(candidate)) != 0;
    if (opens)
        selector->lines +=
            candidate->set->name + (selector->selection->domains == 0 ? HINT_OBJECT_TOKENS : 0);
    if (opens && exact) {
        selector->exact |= hint_domain_bit(candidate);
        selector->lines -= HINT_EXACT_LESS;
    } else if (was_exact && !exact) {
        selector->exact &= ~hint_domain_bit(candidate);
        selector->lines += HINT_EXACT_LESS;
    }
}

/* Opens the domain of the hint: its heading, or its object with the summary. */
static void
open_domain(struct selector *selector, const struct candidate *candidate)
{
    struct selection *selection = selector->selection;
    bool opens = (selection->domains & hint_domain_bit(candidate)) == 0;
    if (selector->format == HINT_JSON)
        open_object(selector, candidate, opens);
    if (selector->format == HINT_TEXT || opens ||
        candidate->set == selection->picks[selector->last].candidate->set)
        selector->last = selection->count;
    selector->headings += opens ? candidate->set->heading : 0;
    selection->domains |= hint_domain_bit(candidate);
    selector->led |= candidate->tier > 0 ? hint_domain_bit(candidate) : 0;
}

/* ---- growing ---- */

/* JSON may have a limit of its own instead of std_items. */
static int
target_items(const struct selector *selector, const struct member *member, enum target target)
{
    if (target == TO_ALL)
        return INT32_MAX;
    if (target == TO_BASE)
        return member->hint.base_items;
    if (target == TO_MOST)
        return member->hint.max_items;
    return selector->format == HINT_JSON && member->json_limit > 0 ? member->json_limit
                                                                   : member->hint.std_items;
}

/* The pick with its next length. False: it names all values. */
static bool
next_length(const struct selector *selector, struct pick *pick)
{
    int items = longer_items(pick);
    if (items == 0)
        return false;
    pick->items = items;
    pick->level++;
    count_pick(selector->format, pick);
    return true;
}

/* Names more values of a pick, if that adds at most `gap` tokens. Towards many values, a length is
 * passed over if the next one needs no more tokens: "and 1 more" can be longer than what is left.
 */
static bool
lengthen(struct selector *selector, size_t index, enum target target, int gap)
{
    const struct pick *pick = &selector->selection->picks[index];
    struct pick longer = *pick;
    if (pick->items >= target_items(selector, pick->candidate->hint->member, target) ||
        !next_length(selector, &longer))
        return false;
    for (struct pick next = longer;
         target >= TO_MOST && next_length(selector, &next) && next.cost <= longer.cost;)
        longer = next;
    return longer.cost - pick->cost <= gap && (change(selector, index, &longer), true);
}

bool
hint_step_strengthen(struct selector *selector, size_t index, int gap)
{
    const struct pick *pick = &selector->selection->picks[index];
    if (selector->format != HINT_TEXT || pick->strong || !hint_has_emphasis(pick->candidate->hint))
        return false;
    struct pick stronger = *pick;
    stronger.strong = true;
    count_pick(selector->format, &stronger);
    return stronger.cost - pick->cost <= gap && (change(selector, index, &stronger), true);
}

/* ---- adding ---- */

void
hint_step_tell_also(struct selector *selector, size_t index, bool keyed)
{
    struct pick pick = selector->selection->picks[index];
    if (keyed && !pick.keyed)
        pick.key = key_cost(selector, pick.candidate);
    pick.keyed = pick.keyed || keyed;
    pick.said = pick.said || !keyed;
    count_pick(selector->format, &pick);
    change(selector, index, &pick);
}

/* If the hint does not fit, everything is as it was before: the state that open_domain() has
 * changed is put back. A hint that was added grows to its base length at once, a critical one to
 * its full length. */
void
hint_step_add(struct selector *selector, const struct pick *pick)
{
    struct selection *selection = selector->selection;
    const struct candidate *candidate = pick->candidate;
    int lines = selector->lines, headings = selector->headings;
    uint64_t domains = selection->domains, exact = selector->exact;
    size_t index = selection->count, last = selector->last;
    open_domain(selector, candidate);
    selection->picks[selection->count++] = (struct pick){ .candidate = candidate };
    if (!change(selector, index, pick)) {
        selector->lines = lines;
        selector->headings = headings;
        selector->last = last;
        selector->exact = exact;
        selection->count--;
        selection->domains = domains;
        return;
    }
    while (!selector->done &&
           lengthen(selector, index, candidate->tier == 0 ? TO_ALL : TO_BASE, INT32_MAX))
        ;
}

bool
hint_step_can_grow(const struct selector *selector, const struct pick *pick, enum target target)
{
    const struct hint *hint = pick->candidate->hint;
    return (selector->format == HINT_TEXT && !pick->strong && hint_has_emphasis(hint)) ||
           (pick->level + 1u < hint->level_count &&
            pick->items < target_items(selector, hint->member, target));
}

/* *start is moved past hints that cannot grow any more, so that repeated calls do not look at them
 * again. */
bool
hint_step_grow(struct selector *selector, enum target target, size_t *start, int gap)
{
    const struct selection *selection = selector->selection;
    while (*start < selection->count &&
           !hint_step_can_grow(selector, &selection->picks[*start], target))
        (*start)++;
    for (size_t i = *start; i < selection->count; i++)
        if (lengthen(selector, i, target, gap) || hint_step_strengthen(selector, i, gap))
            return true;
    return false;
}
