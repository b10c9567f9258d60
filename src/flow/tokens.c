#include "flow/tokens.h"

#include "base/log.h"
#include "base/timekeeper.h"
#include "crypt/secret.h"
#include "model/pkce.h"
#include "store/token_store.h"
#include "store/tx.h"
#include "store/user_store.h"

#define RACES_MAX 4

/* Input and output of the transactions below. */
struct work {
    struct arena *mem;
    const struct app *app;
    struct str hash;
    int64_t now;
    struct str redirect_uri;
    struct str verifier;
    struct str scope;
    struct token_set *out;
    enum err refusal; /* returned to the caller although the transaction commits */
    const char *problem;
    struct str reused_of; /* the user whose family was revoked because of reuse */
    const struct refresh *refresh;
};

static int64_t
earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static enum err
refuse(struct work *work, enum err refusal, const char *problem)
{
    work->refusal = refusal;
    work->problem = problem;
    return ERR_NONE;
}

static enum err
run_write(struct db *db, tx_work *body, struct work *work)
{
    enum err err = tx_write(db, body, work);
    return err ? err : work->refusal;
}

/* A security event: two parties have the same code or refresh token. */
static void
log_reuse(const char *event, const struct work *work)
{
    if (str_present(work->reused_of))
        log_warn(event, log_text("app", work->app->id), log_text("user", work->reused_of));
}

/* Adds an access token and a refresh token to the family. */
static enum err
issue(struct db_tx *tx, struct work *work, const struct live_family *of, scopes allowed)
{
    struct arena *mem = work->mem;
    int64_t ends =
        earlier(work->now + ACCESS_SECONDS, earlier(of->family.expires_at, of->granted_until));
    *work->out = (struct token_set){
        .access = secret_make(mem, SECRET_ACCESS_TOKEN),
        .refresh = secret_make(mem, SECRET_REFRESH_TOKEN),
        .scopes = allowed,
        .expires_in = ends - work->now,
    };
    struct access_token access = {
        .hash = secret_hash(mem, work->out->access),
        .scopes = allowed,
        .created_at = timekeeper_created_at(work->now),
        .expires_at = work->now + ACCESS_SECONDS,
    };
    enum err err = access_store_add(tx, mem, &access, of);
    return err ? err
               : refresh_store_add(tx, mem, secret_hash(mem, work->out->refresh), of->family.id,
                                   work->now);
}

/* ---- exchanging a code ---- */

static enum err
exchange(struct db_tx *tx, void *argument)
{
    struct work *work = argument;
    struct auth_code code;
    struct live_family live = { 0 };
    work->refusal = ERR_NONE;
    enum err err = code_store_find(tx, work->mem, work->hash, &code);
    if (err == ERR_NOT_FOUND)
        return refuse(work, ERR_INVALID, "The code is unknown or was deleted.");
    if (err)
        return err;
    /* A failed attempt does not redeem the code, so a thief without the verifier cannot block the
     * app. */
    if (!str_eq(code.app_id, work->app->id))
        return refuse(work, ERR_INVALID, "The code was issued to another app.");
    if (!str_eq(code.redirect_uri, work->redirect_uri))
        return refuse(work, ERR_INVALID,
                      "redirect_uri differs from the one in the authorization request.");
    if (!pkce_proves(work->mem, work->verifier, code.challenge))
        return refuse(work, ERR_INVALID, "code_verifier does not match the code_challenge.");
    if (code.redeemed_at == 0 &&
        (code.expires_at <= work->now ||
         timekeeper_rejects(code.expires_at - CODE_SECONDS, code.expires_at, work->now)))
        return refuse(work, ERR_INVALID, "The code has expired: it is valid for 60 seconds.");
    if (code.redeemed_at == 0)
        err = code_store_redeem(tx, work->mem, work->hash, work->now);
    if (code.redeemed_at != 0 || err == ERR_NOT_FOUND) {
        /* A second complete exchange: two parties have the code (RFC 6749 §4.1.2). */
        err = family_store_end_reused(tx, work->mem, code.family_id, work->now, &work->reused_of);
        return err ? err
                   : refuse(work, ERR_INVALID,
                            "The code was already used; its tokens were revoked.");
    }
    if (err)
        return err;
    err = family_store_find(tx, work->mem, code.family_id, work->now, &live);
    if (err == ERR_NOT_FOUND)
        return refuse(work, ERR_INVALID, "The user disconnected the app.");
    live.family.expires_at = work->now + FAMILY_SECONDS;
    if (!err)
        err = family_store_put_end(tx, work->mem, &live.family);
    return err ? err : issue(tx, work, &live, live.family.scopes & live.granted.scopes);
}

enum err
token_exchange(struct db *db, struct arena *mem, const struct exchange *params,
               struct token_set *out, const char **problem)
{
    const struct secret *code = secret_read(mem, params->code, SECRET_CODE);
    *problem = "The code is malformed or was not issued by this service.";
    if (code == NULL)
        return ERR_INVALID;
    struct work work = { .mem = mem,
                         .app = params->app,
                         .hash = secret_hash(mem, code),
                         .now = params->now,
                         .redirect_uri = params->redirect_uri,
                         .verifier = params->verifier,
                         .out = out };
    enum err err = run_write(db, exchange, &work);
    log_reuse("code_reuse", &work);
    *problem = work.problem;
    return err;
}

/* ---- refreshing ---- */

/* Applies the scope parameter; false: refused. */
static bool
narrow(struct work *work, scopes held, scopes *out)
{
    *out = held;
    if (!str_present(work->scope))
        return true;
    scopes asked;
    if (!scopes_read(work->scope, &asked, NULL) || (asked & ~held) != 0 || asked == 0) {
        refuse(work, ERR_FORBIDDEN, "scope contains more than the user allowed.");
        return false;
    }
    *out = asked;
    return true;
}

/* Marks the token as used. ERR_NOT_FOUND: a concurrent request did so first; judge it again. */
static enum err
use(struct db_tx *tx, struct work *work, enum refresh_verdict verdict)
{
    return verdict == REFRESH_FRESH ? refresh_store_use(tx, work->mem, work->hash, work->now)
                                    : refresh_store_reuse(tx, work->mem, work->hash);
}

static enum err
refresh_once(struct db_tx *tx, struct work *work)
{
    static const char invalid[] = "The refresh token is unknown, expired, or revoked.";
    struct refresh_token token;
    struct live_family live = { 0 };
    scopes allowed;
    enum err err = refresh_store_find(tx, work->mem, work->hash, work->now, &token);
    if (err == ERR_NOT_FOUND)
        return refuse(work, ERR_INVALID, invalid);
    if (err)
        return err;
    if (!str_eq(token.app_id, work->app->id))
        return refuse(work, ERR_INVALID, "The refresh token was issued to another app.");
    enum refresh_verdict verdict = refresh_judge(&token, work->now);
    if (verdict == REFRESH_STOLEN) {
        err = family_store_end_reused(tx, work->mem, token.family_id, work->now, &work->reused_of);
        return err ? err
                   : refuse(
                         work, ERR_INVALID,
                         "The refresh token was already used, and the authorization was revoked.");
    }
    if (verdict == REFRESH_TOO_OFTEN)
        return refuse(work, ERR_INVALID, "The refresh token was already used. Use the newest one.");
    err = family_store_find(tx, work->mem, token.family_id, work->now, &live);
    if (err == ERR_NOT_FOUND)
        return refuse(work, ERR_INVALID, invalid);
    if (err)
        return err;
    if (!narrow(work, live.family.scopes & live.granted.scopes, &allowed))
        return ERR_NONE;
    const struct refresh *params = work->refresh;
    if (params->may_refresh != NULL && !params->may_refresh(params->context, live.family.id))
        return refuse(work, ERR_RATE, NULL);
    err = use(tx, work, verdict);
    return err ? err : issue(tx, work, &live, allowed);
}

static enum err
refresh(struct db_tx *tx, void *argument)
{
    struct work *work = argument;
    enum err err = ERR_NOT_FOUND;
    /* After losing a race the token is a used one, and is judged as such. */
    for (int i = 0; i < RACES_MAX && err == ERR_NOT_FOUND; i++) {
        work->refusal = ERR_NONE;
        err = refresh_once(tx, work);
    }
    if (err == ERR_NOT_FOUND)
        return refuse(work, ERR_INVALID, "The refresh token was already used. Use the newest one.");
    return err;
}

enum err
token_refresh(struct db *db, struct arena *mem, const struct refresh *params, struct token_set *out,
              const char **problem)
{
    const struct secret *token = secret_read(mem, params->token, SECRET_REFRESH_TOKEN);
    *problem = "The refresh token is malformed or was not issued by this service.";
    if (token == NULL)
        return ERR_INVALID;
    struct work work = { .mem = mem,
                         .app = params->app,
                         .hash = secret_hash(mem, token),
                         .now = params->now,
                         .scope = params->scope,
                         .out = out,
                         .refresh = params };
    enum err err = run_write(db, refresh, &work);
    log_reuse("refresh_token_reuse", &work);
    *problem = work.problem;
    return err;
}

/* ---- revoking ---- */

static enum err
revoke_access(struct db_tx *tx, void *argument)
{
    struct work *work = argument;
    struct access access;
    enum err err = access_store_find(tx, work->mem, work->hash, work->now, &access, NULL);
    if (err || !str_eq(access.app_id, work->app->id))
        return err == ERR_NOT_FOUND ? ERR_NONE : err;
    return access_store_end(tx, work->mem, work->hash);
}

static enum err
revoke_refresh(struct db_tx *tx, void *argument)
{
    struct work *work = argument;
    struct refresh_token token;
    enum err err = refresh_store_find(tx, work->mem, work->hash, work->now, &token);
    if (err || !str_eq(token.app_id, work->app->id))
        return err == ERR_NOT_FOUND ? ERR_NONE : err;
    return family_store_end(tx, work->mem, token.family_id);
}

enum err
token_revoke(struct db *db, struct arena *mem, const struct app *app, struct str token, int64_t now)
{
    const struct secret *access = secret_read(mem, token, SECRET_ACCESS_TOKEN);
    const struct secret *refresh_secret = secret_read(mem, token, SECRET_REFRESH_TOKEN);
    struct work work = { .mem = mem, .app = app, .now = now };
    if (access != NULL) {
        work.hash = secret_hash(mem, access);
        return tx_write_urgent(db, revoke_access, &work);
    }
    if (refresh_secret != NULL) {
        work.hash = secret_hash(mem, refresh_secret);
        return tx_write_urgent(db, revoke_refresh, &work);
    }
    return ERR_NONE;
}

/* ---- finding ---- */

uint64_t
token_access_version(struct db *db, const struct access *access)
{
    if (store_commits(db) == 0)
        return 0;
    /* Revoking a family and changing a grant bump the user's auth version. */
    return store_version(db, access->user_id) + store_version(db, access->app_id) +
           store_version(db, access->token_hash);
}

/* The ids are known only after reading. If a commit came in between, the access may be older than
 * the versions: it must not be cached. */
void
token_access_mark(struct db *db, struct access *access)
{
    uint64_t version = token_access_version(db, access);
    access->version = access->commits == store_commits(db) ? version : 0;
}

enum err
token_access(struct db *db, struct arena *mem, struct str token, int64_t now, struct access *out,
             struct str *hint_sets)
{
    const struct secret *secret = secret_read(mem, token, SECRET_ACCESS_TOKEN);
    if (secret == NULL)
        return ERR_UNAUTHENTICATED;
    struct db_tx *tx = tx_begin_read(db);
    enum err err = access_store_find(tx, mem, secret_hash(mem, secret), now, out, hint_sets);
    out->commits = tx_commits(tx);
    err = tx_end_read(tx, err);
    return err == ERR_NOT_FOUND ? ERR_UNAUTHENTICATED : err;
}

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
 * token rotates with its next use and is not worth caching. */
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
        .created_at = token.expires_at - REFRESH_SECONDS,
        .valid_until =
            earlier(token.expires_at, earlier(live.family.expires_at, live.granted_until)),
    };
    return ERR_NONE;
}

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
    if (!err && !*is_refresh)
        out->commits = tx_commits(tx);
    if (!err && (out->allowed.scopes & SCOPE_PROFILE_READ) != 0)
        err = user_store_find(tx, mem, out->user_id, &user);
    out->username = user.username;
    err = tx_end_read(tx, err);
    return err || str_eq(out->app_id, app->id) ? err : ERR_NOT_FOUND;
}

bool
token_is_ours(struct arena *mem, struct str text)
{
    return secret_read(mem, text, SECRET_ACCESS_TOKEN) != NULL ||
           secret_read(mem, text, SECRET_REFRESH_TOKEN) != NULL;
}
