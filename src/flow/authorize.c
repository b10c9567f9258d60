#include "flow/authorize.h"

#include "crypt/digest.h"
#include "crypt/random.h"
#include "crypt/secret.h"
#include "flow/apps.h"
#include "model/pkce.h"
#include "model/user.h"
#include "store/app_store.h"
#include "store/grant_store.h"
#include "store/session_store.h"
#include "store/token_store.h"
#include "store/tx.h"
#include "store/user_store.h"

#define STATE_MAX 2048

/* ---- 1: what was sent ---- */

static enum authorize_stop
tell_person(struct authorize_checked *out, const char *sentence)
{
    out->stop = AUTHORIZE_TELL_PERSON;
    out->error = "invalid_request";
    out->description = sentence;
    return out->stop;
}

static enum authorize_stop
tell_app(struct authorize_checked *out, const char *error, const char *sentence)
{
    out->stop = AUTHORIZE_TELL_APP;
    out->error = error;
    out->description = sentence;
    return out->stop;
}

static bool
is(const char *name, const char *other)
{
    return name != NULL && str_eq_c(str_of(name), other);
}

static void
tell_other_uri(struct arena *mem, const struct authorize_wish *wish, struct authorize_checked *out)
{
    struct str nearest = STR_NONE;
    out->reason = app_uri_difference(&out->app, wish->redirect_uri, &nearest);
    if (str_present(wish->redirect_uri))
        out->detail = str_format(mem, "sent: %.*s, registered: %.*s",
                                 STR_ARG(str_first(wish->redirect_uri, 100)), STR_ARG(nearest));
    tell_person(out, str_format(mem,
                                "The app wants you sent to an address that it did not register, so "
                                "you are not sent there. For its developer: %s",
                                out->reason)
                         .ptr);
}

/* The first of a set, so that there are no more reasons than scopes. */
static const char *
first_scope(scopes set)
{
    return scope_row((size_t)__builtin_ctzll(set))->name;
}

/* Who asks, and where to answer. Until both are sure, nobody is redirected (RFC 6749 §4.1.2.1). */
static enum err
check_app(struct db *db, struct arena *mem, const struct authorize_wish *wish,
          struct authorize_checked *out)
{
    static const char unknown[] =
        "The app that sent you here is not registered with this service, so "
        "nothing is shared with it. For its developer: client_id is wrong.";
    if (is(wish->repeated, "client_id") || is(wish->repeated, "redirect_uri")) {
        tell_person(out, "The app that sent you here asked in a way that is not allowed. For its "
                         "developer: client_id or redirect_uri came more than once.");
        return ERR_NONE;
    }
    enum err err = app_find(db, mem, wish->client_id, &out->app);
    if (err && err != ERR_NOT_FOUND)
        return err;
    if (err || out->app.status != APP_ACTIVE) {
        tell_person(out, unknown);
        out->reason = "The app is disabled.";
        return ERR_NONE;
    }
    out->is_trial = str_present(wish->trial_of) && str_eq(wish->trial_of, out->app.owner_id);
    if (!out->is_trial && !str_present(app_find_uri(&out->app, wish->redirect_uri))) {
        tell_other_uri(mem, wish, out);
        return ERR_NONE;
    }
    out->redirect_uri = wish->redirect_uri;
    return ERR_NONE;
}

static bool
state_fine(struct str state)
{
    if (state.len > STATE_MAX)
        return false;
    for (size_t i = 0; i < state.len; i++)
        if ((unsigned char)state.ptr[i] < 0x20 || state.ptr[i] == 0x7f)
            return false;
    return true;
}

static enum authorize_stop
check_scopes(struct arena *mem, const struct authorize_wish *wish, struct authorize_checked *out)
{
    struct str unknown = STR_NONE;
    if (!str_present(wish->scope))
        return tell_app(out, "invalid_scope", "scope is missing; name at least one.");
    if (!scopes_read(wish->scope, &out->scopes, &unknown)) {
        out->detail = unknown;
        return tell_app(out, "invalid_scope",
                        "scope holds a name that does not exist, or one twice.");
    }
    scopes beyond = out->scopes & ~out->app.scopes;
    if (beyond != 0)
        out->reason = str_format(mem,
                                 "scope %s is not registered for this app; add it in the "
                                 "settings, or leave it out.",
                                 first_scope(beyond))
                          .ptr;
    if (beyond != 0)
        return tell_app(
            out, "invalid_scope",
            str_format(mem, "The app did not register the scope %s.", scopes_write(mem, beyond).ptr)
                .ptr);
    return AUTHORIZE_FINE;
}

/* Everything else: told to the app. */
static enum authorize_stop
check_rest(struct arena *mem, const struct authorize_wish *wish, struct authorize_checked *out)
{
    if (wish->repeated != NULL)
        out->reason = "A parameter was sent more than once.";
    if (wish->repeated != NULL)
        return tell_app(out, "invalid_request",
                        str_format(mem, "%.64s was sent more than once.", wish->repeated).ptr);
    if (!state_fine(wish->state)) {
        out->state = STR_NONE;
        return tell_app(out, "invalid_request",
                        "state has at most 2048 bytes and no control characters.");
    }
    if (str_present(wish->request))
        return tell_app(out, "request_not_supported", "request objects are not supported.");
    if (str_present(wish->request_uri))
        return tell_app(out, "request_uri_not_supported", "request_uri is not supported.");
    if (str_present(wish->resource))
        return tell_app(out, "invalid_target", "resource is not this service; leave it out.");
    if (!str_present(wish->response_type))
        return tell_app(out, "invalid_request", "response_type is missing; send code.");
    if (!str_eq(wish->response_type, STR("code")))
        return tell_app(out, "unsupported_response_type", "response_type must be code.");
    if (!str_present(wish->challenge))
        return tell_app(out, "invalid_request", "code_challenge is missing; PKCE is required.");
    if (!str_eq(wish->challenge_method, STR("S256")))
        return tell_app(out, "invalid_request",
                        "code_challenge_method must be S256; other transforms are not supported.");
    if (!pkce_challenge_fine(wish->challenge))
        return tell_app(out, "invalid_request",
                        "code_challenge must be the base64url SHA-256 of the verifier: 43 "
                        "characters, no padding.");
    return check_scopes(mem, wish, out);
}

/* login, consent or both; anything else is ignored. */
static void
read_prompt(struct str prompt, struct authorize_checked *out)
{
    struct str rest = prompt, word;
    while (str_cut(&rest, ' ', &word)) {
        if (str_eq(word, STR("login")))
            out->must_sign_in = true;
        if (str_eq(word, STR("consent")))
            out->must_consent = true;
    }
}

enum err
authorize_check(struct db *db, struct arena *mem, const struct authorize_wish *wish,
                struct authorize_checked *out)
{
    *out = (struct authorize_checked){ .stop = AUTHORIZE_FINE };
    enum err err = check_app(db, mem, wish, out);
    if (err || out->stop != AUTHORIZE_FINE)
        return err;
    out->state = is(wish->repeated, "state") ? STR_NONE : wish->state;
    out->challenge = wish->challenge;
    out->must_consent = out->app.is_public; /* anybody can say they are it (RFC 8252 §8.6) */
    read_prompt(wish->prompt, out);
    check_rest(mem, wish, out);
    return ERR_NONE;
}

/* ---- the code, and what it stands for ---- */

struct issue {
    struct arena *mem;
    const struct app *app;
    const struct user *user;
    struct str grant_id;
    scopes asked;
    scopes allowed;
    struct str redirect_uri;
    struct str challenge;
    int64_t now;
};

static enum err
issue_code(struct db_tx *tx, const struct issue *issue, const struct secret **code)
{
    struct arena *mem = issue->mem;
    struct family family = {
        .id = random_id(mem, "fam_"),
        .grant_id = issue->grant_id,
        .user_id = issue->user->id,
        .app_id = issue->app->id,
        .user_epoch = issue->user->epoch,
        .app_epoch = issue->app->epoch,
        .scopes = issue->allowed,
        .narrow_reach = scopes_narrow(issue->asked),
        .created_at = issue->now,
        .ends_at = issue->now + CODE_SECONDS, /* until the code is redeemed */
    };
    *code = secret_make(mem, SECRET_CODE);
    struct auth_code row = {
        .hash = secret_hash(mem, *code),
        .family_id = family.id,
        .app_id = issue->app->id,
        .redirect_uri = issue->redirect_uri,
        .challenge = issue->challenge,
        .ends_at = issue->now + CODE_SECONDS,
    };
    enum err err = family_store_add(tx, mem, &family);
    return err ? err : code_store_add(tx, mem, &row);
}

/* ---- 3: a code at once, or a request that waits ---- */

struct beginning {
    struct arena *mem;
    const struct authorize_checked *checked;
    const struct session *session;
    const struct user *user;
    int64_t now;
    struct authorize_begun *out;
};

static enum err
keep_request(struct db_tx *tx, struct beginning *beginning)
{
    const struct authorize_checked *checked = beginning->checked;
    struct arena *mem = beginning->mem;
    beginning->out->request_id = random_id(mem, "req_");
    struct auth_request request = {
        .hash = digest_text(mem, beginning->out->request_id),
        .session_hash = beginning->session->hash,
        .app_id = checked->app.id,
        .redirect_uri = checked->redirect_uri,
        .scopes = checked->scopes,
        .state = checked->state,
        .challenge = checked->challenge,
        .must_sign_in = checked->must_sign_in,
        .must_consent = checked->must_consent,
        .is_trial = checked->is_trial,
        .ends_at = beginning->now + REQUEST_SECONDS,
    };
    return request_store_add(tx, mem, &request);
}

static enum err
begin(struct db_tx *tx, void *argument)
{
    struct beginning *beginning = argument;
    const struct authorize_checked *checked = beginning->checked;
    struct grant grant = { 0 };
    *beginning->out = (struct authorize_begun){ 0 };
    enum err err = grant_store_find(tx, beginning->mem, beginning->user->id, checked->app.id,
                                    beginning->now, &grant);
    if (err && err != ERR_NOT_FOUND)
        return err;
    bool covered = err == ERR_NONE && grant_covers(grant.scopes, checked->scopes);
    beginning->out->held = grant.scopes;
    if (checked->must_sign_in || checked->must_consent || !covered) {
        beginning->out->next = checked->must_sign_in ? NEXT_SIGN_IN : NEXT_CONSENT;
        return keep_request(tx, beginning);
    }
    beginning->out->next = NEXT_CODE;
    struct issue issue = {
        .mem = beginning->mem,
        .app = &checked->app,
        .user = beginning->user,
        .grant_id = grant.id,
        .asked = checked->scopes,
        .allowed = checked->scopes,
        .redirect_uri = checked->redirect_uri,
        .challenge = checked->challenge,
        .now = beginning->now,
    };
    return issue_code(tx, &issue, &beginning->out->code);
}

enum err
authorize_begin(struct db *db, struct arena *mem, const struct authorize_checked *checked,
                const struct session *session, const struct user *user, int64_t now,
                struct authorize_begun *out)
{
    struct beginning beginning = { mem, checked, session, user, now, out };
    return tx_write(db, begin, &beginning);
}

/* ---- 4: what the person says ---- */

struct deciding {
    struct arena *mem;
    const struct session *session;
    const struct user *user;
    const struct consent_wish *wish;
    struct auth_request *request;
    struct app *app;
    scopes *held;
    int64_t now;
    const struct secret **code;
};

/* The request's app, as it is now: it may have been disabled or changed since it asked. */
static enum err
find_app_of(struct db_tx *tx, struct deciding *deciding)
{
    enum err err = app_store_find(tx, deciding->mem, deciding->request->app_id, deciding->app);
    if (err == ERR_NOT_FOUND || (!err && deciding->app->status != APP_ACTIVE))
        return ERR_FORBIDDEN;
    bool trial = !err && deciding->request->is_trial &&
                 str_eq(deciding->app->owner_id, deciding->session->user_id);
    if (!err && !trial &&
        !str_present(app_find_uri(deciding->app, deciding->request->redirect_uri)))
        return ERR_FORBIDDEN;
    return err;
}

static enum err
find_request(struct db_tx *tx, void *argument)
{
    struct deciding *deciding = argument;
    struct grant grant = { 0 };
    struct str hash = digest_text(deciding->mem, deciding->wish->request_id);
    enum err err = request_store_find(tx, deciding->mem, hash, deciding->session->hash,
                                      deciding->now, deciding->request);
    if (!err)
        err = find_app_of(tx, deciding);
    if (err)
        return err;
    err = grant_store_find(tx, deciding->mem, deciding->session->user_id, deciding->app->id,
                           deciding->now, &grant);
    *deciding->held = grant.scopes;
    return err == ERR_NOT_FOUND ? ERR_NONE : err;
}

enum err
consent_find(struct db *db, struct arena *mem, const struct session *session, struct str request_id,
             int64_t now, struct auth_request *request, struct app *app, scopes *held)
{
    struct consent_wish wish = { .request_id = request_id };
    struct deciding deciding = { .mem = mem,
                                 .session = session,
                                 .wish = &wish,
                                 .request = request,
                                 .app = app,
                                 .held = held,
                                 .now = now };
    return tx_read(db, find_request, &deciding);
}

/* The grant after this consent: the living one changed, or a new one. */
static enum err
put_grant(struct db_tx *tx, struct deciding *deciding, scopes allowed, struct grant *grant)
{
    const struct auth_request *request = deciding->request;
    int64_t now = deciding->now;
    enum err err =
        grant_store_find(tx, deciding->mem, deciding->user->id, request->app_id, now, grant);
    if (err && err != ERR_NOT_FOUND)
        return err;
    bool lives = err == ERR_NONE;
    if (!lives)
        *grant = (struct grant){ .id = random_id(deciding->mem, "grt_"),
                                 .user_id = deciding->user->id,
                                 .app_id = request->app_id,
                                 .created_at = now };
    grant->scopes = grant_after_consent(grant->scopes, request->scopes, allowed);
    grant->ends_at = grant_term_end(deciding->wish->term, now);
    grant->updated_at = now;
    return lives ? grant_store_put(tx, deciding->mem, grant)
                 : grant_store_add(tx, deciding->mem, grant);
}

/* Takes the request away, so that it is answered once. Any error puts it back. */
static enum err
take_request(struct db_tx *tx, struct deciding *deciding)
{
    struct str hash = digest_text(deciding->mem, deciding->wish->request_id);
    *deciding->code = NULL;
    enum err err = request_store_take(tx, deciding->mem, hash, deciding->session->hash,
                                      deciding->now, deciding->request);
    if (!err && deciding->request->must_sign_in)
        return ERR_NOT_FOUND;
    return err ? err : find_app_of(tx, deciding);
}

static enum err
issue_for(struct db_tx *tx, struct deciding *deciding, struct str grant_id, scopes allowed)
{
    struct issue issue = {
        .mem = deciding->mem,
        .app = deciding->app,
        .user = deciding->user,
        .grant_id = grant_id,
        .asked = deciding->request->scopes,
        .allowed = allowed,
        .redirect_uri = deciding->request->redirect_uri,
        .challenge = deciding->request->challenge,
        .now = deciding->now,
    };
    return issue_code(tx, &issue, deciding->code);
}

static enum err
decide(struct db_tx *tx, void *argument)
{
    struct deciding *deciding = argument;
    struct auth_request *request = deciding->request;
    enum err err = take_request(tx, deciding);
    scopes allowed = err ? 0 : request->scopes & deciding->wish->ticked;
    if (err || !deciding->wish->allow || allowed == 0)
        return err; /* a denial takes the request away, and that is all */
    /* Two tabs may answer two requests of one app at once. */
    err = user_store_hold(tx, deciding->mem, deciding->user->id);
    struct grant grant = { 0 };
    if (!err)
        err = put_grant(tx, deciding, allowed, &grant);
    return err ? err : issue_for(tx, deciding, grant.id, allowed);
}

static enum err
resume(struct db_tx *tx, void *argument)
{
    struct deciding *deciding = argument;
    struct grant grant = { 0 };
    enum err err = take_request(tx, deciding);
    if (err)
        return err;
    err = grant_store_find(tx, deciding->mem, deciding->user->id, deciding->request->app_id,
                           deciding->now, &grant);
    if (err)
        return err;
    if (deciding->request->must_consent || !grant_covers(grant.scopes, deciding->request->scopes))
        return ERR_FORBIDDEN;
    return issue_for(tx, deciding, grant.id, deciding->request->scopes);
}

enum err
consent_resume(struct db *db, struct arena *mem, const struct session *session,
               const struct user *user, struct str request_id, int64_t now,
               struct auth_request *request, const struct secret **code)
{
    struct app app;
    struct consent_wish wish = { .request_id = request_id };
    struct deciding deciding = { .mem = mem,
                                 .session = session,
                                 .user = user,
                                 .wish = &wish,
                                 .request = request,
                                 .app = &app,
                                 .now = now,
                                 .code = code };
    return tx_write(db, resume, &deciding);
}

enum err
consent_decide(struct db *db, struct arena *mem, const struct session *session,
               const struct user *user, const struct consent_wish *wish,
               struct auth_request *request, const struct secret **code)
{
    struct app app;
    struct deciding deciding = { .mem = mem,
                                 .session = session,
                                 .user = user,
                                 .wish = wish,
                                 .request = request,
                                 .app = &app,
                                 .now = wish->now,
                                 .code = code };
    return tx_write(db, decide, &deciding);
}
