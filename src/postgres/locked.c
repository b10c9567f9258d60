/* locked.c - the keys of shared writes whose rows another program has locked.
 *
 * A group waits for a lock for a short time only (begin.c). Then its members run alone, and their
 * keys stay out of groups until one of their writes succeeds: of the writes with such a key one
 * runs alone, and the others wait for its result without a connection. So the lock of a row delays
 * the writes with its key, and other writes once, and occupies one connection. */
#include "postgres/group.h"

#include "base/clock.h"

#include <string.h>

#define WAITING_MAX 16 /* for one key: each occupies a worker thread */
#define KEEP_NS ((int64_t)60 * 1000000000)

static struct postgres_locked *
find(struct postgres_group *group, struct str key)
{
    for (size_t i = 0; i < POSTGRES_LOCKED_MAX; i++) {
        struct postgres_locked *locked = &group->locked[i];
        struct str is = { locked->key, locked->length };
        if (locked->state != LOCKED_UNUSED && str_eq(is, key))
            return locked;
    }
    return NULL;
}

/* One that is not in use, or else the oldest that may be forgotten. NULL: none. */
static struct postgres_locked *
find_place(struct postgres_group *group)
{
    struct postgres_locked *oldest = NULL;
    for (size_t i = 0; i < POSTGRES_LOCKED_MAX; i++) {
        struct postgres_locked *locked = &group->locked[i];
        if (locked->state == LOCKED_UNUSED)
            return locked;
        if (locked->state == LOCKED_FAILED && locked->waiting == 0 &&
            (oldest == NULL || locked->ended_at < oldest->ended_at))
            oldest = locked;
    }
    return oldest;
}

/* Unused, unless others wait for it: the last of them calls this again. */
static void
forget(struct postgres_group *group, struct postgres_locked *locked)
{
    if (locked->waiting > 0 || locked->state == LOCKED_UNUSED)
        return;
    locked->state = LOCKED_UNUSED;
    atomic_fetch_sub(&group->locked_count, 1);
}

bool
postgres_locked_has(struct postgres_group *group, struct str key)
{
    struct postgres_locked *locked =
        atomic_load(&group->locked_count) == 0 ? NULL : find(group, key);
    if (locked != NULL && locked->state == LOCKED_FAILED &&
        clock_ticks_ns() - locked->ended_at > KEEP_NS)
        forget(group, locked);
    return locked != NULL && (locked->state == LOCKED_RUNNING || locked->state == LOCKED_FAILED);
}

struct postgres_locked *
postgres_locked_add(struct postgres_group *group, struct str key)
{
    struct postgres_locked *locked = find(group, key); /* others may still wait for its end */
    if (locked == NULL)
        locked = key.len > POSTGRES_LOCKED_KEY_MAX ? NULL : find_place(group);
    if (locked == NULL)
        return NULL;
    if (locked->state == LOCKED_UNUSED)
        atomic_fetch_add(&group->locked_count, 1);
    memcpy(locked->key, key.ptr, key.len);
    locked->length = key.len;
    locked->state = LOCKED_RUNNING;
    return locked;
}

/* Waits for the end of the write that runs. Whether it succeeded. */
static bool
wait_for_end(struct postgres_group *group, struct postgres_locked *locked, int64_t until)
{
    uint64_t failures = locked->failures;
    bool late = false;
    locked->waiting++;
    while (locked->state == LOCKED_RUNNING && locked->failures == failures && !late)
        late = !clock_cond_wait(&group->locked_ended, &group->lock, until);
    locked->waiting--;
    bool good = locked->failures == failures && !late;
    if (locked->state == LOCKED_SUCCEEDED)
        forget(group, locked);
    return good;
}

enum postgres_locked_turn
postgres_locked_wait(struct postgres_group *group, struct str key, int64_t until,
                     struct postgres_locked **out)
{
    enum postgres_locked_turn turn = LOCKED_TOGETHER;
    if (atomic_load(&group->locked_count) == 0)
        return turn;
    pthread_mutex_lock(&group->lock);
    while (turn == LOCKED_TOGETHER && postgres_locked_has(group, key)) {
        struct postgres_locked *locked = find(group, key);
        if (locked->state == LOCKED_FAILED) {
            locked->state = LOCKED_RUNNING;
            *out = locked;
            turn = LOCKED_ALONE;
        } else if (locked->waiting >= WAITING_MAX || !wait_for_end(group, locked, until))
            turn = LOCKED_REFUSED;
    }
    pthread_mutex_unlock(&group->lock);
    return turn;
}

void
postgres_locked_end(struct postgres_group *group, struct postgres_locked *locked, bool failed)
{
    pthread_mutex_lock(&group->lock);
    locked->state = failed ? LOCKED_FAILED : LOCKED_SUCCEEDED;
    locked->failures += failed ? 1 : 0;
    locked->ended_at = clock_ticks_ns();
    if (!failed)
        forget(group, locked);
    pthread_cond_broadcast(&group->locked_ended);
    pthread_mutex_unlock(&group->lock);
}
