/* registration.c - adds a client that registers itself, or finds the row of its earlier
 * registration.
 *
 * The id of a public client is derived from its metadata, so registering again is idempotent. A
 * confidential client gets a new id each time, because it gets a new secret. */
#include "client/registration.h"

#include "base/buf.h"
#include "crypt/random.h"
#include "crypt/secret.h"
#include "model/host_list.h"
#include "model/redirect_uri.h"
#include "model/user.h"
#include "store/app_store.h"
#include "store/tx.h"

#define POSITION_ATTEMPTS 8

struct client_creation {
    struct arena *mem;
    struct app *app;
    int64_t now;
};

/* Retries with another random position if it is taken. */
enum err
registration_store(struct db_tx *tx, struct arena *mem, struct app *app, int64_t now)
{
    enum err err = ERR_TAKEN;
    for (size_t i = 0; i < POSITION_ATTEMPTS && err; i++) {
        app->position = user_position(now, random_below(UINT32_MAX));
        err = app_store_add(tx, mem, app);
        if (err && err != ERR_TAKEN)
            return err;
    }
    if (err) /* on PostgreSQL, a concurrent registration of the same client */
        return app_store_find(tx, mem, app->id, app);
    return app_store_trim_unused(tx, mem, now + APP_UNUSED_SECONDS, REGISTRATIONS_MAX);
}

/* Renews at most once per day, so that a client that registers at every start does not write each
 * time. */
static enum err
add(struct db_tx *tx, void *argument)
{
    struct client_creation *adding = argument;
    struct app found;
    enum err err = app_store_find(tx, adding->mem, adding->app->id, &found);
    if (err != ERR_NOT_FOUND) {
        if (!err)
            *adding->app = found;
        /* Another week, unless a user has connected it. */
        bool renew = !err && found.expires_at < adding->now + APP_UNUSED_SECONDS - APP_DAY;
        return renew ? app_store_put_expiry(tx, adding->mem, found.id,
                                            adding->now + APP_UNUSED_SECONDS)
                     : err;
    }
    return registration_store(tx, adding->mem, adding->app, adding->now);
}

/* Without a method the client is confidential: RFC 7591 §2 makes client_secret_basic the
 * default. */
static bool
method_ok(struct str method, struct client_problem *problem)
{
    bool known = !str_present(method) || str_eq_c(method, "none") ||
                 str_eq_c(method, "client_secret_basic") || str_eq_c(method, "client_secret_post");
    if (!known)
        *problem = (struct client_problem){ "invalid_client_metadata",
                                            STR("token_endpoint_auth_method must be none, "
                                                "client_secret_basic, or client_secret_post.") };
    return known;
}

/* All hosts must be allowed; every other one is named in the response. */
static bool
hosts_ok(struct arena *mem, const struct client_metadata *metadata, struct str hosts,
         struct client_problem *problem)
{
    struct buf wrong = buf_in(mem, CLIENT_PROBLEMS_MAX);
    for (size_t i = 0; i < metadata->uri_count; i++)
        if (!host_list_contains(hosts, redirect_uri_host(metadata->uris[i])))
            client_metadata_add_problem(&wrong, i, metadata->uris[i],
                                        "Its host is not among those that the operator of this "
                                        "service allows in the setting client-registration.");
    *problem = (struct client_problem){ "invalid_redirect_uri", buf_str(&wrong) };
    return wrong.len == 0;
}

/* Everything about the client is its own claim and shown as such. A client that no user connects
 * expires. */
enum err
registration_add(struct db *db, struct arena *mem, const struct registration_params *params,
                 struct client_metadata *metadata, struct app *out, const struct secret **secret,
                 struct client_problem *problem)
{
    int64_t now = params->now;
    *secret = NULL;
    if (!client_metadata_read(mem, params->document, params->schemes, metadata, problem) ||
        !method_ok(metadata->auth_method, problem) ||
        !hosts_ok(mem, metadata, params->hosts, problem))
        return ERR_INVALID;
    bool is_public = str_eq_c(metadata->auth_method, "none");
    *out = (struct app){
        .id = is_public ? client_metadata_id(mem, metadata) : random_id(mem, "dyn_"),
        .kind = APP_REGISTERED,
        .owner_id = STR(""),
        .name = metadata->name,
        .redirect_uris = client_metadata_join_uris(mem, metadata),
        .scopes = metadata->scopes,
        .purpose = metadata->purpose,
        .is_public = is_public,
        .status = APP_ACTIVE,
        .created_at = now,
        .updated_at = now,
        .expires_at = now + APP_UNUSED_SECONDS,
    };
    if (!is_public) {
        *secret = secret_make(mem, SECRET_CLIENT, STR_NONE);
        out->secret_hash = secret_hash(mem, *secret);
    }
    struct client_creation adding = { mem, out, now };
    return tx_write(db, add, &adding);
}
