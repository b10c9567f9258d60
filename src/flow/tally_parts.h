/* tally_parts.h - what a tally is made of. Private to tally.c and tally_refusals.c. */
#ifndef FLOW_TALLY_PARTS_H
#define FLOW_TALLY_PARTS_H

#include "flow/tally.h"

#include <pthread.h>
#include <stdatomic.h>

#define TALLY_LANES 16
#define TALLY_REFUSALS 512 /* kinds of refusal at a time, in all */

struct lane {
    pthread_mutex_t lock;
    struct tally_entry *places; /* NULL: nobody counts here yet */
    size_t used;
    _Atomic bool filling;
};

struct kept_refusal {
    char app[TALLY_ID_LENGTH];
    char endpoint[REFUSAL_ENDPOINT_MAX];
    char error[REFUSAL_ERROR_MAX];
    char reason[REFUSAL_REASON_MAX];
    char detail[REFUSAL_DETAIL_MAX];
    int64_t times; /* 0: a free place */
    int64_t first_at;
    int64_t last_at;
};

struct tally {
    struct arena *mem;
    pthread_mutex_t mem_lock;
    struct lane lanes[TALLY_LANES];
    pthread_mutex_t taken_lock;
    const struct tally_entry *taken; /* out of the lanes and not written yet, in their order */
    size_t taken_count;
    pthread_mutex_t refusal_lock;
    struct kept_refusal *refusals;
    _Atomic uint64_t left_out;
    _Atomic int64_t emptied_at;
};

void tally_leave_out(struct tally *tally); /* there was no room for one */
bool tally_is_id(struct str id, struct str prefix);

#endif
