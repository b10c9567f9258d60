/* connections.c - changes to a connection after consent: narrow it, set its end date, withhold
 * facts, disconnect.
 *
 * Each change locks the user, reads the grant, changes it, and writes it whole. Writing a grant
 * bumps the user's auth version (credential/grant_store.c), so that the next request of the app
 * sees the change. Nothing here adds scopes: only consent does. Each change is recorded in the
 * user's activity, in the same transaction. */
#include "flow/connections.h"

#include "base/arena.h"
#include "flow/withholding.h"
#include "store/activity_store.h"
#include "store/app_store.h"
#include "credential/grant_store.h"
#include "store/tx.h"
#include "store/usage_store.h"
#include "store/user_store.h"

/* One change of a grant; each change uses some of the members. `one` receives the result. */
struct connection_change {
    struct arena *mem;
    struct str user_id;
    struct str app_id;
    int64_t now;
    scopes keep, keep_sensitive;
    int64_t expires_at;
    bool writes_wait;
    struct withholding withholding;
    struct str line;
    struct connection *one;
};

/* ---- reading ---- */

/* Grants are listed oldest first; this turns the order around. */
enum err
connections_list(struct db *db, struct arena *mem, struct str user_id, int64_t now,
                 struct connection **out, size_t *count)
{
    struct grant *grants = NULL;
    size_t grant_count = 0;
    struct db_tx *tx = tx_begin_read(db);
    enum err err = grant_store_list(tx, mem, user_id, now, &grants, &grant_count);
    *out = ARENA_ARRAY(mem, struct connection, grant_count + 1);
    *count = 0;
    for (size_t i = grant_count; i > 0 && !err; i--) {
        struct connection *connection = &(*out)[*count];
        connection->grant = grants[i - 1];
        err = app_store_find(tx, mem, connection->grant.app_id, &connection->app);
        if (err == ERR_NONE)
            (*count)++;
        else if (err == ERR_NOT_FOUND)
            err = ERR_NONE; /* the app is being deleted concurrently */
    }
    return tx_end_read(tx, err);
}

/* A connection needs both: a grant whose app was deleted is not shown. */
static enum err
find(struct db_tx *tx, struct connection_change *work)
{
    enum err err =
        grant_store_find(tx, work->mem, work->user_id, work->app_id, work->now, &work->one->grant);
    return err ? err : app_store_find(tx, work->mem, work->app_id, &work->one->app);
}

/* ERR_NOT_FOUND also for a grant whose end date has passed, although its row may still exist. */
enum err
connection_find(struct db *db, struct arena *mem, struct str user_id, struct str app_id,
                int64_t now, struct connection *out)
{
    struct connection_change work = {
        .mem = mem, .user_id = user_id, .app_id = app_id, .now = now, .one = out
    };
    if (!app_id_well_formed(app_id))
        return ERR_NOT_FOUND;
    struct db_tx *tx = tx_begin_read(db);
    return tx_end_read(tx, find(tx, &work));
}

/* ---- changing ---- */

/* Locks the user first: a concurrent consent must neither overwrite this change nor be overwritten.
 */
static enum err
find_held(struct db_tx *tx, struct connection_change *work)
{
    enum err err = user_store_lock(tx, work->mem, work->user_id);
    return err ? err : find(tx, work);
}

/* In the transaction of the change, so that the user's activity has exactly the changes that were
 * made. */
static enum err
record(struct db_tx *tx, const struct connection_change *work, enum activity_action action)
{
    struct activity_event event = {
        .user_id = work->user_id, .app_id = work->app_id, .action = action, .now = work->now
    };
    return activity_store_event(tx, work->mem, &event);
}

static enum err
put_grant(struct db_tx *tx, const struct connection_change *work)
{
    enum err err = grant_store_put(tx, work->mem, &work->one->grant);
    return err ? err : record(tx, work, ACTIVITY_CHANGE);
}

/* Deletes the per-user usage with the grant: it is kept only while the connection exists. */
static enum err
end_grant(struct db_tx *tx, struct connection_change *work)
{
    enum err err = usage_store_end_grant(tx, work->mem, work->user_id, work->app_id, work->now);
    if (!err)
        err = grant_store_end(tx, work->mem, work->user_id, work->app_id);
    return err ? err : record(tx, work, ACTIVITY_DISCONNECT);
}

/* A grant without scopes would be a connection that can do nothing: it ends. */
static enum err
narrow(struct db_tx *tx, void *argument)
{
    struct connection_change *work = argument;
    struct grant *grant = &work->one->grant;
    enum err err = find_held(tx, work);
    if (err)
        return err;
    grant->allowed = grant_without(&grant->allowed, grant->allowed.scopes & ~work->keep);
    grant->allowed.sensitive_domains &= work->keep_sensitive;
    grant->updated_at = work->now;
    if (grant->allowed.scopes == 0)
        return end_grant(tx, work);
    return put_grant(tx, work);
}

/* The end date also ends the families, whose tokens are valid at most until then; nothing has to be
 * changed in their rows. */
static enum err
set_end(struct db_tx *tx, void *argument)
{
    struct connection_change *work = argument;
    struct grant *grant = &work->one->grant;
    enum err err = find_held(tx, work);
    if (err)
        return err;
    grant->expires_at = work->expires_at;
    grant->updated_at = work->now;
    return put_grant(tx, work);
}

/* Concerns later writes only: what the app has stored already stays as it is. */
static enum err
set_writes_wait(struct db_tx *tx, void *argument)
{
    struct connection_change *work = argument;
    struct grant *grant = &work->one->grant;
    enum err err = find_held(tx, work);
    if (err)
        return err;
    grant->writes_wait = work->writes_wait;
    grant->updated_at = work->now;
    return put_grant(tx, work);
}

/* The facts are looked up inside the transaction, so that ids of deleted facts are ignored. */
static enum err
withhold(struct db_tx *tx, void *argument)
{
    struct connection_change *work = argument;
    struct grant *grant = &work->one->grant;
    enum err err = find_held(tx, work);
    if (!err)
        err = withholding_add(tx, work->mem, &work->withholding, &grant->withheld);
    grant->updated_at = work->now;
    return err ? err : put_grant(tx, work);
}

/* Undoes the withholding of one fact, which is one line of the list. */
static enum err
share(struct db_tx *tx, void *argument)
{
    struct connection_change *work = argument;
    struct grant *grant = &work->one->grant;
    enum err err = find_held(tx, work);
    if (err)
        return err;
    grant->withheld = view_share(work->mem, grant->withheld, work->line);
    grant->updated_at = work->now;
    return put_grant(tx, work);
}

/* ERR_NOT_FOUND if the app is not connected, for example because two tabs disconnect it. */
static enum err
end(struct db_tx *tx, void *argument)
{
    struct connection_change *work = argument;
    enum err err = find_held(tx, work);
    return err ? err : end_grant(tx, work);
}

/* Urgent, because these changes take access away. */
static enum err
change(struct db *db, tx_work *body, struct connection_change *work)
{
    return app_id_well_formed(work->app_id) ? tx_write_urgent(db, body, work) : ERR_NOT_FOUND;
}

/* `keep` can only remove scopes: the flow intersects it with those of the grant, so a forged form
 * cannot add any. */
enum err
connection_narrow(struct db *db, struct arena *mem, struct str user_id, struct str app_id,
                  scopes keep, scopes keep_sensitive, int64_t now, struct connection *out)
{
    struct connection_change work = { .mem = mem,
                                      .user_id = user_id,
                                      .app_id = app_id,
                                      .now = now,
                                      .keep = keep,
                                      .keep_sensitive = keep_sensitive,
                                      .one = out };
    return change(db, narrow, &work);
}

enum err
connection_set_end(struct db *db, struct arena *mem, struct str user_id, struct str app_id,
                   int64_t expires_at, int64_t now, struct connection *out)
{
    struct connection_change work = { .mem = mem,
                                      .user_id = user_id,
                                      .app_id = app_id,
                                      .now = now,
                                      .expires_at = expires_at,
                                      .one = out };
    return change(db, set_end, &work);
}

enum err
connection_set_writes_wait(struct db *db, struct arena *mem, struct str user_id, struct str app_id,
                           bool waits, int64_t now, struct connection *out)
{
    struct connection_change work = { .mem = mem,
                                      .user_id = user_id,
                                      .app_id = app_id,
                                      .now = now,
                                      .writes_wait = waits,
                                      .one = out };
    return change(db, set_writes_wait, &work);
}

/* Ids that are not the user's facts are ignored. */
enum err
connection_withhold(struct db *db, struct arena *mem, struct str user_id, struct str app_id,
                    const struct str *atom_ids, size_t count, int64_t now, struct connection *out)
{
    struct connection_change work = { .mem = mem,
                                      .user_id = user_id,
                                      .app_id = app_id,
                                      .now = now,
                                      .withholding = { user_id, atom_ids, count },
                                      .one = out };
    return change(db, withhold, &work);
}

enum err
connection_share(struct db *db, struct arena *mem, struct str user_id, struct str app_id,
                 struct str line, int64_t now, struct connection *out)
{
    struct connection_change work = {
        .mem = mem, .user_id = user_id, .app_id = app_id, .now = now, .line = line, .one = out
    };
    return change(db, share, &work);
}

/* The user's activity stays; the counters of this user and app are deleted. */
enum err
connection_end(struct db *db, struct arena *mem, struct str user_id, struct str app_id, int64_t now,
               struct connection *out)
{
    struct connection_change work = {
        .mem = mem, .user_id = user_id, .app_id = app_id, .now = now, .one = out
    };
    return change(db, end, &work);
}
