#include "hint/hint_lengths.h"

#define SMALL 64 /* past that many items, each length names twice as many as the one before */

/* Never "and 1 more": the one is named. */
static int
items_or_all(int items, int total)
{
    return total - items == 1 || items > total ? total : items;
}

/* What is critical grows from one item to all of them; anything else from its base to its most. */
int
hint_fewest_items(const struct member *member, int total)
{
    bool critical = member->safety == SAFETY_CRITICAL;
    return items_or_all(critical ? 1 : member->hint.base_items, total);
}

/* In leaps in the end, since each length is written out and counted. */
int
hint_more_items(const struct member *member, int total, int items)
{
    int most = member->safety == SAFETY_CRITICAL ? total : member->hint.max_items;
    if (items >= total || items >= most)
        return 0;
    return items_or_all(items + (items < SMALL ? 1 : items), total);
}

size_t
hint_length_count(const struct member *member, int total)
{
    size_t count = 0;
    for (int items = hint_fewest_items(member, total); items != 0 && count < HINT_LENGTHS_MAX;
         items = hint_more_items(member, total, items))
        count++;
    return count;
}

size_t
hint_value_limit(const struct member *member, int total)
{
    int most = member->hint.max_items + 1; /* the last length may name one more than that */
    if (member->json_limit > most)
        most = member->json_limit;
    return (size_t)(member->safety == SAFETY_CRITICAL || total < most ? total : most);
}
