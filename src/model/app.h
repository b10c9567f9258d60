/* app.h - registered apps: their data and the rules for names, links and redirect URIs.
 *
 * Pure; any thread may call it. A *_problem function returns NULL if the value is valid, else a
 * whole sentence for the developer. */
#ifndef MODEL_APP_H
#define MODEL_APP_H

#include "base/str.h"
#include "model/scope.h"

struct arena;

#define APP_REDIRECT_URIS_MAX 10
#define APPS_PER_OWNER_MAX 100
#define OLD_SECRET_SECONDS (24 * 60 * 60)

enum app_status { APP_ACTIVE, APP_DISABLED };

/* How the service knows an app. Only the portal's apps have an owner. */
enum app_kind {
    APP_PORTAL,
    APP_DOCUMENT,   /* its client_id is the URL of a client ID metadata document */
    APP_REGISTERED, /* it registered itself (RFC 7591) */
};

struct app {
    struct str id; /* app_…, doc_… or dyn_…, by kind */
    enum app_kind kind;
    struct str document;      /* APP_DOCUMENT: the URL, which is its client_id; absent otherwise */
    struct str document_mark; /* changes with the redirect hosts and keys of the document */
    int64_t checked_at;       /* when the document was last fetched; 0: never */
    int64_t fresh_until;      /* when it is fetched again */
    struct str owner_id;      /* empty: none */
    struct str name;
    struct str redirect_uris; /* one per line, in the order of registration */
    struct str homepage;      /* absent: none; shown on the consent page */
    int64_t verified_at;      /* when the host of the homepage was verified; 0: it is not */
    struct str privacy_link;  /* absent: none; shown on the consent page */
    struct str purpose;       /* context of hints if a request has none; absent: none */
    struct str logo;          /* mark of its logo, see logo.h; absent: none */
    scopes scopes;            /* scopes it may request */
    bool is_public;           /* has no secret */
    struct str secret_hash;   /* absent: public */
    struct str old_secret_hash;
    int64_t old_secret_expires_at;
    enum app_status status;
    int64_t epoch;
    int64_t position;
    int64_t created_at;
    int64_t updated_at;
    int64_t rate_api;   /* requests per second for one token; 0: the setting; -1: no limit */
    int64_t expires_at; /* 0: never. Apps that are not of the portal are deleted then */
};

#define APP_DAY ((int64_t)24 * 3600)
#define APP_UNUSED_SECONDS (7 * APP_DAY) /* how long it is kept that no user has connected */
#define APP_KEPT_SECONDS (400 * APP_DAY) /* after its last use */

bool app_id_well_formed(struct str id);

/* The client_id of the app: the URL of its document, or its id. */
struct str app_client_id(const struct app *app);

/* The id that an app with this client_id has. Compare app_client_id() of the app that is found: the
 * id of a document's app is not a client_id itself. */
struct str app_id_of_client(struct arena *mem, struct str client_id);

/* A name is one line of 1 to 60 visible characters, NFC and trimmed. Words that mix alphabets and
 * names that imitate this service are rejected, because users decide by the name. */
struct str app_clean_name(struct arena *mem, struct str name);
const char *app_name_problem(struct arena *mem, struct str cleaned);

/* The name that a client claims for itself may have 100 characters and contain the name of this
 * service ("Assistant (penchant)"); the consent page says that it is not verified. */
#define APP_CLAIMED_NAME_MAX 100
const char *app_claimed_name_problem(struct str cleaned);

/* Joins the redirect URIs, one per line; absent, with *problem, if one of them is invalid. The
 * problem of several names each invalid one. */
struct str app_join_uris(struct arena *mem, const struct str *uris, size_t count,
                         const char **problem);

/* The registered redirect URI that matches the requested one; absent: none. */
struct str app_find_uri(const struct app *app, struct str asked);

/* How a requested URI without a match differs from the *nearest one: a sentence for the developer.
 */
const char *app_uri_difference(const struct app *app, struct str asked, struct str *nearest);

/* The host of the homepage, if it was verified; otherwise absent. */
struct str app_verified_host(const struct app *app);

/* A link must be empty or an absolute https URL. */
const char *app_link_problem(struct str link);

/* The purpose is a context of hints, such as restaurant_search: empty, or one line. */
#define APP_PURPOSE_MAX 100
const char *app_purpose_problem(struct str purpose);

const char *app_scopes_problem(scopes set);

/* Whether this is the hash of the app's secret, or of its old secret before it expires. */
bool app_secret_matches(const struct app *app, struct str hash, int64_t now);

const char *app_kind_name(enum app_kind kind);
bool app_kind_read(struct str text, enum app_kind *out);

const char *app_status_name(enum app_status status);
bool app_status_read(struct str text, enum app_status *out);

#endif
