/* usage_counters_internal.h - the data structures. Private to usage_counters*.c. Any thread may
 * hold them: a lock protects each part, as its name says. */
#ifndef JOB_USAGE_COUNTERS_INTERNAL_H
#define JOB_USAGE_COUNTERS_INTERNAL_H

#include "job/count_shard.h"
#include "model/usage.h"

#include <pthread.h>
#include <stdatomic.h>

#define USAGE_REFUSALS_MAX 512 /* kinds of refusal in memory, all apps together */

struct arena;
struct usage_counter;
struct usage_range;

struct shard {
    pthread_mutex_t lock;
    struct usage_counter *slots; /* hash table; NULL: not used yet */
    size_t used;
    _Atomic bool filling;
};

struct counted_refusal {
    char app[USAGE_ID_LENGTH];
    char endpoint[REFUSAL_ENDPOINT_MAX];
    char error[REFUSAL_ERROR_MAX];
    char reason[REFUSAL_REASON_MAX];
    char detail[REFUSAL_DETAIL_MAX];
    int64_t times; /* 0: free slot */
    int64_t first_at;
    int64_t last_at;
};

struct usage_counters {
    struct arena *mem;
    pthread_mutex_t mem_lock;
    struct shard shards[COUNT_SHARDS];
    pthread_mutex_t taken_lock;
    struct usage_range *taken; /* per database: drained and not written yet, sorted */
    size_t databases;          /* ranges in use */
    pthread_mutex_t tool_lock;
    struct tool_counts *tools; /* hash table; NULL: not used yet */
    pthread_mutex_t refusal_lock;
    struct counted_refusal *refusals;
    _Atomic uint64_t dropped;
    uint32_t part;
    _Atomic int64_t *drained_at; /* per database */
};

void usage_counters_drop(struct usage_counters *counters); /* counts one dropped entry */
bool usage_counters_is_id(struct str id, struct str prefix);
bool usage_counters_is_app(struct str id);

#endif
