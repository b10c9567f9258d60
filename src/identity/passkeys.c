/* passkeys.c - each answer of a browser goes through the same steps: decode it, check its
 * challenge, check its content and signature (passkey/credential.h), and then use up the challenge
 * in the transaction that makes the change.
 *
 * Nothing is locked while signatures are verified. Two answers to the same challenge can both pass
 * the checks; challenge_use() lets one of them commit. Adding and removing lock the row of the
 * user, so that two requests cannot exceed the limit or remove the last two ways to sign in. */
#include "identity/passkeys.h"

#include "base/ascii.h"
#include "base/log.h"
#include "crypt/random.h"
#include "flow/accounts.h"
#include "passkey/credential.h"
#include "credential/passkey_store.h"
#include "credential/recovery_store.h"
#include "store/tx.h"
#include "store/user_store.h"
#include "text/base64url.h"

/* ---- answers ---- */

/* `auth_url` is scheme://host or scheme://host:port. A host of digits and dots only, or in
 * brackets, is an IP address. */
struct str
passkeys_rp_id(struct arena *mem, struct str auth_url)
{
    struct str host = str_from(auth_url, str_index(auth_url, ':') + 3);
    host = str_first(host, str_index(host, ':'));
    size_t digits = 0;
    while (digits < host.len && (ascii_is_digit(host.ptr[digits]) || host.ptr[digits] == '.'))
        digits++;
    return host.len == 0 || host.ptr[0] == '[' || digits == host.len ? STR_NONE
                                                                     : str_lower(mem, host);
}

/* An answer whose challenge was checked. */
struct checked {
    struct credential_site site;
    struct credential_response response;
    struct str challenge;
    int64_t expires_at; /* of the challenge */
};

/* The challenge is read from the client data, which the signature covers; the form has no field for
 * it. */
static enum err
verify_response(struct db *db, struct arena *mem, const struct passkey_response *answer,
                struct checked *out)
{
    *out = (struct checked){
        .site = { passkeys_rp_id(mem, answer->auth_url), answer->auth_url },
        .response = { .client_data = base64url_decode(mem, answer->client_data),
                      .auth_data = base64url_decode(mem, answer->auth_data),
                      .signature = base64url_decode(mem, answer->signature) },
    };
    out->challenge = credential_challenge(mem, out->response.client_data);
    if (!str_present(out->site.rp_id) || !str_present(out->challenge))
        return ERR_INVALID;
    return challenge_check(db, mem, &answer->scope, out->challenge, answer->now, &out->expires_at);
}

/* ---- adding ---- */

/* A passkey whose signature was verified, while it is stored. */
struct passkey_creation {
    struct arena *mem;
    struct checked checked;
    struct passkey passkey;
    struct user *user;
};

/* The name is clean already. The counter starts where the authenticator is. */
static enum err
read_new(struct db *db, struct arena *mem, const struct passkey_response *answer, struct str name,
         struct passkey_creation *out)
{
    struct credential credential;
    *out = (struct passkey_creation){ .mem = mem };
    enum err err = verify_response(db, mem, answer, &out->checked);
    if (!err)
        err = credential_read(mem, &out->checked.site, &out->checked.response, &credential);
    if (!err)
        out->passkey = (struct passkey){
            .id = random_id(mem, "pky_"),
            .user_id = answer->scope.user_id,
            .name = name,
            .credential_id = base64url_encode(mem, credential.id),
            .algorithm = credential.algorithm,
            .public_key = base64url_encode(mem, credential.key),
            .sign_count = credential.counter,
            .created_at = answer->now,
        };
    return err;
}

/* An error rolls back, so that only an accepted answer uses up the challenge. *adding->user is the
 * owner afterwards. */
static enum err
add(struct db_tx *tx, void *argument)
{
    struct passkey_creation *adding = argument;
    struct arena *mem = adding->mem;
    struct str user_id = adding->passkey.user_id;
    struct passkey *list = NULL;
    size_t count = 0;
    enum err err = user_store_lock(tx, mem, user_id);
    if (!err)
        err = user_store_find(tx, mem, user_id, adding->user);
    if (!err)
        err = passkey_store_list(tx, mem, user_id, &list, &count);
    if (!err && count >= PASSKEYS_PER_USER_MAX)
        err = ERR_TOO_LARGE;
    if (!err)
        err = challenge_use(tx, mem, adding->checked.challenge, adding->checked.expires_at);
    return err ? err : passkey_store_add(tx, mem, &adding->passkey);
}

/* The response was verified against the challenge before the transaction begins, because verifying
 * a signature takes long. */
enum err
passkeys_add(struct db *db, struct arena *mem, const struct passkey_response *answer,
             struct str name, struct user *user, const char **problem)
{
    struct passkey_creation adding;
    struct str clean = user_clean_name(mem, name);
    *problem = user_name_problem(clean);
    if (*problem != NULL)
        return ERR_INVALID;
    enum err err = read_new(db, mem, answer, clean, &adding);
    adding.user = user;
    return err ? err : tx_write(db, add, &adding);
}

/* ---- signing up ---- */

/* The account exists before its passkey: if the passkey cannot be stored, it is deleted again. */
enum err
passkeys_sign_up(struct db *db, struct arena *mem, const struct passkey_response *answer,
                 const struct account_params *params, struct str name, struct user *user,
                 struct account_problems *problems)
{
    struct passkey_creation adding;
    struct user added;
    struct account_params with_id = *params;
    with_id.user_id = answer->scope.user_id;
    with_id.password = STR_NONE;
    *problems = (struct account_problems){ 0 };
    if (!user_id_well_formed(with_id.user_id))
        return ERR_INVALID;
    enum err err = read_new(db, mem, answer, name, &adding);
    if (!err)
        err = account_make(db, mem, &with_id, answer->now, user, problems);
    if (err)
        return err;
    adding.user = &added;
    err = tx_write(db, add, &adding);
    if (err && account_delete(db, mem, user->id, &added) != ERR_NONE)
        log_warn("account_without_passkey", log_text("user", user->id));
    return err == ERR_TAKEN ? ERR_INVALID : err;
}

/* ---- signing in ---- */

struct using
{
    struct arena *mem;
    const struct checked *checked;
    const struct passkey *passkey;
    int64_t sign_count;
    int64_t now;
    struct user *user;
};

/* The conditional update decides between two answers at the same time. */
static enum err
use(struct db_tx *tx, void *argument)
{
    struct using *using = argument;
    struct arena *mem = using->mem;
    enum err err = challenge_use(tx, mem, using->checked->challenge, using->checked->expires_at);
    if (!err)
        err = passkey_store_use(tx, mem, using->passkey, using->sign_count, using->now);
    return err ? err : user_store_find(tx, mem, using->passkey->user_id, using->user);
}

/* The user handle is the id of the user (WebAuthn §4), which the browser returns for a discoverable
 * credential. It is not trusted: the signature must match the key in that user's row. */
static enum err
find_passkey(struct db *db, struct arena *mem, const struct passkey_response *answer,
             struct passkey *out)
{
    if (answer->credential_id.len == 0 || !base64url_only(answer->credential_id))
        return ERR_NOT_FOUND;
    /* Signing in without a username: the passkey must name its user. */
    struct str user_id = str_present(answer->scope.user_id)
                             ? answer->scope.user_id
                             : base64url_decode(mem, answer->user_handle);
    if (!user_id_well_formed(user_id))
        return ERR_NOT_FOUND;
    struct db_tx *tx = tx_begin_read(db);
    return tx_end_read(tx, passkey_store_find(tx, mem, user_id, answer->credential_id, out));
}

/* A counter that has not increased is logged and refused: the passkey was probably copied. */
static enum err
verify(struct db *db, struct arena *mem, const struct passkey_response *answer,
       const struct passkey *passkey, struct user *user)
{
    struct checked checked;
    enum err err = verify_response(db, mem, answer, &checked);
    if (err)
        return err;
    struct credential credential = {
        .id = base64url_decode(mem, passkey->credential_id),
        .algorithm = passkey->algorithm,
        .key = base64url_decode(mem, passkey->public_key),
        .counter = (uint32_t)passkey->sign_count,
    };
    uint32_t counter = 0;
    bool copied = false;
    err = credential_verify(mem, &checked.site, &credential, &checked.response, &counter, &copied);
    if (copied)
        log_warn("passkey_copied", log_text("user", passkey->user_id),
                 log_text("passkey", passkey->id));
    struct using using = { mem, &checked, passkey, counter, answer->now, user };
    return err ? err : tx_write(db, use, &using);
}

/* One error for all reasons, so that the response reveals no existing credentials. */
enum err
passkeys_authenticate(struct db *db, struct arena *mem, const struct passkey_response *answer,
                      struct user *user)
{
    struct passkey passkey;
    enum err err = find_passkey(db, mem, answer, &passkey);
    if (!err)
        err = verify(db, mem, answer, &passkey, user);
    return err == ERR_NOT_FOUND || err == ERR_INVALID ? ERR_UNAUTHENTICATED : err;
}

/* ---- the user's list ---- */

/* In the order in which they were added. */
enum err
passkeys_list(struct db *db, struct arena *mem, struct str user_id, struct passkey **out,
              size_t *count)
{
    struct db_tx *tx = tx_begin_read(db);
    *out = NULL;
    *count = 0;
    return tx_end_read(tx, passkey_store_list(tx, mem, user_id, out, count));
}

/* Renaming or removing one passkey. */
struct passkey_change {
    struct arena *mem;
    struct str user_id;
    struct str id;
    struct str name;
    int64_t now;
};

static enum err
rename_one(struct db_tx *tx, void *argument)
{
    struct passkey_change *change = argument;
    return passkey_store_rename(tx, change->mem, change->user_id, change->id, change->name);
}

enum err
passkeys_rename(struct db *db, struct arena *mem, struct str user_id, struct str id,
                struct str name, const char **problem)
{
    struct passkey_change change = { mem, user_id, id, user_clean_name(mem, name), 0 };
    *problem = user_name_problem(change.name);
    return *problem != NULL ? ERR_INVALID : tx_write(db, rename_one, &change);
}

/* Deletes first, then decides: ERR_FORBIDDEN rolls back, and an unknown id stays ERR_NOT_FOUND. */
static enum err
remove_one(struct db_tx *tx, void *argument)
{
    struct passkey_change *change = argument;
    struct arena *mem = change->mem;
    struct user user = { 0 };
    struct passkey *list = NULL;
    size_t count = 0;
    enum err err = user_store_lock(tx, mem, change->user_id);
    if (!err)
        err = user_store_find(tx, mem, change->user_id, &user);
    if (!err)
        err = passkey_store_list(tx, mem, change->user_id, &list, &count);
    if (!err)
        err = passkey_store_delete(tx, mem, change->user_id, change->id);
    return !err && count == 1 && !str_present(user.password_hash) ? ERR_FORBIDDEN : err;
}

enum err
passkeys_remove(struct db *db, struct arena *mem, struct str user_id, struct str id)
{
    struct passkey_change change = { .mem = mem, .user_id = user_id, .id = id };
    return tx_write_urgent(db, remove_one, &change);
}

/* Recovery codes are needed because a lost device would otherwise be a lost account. */
static enum err
remove_password(struct db_tx *tx, void *argument)
{
    struct passkey_change *change = argument;
    struct arena *mem = change->mem;
    struct passkey *list = NULL;
    size_t count = 0;
    int64_t codes = 0;
    enum err err = user_store_lock(tx, mem, change->user_id);
    if (!err)
        err = passkey_store_list(tx, mem, change->user_id, &list, &count);
    if (!err)
        err = recovery_store_count_codes(tx, mem, change->user_id, &codes);
    if (!err && (count == 0 || codes == 0))
        err = ERR_FORBIDDEN;
    return err ? err : user_store_put_password(tx, mem, change->user_id, STR_NONE, change->now);
}

enum err
passkeys_remove_password(struct db *db, struct arena *mem, struct str user_id, int64_t now)
{
    struct passkey_change change = { .mem = mem, .user_id = user_id, .now = now };
    return tx_write_urgent(db, remove_password, &change);
}
