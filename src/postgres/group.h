/* group.h - writes that share a transaction, for group.c and group_round.c.
 *
 * A member is on the stack of its thread, and the group belongs to the store. The lock protects
 * both, except while one member advances the group: then all others wait, and it needs no lock. */
#ifndef POSTGRES_GROUP_H
#define POSTGRES_GROUP_H

#include "postgres/postgres.h"

#include <semaphore.h>

struct postgres_member {
    struct postgres_tx tx; /* first */
    struct str key;
    enum { OUTSIDE, QUEUED, RUNNING, ASKING, FINISHED, ENDED } state;
    struct postgres_request asked;
    int64_t began;                             /* clock_ticks_ns() */
    struct postgres_request *puts, **puts_end; /* delayed */
    struct postgres_request *prefetches;
    bool wrote; /* a statement that may have changed rows has run */
    enum outcome outcome;
    bool leads;                   /* a new group waits for it to advance */
    sem_t woken;                  /* once for each change of its state, and for `leads` */
    struct postgres_member *next; /* in the queue */
};

struct postgres_group {
    pthread_mutex_t lock;
    struct postgres_member *queue, **queue_end;
    struct postgres_member *members[POSTGRES_GROUP_MAX];
    size_t count; /* 0: no group */
    size_t running;
    bool begun, failed;
    struct postgres_connection *connection;
    struct touched touched;
    int64_t began;
};

/* group_round.c; only for the member that advances the group. */

/* Runs the statements of the members. After a failure they get errors, and finish. Delayed
 * statements of members that run none now wait for those of the others, so that they become one
 * statement. */
void postgres_group_run(struct postgres_store *store);

/* Commits, or rolls back after a failure. Returns DONE, UNKNOWN, or something else, after which
 * nothing is changed. */
enum outcome postgres_group_end(struct postgres_store *store);

#endif
