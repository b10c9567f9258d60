/* sessions.c - session keys, device tokens, and signing in.
 *
 * A sign-in compares the password outside the transaction, because hashing is slow, and adds the
 * session inside. add_session() locks the user and checks that the compared hash is still the
 * stored one; if another request replaced it, the password is compared again. All failures look the
 * same to the caller and take the same time: an unknown user costs a comparison as well. */
#include "flow/sessions.h"

#include "base/buf.h"
#include "base/shard.h"
#include "crypt/digest.h"
#include "crypt/password.h"
#include "crypt/random.h"
#include "flow/accounts.h"
#include "store/activity_store.h"
#include "credential/session_store.h"
#include "store/tx.h"
#include "store/user_store.h"
#include "text/base64url.h"
#include "text/utf8.h"

#define KEY_LENGTH RANDOM_KEY_LENGTH
/* Bytes of the User-Agent header that are stored. */
#define DEVICE_MAX 200
#define TRIES_MAX 3

struct str
session_make_key(struct arena *mem, struct str shard)
{
    return random_key_in(mem, shard);
}

bool
session_key_well_formed(struct str key)
{
    return key.len == KEY_LENGTH && base64url_only(key);
}

/* Carries the shard of the key, so that the row is found in the user's database. */
struct str
session_hash(struct arena *mem, struct str key)
{
    return digest_text_in(mem, key, shard_at_start(key));
}

struct str
session_form_token(struct arena *mem, struct str key)
{
    /* A hash of the key needs no storage, does not reveal the key, and changes with it. */
    return digest_text(mem, str_format(mem, "form %.*s", STR_ARG(key)));
}

/* With the password hash in the digest, a new password ends the token without a row in the
 * database. */
static struct str
device_token(struct arena *mem, const struct user *user, struct str nonce)
{
    struct str input = str_format(mem, "device %.*s %.*s %.*s %.*s", STR_ARG(user->device_key),
                                  STR_ARG(user->password_hash), STR_ARG(user->id), STR_ARG(nonce));
    return str_format(mem, "%.*s%.*s", STR_ARG(nonce), STR_ARG(digest_text(mem, input)));
}

struct str
session_make_device(struct arena *mem, const struct user *user)
{
    return device_token(mem, user, session_make_key(mem, shard_of(user->id)));
}

struct str
session_device_nonce(struct arena *mem, const struct user *user, struct str device)
{
    struct str nonce = str_first(device, KEY_LENGTH);
    bool valid = str_present(user->device_key) && session_key_well_formed(nonce) &&
                 digest_equal(device, device_token(mem, user, nonce));
    return valid ? nonce : STR_NONE;
}

/* ---- signing in ---- */

/* A sign-in whose password was verified, while its session is stored. */
struct entry {
    struct arena *mem;
    const struct sign_in *params;
    struct session session;
    struct user *user;
    struct str new_hash; /* absent: the stored hash has the current parameters */
    bool refused;
    bool stale; /* the account's hash is not the compared one anymore */
};

/* Checks the account again inside the transaction: during hashing it may have been disabled, or its
 * password changed, which must also end this session. */
static enum err
add_session(struct db_tx *tx, void *argument)
{
    struct entry *entry = argument;
    const struct sign_in *params = entry->params;
    struct user user = { 0 };
    enum err err = user_store_lock(tx, entry->mem, entry->user->id);
    if (!err)
        err = user_store_find(tx, entry->mem, entry->user->id, &user);
    entry->refused = err == ERR_NOT_FOUND || (!err && user.status != USER_ACTIVE);
    entry->stale = !err && !str_eq(user.password_hash, entry->user->password_hash);
    if (err || entry->refused || entry->stale)
        return err == ERR_NOT_FOUND ? ERR_NONE : err;
    entry->session.user_epoch = user.epoch;
    err = session_store_add(tx, entry->mem, &entry->session);
    if (!err && str_present(entry->new_hash))
        err =
            user_store_renew_password(tx, entry->mem, user.id, user.password_hash, entry->new_hash);
    struct str old_hash =
        str_present(params->old_key) ? session_hash(entry->mem, params->old_key) : STR_NONE;
    if (!err && str_present(params->request_id))
        /* Only with this sign-in: see find_request() in authorize.c. */
        err = request_store_move(tx, entry->mem, digest_id(entry->mem, params->request_id),
                                 old_hash, params->now, entry->session.hash);
    if (!err && str_present(old_hash))
        err = session_store_end(tx, entry->mem, old_hash);
    struct activity_event event = { .user_id = user.id,
                                    .action = ACTIVITY_SIGN_IN,
                                    .subject = entry->session.device,
                                    .now = params->now };
    return err || !params->new_device ? err : activity_store_event(tx, entry->mem, &event);
}

/* Shortens the User-Agent for lists of sessions; rejects invalid UTF-8 and control characters. */
static struct str
clean_device(struct arena *mem, struct str device)
{
    struct str cut = str_first(device, DEVICE_MAX);
    if (cut.len == 0 || !utf8_valid(cut) || utf8_forbidden(cut) >= 0)
        return STR("an unknown device");
    return str_copy(mem, cut);
}

/* *stale is only set if the account may be used: a disabled account is refused, not tried again. */
static enum err
store_session(struct db *db, struct arena *mem, const struct sign_in *params, struct str new_hash,
              struct user *user, struct str *key, bool *stale)
{
    *key = session_make_key(mem, shard_of(user->id));
    struct entry entry = {
        .mem = mem,
        .params = params,
        .user = user,
        .new_hash = new_hash,
        .session = {
            .hash = session_hash(mem, *key),
            .user_id = user->id,
            .device = clean_device(mem, params->device),
            .address = str_copy(mem, params->address),
            .created_at = params->now,
            .expires_at = params->now + SESSION_SECONDS,
            .confirmed_at = params->now,
        },
    };
    enum err err = tx_write(db, add_session, &entry);
    *stale = !err && !entry.refused && entry.stale;
    return !err && entry.refused ? ERR_UNAUTHENTICATED : err;
}

/* *stale: another request replaced the password hash in the meantime; compare again. */
static enum err
try_sign_in(struct db *db, struct arena *mem, const struct sign_in *params, struct str *key,
            struct user *user, bool *stale)
{
    enum err err = account_find(db, mem, params->login, user);
    if (err && err != ERR_NOT_FOUND)
        return err;
    struct str hash = err == ERR_NONE ? user->password_hash : STR_NONE;
    /* Also for an unknown user, whose hash is absent, so that the time is the same. */
    bool right =
        params->password.len <= PASSWORD_BYTES_MAX && password_matches(hash, params->password);
    if (err || !right || user->status != USER_ACTIVE)
        return ERR_UNAUTHENTICATED;
    struct str new_hash = password_outdated(hash) ? password_hash(mem, params->password) : STR_NONE;
    err = store_session(db, mem, params, new_hash, user, key, stale);
    if (str_present(new_hash))
        user->password_hash = new_hash;
    return err;
}

/* The password is verified outside of the transaction, because hashing takes long. `stale`: the
 * user's password or status changed meanwhile, so the result does not count, and it is verified
 * again. */
enum err
session_sign_in(struct db *db, struct arena *mem, const struct sign_in *params, struct str *key,
                struct user *user)
{
    bool stale = true;
    enum err err = ERR_NONE;
    for (int tries = 0; tries < TRIES_MAX && !err && stale; tries++) {
        stale = false;
        err = try_sign_in(db, mem, params, key, user, &stale);
    }
    return !err && stale ? ERR_UNAVAILABLE : err;
}

/* No password was compared, so that there is nothing to compare again: a change in the meantime
 * refuses the sign-in. */
enum err
session_start(struct db *db, struct arena *mem, const struct sign_in *params, struct user *user,
              struct str *key)
{
    bool stale = false;
    enum err err = store_session(db, mem, params, STR_NONE, user, key, &stale);
    return !err && stale ? ERR_UNAUTHENTICATED : err;
}

/* ---- finding and ending ---- */

struct lookup {
    struct arena *mem;
    struct str hash;
    int64_t now;
};

/* The shard of a key must be that of its user (base/shard.h). */
enum err
session_find(struct db *db, struct arena *mem, struct str key, int64_t now, struct session *out,
             struct user *user)
{
    if (!session_key_well_formed(key))
        return ERR_NOT_FOUND;
    struct str hash = session_hash(mem, key);
    struct db_tx *tx = tx_begin_read(db);
    enum err err = tx_end_read(tx, session_store_find(tx, mem, hash, now, out, user));
    return !err && !shard_holds(hash, user->id) ? ERR_NOT_FOUND : err;
}

static enum err
confirm(struct db_tx *tx, void *argument)
{
    struct lookup *lookup = argument;
    return session_store_confirm(tx, lookup->mem, lookup->hash, lookup->now);
}

enum err
session_confirm(struct db *db, struct arena *mem, struct str hash, int64_t now)
{
    struct lookup lookup = { .mem = mem, .hash = hash, .now = now };
    return tx_write(db, confirm, &lookup);
}

static enum err
end(struct db_tx *tx, void *argument)
{
    struct lookup *lookup = argument;
    return session_store_end(tx, lookup->mem, lookup->hash);
}

enum err
session_sign_out(struct db *db, struct arena *mem, struct str key)
{
    if (!session_key_well_formed(key))
        return ERR_NONE;
    struct lookup lookup = { .mem = mem, .hash = session_hash(mem, key) };
    return tx_write_urgent(db, end, &lookup);
}
