/* security.c - a new password, confirmed before by the caller, and the list of sessions.
 *
 * Hashing takes place before the transaction. The transaction compares the stored hash with the one
 * that was read before, so of two changes at the same time one succeeds. All transactions here take
 * access away and are urgent (tx_write_urgent()): they also run while the disk is full. */
#include "identity/security.h"

#include "base/shard.h"
#include "crypt/digest.h"
#include "crypt/password.h"
#include "flow/accounts.h"
#include "flow/sessions.h"
#include "store/activity_store.h"
#include "credential/grant_store.h"
#include "credential/session_store.h"
#include "credential/token_store.h"
#include "store/tx.h"
#include "store/usage_store.h"
#include "store/user_store.h"

#define SESSION_ID_LENGTH 22

/* ---- password ---- */

/* `old_hash` must still be stored, or another request has changed the password meanwhile. */
struct password_write {
    struct arena *mem;
    const struct password_change *params;
    struct str old_hash;
    struct user *user; /* with the new hash */
    struct session session;
};

/* Ends all app connections. */
static enum err
end_apps(struct db_tx *tx, struct arena *mem, struct str user_id, int64_t now)
{
    struct grant *grants = NULL;
    size_t count = 0;
    enum err err = grant_store_list(tx, mem, user_id, now, &grants, &count);
    for (size_t i = 0; i < count && !err; i++) {
        struct activity_event event = { .user_id = user_id,
                                        .app_id = grants[i].app_id,
                                        .action = ACTIVITY_DISCONNECT,
                                        .now = now };
        err = activity_store_event(tx, mem, &event);
    }
    if (!err) /* finds the apps by the user's grants: before these end */
        err = usage_store_end_user(tx, mem, user_id, now);
    if (!err)
        err = grant_store_end_all(tx, mem, user_id);
    return err ? err : family_store_end_user(tx, mem, user_id);
}

/* account_put_password() ends all sessions. The caller's is added again under its new key. */
static enum err
change(struct db_tx *tx, void *argument)
{
    struct password_write *changing = argument;
    const struct password_change *params = changing->params;
    struct arena *mem = changing->mem;
    struct user user;
    enum err err = user_store_lock(tx, mem, params->user_id);
    if (!err)
        err = user_store_find(tx, mem, params->user_id, &user);
    /* Another request may have changed it during hashing. */
    if (!err && !str_eq(user.password_hash, changing->old_hash))
        err = ERR_UNAUTHENTICATED;
    if (!err)
        err = account_put_password(tx, mem, params->user_id, changing->user->password_hash,
                                   params->now);
    if (!err)
        err = session_store_add(tx, mem, &changing->session);
    return err || !params->end_apps ? err : end_apps(tx, mem, params->user_id, params->now);
}

/* The caller limits the attempts. A password over the limit cannot be right and is not hashed. */
enum err
security_check_password(struct db *db, struct arena *mem, struct str user_id, struct str password)
{
    struct user user;
    enum err err = account_find(db, mem, user_id, &user);
    if (err)
        return err;
    bool right =
        password.len <= PASSWORD_BYTES_MAX && password_matches(user.password_hash, password);
    return right ? ERR_NONE : ERR_UNAUTHENTICATED;
}

/* All sessions end; the caller's browser gets a
 * new key, so that a stolen cookie is worth nothing afterwards. In the transaction, `change`
 * compares the old hash, so that two changes at once cannot both succeed. */
enum err
security_change_password(struct db *db, struct arena *mem, const struct password_change *params,
                         struct str *key, struct user *user, const char **problem)
{
    *problem = NULL;
    enum err err = account_find(db, mem, params->user_id, user);
    if (err)
        return err;
    const struct str words[] = { user->username, user->email, user->name };
    *problem = password_problem(mem, params->new_password, words, sizeof words / sizeof words[0]);
    if (*problem != NULL)
        return ERR_INVALID;
    /* A copy of the caller's session, with another key: its times and its device stay. */
    struct password_write changing = { mem, params, user->password_hash, user, *params->session };
    *key = session_make_key(mem, shard_of(user->id));
    changing.session.hash = session_hash(mem, *key);
    user->password_hash = password_hash(mem, params->new_password);
    return str_present(user->password_hash) ? tx_write_urgent(db, change, &changing)
                                            : ERR_UNAVAILABLE;
}

/* ---- sessions ---- */

/* Ends one session or all of a user. */
struct sessions {
    struct arena *mem;
    struct str user_id;
    struct str session_id;
    int64_t now;
};

/* The newest first, without expired ones. */
enum err
security_sessions(struct db *db, struct arena *mem, struct str user_id, int64_t now,
                  struct session **out, size_t *count)
{
    struct db_tx *tx = tx_begin_read(db);
    *out = NULL;
    *count = 0;
    return tx_end_read(tx, session_store_list(tx, mem, user_id, now, out, count));
}

/* A hash of the stored hash: pages do not show what the database looks sessions up by. */
struct str
security_session_id(struct arena *mem, const struct session *session)
{
    struct str id = digest_text(mem, str_format(mem, "session %.*s", STR_ARG(session->hash)));
    return str_first(id, SESSION_ID_LENGTH);
}

/* The id cannot be looked up, only recomputed. A user has at most 50 sessions. */
static enum err
end_one(struct db_tx *tx, void *argument)
{
    struct sessions *all = argument;
    struct session *list = NULL;
    size_t count = 0;
    enum err err = session_store_list(tx, all->mem, all->user_id, all->now, &list, &count);
    for (size_t i = 0; i < count && !err; i++)
        if (str_eq(security_session_id(all->mem, &list[i]), all->session_id))
            return session_store_end(tx, all->mem, list[i].hash);
    return err ? err : ERR_NOT_FOUND;
}

enum err
security_end_session(struct db *db, struct arena *mem, struct str user_id, struct str session_id,
                     int64_t now)
{
    struct sessions all = { .mem = mem, .user_id = user_id, .session_id = session_id, .now = now };
    return tx_write_urgent(db, end_one, &all);
}

static enum err
end_all(struct db_tx *tx, void *argument)
{
    struct sessions *all = argument;
    return session_store_end_all(tx, all->mem, all->user_id);
}

enum err
security_end_sessions(struct db *db, struct arena *mem, struct str user_id)
{
    struct sessions all = { .mem = mem, .user_id = user_id };
    return tx_write_urgent(db, end_all, &all);
}
