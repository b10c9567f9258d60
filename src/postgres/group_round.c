/* group_round.c - one round trip for all members of a group, and the end of its transaction.
 *
 * The n-th statements of all members are one batch (batch.c), because members of a group do the
 * same kind of work. */
#include "postgres/group.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"

enum which { PREFETCHES, PUTS_OF_ASKING, ALL_PUTS };

/* Adds the n-th request of each member's list. False: no list has so many. */
static bool
add_layer(struct postgres_group *group, struct arena *mem, struct postgres_batch **list, size_t n,
          enum which which)
{
    struct postgres_request *layer[POSTGRES_GROUP_MAX];
    size_t count = 0;
    bool more = false;
    for (size_t i = 0; i < group->count; i++) {
        struct postgres_member *member = group->members[i];
        struct postgres_request *at = which == PREFETCHES ? member->prefetches : member->puts;
        if (which != ALL_PUTS && member->state != ASKING)
            continue;
        for (size_t skip = n; at != NULL && skip > 0; skip--)
            at = at->next;
        more = more || at != NULL;
        if (at == NULL || at->done)
            continue;
        layer[count++] = at;
        member->wrote = member->wrote || which != PREFETCHES;
    }
    postgres_batch_add(mem, list, layer, count);
    return more;
}

static void
add_puts(struct postgres_group *group, struct arena *mem, struct postgres_batch **list,
         enum which which)
{
    for (size_t n = 0; add_layer(group, mem, list, n, which);)
        n++;
    for (size_t i = 0; i < group->count; i++) {
        struct postgres_member *member = group->members[i];
        if (which != ALL_PUTS && member->state != ASKING)
            continue;
        member->puts = NULL;
        member->puts_end = &member->puts;
    }
}

static void
add_asked(struct postgres_group *group, struct arena *mem, struct postgres_batch **list)
{
    struct postgres_request *layer[POSTGRES_GROUP_MAX];
    size_t count = 0;
    for (size_t i = 0; i < group->count; i++) {
        struct postgres_member *member = group->members[i];
        if (member->state != ASKING)
            continue;
        const struct sql *sql = member->asked.sql;
        member->wrote = member->wrote || sql_writes(sql->many != NULL ? sql->many : sql->text);
        layer[count++] = &member->asked;
    }
    postgres_batch_add(mem, list, layer, count);
}

static void
run(struct postgres_store *store, struct arena *mem, struct postgres_batch *list)
{
    struct postgres_group *group = store->group;
    if (list == NULL || group->failed)
        return;
    /* The first member has waited longest. */
    if (group->connection == NULL &&
        (!postgres_may_write(store) ||
         postgres_borrow_since(store, group->members[0]->began, &group->connection)))
        group->failed = true;
    else
        group->failed =
            !postgres_batch_run(group->connection, mem, list, !group->begun, &group->touched);
    group->blocked = group->connection != NULL && group->connection->blocked;
    group->begun = true;
}

void
postgres_group_run(struct postgres_store *store)
{
    struct arena *mem = arena_new();
    struct postgres_batch *list = NULL;
    add_puts(store->group, mem, &list, PUTS_OF_ASKING);
    add_asked(store->group, mem, &list);
    for (size_t n = 0; add_layer(store->group, mem, &list, n, PREFETCHES);)
        n++;
    run(store, mem, list);
    arena_free(mem);
}

static enum outcome
commit(struct postgres_store *store)
{
    struct postgres_group *group = store->group;
    struct postgres_tx tx = { .tx = { .db = &store->db },
                              .connection = group->connection,
                              .touched = &group->touched };
    enum err err = ERR_NONE;
    enum outcome outcome = postgres_commit(&tx, &err);
    return outcome == LOST ? postgres_find_out(group->connection) : outcome;
}

enum outcome
postgres_group_end(struct postgres_store *store)
{
    struct postgres_group *group = store->group;
    struct arena *mem = arena_new();
    struct postgres_batch *list = NULL;
    enum outcome outcome = CONFLICT;
    add_puts(group, mem, &list, ALL_PUTS);
    run(store, mem, list);
    arena_free(mem);
    if (!group->failed)
        outcome = commit(store);
    else if (group->connection != NULL && !group->connection->lost)
        postgres_command(group->connection, "ROLLBACK");
    if (group->connection != NULL)
        postgres_give_back(store, group->connection);
    group->connection = NULL;
    if (outcome == UNKNOWN)
        log_error("store_commit_lost", log_text("problem", STR("the outcome is unknown")));
    histogram_observe(&store->transaction_latency, clock_ticks_ns() - group->began);
    return outcome;
}
