/* rows.h - users, apps, and their rows, for tests of the stores.
 *
 * WORK(name, call) defines a transaction with one call of a store: `a` is the struct args that the
 * test passes to run_write() or run_read(), with the arguments and results of the call. */
#ifndef UNIT_STORE_ROWS_H
#define UNIT_STORE_ROWS_H

#include "unit/store_kit.h"

#include "store/app_store.h"
#include "credential/grant_store.h"
#include "credential/session_store.h"
#include "store/housekeeping_store.h"
#include "credential/token_store.h"
#include "store/tx.h"
#include "store/user_store.h"

#define ADA "usr_AAAAAAAAAAAAAAAAAAAAAA"
#define BOB "usr_BBBBBBBBBBBBBBBBBBBBBB"
#define FINDER "app_AAAAAAAAAAAAAAAAAAAAAA"
#define PLAYER "app_BBBBBBBBBBBBBBBBBBBBBB"

#define T0 ((int64_t)1794648600)

#define MUSIC KIT_MUSIC
#define HINTS ((scopes)SCOPE_AGENT_HINTS)
#define PROFILE ((scopes)SCOPE_PROFILE_READ)

#define WORK(name, call)                                   \
    static enum err name(struct db_tx *tx, void *argument) \
    {                                                      \
        struct args *a = argument;                         \
        return call;                                       \
    }

static const struct user ada = {
    .id = { ADA, 26 }, .username = { "ada", 3 }, .position = 1, .created_at = 1, .updated_at = 1
};
static const struct user bob = {
    .id = { BOB, 26 }, .username = { "bob", 3 }, .position = 2, .created_at = 1, .updated_at = 1
};
static const struct app finder = {
    .id = { FINDER, 26 },
    .owner_id = { BOB, 26 },
    .name = { "Concert Finder", 14 },
    .redirect_uris = { "https://c.example/cb\nhttp://127.0.0.1/cb", 40 },
    .scopes = SCOPE_AGENT_HINTS | KIT_MUSIC,
    .secret_hash = { "hash-of-a-secret", 16 },
    .old_secret_hash = { "hash-of-an-older", 16 },
    .old_secret_expires_at = 5000000000,
    .status = APP_ACTIVE,
    .epoch = 3,
    .position = 10,
    .created_at = 5000000001,
    .updated_at = 5000000002,
};
static const struct app player = {
    .id = { PLAYER, 26 },
    .owner_id = { BOB, 26 },
    .name = { "Player", 6 },
    .redirect_uris = { "com.example.player:/cb", 22 },
    .scopes = SCOPE_PROFILE_READ,
    .is_public = true,
    .status = APP_DISABLED,
    .position = 5,
};

static enum err
rows_put_all(struct db_tx *tx, void *argument)
{
    struct kit *kit = argument;
    struct app apps[] = { finder, player };
    enum err err = user_store_add(tx, kit->mem, &ada);
    if (!err)
        err = user_store_add(tx, kit->mem, &bob);
    if (!err)
        err = app_store_add(tx, kit->mem, &apps[0]);
    return err ? err : app_store_add(tx, kit->mem, &apps[1]);
}

/* Ada, Bob, the Concert Finder, and the Player, which is disabled. */
static inline void
rows_begin(struct kit *kit)
{
    assert_int_equal(tx_write(kit->db, rows_put_all, kit), ERR_NONE);
}

static inline void
assert_same_text(struct str a, struct str b)
{
    assert_int_equal(str_present(a), str_present(b));
    assert_true(str_eq(a, b));
}

#endif
