/* apps.h - registers, finds, changes, disables, enables, and deletes apps, and rotates secrets.
 *
 * Each function is one transaction. A secret is returned once, when it is created; the database
 * stores only its hash. Results are allocated from `mem`. Any thread may call these functions. */
#ifndef FLOW_APPS_H
#define FLOW_APPS_H

#include "base/err.h"
#include "model/app.h"

struct arena;
struct db;
struct db_tx;
struct secret;

struct app_params {
    struct str id; /* absent: generate one. A form sets it, so that sending it twice adds one app */
    struct str owner; /* username, email address, or id */
    struct str name;
    const struct str *redirect_uris;
    size_t redirect_uri_count;
    struct str scopes; /* names, separated by spaces */
    struct str homepage;
    struct str privacy_link;
    struct str purpose; /* context of hints if a request has none */
    bool is_public;
};

/* One sentence per invalid field; NULL: the field is valid. */
struct app_problems {
    const char *owner;
    const char *name;
    const char *redirect_uris;
    const char *scopes;
    const char *homepage;
    const char *privacy_link;
    const char *purpose;
};

/* *secret is NULL for a public app. ERR_INVALID: `problems` names the fields. ERR_TAKEN: the id
 * exists. */
enum err app_register(struct db *db, struct arena *mem, const struct app_params *params,
                      int64_t now, struct app *out, const struct secret **secret,
                      struct app_problems *problems);

enum err app_find(struct db *db, struct arena *mem, struct str id, struct app *out);
enum err app_find_client(struct db *db, struct arena *mem, struct str client_id, struct app *out);
enum err app_list(struct db *db, struct arena *mem, struct str owner_id, int64_t after,
                  int64_t limit, struct app **out, size_t *count);

/* Changes the name, the redirect URIs, the scopes, the links, and the purpose. */
enum err app_change(struct db *db, struct arena *mem, struct str id,
                    const struct app_params *params, int64_t now, struct app *out,
                    struct app_problems *problems);

/* Stores checked->verified_at, unless the homepage has changed meanwhile, which ends it. */
enum err app_set_verified(struct db *db, struct arena *mem, const struct app *checked, int64_t now,
                          struct app *out);

/* The previous secret expires after OLD_SECRET_SECONDS, or now; an older one expires at once.
 * ERR_FORBIDDEN: the app is public. */
enum err app_rotate_secret(struct db *db, struct arena *mem, struct str id, bool end_old_now,
                           int64_t now, struct app *out, const struct secret **secret);

/* Revokes the previous secret, if it is still valid. */
enum err app_end_old_secret(struct db *db, struct arena *mem, struct str id, int64_t now,
                            struct app *out);

/* Disabling revokes every token family of the app; enabling does not restore them. */
enum err app_set_status(struct db *db, struct arena *mem, struct str id, enum app_status status,
                        int64_t now, struct app *out);

/* Limits the requests of each of the app's tokens: see struct app. Takes effect at once. */
enum err app_set_rate(struct db *db, struct arena *mem, struct str id, int64_t rate_api,
                      int64_t now, struct app *out);

/* The context of hints for requests that send none; absent: none. ERR_INVALID: *problem says why.
 */
enum err app_set_purpose(struct db *db, struct arena *mem, struct str id, struct str purpose,
                         int64_t now, struct app *out, const char **problem);

enum err app_delete(struct db *db, struct arena *mem, struct str id, struct app *out);

/* Records that an app that is not of the portal is in use, at most once a day, so that it is kept.
 */
enum err app_keep(struct db_tx *tx, struct arena *mem, const struct app *app, int64_t now);

/* Why app_is_authenticated() rejected this secret: a sentence for the app's developer. */
const char *app_refusal(struct arena *mem, const struct app *app, struct str secret_text,
                        int64_t now);

/* True if the secret is the app's current one or its previous one within its term, or if the app is
 * public and no secret was sent. False for a disabled app and for an unknown one (no id), after the
 * same work as for a wrong secret. */
bool app_is_authenticated(struct arena *mem, const struct app *app, struct str secret_text,
                          int64_t now);

/* A version under which app_find()'s result may be cached: it changes with every change of the app.
 * Read it before app_find(). 0: do not cache. */
uint64_t app_version(struct db *db, struct str id);

#endif
