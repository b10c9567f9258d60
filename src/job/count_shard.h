/* count_shard.h - which part of counters a thread counts in, so that threads do not wait for each
 * other. Safe from any thread. */
#ifndef JOB_COUNT_SHARD_H
#define JOB_COUNT_SHARD_H

#include <stddef.h>

#define COUNT_SHARDS 16

/* Below COUNT_SHARDS, and the same for the lifetime of the calling thread. Valid for all counters;
 * threads past COUNT_SHARDS share one. */
size_t count_shard(void);

#endif
