/* tokens.c - the token endpoint: exchanges codes, refreshes, revokes.
 *
 * A transaction that refuses may still have to commit, because reuse revokes a family. So a refusal
 * is kept in work->refusal while the work returns ERR_NONE; only errors of the store roll back.
 * Exchanges and refreshes share transactions on PostgreSQL: the key of run_shared() keeps two
 * requests with the same code or family apart. */
#include "flow/tokens.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/shard.h"
#include "base/timekeeper.h"
#include "crypt/random.h"
#include "crypt/secret.h"
#include "flow/apps.h"
#include "flow/authorize.h"
#include "model/pkce.h"
#include "store/activity_store.h"
#include "credential/session_store.h"
#include "credential/token_store.h"
#include "store/tx.h"

#include <time.h>

#define RACES_MAX 4
#define DAY_SECONDS 86400
#define CONFIRM_MS 5000 /* since the request began; no lookup begins later */
#define CONFIRM_PAUSE_NS 200000000

/* Input and output of the transactions below. */
struct token_write {
    struct arena *mem;
    const struct app *app;
    const struct secret *token; /* the presented refresh token */
    struct str hash;
    struct str family_id; /* that the refresh token names */
    int64_t now;
    struct str redirect_uri;
    struct str verifier;
    struct str scope;
    audience audience;  /* 0: the family's */
    bool is_unanswered; /* the client has no response to an earlier request that was perhaps made */
    struct token_set *out;
    enum err refusal; /* returned to the caller although the transaction commits */
    const char *problem;
    struct str reused_of; /* the user whose family was revoked because of reuse */
    const struct refresh *refresh;
};

/* The transaction commits. `problem` is a sentence for the app's developer. */
static enum err
refuse(struct token_write *work, enum err refusal, const char *problem)
{
    work->refusal = refusal;
    work->problem = problem;
    return ERR_NONE;
}

/* After a commit that was not confirmed: ERR_NONE if the new tokens are in the database. While no
 * server responds, another one is perhaps about to be promoted; but the client must not wait long,
 * and may safely try again: see is_unanswered. */
static enum err
confirm(struct db *db, const struct token_write *work, int64_t began)
{
    if (work->refusal)
        return ERR_UNCONFIRMED;
    struct str hash = secret_hash(work->mem, work->out->refresh);
    while (clock_steady_ms() - began < CONFIRM_MS) {
        struct refresh_token token;
        struct db_tx *tx = tx_begin_read(db);
        enum err err = tx_end_read(tx, refresh_store_find(tx, work->mem, hash, work->now, &token));
        if (err == ERR_NONE)
            return ERR_NONE;
        if (err == ERR_NOT_FOUND)
            break;
        nanosleep(&(struct timespec){ .tv_nsec = CONFIRM_PAUSE_NS }, NULL);
    }
    return ERR_UNCONFIRMED;
}

/* The key names what the work reads and then changes. `event` is logged if two parties have the
 * same code or refresh token, which is a security event. */
static enum err
run_shared(struct db *db, struct str key, tx_work *body, struct token_write *work,
           const char *event, const char **problem)
{
    int64_t began = clock_steady_ms();
    enum err err = tx_write_shared(db, key, body, work);
    if (err == ERR_UNCONFIRMED)
        err = confirm(db, work, began);
    if (str_present(work->reused_of))
        log_warn(event, log_text("app", work->app->id), log_text("user", work->reused_of));
    *problem = work->problem;
    return err ? err : work->refusal;
}

/* Revokes the family because two parties have its code or refresh token. The user sees it in the
 * activity and on the page of the app. */
static enum err
end_reused(struct db_tx *tx, struct token_write *work, struct str family_id)
{
    enum err err = family_store_end_reused(tx, work->mem, family_id, work->now, &work->reused_of);
    struct activity_event event = { .user_id = work->reused_of,
                                    .app_id = work->app->id,
                                    .action = ACTIVITY_REUSE,
                                    .now = work->now };
    return err || !str_present(work->reused_of) ? err : activity_store_event(tx, work->mem, &event);
}

/* The access token carries the shard of the family, the refresh token the family itself. */
static struct token_set
make_pair(const struct token_write *work, const struct live_family *of)
{
    return (struct token_set){
        .access = secret_make(work->mem, SECRET_ACCESS_TOKEN, shard_of(of->family.id)),
        .refresh =
            secret_make_in(work->mem, SECRET_REFRESH_TOKEN, str_from(of->family.id, 4), work->now),
    };
}

/* The pair that replaced the presented refresh token when it was used. For public clients it
 * follows from that token and a stored seed, so that a retry can get the same pair although the
 * database has only hashes. Without the presented token the seed is worthless. */
static struct token_set
derive_pair(const struct token_write *work, struct str seed, int64_t used_at)
{
    struct str family = secret_group(work->mem, work->token);
    return (struct token_set){
        .access = secret_derive(work->mem, SECRET_ACCESS_TOKEN, work->token, seed),
        .refresh =
            secret_derive_in(work->mem, SECRET_REFRESH_TOKEN, work->token, seed, family, used_at),
    };
}

static audience
audience_of(const struct token_write *work, const struct live_family *of)
{
    return work->audience != 0 ? work->audience : of->family.audience;
}

/* Adds the access token and the refresh token to the family. */
static enum err
issue(struct db_tx *tx, struct token_write *work, const struct live_family *of, scopes allowed,
      const struct token_set *pair)
{
    struct arena *mem = work->mem;
    int64_t ends = clock_earlier(work->now + ACCESS_SECONDS,
                                 clock_earlier(of->family.expires_at, of->granted_until));
    *work->out = *pair;
    work->out->scopes = allowed;
    work->out->expires_in = ends - work->now;
    struct access_token access = {
        .hash = secret_hash(mem, pair->access),
        .scopes = allowed,
        .audience = audience_of(work, of),
        .created_at = timekeeper_created_at(work->now),
        .expires_at = work->now + ACCESS_SECONDS,
    };
    enum err err = access_store_add(tx, mem, &access, of);
    if (!err)
        err = app_keep(tx, mem, work->app, work->now);
    return err ? err
               : refresh_store_add(tx, mem, secret_hash(mem, pair->refresh), of->family.id,
                                   work->now);
}

/* Whether the requested audience is a part of the one that the user authorized; false: refused. */
static bool
audience_ok(struct token_write *work, const struct live_family *of)
{
    if ((work->audience & ~of->family.audience) == 0)
        return true;
    refuse(work, ERR_TOO_LARGE, AUTHORIZE_WRONG_TARGET);
    return false;
}

/* ---- exchanging a code ---- */

/* The order of the checks matters: the checks that authenticate the client come first, and whether
 * the code was redeemed is checked last. Only a complete and correct exchange redeems it or counts
 * as reuse. */
static enum err
exchange(struct db_tx *tx, void *argument)
{
    struct token_write *work = argument;
    struct auth_code code;
    struct live_family live = { 0 };
    work->refusal = ERR_NONE;
    work->reused_of = STR_NONE; /* the work may run again */
    family_store_prefetch_code(tx, work->mem, work->hash, work->now);
    enum err err = code_store_find(tx, work->mem, work->hash, &code);
    if (!err && !shard_holds(work->hash, code.family_id))
        err = ERR_NOT_FOUND;
    if (err == ERR_NOT_FOUND)
        return refuse(work, ERR_INVALID, "The code is unknown or was deleted.");
    if (err)
        return err;
    /* A failed attempt does not redeem the code, so an attacker without the verifier cannot block
     * the app. */
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
    enum err family_err = family_store_find_by_code(tx, work->mem, work->hash, work->now, &live);
    if (family_err && family_err != ERR_NOT_FOUND)
        return family_err;
    if (!family_err && !audience_ok(work, &live))
        return ERR_NONE;
    if (code.redeemed_at == 0)
        err = code_store_redeem(tx, work->mem, work->hash, work->now);
    if ((code.redeemed_at != 0 && !work->is_unanswered) || err == ERR_NOT_FOUND) {
        /* A second complete exchange: two parties have the code (RFC 6749 §4.1.2). */
        err = end_reused(tx, work, code.family_id);
        return err ? err
                   : refuse(work, ERR_INVALID,
                            "The code was already used; its tokens were revoked.");
    }
    if (err)
        return err;
    if (family_err == ERR_NOT_FOUND)
        return refuse(work, ERR_INVALID, "The user disconnected the app.");
    live.family.expires_at = work->now + FAMILY_SECONDS;
    live.family.issued_at = work->now;
    err = family_store_begin(tx, work->mem, &live.family, work->hash);
    struct token_set pair = make_pair(work, &live);
    return err ? err : issue(tx, work, &live, live.family.scopes & live.granted.scopes, &pair);
}

/* The key of the shared transaction is the hash of the code: two exchanges of one code never run
 * side by side. */
enum err
token_exchange(struct db *db, struct arena *mem, const struct exchange *params,
               struct token_set *out, const char **problem)
{
    const struct secret *code = secret_read(mem, params->code, SECRET_CODE);
    *problem = "The code is malformed or was not issued by this service.";
    if (code == NULL)
        return ERR_INVALID;
    struct token_write work = { .mem = mem,
                                .app = params->app,
                                .hash = secret_hash(mem, code),
                                .now = params->now,
                                .redirect_uri = params->redirect_uri,
                                .verifier = params->verifier,
                                .audience = params->audience,
                                .is_unanswered = params->is_unanswered,
                                .out = out };
    return run_shared(db, work.hash, exchange, &work, "code_reuse", problem);
}

/* ---- refreshing ---- */

/* The family that a refresh token names. */
static struct str
family_of(struct arena *mem, const struct secret *token)
{
    return str_format(mem, "fam_%.*s", STR_ARG(secret_group(mem, token)));
}

static int64_t
reuses_max(const struct token_write *work)
{
    return work->app->is_public ? PUBLIC_REUSES_MAX : REUSES_MAX;
}

/* Applies the scope parameter; false: refused. */
static bool
narrow(struct token_write *work, scopes held, scopes *out)
{
    *out = held;
    if (!str_present(work->scope))
        return true;
    struct str unknown = STR_NONE;
    scopes asked;
    bool known = scopes_read_request(work->scope, work->app->kind != APP_PORTAL, &asked, &unknown);
    if (known && asked == 0 && !str_present(unknown))
        return true; /* only offline_access */
    if (!known || (asked & ~held) != 0 || asked == 0) {
        refuse(work, ERR_FORBIDDEN, "scope contains more than the user allowed.");
        return false;
    }
    *out = asked;
    return true;
}

/* The rows of used tokens are deleted after a minute; then the family shows that one was used. */
static enum err
find_token(struct db_tx *tx, const struct token_write *work, struct refresh_token *out)
{
    enum err err = refresh_store_find(tx, work->mem, work->hash, work->now, out);
    if (err != ERR_NOT_FOUND)
        return !err && !shard_holds(work->hash, out->family_id) ? ERR_NOT_FOUND : err;
    return refresh_store_find_forgotten(tx, work->mem, work->family_id, secret_time(work->token),
                                        work->now, out);
}

/* Records that a refresh token is issued, at most once a day. */
static enum err
put_issued(struct db_tx *tx, struct token_write *work, struct family *family)
{
    int64_t age = work->now - family->issued_at;
    if (age >= 0 && age < DAY_SECONDS)
        return ERR_NONE;
    family->issued_at = work->now;
    return family_store_put_times(tx, work->mem, family);
}

/* Repeats the response that the first use of the token got, if neither of its tokens was used up or
 * revoked since: many processes of one public client may share a refresh token, and must not end up
 * in different branches of the family. ERR_NOT_FOUND: there is nothing to repeat. */
static enum err
repeat(struct db_tx *tx, struct token_write *work, const struct refresh_token *token,
       const struct live_family *live, scopes allowed)
{
    struct refresh_token next;
    struct access access;
    if (token->used_at == 0 || !str_present(token->seed))
        return ERR_NOT_FOUND;
    struct token_set set = derive_pair(work, token->seed, token->used_at);
    enum err err =
        refresh_store_find(tx, work->mem, secret_hash(work->mem, set.refresh), work->now, &next);
    if (!err && next.used_at != 0)
        err = ERR_NOT_FOUND;
    if (!err)
        err = access_store_find(tx, work->mem, secret_hash(work->mem, set.access), work->now,
                                &access, NULL);
    if (err)
        return err;
    if (access.allowed.scopes != allowed || access.audience != audience_of(work, live))
        return ERR_NOT_FOUND; /* this request has other parameters */
    set.scopes = allowed;
    set.expires_in = access.valid_until - work->now;
    *work->out = set;
    return ERR_NONE;
}

/* Marks the token as used. ERR_NOT_FOUND: a concurrent request did so first; classify it again. */
static enum err
use(struct db_tx *tx, struct token_write *work, bool is_fresh, struct str seed)
{
    return is_fresh ? refresh_store_use(tx, work->mem, work->hash, seed, work->now)
                    : refresh_store_reuse(tx, work->mem, work->hash, reuses_max(work));
}

/* `is_unconfirmed`: the client got no response to an earlier request with this token, whose commit
 * was not confirmed. That is a retry, however late, and no theft. */
static enum err
refresh_once(struct db_tx *tx, struct token_write *work)
{
    static const char invalid[] = "The refresh token is unknown, expired, or revoked.";
    struct refresh_token token;
    struct live_family live = { 0 };
    const struct refresh *params = work->refresh;
    scopes allowed;
    enum err err = find_token(tx, work, &token);
    if (err == ERR_NOT_FOUND)
        return refuse(work, ERR_INVALID, invalid);
    if (err)
        return err;
    if (!str_eq(token.app_id, work->app->id))
        return refuse(work, ERR_INVALID, "The refresh token was issued to another app.");
    enum refresh_state state = refresh_classify(&token, reuses_max(work), work->now);
    bool is_unconfirmed = state == REFRESH_REUSED && work->is_unanswered;
    if (state == REFRESH_REUSED && !is_unconfirmed) {
        err = end_reused(tx, work, token.family_id);
        return err ? err
                   : refuse(
                         work, ERR_INVALID,
                         "The refresh token was already used, and the authorization was revoked.");
    }
    if (state == REFRESH_LOST)
        return refuse(work, ERR_INVALID,
                      "The database lost the refresh token in a failover. Ask the user to connect "
                      "the app again.");
    if (state == REFRESH_TOO_OFTEN)
        return refuse(work, ERR_INVALID, "The refresh token was already used. Use the newest one.");
    err = family_store_find(tx, work->mem, token.family_id, work->now, &live);
    if (err == ERR_NOT_FOUND)
        return refuse(work, ERR_INVALID, invalid);
    if (err)
        return err;
    if (!narrow(work, live.family.scopes & live.granted.scopes, &allowed) ||
        !audience_ok(work, &live))
        return ERR_NONE;
    err = repeat(tx, work, &token, &live, allowed);
    if (err && err != ERR_NOT_FOUND)
        return err;
    /* A repeated response issues nothing new and is not limited. */
    bool repeated = err == ERR_NONE, is_fresh = state == REFRESH_FRESH;
    if (!repeated && params->may_refresh != NULL &&
        !params->may_refresh(params->context, live.family.id))
        return refuse(work, ERR_RATE, NULL);
    struct str seed = is_fresh && work->app->is_public ? random_id(work->mem, "") : STR_NONE;
    err = is_unconfirmed ? ERR_NONE : use(tx, work, is_fresh, seed);
    if (err || repeated)
        return err;
    err = put_issued(tx, work, &live.family);
    struct token_set set =
        str_present(seed) ? derive_pair(work, seed, work->now) : make_pair(work, &live);
    return err ? err : issue(tx, work, &live, allowed, &set);
}

static enum err
refresh(struct db_tx *tx, void *argument)
{
    struct token_write *work = argument;
    enum err err = ERR_NOT_FOUND;
    /* Only a hint: on PostgreSQL the rows arrive with the next statement. */
    family_store_prefetch(tx, work->mem, work->family_id, work->now);
    /* After losing a race, the token counts as used. */
    for (int i = 0; i < RACES_MAX && err == ERR_NOT_FOUND; i++) {
        work->refusal = ERR_NONE;
        work->reused_of = STR_NONE;
        err = refresh_once(tx, work);
    }
    if (err == ERR_NOT_FOUND)
        return refuse(work, ERR_INVALID, "The refresh token was already used. Use the newest one.");
    return err;
}

/* The family is read from the token's text, so that concurrent refreshes of one family can share a
 * commit. An error of the client is returned after the transaction has committed: a reuse revokes
 * the family, which must not be rolled back. */
enum err
token_refresh(struct db *db, struct arena *mem, const struct refresh *params, struct token_set *out,
              const char **problem)
{
    const struct secret *token = secret_read(mem, params->token, SECRET_REFRESH_TOKEN);
    *problem = "The refresh token is malformed or was not issued by this service.";
    if (token == NULL)
        return ERR_INVALID;
    struct token_write work = { .mem = mem,
                                .app = params->app,
                                .hash = secret_hash(mem, token),
                                .family_id = family_of(mem, token),
                                .now = params->now,
                                .token = token,
                                .scope = params->scope,
                                .audience = params->audience,
                                .is_unanswered = params->is_unanswered,
                                .out = out,
                                .refresh = params };
    return run_shared(db, work.family_id, refresh, &work, "refresh_token_reuse", problem);
}

/* ---- revoking ---- */

/* A token of another app stays valid, and the response does not reveal that it exists. */
static enum err
revoke_access(struct db_tx *tx, void *argument)
{
    struct token_write *work = argument;
    struct access access;
    enum err err = access_store_find(tx, work->mem, work->hash, work->now, &access, NULL);
    if (err || !str_eq(access.app_id, work->app->id))
        return err == ERR_NOT_FOUND ? ERR_NONE : err;
    return access_store_end(tx, work->mem, work->hash);
}

/* Also a used one: presenting any token of the family revokes it. */
static enum err
revoke_refresh(struct db_tx *tx, void *argument)
{
    struct token_write *work = argument;
    struct refresh_token token;
    enum err err = find_token(tx, work, &token);
    if (err || !str_eq(token.app_id, work->app->id))
        return err == ERR_NOT_FOUND ? ERR_NONE : err;
    return family_store_end(tx, work->mem, token.family_id);
}

/* The prefix tells the kind of a token, so that token_type_hint (RFC 7009 §2.1) is not needed. */
enum err
token_revoke(struct db *db, struct arena *mem, const struct app *app, struct str token, int64_t now)
{
    const struct secret *access = secret_read(mem, token, SECRET_ACCESS_TOKEN);
    const struct secret *refresh_secret = secret_read(mem, token, SECRET_REFRESH_TOKEN);
    struct token_write work = { .mem = mem, .app = app, .now = now };
    if (access != NULL) {
        work.hash = secret_hash(mem, access);
        return tx_write_urgent(db, revoke_access, &work);
    }
    if (refresh_secret != NULL) {
        work.token = refresh_secret;
        work.hash = secret_hash(mem, refresh_secret);
        work.family_id = family_of(mem, refresh_secret);
        return tx_write_urgent(db, revoke_refresh, &work);
    }
    return ERR_NONE;
}
