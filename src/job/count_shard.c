/* count_shard.c - each thread gets a number when it counts for the first time, one after another.
 * So threads use different shards as long as there are no more threads than shards. */
#include "job/count_shard.h"

#include <stdatomic.h>

size_t
count_shard(void)
{
    static _Atomic unsigned next;
    static _Thread_local unsigned mine; /* 0: not chosen yet */
    if (mine == 0)
        mine = 1 + atomic_fetch_add_explicit(&next, 1, memory_order_relaxed) % COUNT_SHARDS;
    return mine - 1;
}
