/* tokens_find.c - finds the access that a presented token gives, and the reason for a rejection. */
#include "flow/tokens.h"

#include "base/clock.h"
#include "base/shard.h"
#include "base/timekeeper.h"
#include "crypt/secret.h"
#include "credential/token_store.h"
#include "store/tx.h"
#include "store/user_store.h"

/* The ids whose changes end a cached access. Revoking a family and changing a grant bump the user's
 * auth version. */
#define IDS 3

/* The family and the grant are not needed: see IDS. */
static void
versions_of(struct db *db, const struct access *access, uint64_t out[IDS])
{
    out[0] = store_version(db, access->user_id);
    out[1] = store_version(db, access->app_id);
    out[2] = store_version(db, access->token_hash);
}

/* 0: this engine has no versions now, so nothing may be cached. */
uint64_t
token_access_version(struct db *db, const struct access *access)
{
    uint64_t versions[IDS];
    if (store_commits(db) == 0)
        return 0;
    versions_of(db, access, versions);
    /* Versions only grow, so the sum changes whenever one of them does. */
    return versions[0] + versions[1] + versions[2];
}

/* The ids are known only after reading. If one changed since, the access may be older than its
 * version: it must not be cached. */
void
token_access_mark(struct db *db, struct access *access)
{
    uint64_t versions[IDS];
    versions_of(db, access, versions);
    access->version = versions[0] + versions[1] + versions[2];
    for (size_t i = 0; i < IDS; i++)
        if (versions[i] > access->commits)
            access->version = 0;
}

/* The shard of the token must be that of its user (base/shard.h). */
enum err
token_access(struct db *db, struct arena *mem, struct str token, int64_t now, struct access *out,
             struct str *hint_sets)
{
    const struct secret *secret = secret_read(mem, token, SECRET_ACCESS_TOKEN);
    if (secret == NULL)
        return ERR_UNAUTHENTICATED;
    struct str hash = secret_hash(mem, secret);
    struct db_tx *tx = tx_begin_read(db);
    enum err err = access_store_find(tx, mem, hash, now, out, hint_sets);
    if (!err && !shard_holds(hash, out->user_id))
        err = ERR_NOT_FOUND;
    out->commits = tx_commits(tx);
    err = tx_end_read(tx, err);
    return err == ERR_NOT_FOUND ? ERR_UNAUTHENTICATED : err;
}

/* Called only after a refusal, so that a valid request does not pay for it. */
enum err
token_refusal(struct db *db, struct arena *mem, struct str text, int64_t now, struct str *app_id,
              const char **sentence)
{
    const struct secret *access = secret_read(mem, text, SECRET_ACCESS_TOKEN);
    const struct secret *refresh_secret = secret_read(mem, text, SECRET_REFRESH_TOKEN);
    struct refresh_token token = { 0 };
    int64_t expires_at = 0;
    *app_id = STR_NONE;
    *sentence = "The access token is unknown, expired, or revoked. Get a new one with the refresh "
                "token, or ask the user again.";
    if (access == NULL && refresh_secret == NULL) {
        bool cut = str_starts(text, STR("pn_at_"));
        *sentence =
            cut ? "The access token is incomplete or was altered in transit."
                : "This is not an access token of this service. Access tokens begin with pn_at_.";
        return ERR_NONE;
    }
    struct str hash = secret_hash(mem, access != NULL ? access : refresh_secret);
    struct db_tx *tx = tx_begin_read(db);
    enum err err =
        tx_end_read(tx, access != NULL ? access_store_find_app(tx, mem, hash, app_id, &expires_at)
                                       : refresh_store_find(tx, mem, hash, now, &token));
    if (err && err != ERR_NOT_FOUND)
        return err;
    if (access == NULL)
        *app_id = token.app_id;
    if (access == NULL)
        *sentence = "This is a refresh token. Exchange it at the token endpoint, and send the "
                    "access token that you get.";
    else if (expires_at != 0 && (expires_at <= now ||
                                 timekeeper_rejects(expires_at - ACCESS_SECONDS, expires_at, now)))
        *sentence =
            "The access token has expired: it is valid for one hour. Get a new one with the "
            "refresh token.";
    else if (expires_at != 0)
        *sentence = "The access token was revoked: the user disconnected the app, or the user or "
                    "the app was disabled. Ask the user again.";
    return ERR_NONE;
}

/* Fills in the access with the family's scopes and the token's idle expiry. `commits` stays 0: the
 * token rotates with its next use, so caching it is useless. */
static enum err
find_refresh(struct db_tx *tx, struct arena *mem, struct str hash, int64_t now, struct access *out)
{
    struct refresh_token token;
    struct live_family live = { 0 };
    enum err err = refresh_store_find(tx, mem, hash, now, &token);
    if (!err && token.used_at != 0)
        err = ERR_NOT_FOUND;
    if (!err)
        err = family_store_find(tx, mem, token.family_id, now, &live);
    if (err)
        return err;
    *out = (struct access){
        .user_id = live.family.user_id,
        .app_id = live.family.app_id,
        .allowed.scopes = live.family.scopes & live.granted.scopes,
        .audience = live.family.audience,
        .created_at = token.expires_at - REFRESH_SECONDS,
        .valid_until = clock_earlier(token.expires_at,
                                     clock_earlier(live.family.expires_at, live.granted_until)),
    };
    return ERR_NONE;
}

/* A token of another app is inactive for this one. */
enum err
token_introspect(struct db *db, struct arena *mem, const struct app *app, struct str token,
                 int64_t now, struct access *out, bool *is_refresh)
{
    const struct secret *secret = secret_read(mem, token, SECRET_ACCESS_TOKEN);
    *is_refresh = secret == NULL;
    if (secret == NULL)
        secret = secret_read(mem, token, SECRET_REFRESH_TOKEN);
    if (secret == NULL)
        return ERR_NOT_FOUND;
    struct str hash = secret_hash(mem, secret);
    struct user user = { 0 };
    struct db_tx *tx = tx_begin_read(db);
    enum err err = *is_refresh ? find_refresh(tx, mem, hash, now, out)
                               : access_store_find(tx, mem, hash, now, out, NULL);
    if (!err && !shard_holds(hash, out->user_id))
        err = ERR_NOT_FOUND;
    if (!err && !*is_refresh)
        out->commits = tx_commits(tx);
    if (!err && (out->allowed.scopes & SCOPE_PROFILE_READ) != 0)
        err = user_store_find(tx, mem, out->user_id, &user);
    out->username = user.username;
    err = tx_end_read(tx, err);
    return err || str_eq(out->app_id, app->id) ? err : ERR_NOT_FOUND;
}

bool
token_is_well_formed(struct arena *mem, struct str text)
{
    return secret_read(mem, text, SECRET_ACCESS_TOKEN) != NULL ||
           secret_read(mem, text, SECRET_REFRESH_TOKEN) != NULL;
}
