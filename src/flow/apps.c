/* apps.c - creating, changing, and deleting apps, and authenticating them.
 *
 * Every change runs apply_locked(): it locks the row, reads it, lets `apply` change the struct, and
 * writes every field that can change. So a change never overwrites another one that it has not
 * seen, such as a rotation that would enable a disabled app again. Changes are urgent writes,
 * because some of them take access away. */
#include "flow/apps.h"

#include "crypt/digest.h"
#include "crypt/random.h"
#include "crypt/secret.h"
#include "flow/accounts.h"
#include "model/user.h"
#include "store/app_store.h"
#include "store/tx.h"
#include "store/user_store.h"

#define POSITION_ATTEMPTS 8

struct change {
    struct arena *mem;
    struct str id;
    int64_t now;
    enum err (*apply)(struct change *change); /* changes `app` inside the transaction */
    enum app_status status;
    int64_t rate_api;
    bool end_old_now;
    struct str secret_hash;
    struct app app;
    /* Input that was checked before the transaction; `apply` copies from it. */
    struct app wanted;
    bool full;
};

/* ---- registering ---- */

/* An empty field of a form is an absent one. */
static struct str
present_or_none(struct arena *mem, struct str text)
{
    return text.len == 0 ? STR_NONE : str_copy(mem, text);
}

/* Fills in `app` even where a field is invalid; the caller must look at `problems`. */
static void
check_params(struct arena *mem, const struct app_params *params, struct app *app,
             struct app_problems *problems)
{
    struct str unknown = STR_NONE;
    app->name = app_clean_name(mem, params->name);
    problems->name = app_name_problem(mem, app->name);
    app->redirect_uris = app_join_uris(mem, params->redirect_uris, params->redirect_uri_count,
                                       &problems->redirect_uris);
    if (!scopes_read(str_trim(params->scopes), &app->scopes, &unknown))
        problems->scopes =
            str_format(mem, "The scope \"%.*s\" does not exist or is listed twice. Remove it.",
                       STR_ARG(str_first(unknown, 64)))
                .ptr;
    else
        problems->scopes = app_scopes_problem(app->scopes);
    app->homepage = present_or_none(mem, params->homepage);
    app->privacy_link = present_or_none(mem, params->privacy_link);
    problems->homepage = app_link_problem(app->homepage);
    problems->privacy_link = app_link_problem(app->privacy_link);
    app->purpose = present_or_none(mem, str_trim(params->purpose));
    problems->purpose = app_purpose_problem(app->purpose);
}

static bool
no_problems(const struct app_problems *problems)
{
    return problems->owner == NULL && problems->name == NULL && problems->redirect_uris == NULL &&
           problems->scopes == NULL && problems->homepage == NULL &&
           problems->privacy_link == NULL && problems->purpose == NULL;
}

static const char *
no_owner(struct arena *mem, struct str login)
{
    return str_format(mem, "User %.*s does not exist.", STR_ARG(login)).ptr;
}

static enum err
find_owner(struct db *db, struct arena *mem, struct str login, struct app *app,
           struct app_problems *problems)
{
    struct user owner;
    enum err err = account_find(db, mem, login, &owner);
    if (err == ERR_NOT_FOUND)
        problems->owner = no_owner(mem, login);
    else if (!err)
        app->owner_id = owner.id;
    return err == ERR_NOT_FOUND ? ERR_NONE : err;
}

/* Under the lock of the owner, so that apps that one user adds at the same time are counted one
 * after the other, and none is left without its owner. The position is unique: another app of the
 * same second may have it. A form names the id, so that the same form sent twice is ERR_TAKEN and
 * adds one app. ERR_NOT_FOUND: the owner was deleted. */
static enum err
add(struct db_tx *tx, void *argument)
{
    struct change *change = argument;
    int64_t count = 0;
    enum err err = user_store_lock(tx, change->mem, change->app.owner_id);
    if (!err)
        err = app_store_count(tx, change->mem, change->app.owner_id, &count);
    change->full = count >= APPS_PER_OWNER_MAX;
    if (err || change->full)
        return err;
    for (size_t i = 0; i < POSITION_ATTEMPTS; i++) {
        change->app.position = user_position(change->now, random_below(UINT32_MAX));
        err = app_store_add(tx, change->mem, &change->app);
        if (err != ERR_TAKEN)
            return err;
        struct app other;
        if (app_store_find(tx, change->mem, change->app.id, &other) == ERR_NONE)
            return ERR_TAKEN; /* the id collided, not the position */
    }
    return err;
}

/* The secret is made before the transaction and returned only here; the database gets its hash. */
enum err
app_register(struct db *db, struct arena *mem, const struct app_params *params, int64_t now,
             struct app *out, const struct secret **secret, struct app_problems *problems)
{
    struct change change = { .mem = mem, .now = now };
    *problems = (struct app_problems){ 0 };
    *secret = NULL;
    enum err err = find_owner(db, mem, params->owner, &change.app, problems);
    if (err)
        return err;
    check_params(mem, params, &change.app, problems);
    if (!no_problems(problems))
        return ERR_INVALID;
    change.app.id = str_present(params->id) ? params->id : random_id(mem, "app_");
    change.app.is_public = params->is_public;
    change.app.status = APP_ACTIVE;
    change.app.created_at = change.app.updated_at = now;
    if (!params->is_public) {
        *secret = secret_make(mem, SECRET_CLIENT, STR_NONE);
        change.app.secret_hash = secret_hash(mem, *secret);
    }
    err = tx_write(db, add, &change);
    if (!err && change.full) {
        problems->owner = "This user has 100 apps, the maximum. Delete one first.";
        err = ERR_INVALID;
    } else if (err == ERR_NOT_FOUND) {
        problems->owner = no_owner(mem, params->owner);
        err = ERR_INVALID;
    }
    *out = change.app;
    return err;
}

/* ---- finding ---- */

enum err
app_find(struct db *db, struct arena *mem, struct str id, struct app *out)
{
    *out = (struct app){ 0 };
    if (!app_id_well_formed(id))
        return ERR_NOT_FOUND;
    struct db_tx *tx = tx_begin_read(db);
    return tx_end_read(tx, app_store_find(tx, mem, id, out));
}

/* The id of a client with a metadata document is a digest of its URL: compare the whole client_id.
 */
enum err
app_find_client(struct db *db, struct arena *mem, struct str client_id, struct app *out)
{
    enum err err = app_find(db, mem, app_id_of_client(mem, client_id), out);
    if (err || str_eq(app_client_id(out), client_id))
        return err;
    *out = (struct app){ 0 };
    return ERR_NOT_FOUND;
}

/* 0 if the store does not know what other processes change. */
uint64_t
app_version(struct db *db, struct str id)
{
    return store_commits(db) == 0 ? 0 : store_version(db, id);
}

enum err
app_list(struct db *db, struct arena *mem, struct str owner_id, int64_t after, int64_t limit,
         struct app **out, size_t *count)
{
    struct db_tx *tx = tx_begin_read(db);
    return tx_end_read(tx, app_store_list(tx, mem, owner_id, after, limit, out, count));
}

/* ---- changing ---- */

/* *out is the app as it was written; after an error it may be incomplete. */
static enum err
run_change(struct db *db, struct change *change, tx_work *work, struct app *out)
{
    if (!app_id_well_formed(change->id))
        return ERR_NOT_FOUND;
    enum err err = tx_write_urgent(db, work, change);
    *out = change->app;
    return err;
}

/* Locks the app's row, so that concurrent changes do not overwrite each other. */
static enum err
apply_locked(struct db_tx *tx, void *argument)
{
    struct change *change = argument;
    enum err err = app_store_lock(tx, change->mem, change->id, &change->app);
    if (!err)
        err = change->apply(change);
    change->app.updated_at = change->now;
    return err ? err : app_store_put(tx, change->mem, &change->app);
}

static enum err
apply_params(struct change *change)
{
    struct app *app = &change->app;
    app->name = change->wanted.name;
    app->redirect_uris = change->wanted.redirect_uris;
    app->scopes = change->wanted.scopes;
    /* Another homepage was not verified. */
    app->verified_at = str_eq(app->homepage, change->wanted.homepage) ? app->verified_at : 0;
    app->homepage = change->wanted.homepage;
    app->privacy_link = change->wanted.privacy_link;
    app->purpose = change->wanted.purpose;
    return ERR_NONE;
}

/* Only what the developer states. Status, secrets, and limits have functions of their own. */
enum err
app_change(struct db *db, struct arena *mem, struct str id, const struct app_params *params,
           int64_t now, struct app *out, struct app_problems *problems)
{
    struct change change = { .mem = mem, .id = id, .now = now, .apply = apply_params };
    *problems = (struct app_problems){ 0 };
    check_params(mem, params, &change.wanted, problems);
    return no_problems(problems) ? run_change(db, &change, apply_locked, out) : ERR_INVALID;
}

/* The check of the homepage ran outside the transaction; the homepage may have changed meanwhile.
 */
static enum err
apply_verified(struct change *change)
{
    if (str_eq(change->app.homepage, change->wanted.homepage))
        change->app.verified_at = change->wanted.verified_at;
    return ERR_NONE;
}

enum err
app_set_verified(struct db *db, struct arena *mem, const struct app *checked, int64_t now,
                 struct app *out)
{
    struct change change = { .mem = mem, .id = checked->id, .now = now, .apply = apply_verified };
    change.wanted = *checked;
    return run_change(db, &change, apply_locked, out);
}

static enum err
apply_rotation(struct change *change)
{
    struct app *app = &change->app;
    if (app->is_public)
        return ERR_FORBIDDEN;
    app->old_secret_hash = change->end_old_now ? STR_NONE : app->secret_hash;
    app->old_secret_expires_at = change->end_old_now ? 0 : change->now + OLD_SECRET_SECONDS;
    app->secret_hash = change->secret_hash;
    return ERR_NONE;
}

enum err
app_rotate_secret(struct db *db, struct arena *mem, struct str id, bool end_old_now, int64_t now,
                  struct app *out, const struct secret **secret)
{
    *secret = secret_make(mem, SECRET_CLIENT, STR_NONE);
    struct change change = { .mem = mem,
                             .id = id,
                             .now = now,
                             .apply = apply_rotation,
                             .end_old_now = end_old_now,
                             .secret_hash = secret_hash(mem, *secret) };
    return run_change(db, &change, apply_locked, out);
}

static enum err
apply_end_of_old(struct change *change)
{
    change->app.old_secret_hash = STR_NONE;
    change->app.old_secret_expires_at = 0;
    return ERR_NONE;
}

enum err
app_end_old_secret(struct db *db, struct arena *mem, struct str id, int64_t now, struct app *out)
{
    struct change change = { .mem = mem, .id = id, .now = now, .apply = apply_end_of_old };
    return run_change(db, &change, apply_locked, out);
}

static enum err
apply_status(struct change *change)
{
    if (change->status == APP_DISABLED)
        change->app.epoch++; /* token families stay invalid, also after enabling the app */
    change->app.status = change->status;
    return ERR_NONE;
}

enum err
app_set_status(struct db *db, struct arena *mem, struct str id, enum app_status status, int64_t now,
               struct app *out)
{
    struct change change = {
        .mem = mem, .id = id, .now = now, .apply = apply_status, .status = status
    };
    return run_change(db, &change, apply_locked, out);
}

static enum err
apply_rate(struct change *change)
{
    change->app.rate_api = change->rate_api;
    return ERR_NONE;
}

enum err
app_set_rate(struct db *db, struct arena *mem, struct str id, int64_t rate_api, int64_t now,
             struct app *out)
{
    struct change change = {
        .mem = mem, .id = id, .now = now, .apply = apply_rate, .rate_api = rate_api
    };
    return run_change(db, &change, apply_locked, out);
}

static enum err
apply_purpose(struct change *change)
{
    change->app.purpose = change->wanted.purpose;
    return ERR_NONE;
}

enum err
app_set_purpose(struct db *db, struct arena *mem, struct str id, struct str purpose, int64_t now,
                struct app *out, const char **problem)
{
    struct change change = { .mem = mem, .id = id, .now = now, .apply = apply_purpose };
    change.wanted.purpose = present_or_none(mem, str_trim(purpose));
    *problem = app_purpose_problem(change.wanted.purpose);
    return *problem == NULL ? run_change(db, &change, apply_locked, out) : ERR_INVALID;
}

static enum err
delete_app(struct db_tx *tx, void *argument)
{
    struct change *change = argument;
    enum err err = app_store_find(tx, change->mem, change->id, &change->app);
    return err ? err : app_store_delete(tx, change->mem, change->id);
}

enum err
app_delete(struct db *db, struct arena *mem, struct str id, struct app *out)
{
    struct change change = { .mem = mem, .id = id };
    return run_change(db, &change, delete_app, out);
}

/* Writes at most once a day, because every refresh calls it. */
enum err
app_keep(struct db_tx *tx, struct arena *mem, const struct app *app, int64_t now)
{
    int64_t until = now + APP_KEPT_SECONDS;
    if (app->expires_at == 0 || app->expires_at > until - APP_DAY)
        return ERR_NONE;
    return app_store_put_expiry(tx, mem, app->id, until);
}

/* ---- authenticating ---- */

/* In the order in which developers make these mistakes. Only app_is_authenticated() decides; this
 * explains the result. */
const char *
app_refusal(struct arena *mem, const struct app *app, struct str secret_text, int64_t now)
{
    const struct secret *secret =
        str_present(secret_text) ? secret_read(mem, secret_text, SECRET_CLIENT) : NULL;
    if (app->status != APP_ACTIVE)
        return "The app is disabled.";
    if (app->is_public)
        return "This app is public and has no secret. Leave client_secret out.";
    if (secret_text.len == 0)
        return "client_secret is missing.";
    if (secret == NULL)
        return "client_secret is malformed or incomplete. A secret has 55 characters.";
    if (digest_equal(app->old_secret_hash, secret_hash(mem, secret)) &&
        app->old_secret_expires_at <= now)
        return "The secret was replaced and has expired. Use the new one.";
    return "The secret is wrong.";
}

bool
app_is_authenticated(struct arena *mem, const struct app *app, struct str secret_text, int64_t now)
{
    const struct secret *secret =
        str_present(secret_text) ? secret_read(mem, secret_text, SECRET_CLIENT) : NULL;
    /* Constant time: an unknown app costs the same hash and comparison as a wrong secret. */
    struct str hash = secret == NULL ? STR_NONE : secret_hash(mem, secret);
    bool known = app_secret_matches(app, hash, now);
    bool public = app->is_public && !str_present(secret_text);
    return str_present(app->id) && app->status == APP_ACTIVE && (known || public);
}
