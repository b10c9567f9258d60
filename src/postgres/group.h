/* group.h - writes that share a transaction, for group.c, group_round.c, and locked.c.
 *
 * A member is on the stack of its thread, and the group belongs to the store. The lock protects
 * both, except while one member advances the group: then all others wait, and it needs no lock. */
#ifndef POSTGRES_GROUP_H
#define POSTGRES_GROUP_H

#include "postgres/postgres.h"

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
    struct postgres_locked *locked; /* NULL: see locked.c */
    bool leads;                     /* a new group waits for it to advance */
    sem_t woken;                    /* once for each change of its state, and for `leads` */
    struct postgres_member *next;   /* in the queue */
};

/* A key whose writes stay out of groups. */
#define POSTGRES_LOCKED_MAX 128
#define POSTGRES_LOCKED_KEY_MAX 64
struct postgres_locked {
    enum { LOCKED_UNUSED, LOCKED_RUNNING, LOCKED_FAILED, LOCKED_SUCCEEDED } state;
    char key[POSTGRES_LOCKED_KEY_MAX];
    size_t length;
    size_t waiting;    /* for the end of the write that runs */
    uint64_t failures; /* of such writes */
    int64_t ended_at;  /* clock_ticks_ns(), of the last one */
};

struct postgres_group {
    pthread_mutex_t lock;
    struct postgres_member *queue, **queue_end;
    struct postgres_member *members[POSTGRES_GROUP_MAX];
    size_t count; /* 0: no group */
    size_t running;
    bool begun, failed;
    bool blocked; /* failed because it waited too long for a lock */
    struct postgres_connection *connection;
    struct touched touched;
    int64_t began;

    struct postgres_locked locked[POSTGRES_LOCKED_MAX];
    _Atomic size_t locked_count; /* in use */
    pthread_cond_t locked_ended;
};

/* locked.c; the first two are called with the lock held. */

/* Whether writes with this key must not join a group. */
bool postgres_locked_has(struct postgres_group *group, struct str key);

/* The key of a write whose group waited too long for a lock. The caller runs it alone, and then
 * calls postgres_locked_end(). NULL: there are too many, so it is not noted. */
struct postgres_locked *postgres_locked_add(struct postgres_group *group, struct str key);

/* How a write may run. If another one with its key runs alone, it waits for the end of that.
 * LOCKED_ALONE: as after postgres_locked_add(). LOCKED_REFUSED: the other one failed or takes too
 * long, or too many wait. */
enum postgres_locked_turn { LOCKED_TOGETHER, LOCKED_ALONE, LOCKED_REFUSED };
enum postgres_locked_turn postgres_locked_wait(struct postgres_group *group, struct str key,
                                               int64_t until, struct postgres_locked **out);
void postgres_locked_end(struct postgres_group *group, struct postgres_locked *locked, bool failed);

/* group_round.c; only for the member that advances the group. */

/* Runs the statements of the members. After a failure they get errors, and finish. Delayed
 * statements of members that run none now wait for those of the others, so that they become one
 * statement. */
void postgres_group_run(struct postgres_store *store);

/* Commits, or rolls back after a failure. Returns DONE, UNKNOWN, or something else, after which
 * nothing is changed. */
enum outcome postgres_group_end(struct postgres_store *store);

#endif
