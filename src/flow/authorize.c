/* authorize.c - steps 3 and 4 of authorize.h: from a checked request to a code.
 *
 * A request is bound to the session in which it was stored, and the app and the scopes come from
 * its row, not from the form. The form only has the request's id and the decision. Between the page
 * and the decision anything may change: the app is looked up again and compared with its
 * description on the page, and a grant is read again inside the transaction. */
#include "flow/authorize.h"

#include "base/shard.h"
#include "base/timekeeper.h"
#include "crypt/digest.h"
#include "crypt/random.h"
#include "crypt/secret.h"
#include "flow/apps.h"
#include "flow/withholding.h"
#include "model/redirect_uri.h"
#include "model/user.h"
#include "store/activity_store.h"
#include "store/app_store.h"
#include "credential/grant_store.h"
#include "credential/session_store.h"
#include "credential/token_store.h"
#include "store/tx.h"
#include "store/user_store.h"

/* ---- issuing a code ---- */

/* What a family and its code are made of. `allowed` is the part of `asked` that the user
 * allowed. */
struct issue {
    struct arena *mem;
    const struct app *app;
    const struct user *user;
    struct str grant_id;
    scopes asked;
    scopes allowed;
    audience audience;
    struct str redirect_uri;
    struct str challenge;
    int64_t now;
};

/* A code begins a family of its own. The family expires with the code unless it is redeemed: no
 * token exists before. */
static enum err
issue_code(struct db_tx *tx, const struct issue *issue, const struct secret **code)
{
    struct arena *mem = issue->mem;
    struct family family = {
        .id = random_id_in(mem, "fam_", shard_of(issue->user->id)),
        .grant_id = issue->grant_id,
        .user_id = issue->user->id,
        .app_id = issue->app->id,
        .user_epoch = issue->user->epoch,
        .app_epoch = issue->app->epoch,
        .scopes = issue->allowed,
        .domains_limited = scopes_limit_domains(issue->asked),
        .audience = issue->audience,
        .created_at = issue->now,
        .expires_at = issue->now + CODE_SECONDS, /* until the code is redeemed */
    };
    *code = secret_make(mem, SECRET_CODE, shard_of(issue->user->id));
    struct auth_code row = {
        .hash = secret_hash(mem, *code),
        .family_id = family.id,
        .app_id = issue->app->id,
        .redirect_uri = issue->redirect_uri,
        .challenge = issue->challenge,
        .expires_at = timekeeper_created_at(issue->now) + CODE_SECONDS,
    };
    enum err err = family_store_add(tx, mem, &family);
    return err ? err : code_store_add(tx, mem, &row);
}

/* The description of the app on the consent page, apart from the destination: see grant_shows(). A
 * document has no privacy link; its hosts and keys identify its publisher. */
static struct str
about_app(struct arena *mem, const struct app *app)
{
    struct str more = app->kind == APP_DOCUMENT ? app->document_mark : app->privacy_link;
    return str_format(mem, "%.*s\n%.*s\n", STR_ARG(app->name), STR_ARG(more));
}

/* The scopes of the request that the grant covers; *asks: the user has to decide; *changed: the app
 * is not as the user saw it. */
static scopes
covered(struct arena *mem, const struct grant *grant, const struct app *app, struct str uri,
        scopes asked, bool *asks, bool *changed)
{
    scopes held = grant_covered(&grant->allowed, asked);
    bool shows = grant_shows(grant->shown, about_app(mem, app), redirect_uri_display(mem, uri));
    *asks = held != asked || !shows;
    *changed = str_present(grant->id) && !shows;
    return held;
}

/* ---- step 3: issue a code or store the request ---- */

/* An authorization request that was checked, of a user who is signed in. */
struct beginning {
    struct arena *mem;
    const struct authorize_checked *checked;
    struct str session_hash;
    const struct user *user;
    int64_t now;
    struct authorize_begun *out;
};

/* Only the hash of the id is stored, as for a secret. The id is in the shard of the session. */
static enum err
keep_request(struct db_tx *tx, struct beginning *beginning)
{
    const struct authorize_checked *checked = beginning->checked;
    struct arena *mem = beginning->mem;
    beginning->out->request_id = random_id_in(mem, "req_", shard_at_start(beginning->session_hash));
    struct auth_request request = {
        .hash = digest_id(mem, beginning->out->request_id),
        .session_hash = beginning->session_hash,
        .app_id = checked->app.id,
        .redirect_uri = checked->redirect_uri,
        .scopes = checked->scopes,
        .audience = checked->audience,
        .state = checked->state,
        .challenge = checked->challenge,
        .must_sign_in = checked->must_sign_in,
        .must_consent = checked->must_consent,
        .is_trial = checked->is_trial,
        .shown = about_app(mem, &checked->app),
        .expires_at = beginning->now + REQUEST_SECONDS,
    };
    return request_store_add(tx, mem, &request);
}

/* Also reads what the consent page shows: the scopes that the user allowed before, and the facts
 * that are withheld, even by a grant that has expired. */
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
    bool asks;
    beginning->out->held = covered(beginning->mem, &grant, &checked->app, checked->redirect_uri,
                                   checked->scopes, &asks, &beginning->out->app_changed);
    beginning->out->never_ends = grant.expires_at == NEVER_EXPIRES;
    beginning->out->sensitive = grant.allowed.sensitive_domains;
    err = grant_store_withheld(tx, beginning->mem, beginning->user->id, checked->app.id,
                               &beginning->out->withheld);
    if (err)
        return err;
    if (checked->must_sign_in || checked->must_consent || asks) {
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
        .audience = checked->audience,
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
    struct beginning beginning = { mem, checked, session->hash, user, now, out };
    return tx_write(db, begin, &beginning);
}

static enum err
keep(struct db_tx *tx, void *argument)
{
    return keep_request(tx, argument);
}

/* Ignores `prompt`, because the user has just signed in: another sign-in would lead here again. */
enum err
authorize_keep(struct db *db, struct arena *mem, const struct authorize_checked *checked,
               struct str session_hash, int64_t now, struct str *request_id)
{
    struct authorize_begun begun = { 0 };
    struct authorize_checked signed_in = *checked;
    signed_in.must_sign_in = false;
    struct beginning beginning = { mem, &signed_in, session_hash, NULL, now, &begun };
    enum err err = tx_write(db, keep, &beginning);
    *request_id = begun.request_id;
    return err;
}

/* ---- step 4: the user's decision ---- */

/* A stored request while the user's decision is applied. `request` and `app` are filled in the
 * transaction. */
struct deciding {
    struct arena *mem;
    const struct session *session;
    const struct user *user;
    const struct consent_params *params;
    struct auth_request *request;
    struct app *app;
    scopes *held;
    int64_t now;
    const struct secret **code;
};

/* Checks the app again: it may have been disabled or changed since the request was stored. */
static enum err
find_app_of(struct db_tx *tx, struct deciding *deciding)
{
    enum err err = app_store_find(tx, deciding->mem, deciding->request->app_id, deciding->app);
    if (err == ERR_NOT_FOUND || (!err && deciding->app->status != APP_ACTIVE))
        return ERR_FORBIDDEN;
    /* The portal's own redirect URI is not registered for the app; only the app's owner gets there.
     */
    bool trial = !err && deciding->request->is_trial &&
                 str_eq(deciding->app->owner_id, deciding->session->user_id);
    if (!err && !trial &&
        !str_present(app_find_uri(deciding->app, deciding->request->redirect_uri)))
        return ERR_FORBIDDEN;
    if (!err && !str_eq(deciding->request->shown, about_app(deciding->mem, deciding->app)))
        return ERR_FORBIDDEN;
    return err;
}

/* Reads a request for a page. It changes the struct, not the row: must_sign_in and must_consent say
 * what has to happen before a code. */
static enum err
find_request(struct db_tx *tx, struct deciding *deciding)
{
    struct grant grant = { 0 };
    struct str hash = digest_id(deciding->mem, deciding->params->request_id);
    enum err err = request_store_find(tx, deciding->mem, hash, deciding->session->hash,
                                      deciding->now, deciding->request);
    if (!err)
        err = find_app_of(tx, deciding);
    if (err)
        return err;
    /* Only a sign-in moves a request into another session. Otherwise a link to an attacker's
     * request would make the victim decide on it. */
    if (!str_eq(deciding->request->session_hash, deciding->session->hash))
        deciding->request->must_sign_in = true;
    err = grant_store_find(tx, deciding->mem, deciding->session->user_id, deciding->app->id,
                           deciding->now, &grant);
    bool asks;
    *deciding->held = covered(deciding->mem, &grant, deciding->app, deciding->request->redirect_uri,
                              deciding->request->scopes, &asks, &deciding->request->app_changed);
    deciding->request->must_consent |= asks;
    deciding->request->never_ends = grant.expires_at == NEVER_EXPIRES;
    deciding->request->sensitive = grant.allowed.sensitive_domains;
    if (err && err != ERR_NOT_FOUND)
        return err;
    return grant_store_withheld(tx, deciding->mem, deciding->session->user_id, deciding->app->id,
                                &deciding->request->withheld);
}

/* Read-only: opening or reloading the consent page changes nothing. */
enum err
consent_find(struct db *db, struct arena *mem, const struct session *session, struct str request_id,
             int64_t now, struct auth_request *request, struct app *app, scopes *held)
{
    struct consent_params params = { .request_id = request_id };
    struct deciding deciding = { .mem = mem,
                                 .session = session,
                                 .params = &params,
                                 .request = request,
                                 .app = app,
                                 .held = held,
                                 .now = now };
    struct db_tx *tx = tx_begin_read(db);
    return tx_end_read(tx, find_request(tx, &deciding));
}

/* Only users of an app that registered itself choose the domains: it may have named none. */
static scopes
domains_chosen(const struct deciding *deciding)
{
    return deciding->app->kind == APP_PORTAL ? DOMAINS_ALL : deciding->params->domains;
}

/* Updates the user's valid grant, or adds one. The caller holds the user. An expired grant is
 * replaced; what it withheld is kept, so that a renewal does not reveal it. */
static enum err
put_grant(struct db_tx *tx, struct deciding *deciding, scopes selected, struct grant *grant)
{
    const struct auth_request *request = deciding->request;
    int64_t now = deciding->now;
    enum err err =
        grant_store_find(tx, deciding->mem, deciding->user->id, request->app_id, now, grant);
    if (err && err != ERR_NOT_FOUND)
        return err;
    bool exists = err == ERR_NONE;
    if (!exists)
        *grant =
            (struct grant){ .id = random_id_in(deciding->mem, "grt_", shard_of(deciding->user->id)),
                            .user_id = deciding->user->id,
                            .app_id = request->app_id,
                            .created_at = now };
    err = grant_store_withheld(tx, deciding->mem, deciding->user->id, request->app_id,
                               &grant->withheld);
    if (err)
        return err;
    grant->allowed = grant_after_limited_consent(&grant->allowed, request->scopes, selected,
                                                 domains_chosen(deciding));
    grant_choose_sensitive(&grant->allowed, request->scopes, deciding->params->sensitive);
    grant->requested |= request->scopes;
    if (deciding->app->kind != APP_PORTAL)
        grant->writes_wait = deciding->params->writes_wait;
    grant->shown = grant_add_shown(deciding->mem, grant->shown, request->shown,
                                   redirect_uri_display(deciding->mem, request->redirect_uri));
    grant->expires_at = grant_term_end(deciding->params->term, now);
    grant->updated_at = now;
    struct withholding withholding = { deciding->user->id, deciding->params->withhold,
                                       deciding->params->withhold_count };
    err = withholding_add(tx, deciding->mem, &withholding, &grant->withheld);
    if (!err)
        err = exists ? grant_store_put(tx, deciding->mem, grant)
                     : grant_store_add(tx, deciding->mem, grant);
    struct activity_event event = { .user_id = deciding->user->id,
                                    .app_id = request->app_id,
                                    .action = exists ? ACTIVITY_CHANGE : ACTIVITY_CONNECT,
                                    .now = now };
    return err ? err : activity_store_event(tx, deciding->mem, &event);
}

/* Deletes the request, so that it is decided once; an error rolls the deletion back. A request that
 * still needs a sign-in cannot be decided. */
static enum err
take_request(struct db_tx *tx, struct deciding *deciding)
{
    struct str hash = digest_id(deciding->mem, deciding->params->request_id);
    *deciding->code = NULL;
    enum err err = request_store_take(tx, deciding->mem, hash, deciding->session->hash,
                                      deciding->now, deciding->request);
    if (!err && deciding->request->must_sign_in)
        return ERR_NOT_FOUND;
    return err ? err : find_app_of(tx, deciding);
}

/* `asked` decides whether the authorization is limited to the domains among its scopes; `allowed`
 * is the part that the user selected. */
static enum err
issue_for(struct db_tx *tx, struct deciding *deciding, struct str grant_id, scopes asked,
          scopes allowed)
{
    struct issue issue = {
        .mem = deciding->mem,
        .app = deciding->app,
        .user = deciding->user,
        .grant_id = grant_id,
        .asked = asked,
        .allowed = allowed,
        .audience = deciding->request->audience,
        .redirect_uri = deciding->request->redirect_uri,
        .challenge = deciding->request->challenge,
        .now = deciding->now,
    };
    return issue_code(tx, &issue, deciding->code);
}

/* One transaction for the whole decision: the request is deleted, and the grant, the family, and
 * the code are written, or nothing is. It may run more than once if the database must repeat the
 * transaction. */
static enum err
decide(struct db_tx *tx, void *argument)
{
    struct deciding *deciding = argument;
    struct auth_request *request = deciding->request;
    enum err err = take_request(tx, deciding);
    scopes selected = err ? 0 : request->scopes & deciding->params->selected;
    /* Only items on the page can be selected: `selected` is cut to the request. */
    scopes allowed =
        err ? 0 : grant_limited_scopes(request->scopes, selected, domains_chosen(deciding));
    if (err || !deciding->params->allow || allowed == 0)
        return err; /* a denial only deletes the request */
    /* Serializes two tabs that decide on requests of the same app at the same time. */
    err = user_store_lock(tx, deciding->mem, deciding->user->id);
    struct grant grant = { 0 };
    if (!err)
        err = put_grant(tx, deciding, selected, &grant);
    if (!err)
        err = app_keep(tx, deciding->mem, deciding->app, deciding->now);
    return err ? err
               : issue_for(tx, deciding, grant.id, allowed == selected ? request->scopes : allowed,
                           allowed);
}

/* A code without a question, for a request that needed a sign-in only. The grant is checked again:
 * it may have been narrowed or have expired since the page. */
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
    bool asks, changed;
    covered(deciding->mem, &grant, deciding->app, deciding->request->redirect_uri,
            deciding->request->scopes, &asks, &changed);
    if (deciding->request->must_consent || asks)
        return ERR_FORBIDDEN;
    return issue_for(tx, deciding, grant.id, deciding->request->scopes, deciding->request->scopes);
}

/* The request is taken like that of a decision, so that it gives one code. */
enum err
consent_resume(struct db *db, struct arena *mem, const struct session *session,
               const struct user *user, struct str request_id, int64_t now,
               struct auth_request *request, const struct secret **code)
{
    struct app app;
    struct consent_params params = { .request_id = request_id };
    struct deciding deciding = { .mem = mem,
                                 .session = session,
                                 .user = user,
                                 .params = &params,
                                 .request = request,
                                 .app = &app,
                                 .now = now,
                                 .code = code };
    return tx_write(db, resume, &deciding);
}

/* The app of the request is read in the transaction, so *params names only the request and the
 * decision. */
enum err
consent_decide(struct db *db, struct arena *mem, const struct session *session,
               const struct user *user, const struct consent_params *params,
               struct auth_request *request, const struct secret **code)
{
    struct app app;
    struct deciding deciding = { .mem = mem,
                                 .session = session,
                                 .user = user,
                                 .params = params,
                                 .request = request,
                                 .app = &app,
                                 .now = params->now,
                                 .code = code };
    return tx_write(db, decide, &deciding);
}
