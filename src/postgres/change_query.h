/* change_query.h - queries PostgreSQL on a separate connection for what other processes changed,
 * and raises the versions of cached data.
 *
 * One thread at a time may call: sync.c holds a lock. Only `answered` and `doubted` may be used
 * without it. postgres_change_query_close() frees what the struct refers to. */
#ifndef POSTGRES_CHANGE_QUERY_H
#define POSTGRES_CHANGE_QUERY_H

#include "postgres/postgres.h"

struct postgres_change_query {
    struct postgres_store *store;
    _Atomic uint64_t asked;    /* number of the last query, counted before it is sent */
    _Atomic uint64_t answered; /* number of the last one that was answered and applied */
    _Atomic bool doubted;      /* a pool connection leads to another server */

    struct postgres_connection *connection;
    char *snapshot; /* of the last answer; NULL: none on this connection */
    struct touched touched;
    uint64_t timeline;          /* of the server that answered last; 0: none has */
    int64_t began;              /* the last query */
    int64_t connect_after;      /* no attempt before it */
    int64_t pause, quick_after; /* no HTTP thread asks before it; the pause before that */
    bool unread;                /* the answer to the last query was not read yet */
    bool unchanged;             /* the last answer had the same snapshot as the one before */
    bool is_brief;              /* the last query was */
};

/* Asks, and waits for the answer up to the deadline of the store. An earlier answer that was not
 * read yet is enough if it serves all of `first`, a list of waiting requests. A connection that was
 * closed while it was idle is replaced at once. */
enum err postgres_change_query_run(struct postgres_change_query *query,
                                   const struct db_sync *first);

/* Asks if an answer is likely within a fraction of a millisecond, and gives up after that; see
 * `answered`. Problems are left to postgres_change_query_run(). For HTTP threads. */
void postgres_change_query_run_quickly(struct postgres_change_query *query);

/* The time of clock_ticks_ns() from which postgres_change_query_run() may be called again. */
int64_t postgres_change_query_due(const struct postgres_change_query *query);

void postgres_change_query_close(struct postgres_change_query *query);

#endif
