/* tokens.h - a grant of Ada with its tokens, for tests of the stores. */
#ifndef UNIT_STORE_TOKENS_H
#define UNIT_STORE_TOKENS_H

#include "unit/store/rows.h"

struct args {
    struct arena *mem;
    struct user user;
    enum user_status status;
    struct app app;
    struct grant grant;
    struct family family;
    struct live_family live;
    struct auth_code code;
    struct access_token token;
    struct access access;
    struct refresh_token refresh;
    struct str id;
    int64_t now, number;
    size_t removed;
};

WORK(add_grant, grant_store_add(tx, a->mem, &a->grant))
WORK(add_family, family_store_add(tx, a->mem, &a->family))
WORK(add_code, code_store_add(tx, a->mem, &a->code))
WORK(add_refresh, refresh_store_add(tx, a->mem, a->id, a->family.id, a->now))

static enum err
add_access(struct db_tx *tx, void *argument)
{
    struct args *a = argument;
    enum err err = family_store_find(tx, a->mem, STR("fam_1"), T0, &a->live);
    return err ? err : access_store_add(tx, a->mem, &a->token, &a->live);
}

static const struct grant grant = {
    .id = { "grt_1", 5 },
    .user_id = { ADA, 26 },
    .app_id = { FINDER, 26 },
    .allowed = { SCOPE_AGENT_HINTS | KIT_MUSIC, KIT_MUSIC, DOMAINS_ALL },
    .shown = { "Finder\n\nc.example", 17 },
    .expires_at = T0 + 5000,
    .created_at = T0,
};
static const struct family family = {
    .id = { "fam_1", 5 },
    .grant_id = { "grt_1", 5 },
    .user_id = { ADA, 26 },
    .app_id = { FINDER, 26 },
    .app_epoch = 3,
    .scopes = SCOPE_AGENT_HINTS | SCOPE_PROFILE_READ | KIT_MUSIC,
    .domains_limited = true,
    .created_at = T0,
    .expires_at = T0 + 4000,
};

static enum err
write_one(struct kit *kit, tx_work *work, struct args args)
{
    args.mem = kit->mem;
    return tx_write(kit->db, work, &args);
}

/* Ada, the app, a grant, its family, an access token "at", and a refresh token "rt". */
static void
begin_with(struct kit *kit, const struct grant *of_ada, const struct family *of_grant)
{
    struct access_token token = {
        .hash = STR("at"),
        .scopes = HINTS | PROFILE | MUSIC,
        .created_at = T0,
        .expires_at = T0 + 3600,
    };
    rows_begin(kit);
    assert_int_equal(write_one(kit, add_grant, (struct args){ .grant = *of_ada }), ERR_NONE);
    assert_int_equal(write_one(kit, add_family, (struct args){ .family = *of_grant }), ERR_NONE);
    assert_int_equal(write_one(kit, add_access, (struct args){ .token = token }), ERR_NONE);
    assert_int_equal(
        write_one(kit, add_refresh, (struct args){ .id = STR("rt"), .family = family, .now = T0 }),
        ERR_NONE);
}

static void
begin(struct kit *kit)
{
    begin_with(kit, &grant, &family);
}

static void
add_another_family(struct kit *kit, const char *id, int64_t created_at)
{
    struct args args = { .family = family };
    args.family.id = str_copy(kit->mem, str_of(id));
    args.family.created_at = created_at;
    assert_int_equal(write_one(kit, add_family, args), ERR_NONE);
}

#endif
