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
#include "net/public_address.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define POLL_MS 250 /* between two checks of the deadlines while a transfer runs */
/* libcurl would read the whole folder for each transfer, which has every certificate three times.
 */
#define BUNDLE "/etc/ssl/certs/ca-certificates.crt"
#define HEADER_MAX 200 /* of a header that is kept; a longer one is cut, which makes it invalid */

/* One document that is fetched, for all callers that wait for its URL. */
struct transfer {
    struct transfer *next;
    struct fetch *callers;
    char *url;
    char *host;
    bool local; /* its addresses are not checked */
    CURL *curl; /* NULL: not running yet */
    int64_t deadline_ms;
    bool forbidden; /* an address was refused */
    bool too_large;
    size_t head_size;
    size_t body_size;
    char type[HEADER_MAX];
    char cache_control[HEADER_MAX];
    char body[FETCH_BODY_MAX];
};

struct fetcher {
    struct fetch_settings settings;
    pthread_t thread;
    CURLM *multi;
    struct curl_slist *headers;
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

/* ---- callbacks of libcurl ---- */

/* Opens the socket for an address of the host, so that exactly the address that was checked is
 * used. */
static curl_socket_t
open_socket(void *argument, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct transfer *transfer = argument;
    if (purpose != CURLSOCKTYPE_IPCXN)
        return CURL_SOCKET_BAD;
    if (!transfer->local && !public_address(&address->addr)) {
        transfer->forbidden = true;
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* Returning an error ends the transfer. */
static size_t
add_body(char *data, size_t size, size_t count, void *argument)
{
    struct transfer *transfer = argument;
    size_t bytes = size * count;
    if (bytes > FETCH_BODY_MAX - transfer->body_size) {
        transfer->too_large = true;
        return CURL_WRITEFUNC_ERROR;
    }
    memcpy(transfer->body + transfer->body_size, data, bytes);
    transfer->body_size += bytes;
    return bytes;
}

/* Keeps the value if the line is this header. A repeated header is kept joined by a comma, which
 * makes a repeated Content-Type invalid (RFC 9110 §5.3). */
static void
keep_header(struct str line, struct str name, char out[HEADER_MAX])
{
    size_t colon = str_index(line, ':');
    if (!str_eq_nocase(str_first(line, colon), name))
        return;
    struct str value = str_trim(str_from(line, colon + 1));
    size_t at = strlen(out);
    if (at > 0 && at + 2 < HEADER_MAX)
        out[at++] = ',';
    size_t length = value.len < HEADER_MAX - 1 - at ? value.len : HEADER_MAX - 1 - at;
    if (length > 0)
        memcpy(out + at, value.ptr, length);
    out[at + length] = '\0';
}

/* The limit holds for all headers together. Only two of them are kept. */
static size_t
add_header(char *data, size_t size, size_t count, void *argument)
{
    struct transfer *transfer = argument;
    struct str line = { data, size * count };
    transfer->head_size += line.len;
    if (transfer->head_size > FETCH_HEAD_MAX) {
        transfer->too_large = true;
        return 0;
    }
    while (line.len > 0 && (data[line.len - 1] == '\n' || data[line.len - 1] == '\r'))
        line.len--;
    if (str_starts(line, STR("HTTP/"))) /* a final response after an interim one (1xx) */
        transfer->type[0] = transfer->cache_control[0] = '\0';
    keep_header(line, STR("content-type"), transfer->type);
    keep_header(line, STR("cache-control"), transfer->cache_control);
    return size * count;
}

/* ---- one transfer; call these on the thread ---- */

/* Each option closes a way to make the service connect to another host or reveal something: other
 * protocols, redirects, proxies and passwords of the environment, and reused connections, whose
 * address would not be checked again. */
static bool
set_options(const struct fetcher *fetcher, struct transfer *transfer)
{
    CURL *curl = transfer->curl = curl_easy_init();
    if (curl == NULL)
        return false;
    curl_easy_setopt(curl, CURLOPT_PRIVATE, transfer);
    curl_easy_setopt(curl, CURLOPT_URL, transfer->url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "https");
    curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl, CURLOPT_PROXY, ""); /* ignore the environment */
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, fetcher->headers);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, fetcher->settings.user_agent);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)(fetcher->settings.time_ms * 3 / 5));
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)fetcher->settings.time_ms);
    curl_easy_setopt(curl, CURLOPT_DNS_CACHE_TIMEOUT, 0L);
    curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, 1L);
    curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, 1L);
    curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L); /* do not wait for a slow name server */
    curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 2L);
    if (fetcher->settings.ca_file != NULL) {
        curl_easy_setopt(curl, CURLOPT_CAINFO, fetcher->settings.ca_file);
        curl_easy_setopt(curl, CURLOPT_CAPATH, NULL);
    }
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, transfer);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, add_header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, transfer);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, add_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, transfer);
    return curl_multi_add_handle(fetcher->multi, curl) == CURLM_OK;
}

/* A handle must be removed from the multi handle before it is cleaned up. */
static void
free_transfer(struct fetcher *fetcher, struct transfer *transfer)
{
    if (transfer->curl != NULL) {
        curl_multi_remove_handle(fetcher->multi, transfer->curl);
        curl_easy_cleanup(transfer->curl);
    }
    free(transfer->url);
    free(transfer->host);
    free(transfer);
}

/* Copies the result into the caller's memory and notifies it. The caller may be gone afterwards. */
static void
notify(const struct transfer *transfer, struct fetch *fetch, enum fetch_result result, long status)
{
    fetch->result = result;
    if (result == FETCH_DONE) {
        fetch->status = (int)status;
        fetch->type = STR_NONE;
        fetch->cache_control = STR_NONE;
        if (transfer->type[0] != '\0')
            fetch->type = str_copy(fetch->mem, str_of(transfer->type));
        if (transfer->cache_control[0] != '\0')
            fetch->cache_control = str_copy(fetch->mem, str_of(transfer->cache_control));
        fetch->body = str_copy(fetch->mem, (struct str){ transfer->body, transfer->body_size });
    }
    fetch->ready(fetch->context);
}

/* Removes the transfer first, so that a new caller starts another one. */
static void
finish(struct fetcher *fetcher, struct transfer *transfer, enum fetch_result result)
{
    long status = 0;
    if (transfer->curl != NULL)
        curl_easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE, &status);
    pthread_mutex_lock(&fetcher->lock);
    struct transfer **at = &fetcher->transfers;
    while (*at != transfer)
        at = &(*at)->next;
    *at = transfer->next;
    *(transfer->curl == NULL ? &fetcher->queued : &fetcher->running) -= 1;
    fetcher->results[result]++;
    struct fetch *caller = transfer->callers;
    for (const struct fetch *one = caller; one != NULL; one = one->next)
        fetcher->callers--;
    pthread_mutex_unlock(&fetcher->lock);
    while (caller != NULL) {
        struct fetch *next = caller->next;
        notify(transfer, caller, result, status);
        caller = next;
    }
    free_transfer(fetcher, transfer);
}

/* The caller tells the user which of these happened; it never passes on a text of the other
 * host. */
static enum fetch_result
classify_result(const struct transfer *transfer, CURLcode code)
{
    if (code == CURLE_OK)
        return FETCH_DONE;
    if (transfer->too_large)
        return FETCH_TOO_LARGE;
    if (code == CURLE_OPERATION_TIMEDOUT)
        return FETCH_TIMEOUT;
    /* Also if the host has public addresses besides, which did not answer. */
    return transfer->forbidden ? FETCH_FORBIDDEN : FETCH_UNREACHABLE;
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
        finish(fetcher, transfer, classify_result(transfer, code));
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
        count += one->curl != NULL && strcmp(one->host, wanted->host) == 0;
    return count < FETCH_PER_HOST;
}

/* The oldest transfer that may run now, or NULL. Call with the lock held. */
static struct transfer *
next_to_run(const struct fetcher *fetcher)
{
    if (fetcher->running >= FETCH_RUNNING)
        return NULL;
    for (struct transfer *one = fetcher->transfers; one != NULL; one = one->next)
        if (one->curl == NULL && host_is_free(fetcher, one))
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
    bool waits = found != NULL && found->curl == NULL;
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
        bool started = transfer != NULL && set_options(fetcher, transfer);
        if (transfer != NULL && transfer->curl != NULL) {
            fetcher->queued--;
            fetcher->running++;
            transfer->deadline_ms = clock_steady_ms() + fetcher->settings.time_ms;
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
    fetcher->settings = *settings;
    if (settings->ca_file == NULL && access(BUNDLE, R_OK) == 0)
        fetcher->settings.ca_file = BUNDLE;
    fetcher->multi = curl_multi_init();
    fetcher->headers = curl_slist_append(NULL, "Accept: application/json");
    pthread_mutex_init(&fetcher->lock, NULL);
    pthread_cond_init(&fetcher->wanted, NULL);
    bool started = fetcher->multi != NULL && fetcher->headers != NULL &&
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
    curl_slist_free_all(fetcher->headers);
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
    transfer->local = is_listed(fetcher->settings.local_hosts, fetch->host);
    transfer->deadline_ms = clock_steady_ms() + fetcher->settings.time_ms; /* until it may run */
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
