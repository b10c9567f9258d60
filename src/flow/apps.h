/* apps.h - what can happen to an app: it is registered, shown, changed, given a new secret,
 * disabled, enabled, deleted. One transaction each. A secret is handed out once, here, and only its
 * hash is kept. */
#ifndef FLOW_APPS_H
#define FLOW_APPS_H

#include "base/err.h"
#include "model/app.h"

struct arena;
struct db;
struct secret;

struct app_params {
    struct str id;    /* absent: a new one. A form that is sent twice has the same */
    struct str owner; /* user name, email address or id */
    struct str name;
    const struct str *redirect_uris;
    size_t redirect_uri_count;
    struct str scopes; /* names, separated by spaces */
    struct str homepage;
    struct str privacy_link;
    bool is_public;
};

/* Whole sentences, NULL where nothing is wrong. */
struct app_problems {
    const char *owner;
    const char *name;
    const char *redirect_uris;
    const char *scopes;
    const char *homepage;
    const char *privacy_link;
};

/* *secret is NULL for a public app. ERR_INVALID with the fields told; ERR_TAKEN: there is an app of
 * that id. */
enum err app_register(struct db *db, struct arena *mem, const struct app_params *params,
                      int64_t now, struct app *out, const struct secret **secret,
                      struct app_problems *problems);

enum err app_find(struct db *db, struct arena *mem, struct str id, struct app *out);
enum err app_list(struct db *db, struct arena *mem, struct str owner_id, int64_t after,
                  int64_t limit, struct app **out, size_t *count);

/* Everything of the wish but its id, its owner and whether it is public, which stay. */
enum err app_change(struct db *db, struct arena *mem, struct str id,
                    const struct app_params *params, int64_t now, struct app *out,
                    struct app_problems *problems);

/* The old secret lives for a day more, or ends now. ERR_FORBIDDEN: the app is public. */
enum err app_rotate_secret(struct db *db, struct arena *mem, struct str id, bool end_old_now,
                           int64_t now, struct app *out, const struct secret **secret);

/* Of two secrets only the newer one is left. */
enum err app_end_old_secret(struct db *db, struct arena *mem, struct str id, int64_t now,
                            struct app *out);

/* Disabling ends every family of the app, for good. */
enum err app_set_status(struct db *db, struct arena *mem, struct str id, enum app_status status,
                        int64_t now, struct app *out);

enum err app_delete(struct db *db, struct arena *mem, struct str id, struct app *out);

/* Why somebody who claims to be this app, with this secret, is not: for its developer. */
const char *app_refusal(struct arena *mem, const struct app *app, struct str secret_text,
                        int64_t now);

/* Whether whoever sent this secret, or none, is the app: it knows the secret, or is public and sent
 * none. Never for an app that is disabled, or not there, which is one without an id; that takes as
 * long as a wrong secret. */
bool app_is_proved(struct arena *mem, const struct app *app, struct str secret_text, int64_t now);

/* What an app that was found may be remembered by until it is changed: see db_stamp(). Taken before
 * it is looked for. */
uint64_t app_version(struct db *db, struct str id);

#endif
