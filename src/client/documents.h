/* documents.h - clients that are known by the URL of a client ID metadata document.
 *
 * The document of such a client is fetched when a user is sent here to authorize it, and only then.
 * Its content is stored as an app, so that consent, grants, and tokens do not depend on its host
 * afterwards. It is fetched again when it is not fresh anymore; while its host cannot be reached,
 * the stored app serves for DOCUMENT_STALE_SECONDS. A failure is remembered for
 * DOCUMENT_FAILED_SECONDS.
 *
 *   1  documents_check    whether the app is stored and fresh
 *   2  documents_wait     otherwise: fetches the document without occupying a thread
 *   3  documents_finish   stores the app, or says what is wrong with the document
 *
 * Safe from any thread. */
#ifndef CLIENT_DOCUMENTS_H
#define CLIENT_DOCUMENTS_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct db;
struct documents;

#define DOCUMENT_STALE_SECONDS ((int64_t)7 * 24 * 3600)
#define DOCUMENT_FAILED_SECONDS 30

struct documents_settings {
    const char *ca_file;    /* as in fetch_settings */
    struct str local_hosts; /* the same */
    struct str hosts;       /* see host_list.h; absent: documents of any host are accepted */
    struct str schemes;     /* for redirect_uri_problem() */
    const char *user_agent;
    int64_t seconds; /* for fetching one document */
};

/* The strings must outlive the documents. */
struct documents *documents_start(const struct documents_settings *settings);
void documents_cancel(struct documents *documents); /* see fetcher_cancel(); NULL is allowed */
void documents_free(struct documents *documents);   /* NULL is allowed */

struct fetch;

/* Fetches another file by the same rules, for domain_proof.h; see fetcher_get(). */
void documents_get(struct documents *documents, struct fetch *fetch, void (*ready)(void *context),
                   void *context);

enum document_state {
    DOCUMENT_READY,   /* the app is stored and can be used */
    DOCUMENT_NEEDED,  /* the document has to be fetched */
    DOCUMENT_REFUSED, /* *problem is a sentence for the client's developer */
    DOCUMENT_BUSY,    /* too many documents are being fetched */
};

/* Whether the setting accepts this URL as a client_id. NULL if so, else a sentence. */
const char *documents_url_problem(const struct documents *documents, struct str url);

/* `url` has no problem. A document that does not have this redirect URI is fetched earlier. */
enum err documents_check(struct documents *documents, struct db *db, struct arena *mem,
                         struct str url, struct str redirect_uri, int64_t now,
                         enum document_state *state, struct str *problem);

/* The context of documents_wait(), in `mem`, which nothing else may use until resume() is called.
 */
struct document_wait *documents_wait_new(struct documents *documents, struct arena *mem,
                                         struct str url);

/* An http_exchange.wait function. */
void documents_wait(void *context, void (*resume)(void *argument), void *argument);

/* Never DOCUMENT_NEEDED. */
enum err documents_finish(struct document_wait *wait, struct db *db, int64_t now,
                          enum document_state *state, struct str *problem);

#endif
