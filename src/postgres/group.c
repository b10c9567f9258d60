/* group.c - writes that share a transaction.
 *
 * Each member of a group runs its work on its own thread and waits at every statement. When all
 * members wait, the last one runs their statements in one round trip (group_round.c), and all
 * continue. When all have finished, the last one commits for everyone. Meanwhile other writes queue
 * with their first statement and form the next group. There is one group at a time, so one
 * connection serves all shared writes of a node.
 *
 * No member gets its result before the commit. If a statement fails, a row that must change does
 * not, or a member that has changed something returns an error, the transaction is rolled back and
 * every member runs again alone, so that only the member with the error fails. The same happens
 * after a short wait for a lock; then the keys of the members stay out of groups for a while
 * (locked.c). If the connection is lost during the commit and the outcome cannot be found out, it
 * is unknown for each member. */
#include "postgres/group.h"

#include "base/arena.h"
#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

void
postgres_group_start(struct postgres_store *store)
{
    struct postgres_group *group = memory_alloc(1, sizeof *group);
    pthread_mutex_init(&group->lock, NULL);
    pthread_cond_init(&group->locked_ended, NULL);
    group->queue_end = &group->queue;
    store->group = group;
}

void
postgres_group_stop(struct postgres_store *store)
{
    if (store->group != NULL) {
        pthread_mutex_destroy(&store->group->lock);
        pthread_cond_destroy(&store->group->locked_ended);
    }
    free(store->group);
}

/* ---- forming groups; call with the lock held ---- */

static void
enqueue(struct postgres_group *group, struct postgres_member *member)
{
    member->state = QUEUED;
    *group->queue_end = member;
    group->queue_end = &member->next;
}

static void
dequeue(struct postgres_group *group, struct postgres_member **at)
{
    struct postgres_member *member = *at;
    *at = member->next;
    if (*at == NULL)
        group->queue_end = at;
    member->next = NULL;
}

static bool
has_key(const struct postgres_group *group, struct str key)
{
    for (size_t i = 0; i < group->count; i++)
        if (str_eq(group->members[i]->key, key))
            return true;
    return false;
}

/* Ends queued writes whose keys must not join a group. They run alone. */
static void
end_locked(struct postgres_group *group)
{
    if (atomic_load(&group->locked_count) == 0)
        return;
    for (struct postgres_member **at = &group->queue; *at != NULL;) {
        struct postgres_member *member = *at;
        if (!postgres_locked_has(group, member->key)) {
            at = &member->next;
            continue;
        }
        dequeue(group, at);
        member->state = ENDED;
        member->outcome = LEFT_OUT;
        sem_post(&member->woken);
    }
}

/* Forms a group from the queue: the writes with the same first statement as the oldest, except
 * those with a key that the group already has. With several kinds of writes in a group, one node
 * could lock tokens and then users, and another node users and then tokens. All members wait for
 * their first statement, so any of them can advance the group. */
static void
form(struct postgres_group *group)
{
    end_locked(group);
    group->begun = group->failed = group->blocked = false;
    group->touched.count = 0;
    group->touched.all = false;
    group->began = clock_ticks_ns();
    const struct sql *kind = group->queue == NULL ? NULL : group->queue->asked.sql;
    for (struct postgres_member **at = &group->queue;
         *at != NULL && group->count < POSTGRES_GROUP_MAX;) {
        struct postgres_member *member = *at;
        if (member->asked.sql != kind || has_key(group, member->key)) {
            at = &member->next;
            continue;
        }
        dequeue(group, at);
        member->state = ASKING;
        group->members[group->count++] = member;
    }
}

static bool
is_asking(const struct postgres_group *group)
{
    for (size_t i = 0; i < group->count; i++)
        if (group->members[i]->state == ASKING)
            return true;
    return false;
}

/* ---- members; call with the lock held ---- */

/* Gives the members that the leader has advanced their new state. Returns their number. */
static size_t
set_states(struct postgres_group *group, bool asking, enum outcome outcome,
           struct postgres_member **changed)
{
    size_t count = 0;
    for (size_t i = 0; i < group->count; i++) {
        struct postgres_member *member = group->members[i];
        if (asking && member->state != ASKING)
            continue;
        member->state = asking ? RUNNING : ENDED;
        member->outcome = outcome;
        group->running += asking ? 1 : 0;
        changed[count++] = member;
    }
    return count;
}

/* No member runs: their statements are run, or the group ends and the next one forms. Releases the
 * lock, and wakes the others only then: with the lock, each would wait for it. A member may be gone
 * as soon as it is woken. Returns whether the state of the leader has changed. */
static bool
advance(struct postgres_store *store, const struct postgres_member *leader)
{
    struct postgres_group *group = store->group;
    struct postgres_member *changed[POSTGRES_GROUP_MAX], *next = NULL;
    bool asking = is_asking(group);
    enum outcome outcome = CONFLICT;
    pthread_mutex_unlock(&group->lock);
    if (asking)
        postgres_group_run(store);
    else
        outcome = postgres_group_end(store);
    pthread_mutex_lock(&group->lock);
    size_t count = set_states(group, asking, outcome, changed);
    if (!asking) {
        atomic_fetch_add(&store->groups, 1);
        for (size_t i = 0; i < count && group->blocked; i++)
            changed[i]->locked = postgres_locked_add(group, changed[i]->key);
        group->count = 0;
        form(group);
        if (group->count > 0) {
            next = group->members[0];
            next->leads = true;
        }
    }
    pthread_mutex_unlock(&group->lock);
    if (next != NULL)
        sem_post(&next->woken);
    bool leader_changed = false;
    for (size_t i = 0; i < count; i++) {
        if (changed[i] == leader)
            leader_changed = true;
        else
            sem_post(&changed[i]->woken);
    }
    return leader_changed;
}

/* A queued write that no group has taken in time. */
static bool
give_up(struct postgres_group *group, struct postgres_member *member)
{
    struct postgres_member **at = &group->queue;
    while (*at != NULL && *at != member)
        at = &(*at)->next;
    if (*at == NULL)
        return false;
    dequeue(group, at);
    member->state = ENDED;
    member->outcome = CONFLICT;
    return true;
}

static void
wait_until_woken(struct postgres_member *member)
{
    while (sem_wait(&member->woken) != 0)
        ; /* a signal */
}

/* Waits in the queue for a limited time; in a group, as long as the group takes. */
static void
wait_in_queue(struct postgres_store *store, struct postgres_member *member)
{
    struct postgres_group *group = store->group;
    int64_t until = member->began + store->borrow_ms * 1000000;
    if (clock_sem_wait(&member->woken, until))
        return;
    pthread_mutex_lock(&group->lock);
    bool gave_up = give_up(group, member);
    pthread_mutex_unlock(&group->lock);
    if (!gave_up)
        wait_until_woken(member);
}

/* Call with the lock held; releases it. Waits until the member's state changes. The last
 * member to wait advances the group; so does the first member of a new group, which is woken for
 * that. No other member does, so that each is woken exactly once for each wait. */
static void
wait_for_others(struct postgres_store *store, struct postgres_member *member)
{
    struct postgres_group *group = store->group;
    bool queued = member->state == QUEUED, last = !queued && group->running == 0;
    if (!last) {
        pthread_mutex_unlock(&group->lock);
        if (queued)
            wait_in_queue(store, member);
        else
            wait_until_woken(member);
        if (!member->leads)
            return;
        member->leads = false;
        pthread_mutex_lock(&group->lock);
    }
    if (!advance(store, member)) /* it has finished, and others have not */
        wait_until_woken(member);
}

static bool
are_equal(const struct postgres_request *request, const struct db_value *values, size_t count)
{
    bool equal = request->count == count;
    for (size_t i = 0; i < count && equal; i++)
        equal = request->values[i].type == values[i].type &&
                request->values[i].number == values[i].number &&
                (values[i].type != DB_TEXT || str_eq(request->values[i].text, values[i].text));
    return equal;
}

enum err
postgres_group_query(struct postgres_member *member, struct arena *mem, const struct sql *sql,
                     const struct db_value *values, size_t count, struct db_rows *rows)
{
    struct postgres_store *store = (struct postgres_store *)member->tx.tx.db;
    struct postgres_group *group = store->group;
    for (struct postgres_request **at = &member->prefetches; *at != NULL; at = &(*at)->next) {
        struct postgres_request *prefetched = *at;
        if (prefetched->done && prefetched->sql == sql && are_equal(prefetched, values, count)) {
            *rows = prefetched->rows;
            *at = prefetched->next;
            return ERR_NONE;
        }
    }
    if (member->state == ENDED) /* it gave up, or was left out */
        return ERR_UNAVAILABLE;
    member->asked =
        (struct postgres_request){ .sql = sql, .values = values, .count = count, .mem = mem };
    pthread_mutex_lock(&group->lock);
    if (member->state == OUTSIDE) {
        enqueue(group, member);
        if (group->count == 0)
            form(group);
    } else {
        member->state = ASKING;
        group->running--;
    }
    if (member->state == ENDED) { /* it was left out at once */
        pthread_mutex_unlock(&group->lock);
        return ERR_UNAVAILABLE;
    }
    wait_for_others(store, member);
    *rows = member->asked.rows;
    return member->asked.done ? ERR_NONE : ERR_UNAVAILABLE;
}

static struct postgres_request *
later(struct arena *mem, const struct sql *sql, const struct db_value *values, size_t count)
{
    struct postgres_request *request = ARENA_NEW(mem, struct postgres_request);
    struct db_value *copy = ARENA_ARRAY(mem, struct db_value, count);
    memcpy(copy, values, count * sizeof *values);
    *request = (struct postgres_request){ .sql = sql, .values = copy, .count = count, .mem = mem };
    return request;
}

bool
postgres_group_put(struct db_tx *tx, struct arena *mem, size_t number,
                   const struct db_value *values, size_t count)
{
    struct postgres_member *member = ((struct postgres_tx *)tx)->member;
    if (member == NULL || member->state == OUTSIDE || !postgres_values_storable(values, count))
        return false;
    *member->puts_end = later(mem, db_statement(number), values, count);
    (*member->puts_end)->must_change = true;
    member->puts_end = &(*member->puts_end)->next;
    return true;
}

void
postgres_group_prefetch(struct db_tx *tx, struct arena *mem, size_t number,
                        const struct db_value *values, size_t count)
{
    struct postgres_member *member = ((struct postgres_tx *)tx)->member;
    if (member == NULL || !postgres_values_storable(values, count))
        return;
    struct postgres_request *request = later(mem, db_statement(number), values, count);
    request->next = member->prefetches;
    member->prefetches = request;
}

/* ---- the transaction as one member sees it ---- */

static enum outcome
finish(struct postgres_store *store, struct postgres_member *member, enum err err)
{
    struct postgres_group *group = store->group;
    if (member->state == ENDED) /* it gave up, or was left out */
        return member->outcome;
    pthread_mutex_lock(&group->lock);
    member->state = FINISHED;
    if (err) {
        member->puts = NULL;
        group->failed = group->failed || member->wrote;
    }
    group->running--;
    wait_for_others(store, member);
    return member->outcome;
}

/* Runs the work as a member of a group. Only with DONE, `err` is its result. */
static enum outcome
run_in_group(struct postgres_store *store, struct postgres_member *member, db_work *work,
             void *argument, enum err *err)
{
    sem_init(&member->woken, 0, 0);
    *err = work(&member->tx.tx, argument);
    if (!*err)
        *err = member->tx.tx.broken;
    enum outcome outcome = DONE;
    if (member->state != OUTSIDE) /* otherwise no statement has run */
        outcome = finish(store, member, *err);
    sem_destroy(&member->woken);
    if (outcome == DONE || outcome == UNKNOWN)
        atomic_fetch_add(&store->transactions, 1);
    if (outcome == DONE)
        store->db.is_full = false;
    return outcome;
}

/* After the group failed, or instead of joining one. */
static enum err
run_alone(struct postgres_store *store, struct postgres_locked *locked, db_work *work,
          void *argument, int64_t began)
{
    enum err err = ERR_UNAVAILABLE;
    if (postgres_is_in_time(began, store))
        err = postgres_write_since(&store->db, work, argument, began);
    else
        atomic_fetch_add(&store->failed, 1);
    if (locked != NULL)
        postgres_locked_end(store->group, locked, err == ERR_UNAVAILABLE || err == ERR_UNCONFIRMED);
    return err;
}

/* Until when a write that began then may wait for another one with its key. */
static int64_t
wait_until(const struct postgres_store *store, int64_t began)
{
    return began + clock_earlier(store->deadline_ms, store->borrow_ms) * 1000000;
}

enum err
postgres_write_shared(struct db *db, struct str key, db_work *work, void *argument)
{
    struct postgres_store *store = (struct postgres_store *)db;
    int64_t began = clock_ticks_ns();
    if (!postgres_may_write(store))
        return postgres_write(db, work, argument, false);
    struct postgres_locked *locked = NULL;
    enum outcome outcome;
    enum err err = ERR_NONE;
    do {
        switch (postgres_locked_wait(store->group, key, wait_until(store, began), &locked)) {
        case LOCKED_TOGETHER:
            break;
        case LOCKED_ALONE:
            return run_alone(store, locked, work, argument, began);
        case LOCKED_REFUSED:
            atomic_fetch_add(&store->failed, 1);
            return ERR_UNAVAILABLE;
        }
        struct postgres_member member = { .tx = { .tx = { .db = db, .shared = true },
                                                  .member = &member },
                                          .key = key,
                                          .began = began,
                                          .puts_end = &member.puts };
        outcome = run_in_group(store, &member, work, argument, &err);
        locked = member.locked;
    } while (outcome == LEFT_OUT);
    if (outcome == DONE)
        return err;
    if (outcome == UNKNOWN) {
        atomic_fetch_add(&store->failed, 1);
        return ERR_UNCONFIRMED;
    }
    if (postgres_is_in_time(began, store))
        atomic_fetch_add(&store->retries, 1);
    return run_alone(store, locked, work, argument, began);
}
