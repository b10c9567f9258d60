#include "flow/connections.h"

#include "base/arena.h"
#include "store/app_store.h"
#include "store/grant_store.h"
#include "store/tx.h"
#include "store/usage_store.h"
#include "store/user_store.h"

struct looking {
    struct arena *mem;
    struct str user_id;
    struct str app_id;
    int64_t now;
    scopes keep;
    int64_t expires_at;
    struct connection *one;
    struct connection *list;
    size_t count;
};

/* ---- seeing ---- */

static enum err
list(struct db_tx *tx, void *argument)
{
    struct looking *looking = argument;
    struct grant *grants = NULL;
    size_t count = 0;
    enum err err =
        grant_store_list(tx, looking->mem, looking->user_id, looking->now, &grants, &count);
    looking->list = ARENA_ARRAY(looking->mem, struct connection, count + 1);
    looking->count = 0;
    for (size_t i = count; i > 0 && !err; i--) {
        struct connection *connection = &looking->list[looking->count];
        connection->grant = grants[i - 1];
        err = app_store_find(tx, looking->mem, connection->grant.app_id, &connection->app);
        if (err == ERR_NONE)
            looking->count++;
        else if (err == ERR_NOT_FOUND)
            err = ERR_NONE; /* its app was deleted this moment */
    }
    return err;
}

enum err
connections_list(struct db *db, struct arena *mem, struct str user_id, int64_t now,
                 struct connection **out, size_t *count)
{
    struct looking looking = { .mem = mem, .user_id = user_id, .now = now };
    enum err err = tx_read(db, list, &looking);
    *out = looking.list;
    *count = looking.count;
    return err;
}

static enum err
find(struct db_tx *tx, void *argument)
{
    struct looking *looking = argument;
    enum err err = grant_store_find(tx, looking->mem, looking->user_id, looking->app_id,
                                    looking->now, &looking->one->grant);
    return err ? err : app_store_find(tx, looking->mem, looking->app_id, &looking->one->app);
}

enum err
connection_find(struct db *db, struct arena *mem, struct str user_id, struct str app_id,
                int64_t now, struct connection *out)
{
    struct looking looking = {
        .mem = mem, .user_id = user_id, .app_id = app_id, .now = now, .one = out
    };
    if (!app_id_well_formed(app_id))
        return ERR_NOT_FOUND;
    return tx_read(db, find, &looking);
}

/* ---- changing ---- */

/* Held first: a consent of the same moment must not be undone, nor undo this. */
static enum err
find_held(struct db_tx *tx, struct looking *looking)
{
    enum err err = user_store_hold(tx, looking->mem, looking->user_id);
    return err ? err : find(tx, looking);
}

/* What the app did for the person is known as long as they are connected. */
static enum err
end_grant(struct db_tx *tx, struct looking *looking)
{
    enum err err =
        usage_store_end_grant(tx, looking->mem, looking->user_id, looking->app_id, looking->now);
    return err ? err : grant_store_end(tx, looking->mem, looking->user_id, looking->app_id);
}

static enum err
narrow(struct db_tx *tx, void *argument)
{
    struct looking *looking = argument;
    struct grant *grant = &looking->one->grant;
    enum err err = find_held(tx, looking);
    if (err)
        return err;
    grant->scopes &= looking->keep;
    grant->updated_at = looking->now;
    if (grant->scopes == 0)
        return end_grant(tx, looking);
    return grant_store_put(tx, looking->mem, grant);
}

static enum err
set_end(struct db_tx *tx, void *argument)
{
    struct looking *looking = argument;
    struct grant *grant = &looking->one->grant;
    enum err err = find_held(tx, looking);
    if (err)
        return err;
    grant->expires_at = looking->expires_at;
    grant->updated_at = looking->now;
    return grant_store_put(tx, looking->mem, grant);
}

static enum err
end(struct db_tx *tx, void *argument)
{
    struct looking *looking = argument;
    enum err err = find_held(tx, looking);
    return err ? err : end_grant(tx, looking);
}

static enum err
change(struct db *db, tx_work *work, struct looking *looking)
{
    return app_id_well_formed(looking->app_id) ? tx_write(db, work, looking) : ERR_NOT_FOUND;
}

enum err
connection_narrow(struct db *db, struct arena *mem, struct str user_id, struct str app_id,
                  scopes keep, int64_t now, struct connection *out)
{
    struct looking looking = {
        .mem = mem, .user_id = user_id, .app_id = app_id, .now = now, .keep = keep, .one = out
    };
    return change(db, narrow, &looking);
}

enum err
connection_set_end(struct db *db, struct arena *mem, struct str user_id, struct str app_id,
                   int64_t expires_at, int64_t now, struct connection *out)
{
    struct looking looking = { .mem = mem,
                               .user_id = user_id,
                               .app_id = app_id,
                               .now = now,
                               .expires_at = expires_at,
                               .one = out };
    return change(db, set_end, &looking);
}

enum err
connection_end(struct db *db, struct arena *mem, struct str user_id, struct str app_id, int64_t now,
               struct connection *out)
{
    struct looking looking = {
        .mem = mem, .user_id = user_id, .app_id = app_id, .now = now, .one = out
    };
    return change(db, end, &looking);
}
