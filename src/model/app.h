/* app.h - an app that asks people for their preferences: what it may be called and where it may
 * send them back. Pure rules; a *_problem function returns NULL if fine, else a whole sentence. */
#ifndef MODEL_APP_H
#define MODEL_APP_H

#include "base/str.h"
#include "model/scope.h"

struct arena;

#define APP_REDIRECT_URIS_MAX 10
#define APPS_PER_OWNER_MAX 100
#define OLD_SECRET_SECONDS (24 * 60 * 60)

enum app_status { APP_ACTIVE, APP_DISABLED };

struct app {
    struct str id; /* app_… */
    struct str owner_id;
    struct str name;
    struct str redirect_uris; /* one a line, in the order they were registered */
    struct str homepage;      /* absent: none; so the next */
    struct str privacy_link;  /* both are shown to people who decide */
    scopes scopes;            /* what it may ask for */
    bool is_public;           /* has no secret */
    struct str secret_hash;   /* absent: public */
    struct str old_secret_hash;
    int64_t old_secret_ends_at;
    enum app_status status;
    int64_t epoch;
    int64_t position;
    int64_t created_at;
    int64_t updated_at;
};

bool app_id_well_formed(struct str id);

/* A single line of 1 to 60 characters without invisible ones; made NFC and trimmed. Two alphabets
 * in one word, and names that claim to be this service, are refused: people decide by this name. */
struct str app_clean_name(struct arena *mem, struct str name);
const char *app_name_problem(struct str cleaned);

/* The redirect URIs as one text; absent, with the problem, if one of them is not fine. */
struct str app_join_uris(struct arena *mem, const struct str *uris, size_t count,
                         const char **problem);

/* The one of the app's redirect URIs that the asked one matches; absent: none. */
struct str app_find_uri(const struct app *app, struct str asked);

/* How an asked one that matches none differs from the *nearest: a sentence for the developer. */
const char *app_uri_difference(const struct app *app, struct str asked, struct str *nearest);

/* A whole https address; an empty one is fine. */
const char *app_link_problem(struct str link);

const char *app_scopes_problem(scopes set);

/* Whether this hash is one of its secrets now. */
bool app_secret_matches(const struct app *app, struct str hash, int64_t now);

const char *app_status_name(enum app_status status);
bool app_status_read(struct str text, enum app_status *out);

#endif
