/* tokens.h - exchanges codes, refreshes, revokes, and introspects tokens.
 *
 * RFC 6749 §5 and §6, RFC 7009, RFC 7662, RFC 9700 §4.14. `app` is the authenticated app. A refusal
 * that revokes a token family commits that revocation. Results are allocated from `mem`. Any thread
 * may call these functions. */
#ifndef FLOW_TOKENS_H
#define FLOW_TOKENS_H

#include "base/err.h"
#include "model/app.h"
#include "model/grant.h"

struct arena;
struct db;
struct secret;

struct token_set {
    const struct secret *access;
    const struct secret *refresh;
    scopes scopes;
    int64_t expires_in; /* of the access token: an hour, or until its family or grant expires */
};

struct exchange {
    const struct app *app;
    struct str code;
    struct str redirect_uri;
    struct str verifier;
    audience audience; /* where the access token shall be valid; 0: as authorized */
    int64_t now;
    bool is_unanswered; /* this code got ERR_UNCONFIRMED, and no response since */
};

/* ERR_INVALID means invalid_grant, ERR_TOO_LARGE invalid_target: the audience was not authorized.
 * ERR_UNCONFIRMED: the code was perhaps used, and it could not be found out in some seconds.
 * *problem is a sentence for the app's developer. */
enum err token_exchange(struct db *db, struct arena *mem, const struct exchange *params,
                        struct token_set *out, const char **problem);

struct refresh {
    const struct app *app;
    struct str token;
    struct str scope;  /* absent: unchanged */
    audience audience; /* 0: unchanged */
    int64_t now;
    /* Limits refreshes per family; called inside the transaction, on any thread. NULL: no limit. */
    bool (*may_refresh)(void *context, struct str family_id);
    void *context;
    bool is_unanswered; /* this token got ERR_UNCONFIRMED, and no response since */
};

/* ERR_INVALID means invalid_grant, ERR_FORBIDDEN invalid_scope, ERR_TOO_LARGE invalid_target,
 * ERR_RATE that may_refresh()
 * returned false: the token stays unused. */
enum err token_refresh(struct db *db, struct arena *mem, const struct refresh *params,
                       struct token_set *out, const char **problem);

/* ERR_NONE also if the token is unknown, expired, or another app's (which stays valid). */
enum err token_revoke(struct db *db, struct arena *mem, const struct app *app, struct str token,
                      int64_t now);

/* Returns the access that a bearer token gives. ERR_UNAUTHENTICATED: the token is not valid.
 * `hint_sets`, unless NULL, is set to the user's hint sets if the same query returned them: see
 * hints_params. */
enum err token_access(struct db *db, struct arena *mem, struct str token, int64_t now,
                      struct access *out, struct str *hint_sets);

/* Explains in a sentence why token_access() rejected a token. *app_id is the app that the token
 * belongs or belonged to; absent: unknown. */
enum err token_refusal(struct db *db, struct arena *mem, struct str text, int64_t now,
                       struct str *app_id, const char **sentence);

/* While this equals access->version, and until valid_until, a cached access is current: no commit
 * has changed its token, family, grant, app, or user. Versions of different tokens are not
 * comparable. 0: unknown, query the database. */
uint64_t token_access_version(struct db *db, const struct access *access);
void token_access_mark(struct db *db,
                       struct access *access); /* sets access->version, after token_access() */

/* Finds a valid access or refresh token of this app. ERR_NOT_FOUND: inactive, for any reason. */
enum err token_introspect(struct db *db, struct arena *mem, const struct app *app, struct str token,
                          int64_t now, struct access *out, bool *is_refresh);

/* True if the text has the form of a token of this service, valid or not. */
bool token_is_well_formed(struct arena *mem, struct str text);

#endif
