/* tokens.h - codes for tokens, tokens for tokens, and what a token is worth.
 *
 * RFC 6749 §5 and §6, RFC 7009, RFC 7662, RFC 9700 §4.14. `app` is the app that has proved who it
 * is. A refusal that ends a family is kept: it commits like a success. */
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
};

struct exchange {
    const struct app *app;
    struct str code;
    struct str redirect_uri;
    struct str verifier;
    int64_t now;
};

/* ERR_INVALID is invalid_grant, and *problem a sentence for the app's developer. */
enum err token_exchange(struct db *db, struct arena *mem, const struct exchange *params,
                        struct token_set *out, const char **problem);

struct refresh {
    const struct app *app;
    struct str token;
    struct str scope; /* absent: as before */
    int64_t now;
};

/* ERR_INVALID is invalid_grant, ERR_FORBIDDEN invalid_scope. */
enum err token_refresh(struct db *db, struct arena *mem, const struct refresh *params,
                       struct token_set *out, const char **problem);

/* ERR_NONE also for a token that is not there, is over, or is another app's, which stays alive. */
enum err token_revoke(struct db *db, struct arena *mem, const struct app *app, struct str token,
                      int64_t now);

/* The access that a bearer token gives now. ERR_UNAUTHENTICATED: none. With the person's hint
 * cards, if `cards` is not NULL and they lie on the way: see hints_wish. */
enum err token_access(struct db *db, struct arena *mem, struct str token, int64_t now,
                      struct access *out, struct str *hint_sets);

/* Why a text opens nothing, after token_access() said so: a sentence. *app_id is whose it is or
 * was; absent: nobody's, or nobody knows any more. */
enum err token_refusal(struct db *db, struct arena *mem, struct str text, int64_t now,
                       struct str *app_id, const char **sentence);

/* As long as this is what access->stamp is, and until live_until, the access is what it was: no
 * commit has touched its token, family, grant, app or user. It says nothing about another token,
 * whose stamp may be the same number for other reasons. 0: nobody can know, ask the store. */
uint64_t token_access_version(struct db *db, const struct access *access);
void token_access_mark(struct db *db, struct access *access); /* sets it, after it was found */

/* A live token of this app: access or refresh. ERR_NOT_FOUND: inactive, whatever the cause. */
enum err token_introspect(struct db *db, struct arena *mem, const struct app *app, struct str token,
                          int64_t now, struct access *out, bool *is_refresh);

/* Whether it has the form of a token of this service, dead or alive. */
bool token_is_ours(struct arena *mem, struct str text);

#endif
