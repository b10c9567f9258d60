/* usage_counters_refusals.c - the refusals of usage_counters.h: one table with its own lock. */
#include "base/arena.h"
#include "job/usage_counters.h"
#include "job/usage_counters_internal.h"

#include <string.h>

#define REFUSALS_OF_APP_MAX 32 /* kinds of refusal per app */

/* A text that is too long is cut. */
static void
copy_text(char *into, size_t size, struct str text)
{
    size_t length = text.len < size - 1 ? text.len : size - 1;
    if (length > 0)
        memcpy(into, text.ptr, length);
    into[length] = '\0';
}

/* Sets the fields that identify a kind of refusal. */
static void
set_kind(struct counted_refusal *out, const struct refusal *refusal)
{
    memcpy(out->app, refusal->app_id.ptr, sizeof out->app);
    copy_text(out->endpoint, sizeof out->endpoint, refusal->endpoint);
    copy_text(out->error, sizeof out->error, refusal->error);
    copy_text(out->reason, sizeof out->reason, refusal->reason);
}

/* The slot of the same kind, or a free one; NULL: the table or the app's share is full. */
static struct counted_refusal *
find_refusal(struct usage_counters *counters, const struct counted_refusal *wanted)
{
    struct counted_refusal *free_slot = NULL;
    size_t of_app = 0;
    for (size_t i = 0; i < USAGE_REFUSALS_MAX; i++) {
        struct counted_refusal *one = &counters->refusals[i];
        if (one->times == 0) {
            free_slot = free_slot == NULL ? one : free_slot;
            continue;
        }
        if (memcmp(one->app, wanted->app, sizeof one->app) != 0)
            continue;
        of_app++;
        if (strcmp(one->endpoint, wanted->endpoint) == 0 &&
            strcmp(one->error, wanted->error) == 0 && strcmp(one->reason, wanted->reason) == 0)
            return one;
    }
    return of_app < REFUSALS_OF_APP_MAX ? free_slot : NULL;
}

/* Cleans the texts before the lock is taken, since that takes longest. Refusals are rare, so one
 * lock is enough. */
void
usage_counters_add_refusal(struct usage_counters *counters, struct arena *mem,
                           const struct refusal *refusal)
{
    struct counted_refusal wanted = { .times = refusal->times,
                                      .first_at = refusal->first_at,
                                      .last_at = refusal->last_at };
    if (!usage_counters_is_app(refusal->app_id) || refusal->times <= 0)
        return;
    struct refusal clean = *refusal;
    clean.endpoint = refusal_clean(mem, refusal->endpoint, sizeof wanted.endpoint - 1);
    clean.error = refusal_clean(mem, refusal->error, sizeof wanted.error - 1);
    clean.reason = refusal_clean(mem, refusal->reason, sizeof wanted.reason - 1);
    set_kind(&wanted, &clean);
    copy_text(wanted.detail, sizeof wanted.detail,
              refusal_clean(mem, refusal->detail, sizeof wanted.detail - 1));

    pthread_mutex_lock(&counters->refusal_lock);
    struct counted_refusal *slot = find_refusal(counters, &wanted);
    if (slot == NULL)
        usage_counters_drop(counters);
    else if (slot->times == 0)
        *slot = wanted;
    else {
        slot->times += wanted.times;
        slot->last_at = wanted.last_at;
        memcpy(slot->detail, wanted.detail, sizeof slot->detail);
    }
    pthread_mutex_unlock(&counters->refusal_lock);
}

/* The texts are copied, because the entry may be reused for another refusal after the lock is
 * released. */
static struct refusal
copy_refusal(struct arena *mem, const struct counted_refusal *kept)
{
    return (struct refusal){
        .app_id = str_copy(mem, (struct str){ kept->app, sizeof kept->app }),
        .endpoint = str_copy(mem, str_of(kept->endpoint)),
        .error = str_copy(mem, str_of(kept->error)),
        .reason = str_copy(mem, str_of(kept->reason)),
        .detail = str_copy(mem, str_of(kept->detail)),
        .times = kept->times,
        .first_at = kept->first_at,
        .last_at = kept->last_at,
    };
}

/* Without an app, all refusals. They stay in memory until they were written. */
void
usage_counters_peek_refusals(struct usage_counters *counters, struct arena *mem, struct str app,
                             struct refusal **refusals, size_t *count)
{
    struct refusal *out = ARENA_ARRAY(mem, struct refusal, USAGE_REFUSALS_MAX);
    *count = 0;
    pthread_mutex_lock(&counters->refusal_lock);
    for (size_t i = 0; i < USAGE_REFUSALS_MAX; i++) {
        const struct counted_refusal *one = &counters->refusals[i];
        if (one->times == 0 ||
            (str_present(app) && !str_eq(app, (struct str){ one->app, sizeof one->app })))
            continue;
        out[(*count)++] = copy_refusal(mem, one);
    }
    pthread_mutex_unlock(&counters->refusal_lock);
    *refusals = out;
}

/* By app first, as usage.c needs it. The texts are copies that end in NUL. */
static int
compare_refusals(const void *left, const void *right)
{
    const struct refusal *a = left, *b = right;
    int order = memcmp(a->app_id.ptr, b->app_id.ptr, USAGE_ID_LENGTH);
    if (order == 0)
        order = strcmp(a->endpoint.ptr, b->endpoint.ptr);
    return order != 0 ? order : strcmp(a->reason.ptr, b->reason.ptr);
}

void
usage_counters_list_refusals(struct usage_counters *counters, struct arena *mem,
                             struct refusal **refusals, size_t *count)
{
    usage_counters_peek_refusals(counters, mem, STR_NONE, refusals, count);
    if (*count > 1)
        qsort(*refusals, *count, sizeof **refusals, compare_refusals);
}

/* Subtracts what was written: requests may have added to the same kind meanwhile. At 0 the slot is
 * free. */
void
usage_counters_remove_refusals(struct usage_counters *counters, const struct refusal *written,
                               size_t count)
{
    pthread_mutex_lock(&counters->refusal_lock);
    for (size_t i = 0; i < count; i++) {
        struct counted_refusal kind = { 0 };
        set_kind(&kind, &written[i]);
        struct counted_refusal *one = find_refusal(counters, &kind);
        if (one != NULL && one->times > 0)
            one->times -= written[i].times;
    }
    pthread_mutex_unlock(&counters->refusal_lock);
}
