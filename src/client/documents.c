/* documents.c - fetches, stores, and remembers client ID metadata documents.
 *
 * A request passes three steps and has no thread while it waits: documents_check() reads the
 * database, documents_wait() passes the URL to the fetcher, documents_finish() stores the document.
 * Several requests for one URL share one transfer, and of their transactions the first one writes
 * (store()). Failures are remembered in memory, so that a client that is opened again and again
 * does not make the service fetch each time. */
#include "client/documents.h"

#include "base/arena.h"
#include "base/log.h"
#include "base/metric.h"
#include "client/document.h"
#include "client/document_url.h"
#include "client/registration.h"
#include "model/host_list.h"
#include "model/logo.h"
#include "net/fetch.h"
#include "store/app_store.h"
#include "store/image_store.h"
#include "store/tx.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define FAILURES 64

/* Why the last attempt to fetch a document failed. */
struct failure {
    char url[DOCUMENT_URL_MAX + 1];
    char problem[400];
    bool temporary; /* the stored app may be used */
    int64_t until;
};

struct documents {
    struct documents_settings settings;
    struct fetcher *fetcher;
    pthread_mutex_t lock; /* for `failures` */
    struct failure failures[FAILURES];
};

/* One request that waits for a document, and then for the logo that the document names. */
struct document_wait {
    struct documents *documents;
    struct fetch fetch;
    struct fetch logo; /* its url is absent: the document names none that is fetched */
    void (*resume)(void *argument);
    void *argument;
};

/* Never NULL; fetcher_start() aborts on failure. */
struct documents *
documents_start(const struct documents_settings *settings)
{
    struct documents *documents = memory_alloc(1, sizeof *documents);
    struct fetch_settings fetch = { settings->ca_file, settings->local_hosts, settings->user_agent,
                                    settings->seconds * 1000 };
    documents->settings = *settings;
    documents->fetcher = fetcher_start(&fetch);
    pthread_mutex_init(&documents->lock, NULL);
    metric_register(fetcher_write_metrics, documents->fetcher);
    return documents;
}

void
documents_cancel(struct documents *documents)
{
    if (documents != NULL)
        fetcher_cancel(documents->fetcher);
}

/* Requests that wait for a document must have ended (see documents_cancel()). */
void
documents_free(struct documents *documents)
{
    if (documents == NULL)
        return;
    metric_unregister(documents->fetcher);
    fetcher_free(documents->fetcher);
    pthread_mutex_destroy(&documents->lock);
    free(documents);
}

void
documents_get(struct documents *documents, struct fetch *fetch, void (*ready)(void *context),
              void *context)
{
    fetcher_get(documents->fetcher, fetch, ready, context);
}

/* Checked before a document is looked up or fetched. */
const char *
documents_url_problem(const struct documents *documents, struct str url)
{
    const char *problem = document_url_problem(url);
    if (problem == NULL && !host_list_contains(documents->settings.hosts, document_url_host(url)))
        problem = "This service does not accept documents of this host. Its operator can add the "
                  "host to the setting client-documents.";
    return problem;
}

/* ---- failures ---- */

/* Replaces the entry of this URL, or the one that ends first. */
static void
put_failure(struct documents *documents, struct str url, struct str problem, bool temporary,
            int64_t now)
{
    pthread_mutex_lock(&documents->lock);
    struct failure *place = &documents->failures[0];
    for (size_t i = 0; i < FAILURES; i++) {
        struct failure *one = &documents->failures[i];
        if (one->until < place->until || str_eq_c(url, one->url))
            place = one;
        if (str_eq_c(url, one->url))
            break;
    }
    place->temporary = temporary;
    place->until = now + DOCUMENT_FAILED_SECONDS;
    snprintf(place->url, sizeof place->url, "%.*s", STR_ARG(url));
    snprintf(place->problem, sizeof place->problem, "%.*s", STR_ARG(problem));
    pthread_mutex_unlock(&documents->lock);
}

/* A failure is remembered for a short time, so that a client with a broken document cannot make
 * this service fetch it again and again. */
static bool
find_failure(struct documents *documents, struct arena *mem, struct str url, int64_t now,
             bool *temporary, struct str *problem)
{
    bool found = false;
    pthread_mutex_lock(&documents->lock);
    for (size_t i = 0; i < FAILURES && !found; i++) {
        const struct failure *one = &documents->failures[i];
        /* The second limit: a clock that was set back must not prolong a failure. */
        found = one->until > now && one->until <= now + DOCUMENT_FAILED_SECONDS &&
                str_eq_c(url, one->url);
        if (!found)
            continue;
        *temporary = one->temporary;
        *problem = str_copy(mem, str_of(one->problem));
    }
    pthread_mutex_unlock(&documents->lock);
    return found;
}

/* ---- 1: look ---- */

/* *out without an id: not stored. A digest that belongs to another URL counts as not stored. */
static enum err
find_app(struct db *db, struct arena *mem, struct str url, struct app *out)
{
    *out = (struct app){ 0 };
    struct db_tx *tx = tx_begin_read(db);
    enum err err = tx_end_read(tx, app_store_find(tx, mem, app_id_of_client(mem, url), out));
    if (!err && !str_eq(app_client_id(out), url))
        *out = (struct app){ 0 };
    return err == ERR_NOT_FOUND ? ERR_NONE : err;
}

/* A document without the requested redirect URI is fetched again earlier: the client may have added
 * it just now. */
static bool
is_fresh(const struct app *app, struct str redirect_uri, int64_t now)
{
    bool has_uri = str_present(app_find_uri(app, redirect_uri));
    /* A clock that was set back must not keep a document forever. */
    return app->fresh_until > now && app->checked_at <= now &&
           (has_uri || app->checked_at + DOCUMENT_FRESH_MIN > now);
}

/* After a failure: the stored app, if it may still be used. */
static enum document_state
fall_back(const struct app *app, bool temporary, int64_t now)
{
    bool usable = str_present(app->id) && app->fresh_until + DOCUMENT_STALE_SECONDS > now;
    return temporary && usable ? DOCUMENT_READY : DOCUMENT_REFUSED;
}

/* DOCUMENT_NEEDED: the caller waits for the document and calls again. */
enum err
documents_check(struct documents *documents, struct db *db, struct arena *mem, struct str url,
                struct str redirect_uri, int64_t now, enum document_state *state,
                struct str *problem)
{
    struct app app;
    bool temporary = false;
    enum err err = find_app(db, mem, url, &app);
    *state = DOCUMENT_NEEDED;
    if (err)
        return err;
    if (str_present(app.id) && is_fresh(&app, redirect_uri, now))
        *state = DOCUMENT_READY;
    else if (find_failure(documents, mem, url, now, &temporary, problem))
        *state = fall_back(&app, temporary, now);
    return ERR_NONE;
}

/* ---- 2: wait ---- */

/* The result of the fetch goes into the same arena. */
struct document_wait *
documents_wait_new(struct documents *documents, struct arena *mem, struct str url)
{
    /* The fetcher's thread writes into the arena of the request, which no other thread uses while
     * the request waits. */
    struct document_wait *wait = ARENA_NEW(mem, struct document_wait);
    wait->documents = documents;
    wait->fetch = (struct fetch){ .mem = mem, .url = url, .host = document_url_host(url) };
    return wait;
}

static bool read_document(struct documents *documents, const struct fetch *fetch,
                          struct client_metadata *metadata, bool *temporary, struct str *problem);

/* For any result: read_logo() validates it. */
static void
on_logo(void *context)
{
    struct document_wait *wait = context;
    wait->resume(wait->argument);
}

/* On the fetcher's thread. A logo comes from the document's own host, which vouches for it, and by
 * the same rules; it delays the page as long as a document may, and cannot fail it. */
static void
on_document(void *context)
{
    struct document_wait *wait = context;
    struct client_metadata metadata;
    struct str problem;
    bool temporary;
    if (read_document(wait->documents, &wait->fetch, &metadata, &temporary, &problem) &&
        str_present(metadata.logo_uri) && document_url_problem(metadata.logo_uri) == NULL &&
        str_eq(document_url_host(metadata.logo_uri), wait->fetch.host)) {
        wait->logo = (struct fetch){ .mem = wait->fetch.mem,
                                     .url = metadata.logo_uri,
                                     .host = wait->fetch.host };
        fetcher_get(wait->documents->fetcher, &wait->logo, on_logo, wait);
        return;
    }
    wait->resume(wait->argument);
}

/* Called by the HTTP server after the handler has returned; resume() continues the request. */
void
documents_wait(void *context, void (*resume)(void *argument), void *argument)
{
    struct document_wait *wait = context;
    wait->resume = resume;
    wait->argument = argument;
    fetcher_get(wait->documents->fetcher, &wait->fetch, on_document, wait);
}

/* ---- 3: finish ---- */

/* The changes of one write transaction after a document was fetched. */
struct storing {
    struct arena *mem;
    struct app *app;
    int64_t now;
    bool has_logo; /* or it is known that there is none; otherwise the stored one stays */
    struct logo logo;
};

/* `current` is the mark of the stored logo. An unchanged image is not written again. */
static enum err
store_logo(struct db_tx *tx, const struct storing *storing, struct str current)
{
    const struct logo *logo = &storing->logo;
    bool same = str_present(logo->mark) ? str_eq(logo->mark, current) : !str_present(current);
    if (!storing->has_logo || same)
        return ERR_NONE;
    return str_present(logo->mark)
               ? logo_store_put(tx, storing->mem, storing->app->id, logo->mark, logo->image)
               : logo_store_delete(tx, storing->mem, storing->app->id);
}

/* Several requests may have waited for the same document: the first one writes it. */
static enum err
store(struct db_tx *tx, void *argument)
{
    struct storing *storing = argument;
    const struct app *said = storing->app;
    struct app kept;
    enum err err = app_store_lock(tx, storing->mem, said->id, &kept);
    if (err == ERR_NOT_FOUND) {
        err = registration_store(tx, storing->mem, storing->app, storing->now);
        return err ? err : store_logo(tx, storing, STR_NONE);
    }
    bool done = !err && kept.checked_at <= said->checked_at &&
                kept.checked_at + DOCUMENT_FRESH_MIN > said->checked_at;
    if (err || done)
        return err;
    bool same = str_eq(kept.name, said->name) && str_eq(kept.redirect_uris, said->redirect_uris) &&
                str_eq(kept.document_mark, said->document_mark) &&
                str_eq(kept.purpose, said->purpose);
    kept.name = said->name;
    kept.redirect_uris = said->redirect_uris;
    kept.scopes = said->scopes;
    kept.purpose = said->purpose;
    kept.document_mark = said->document_mark;
    kept.checked_at = said->checked_at;
    kept.fresh_until = said->fresh_until;
    kept.updated_at = same ? kept.updated_at : storing->now;
    /* An app that a user has connected expires later: see app_keep() of flow/apps.c. */
    if (kept.expires_at < said->expires_at)
        kept.expires_at = said->expires_at;
    err = app_store_put_document(tx, storing->mem, &kept);
    return err ? err : store_logo(tx, storing, kept.logo);
}

/* Other content than a valid image is no logo; if the host does not answer, the stored logo is
 * kept. */
static void
read_logo(const struct document_wait *wait, struct storing *storing)
{
    const struct fetch *logo = &wait->logo;
    bool absent = !str_present(logo->url);
    bool answered =
        !absent && (logo->result == FETCH_TOO_LARGE ||
                    (logo->result == FETCH_DONE && !document_status_is_temporary(logo->status)));
    storing->has_logo = absent || answered;
    if (answered && logo->result == FETCH_DONE && logo->status == 200)
        logo_read(storing->mem, logo->body, &storing->logo);
}

/* The row expires after APP_UNUSED_SECONDS unless a user connects the app. */
static enum err
store_document(struct db *db, const struct document_wait *wait,
               const struct client_metadata *metadata, int64_t now)
{
    const struct fetch *fetch = &wait->fetch;
    struct arena *mem = fetch->mem;
    struct app app = {
        .id = app_id_of_client(mem, fetch->url),
        .kind = APP_DOCUMENT,
        .document = fetch->url,
        .document_mark = client_metadata_mark(mem, metadata),
        .checked_at = now,
        .fresh_until = now + document_fresh_seconds(fetch->cache_control),
        .owner_id = STR(""),
        .name = metadata->name,
        .redirect_uris = client_metadata_join_uris(mem, metadata),
        .scopes = metadata->scopes,
        .purpose = metadata->purpose,
        .is_public = true,
        .status = APP_ACTIVE,
        .created_at = now,
        .updated_at = now,
        .expires_at = now + APP_UNUSED_SECONDS,
    };
    struct storing storing = { .mem = mem, .app = &app, .now = now };
    read_logo(wait, &storing);
    return tx_write(db, store, &storing);
}

/* One sentence for an address that is refused and one that does not answer, so that the service
 * does not reveal names of its own network. */
static struct str
fetch_problem(const struct documents *documents, struct arena *mem, enum fetch_result result)
{
    if (result == FETCH_TIMEOUT)
        return str_format(mem, "Its host did not send it within %lld seconds.",
                          (long long)documents->settings.seconds);
    if (result == FETCH_TOO_LARGE)
        return STR("It has more than 10 KiB.");
    return STR("Its host cannot be reached on the public internet, or its certificate is not "
               "valid.");
}

/* With the host only: the path of a URL can contain anything. */
static void
log_failure(const struct fetch *fetch, struct str problem)
{
    /* In the order of enum fetch_result. */
    static const char *const names[] = { "done",      "unreachable", "timeout",
                                         "too_large", "forbidden",   "busy" };
    log_warn("client_document_failed", log_text("host", fetch->host),
             log_text("result", str_of(names[fetch->result])), log_number("status", fetch->status),
             log_text("reason", problem));
}

/* Reads and checks the document of a completed fetch. False: it cannot be used; *problem has the
 * reason, and *temporary whether it may be usable later. */
static bool
read_document(struct documents *documents, const struct fetch *fetch,
              struct client_metadata *metadata, bool *temporary, struct str *problem)
{
    struct document_response response = { fetch->status, fetch->type, fetch->cache_control,
                                          fetch->body };
    *temporary = fetch->result == FETCH_DONE ? document_status_is_temporary(fetch->status)
                                             : fetch->result != FETCH_TOO_LARGE;
    if (fetch->result == FETCH_DONE)
        return document_read(fetch->mem, fetch->url, &response, documents->settings.schemes,
                             metadata, problem);
    *problem = fetch_problem(documents, fetch->mem, fetch->result);
    return false;
}

/* A busy fetcher is no failure of the document, so it is not remembered as one. */
enum err
documents_finish(struct document_wait *wait, struct db *db, int64_t now, enum document_state *state,
                 struct str *problem)
{
    struct fetch *fetch = &wait->fetch;
    struct client_metadata metadata;
    struct app app;
    bool temporary;
    *state = DOCUMENT_BUSY;
    if (fetch->result == FETCH_BUSY)
        return ERR_NONE;
    if (read_document(wait->documents, fetch, &metadata, &temporary, problem)) {
        *state = DOCUMENT_READY;
        return store_document(db, wait, &metadata, now);
    }
    enum err err = find_app(db, fetch->mem, fetch->url, &app);
    if (err)
        return err;
    put_failure(wait->documents, fetch->url, *problem, temporary, now);
    log_failure(fetch, *problem);
    *state = fall_back(&app, temporary, now);
    return ERR_NONE;
}
