/* fetch.c - one thread with a libcurl multi handle runs all transfers.
 *
 * A transfer waits in the list until the limits of transfers allow it to run, in all and per host;
 * then it has a handle and belongs to the thread. Callers with the same URL join it, also while it
 * runs. `lock` protects the list; no callback of a caller runs with it held. A transfer has one
 * deadline while it waits and another while it runs. */
#include "net/fetch.h"

#include "base/arena.h"
#include "base/background.h"
#include "base/clock.h"
#include "base/metric.h"
#include "net/https_get.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define POLL_MS 250 /* between two checks of the deadlines while a transfer runs */
/* libcurl would read the whole folder for each transfer, which has every certificate three times.
 */
#define BUNDLE "/etc/ssl/certs/ca-certificates.crt"

/* One document that is fetched, for all callers that wait for its URL. */
struct transfer {
    struct transfer *next;
    struct fetch *callers;
    char *url;
    char *host;
    int64_t deadline_ms;
    struct https_get get; /* without a handle: not running yet */
};

struct fetcher {
    struct https_get_options options;
    struct str local_hosts;
    pthread_t thread;
    CURLM *multi;
    pthread_mutex_t lock;  /* for everything below; a running transfer belongs to the thread */
    pthread_cond_t wanted; /* a transfer, or the end */
    struct transfer *transfers;
    size_t queued;
    size_t running;
    size_t callers;
    uint64_t results[FETCH_BUSY + 1];
    bool cancelled;
    bool stopping;
};

/* ---- the end of a transfer; call these on the thread ---- */

/* Copies the result into the caller's memory and notifies it. The caller may be gone afterwards. */
static void
notify(const struct https_get *get, struct fetch *fetch, enum fetch_result result, long status)
{
    fetch->result = result;
    if (result == FETCH_DONE) {
        fetch->status = (int)status;
        fetch->type = STR_NONE;
        fetch->cache_control = STR_NONE;
        if (get->type[0] != '\0')
            fetch->type = str_copy(fetch->mem, str_of(get->type));
        if (get->cache_control[0] != '\0')
            fetch->cache_control = str_copy(fetch->mem, str_of(get->cache_control));
        fetch->body = str_copy(fetch->mem, (struct str){ get->body, get->body_size });
    }
    fetch->ready(fetch->context);
}

/* Removes the transfer first, so that a new caller starts another one. */
static void
finish(struct fetcher *fetcher, struct transfer *transfer, enum fetch_result result)
{
    long status = 0;
    if (transfer->get.curl != NULL)
        curl_easy_getinfo(transfer->get.curl, CURLINFO_RESPONSE_CODE, &status);
    pthread_mutex_lock(&fetcher->lock);
    struct transfer **at = &fetcher->transfers;
    while (*at != transfer)
        at = &(*at)->next;
    *at = transfer->next;
    *(transfer->get.curl == NULL ? &fetcher->queued : &fetcher->running) -= 1;
    fetcher->results[result]++;
    struct fetch *caller = transfer->callers;
    for (const struct fetch *one = caller; one != NULL; one = one->next)
        fetcher->callers--;
    pthread_mutex_unlock(&fetcher->lock);
    while (caller != NULL) {
        struct fetch *next = caller->next;
        notify(&transfer->get, caller, result, status);
        caller = next;
    }
    https_get_end(&transfer->get, fetcher->multi);
    free(transfer->url);
    free(transfer->host);
    free(transfer);
}

/* The caller tells the user which of these happened; it never passes on a text of the other
 * host. */
static enum fetch_result
classify_result(const struct https_get *get, CURLcode code)
{
    if (code == CURLE_OK)
        return FETCH_DONE;
    if (get->too_large)
        return FETCH_TOO_LARGE;
    if (code == CURLE_OPERATION_TIMEDOUT)
        return FETCH_TIMEOUT;
    /* Also if the host has public addresses besides, which did not answer. */
    return get->forbidden ? FETCH_FORBIDDEN : FETCH_UNREACHABLE;
}

/* Reads all results that curl_multi_perform() has produced. */
static void
finish_completed(struct fetcher *fetcher)
{
    CURLMsg *message;
    int left;
    while ((message = curl_multi_info_read(fetcher->multi, &left)) != NULL) {
        struct transfer *transfer = NULL;
        if (message->msg != CURLMSG_DONE)
            continue;
        CURLcode code = message->data.result; /* invalid after the handle is removed */
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
        finish(fetcher, transfer, classify_result(&transfer->get, code));
    }
}

/* ---- the thread ---- */

/* At most FETCH_PER_HOST connections at once, so that this service cannot be used against a
 * host. */
static bool
host_is_free(const struct fetcher *fetcher, const struct transfer *wanted)
{
    size_t count = 0;
    for (const struct transfer *one = fetcher->transfers; one != NULL; one = one->next)
        count += one->get.curl != NULL && strcmp(one->host, wanted->host) == 0;
    return count < FETCH_PER_HOST;
}

/* The oldest transfer that may run now, or NULL. Call with the lock held. */
static struct transfer *
next_to_run(const struct fetcher *fetcher)
{
    if (fetcher->running >= FETCH_RUNNING)
        return NULL;
    for (struct transfer *one = fetcher->transfers; one != NULL; one = one->next)
        if (one->get.curl == NULL && host_is_free(fetcher, one))
            return one;
    return NULL;
}

/* The first transfer that has to end before it is complete, or NULL. */
static struct transfer *
next_to_end(struct fetcher *fetcher, enum fetch_result *result)
{
    int64_t now = clock_steady_ms();
    pthread_mutex_lock(&fetcher->lock);
    struct transfer *found = fetcher->transfers;
    while (found != NULL && !fetcher->cancelled && found->deadline_ms > now)
        found = found->next;
    bool waits = found != NULL && found->get.curl == NULL;
    *result = fetcher->cancelled || waits ? FETCH_BUSY : FETCH_TIMEOUT;
    pthread_mutex_unlock(&fetcher->lock);
    return found;
}

/* A transfer that cannot start has a handle or not; finish() handles both. */
static void
start_transfers(struct fetcher *fetcher)
{
    for (;;) {
        pthread_mutex_lock(&fetcher->lock);
        struct transfer *transfer = next_to_run(fetcher);
        bool started = transfer != NULL && https_get_begin(&transfer->get, transfer->url,
                                                           &fetcher->options, fetcher->multi);
        if (transfer != NULL && transfer->get.curl != NULL) {
            curl_easy_setopt(transfer->get.curl, CURLOPT_PRIVATE, transfer);
            fetcher->queued--;
            fetcher->running++;
            transfer->deadline_ms = clock_steady_ms() + fetcher->options.time_ms;
        }
        pthread_mutex_unlock(&fetcher->lock);
        if (transfer == NULL)
            return;
        if (!started)
            finish(fetcher, transfer, FETCH_BUSY);
    }
}

/* Ends transfers that are too late, starts waiting ones, and lets libcurl work, in turn. Sleeps
 * without transfers. */
static void *
run(void *argument)
{
    struct fetcher *fetcher = argument;
    for (;;) {
        int running = 0;
        enum fetch_result result;
        struct transfer *transfer;
        while ((transfer = next_to_end(fetcher, &result)) != NULL)
            finish(fetcher, transfer, result);
        start_transfers(fetcher);
        curl_multi_perform(fetcher->multi, &running);
        finish_completed(fetcher);
        pthread_mutex_lock(&fetcher->lock);
        bool idle = fetcher->transfers == NULL;
        while (fetcher->transfers == NULL && !fetcher->stopping)
            pthread_cond_wait(&fetcher->wanted, &fetcher->lock);
        bool stop = fetcher->stopping && fetcher->transfers == NULL;
        pthread_mutex_unlock(&fetcher->lock);
        if (stop)
            return NULL;
        if (!idle)
            curl_multi_poll(fetcher->multi, NULL, 0, POLL_MS, NULL);
    }
}

/* Aborts on failure: this happens at the start only. Without a setting, Debian's bundle of
 * certificate authorities is used. */
struct fetcher *
fetcher_start(const struct fetch_settings *settings)
{
    struct fetcher *fetcher = memory_alloc(1, sizeof *fetcher);
    bool has_bundle = settings->ca_file == NULL && access(BUNDLE, R_OK) == 0;
    fetcher->options = (struct https_get_options){
        .ca_file = has_bundle ? BUNDLE : settings->ca_file,
        .user_agent = settings->user_agent,
        .headers = curl_slist_append(NULL, "Accept: application/json"),
        .time_ms = settings->time_ms,
    };
    fetcher->local_hosts = settings->local_hosts;
    fetcher->multi = curl_multi_init();
    pthread_mutex_init(&fetcher->lock, NULL);
    pthread_cond_init(&fetcher->wanted, NULL);
    bool started = fetcher->multi != NULL && fetcher->options.headers != NULL &&
                   background_thread(&fetcher->thread, run, fetcher);
    if (!started)
        abort(); /* at startup: no memory, or no more threads */
    return fetcher;
}

/* Ends all transfers and refuses new ones, so that requests that wait are answered before the
 * service stops. */
void
fetcher_cancel(struct fetcher *fetcher)
{
    if (fetcher == NULL)
        return;
    pthread_mutex_lock(&fetcher->lock);
    fetcher->cancelled = true;
    pthread_mutex_unlock(&fetcher->lock);
    curl_multi_wakeup(fetcher->multi);
}

/* Cancels what still runs, and waits for the thread. */
void
fetcher_free(struct fetcher *fetcher)
{
    if (fetcher == NULL)
        return;
    pthread_mutex_lock(&fetcher->lock);
    fetcher->cancelled = fetcher->stopping = true;
    pthread_cond_signal(&fetcher->wanted);
    pthread_mutex_unlock(&fetcher->lock);
    curl_multi_wakeup(fetcher->multi);
    pthread_join(fetcher->thread, NULL);
    curl_multi_cleanup(fetcher->multi);
    curl_slist_free_all(fetcher->options.headers);
    pthread_cond_destroy(&fetcher->wanted);
    pthread_mutex_destroy(&fetcher->lock);
    free(fetcher);
}

/* ---- callers ---- */

/* The same patterns as in settings: exact names and *.NAME. */
static bool
is_listed(struct str list, struct str host)
{
    struct str word;
    while (str_cut(&list, ' ', &word))
        if (str_starts(word, STR("*.")) ? str_ends(host, str_from(word, 1)) : str_eq(word, host))
            return true;
    return false;
}

static char *
copy(struct str text)
{
    char *out = memory_alloc(1, text.len + 1);
    memcpy(out, text.ptr, text.len);
    return out;
}

/* Adds a transfer after the others. Call with the lock held. */
static struct transfer *
add_transfer(struct fetcher *fetcher, const struct fetch *fetch)
{
    struct transfer *transfer = memory_alloc(1, sizeof *transfer);
    struct transfer **end = &fetcher->transfers;
    transfer->url = copy(fetch->url);
    transfer->host = copy(fetch->host);
    transfer->get.local = is_listed(fetcher->local_hosts, fetch->host);
    transfer->deadline_ms = clock_steady_ms() + fetcher->options.time_ms; /* until it may run */
    while (*end != NULL)
        end = &(*end)->next;
    *end = transfer;
    fetcher->queued++;
    return transfer;
}

/* Call with the lock held. False: there is no place. */
static bool
join(struct fetcher *fetcher, struct fetch *fetch)
{
    struct transfer *transfer = fetcher->transfers;
    while (transfer != NULL && !str_eq_c(fetch->url, transfer->url))
        transfer = transfer->next;
    bool full =
        transfer == NULL && fetcher->running + fetcher->queued >= FETCH_RUNNING + FETCH_QUEUE;
    if (fetcher->cancelled || full || fetcher->callers >= FETCH_CALLERS)
        return false;
    if (transfer == NULL)
        transfer = add_transfer(fetcher, fetch);
    fetch->next = transfer->callers;
    transfer->callers = fetch;
    fetcher->callers++;
    return true;
}

/* ready() is called once, on the fetch thread, or at once if too many requests wait already
 * (FETCH_BUSY). */
void
fetcher_get(struct fetcher *fetcher, struct fetch *fetch, void (*ready)(void *context),
            void *context)
{
    fetch->ready = ready;
    fetch->context = context;
    pthread_mutex_lock(&fetcher->lock);
    bool joined = join(fetcher, fetch);
    fetcher->results[FETCH_BUSY] += joined ? 0 : 1;
    if (joined)
        pthread_cond_signal(&fetcher->wanted);
    pthread_mutex_unlock(&fetcher->lock);
    if (joined) { /* from now on `fetch` belongs to the thread */
        curl_multi_wakeup(fetcher->multi);
        return;
    }
    fetch->result = FETCH_BUSY;
    ready(context);
}

/* Copied under the lock and written without it. */
void
fetcher_write_metrics(struct buf *page, void *context)
{
    static const char *const names[] = { "done",      "unreachable", "timeout",
                                         "too_large", "forbidden",   "busy" };
    struct fetcher *fetcher = context;
    pthread_mutex_lock(&fetcher->lock);
    size_t running = fetcher->running, queued = fetcher->queued, callers = fetcher->callers;
    uint64_t results[FETCH_BUSY + 1];
    memcpy(results, fetcher->results, sizeof results);
    pthread_mutex_unlock(&fetcher->lock);
    metric_put(page, "penchant_fetches_running", "gauge", "Documents being fetched.",
               (int64_t)running);
    metric_put(page, "penchant_fetches_queued", "gauge", "Documents waiting to be fetched.",
               (int64_t)queued);
    metric_put(page, "penchant_fetches_callers", "gauge", "Requests waiting for a document.",
               (int64_t)callers);
    metric_family(page, "penchant_fetches_total", "counter", "Documents fetched, by result.");
    for (size_t i = 0; i <= FETCH_BUSY; i++) {
        char label[40];
        snprintf(label, sizeof label, "result=\"%s\"", names[i]);
        metric_value(page, "penchant_fetches_total", label, (int64_t)results[i]);
    }
}
