#include "unit/store/rows.h"

struct args {
    struct arena *mem;
    struct grant grant;
    struct str user, app;
    int64_t now;
    struct grant *list;
    size_t count;
};

WORK(add_work, grant_store_add(tx, a->mem, &a->grant))
WORK(put_work, grant_store_put(tx, a->mem, &a->grant))
WORK(find_work, grant_store_find(tx, a->mem, a->user, a->app, a->now, &a->grant))
WORK(list_work, grant_store_list(tx, a->mem, a->user, a->now, &a->list, &a->count))
WORK(end_work, grant_store_end(tx, a->mem, a->user, a->app))
WORK(end_all_work, grant_store_end_all(tx, a->mem, a->user))

static const struct grant grant = {
    .id = { "grt_1", 5 },
    .user_id = { ADA, 26 },
    .app_id = { FINDER, 26 },
    .allowed = { SCOPE_AGENT_HINTS | KIT_MUSIC, KIT_MUSIC, DOMAINS_ALL, KIT_MUSIC },
    .shown = { "Finder\n\nc.example", 17 },
    .expires_at = T0 + 100,
    .created_at = T0,
    .updated_at = T0,
};

static void
add(struct kit *kit, const struct grant *row)
{
    struct args args = { .mem = kit->mem, .grant = *row };
    assert_int_equal(tx_write(kit->db, add_work, &args), ERR_NONE);
}

static enum err
find(struct kit *kit, const char *user, const char *app, int64_t now, struct grant *out)
{
    struct args args = { .mem = kit->mem, .user = str_of(user), .app = str_of(app), .now = now };
    enum err err = kit_read(kit->db, find_work, &args);
    *out = args.grant;
    return err;
}

static void
assert_same_grant(const struct grant *a, const struct grant *b)
{
    assert_same_text(a->id, b->id);
    assert_same_text(a->user_id, b->user_id);
    assert_same_text(a->app_id, b->app_id);
    assert_memory_equal(&a->allowed, &b->allowed, sizeof a->allowed);
    assert_same_text(a->shown, b->shown);
    assert_int_equal(a->expires_at, b->expires_at);
    assert_int_equal(a->created_at, b->created_at);
    assert_int_equal(a->updated_at, b->updated_at);
}

static void
a_grant_belongs_to_one_user_and_app_until_it_expires(struct kit *kit)
{
    struct grant found, none = grant;
    add(kit, &grant);
    assert_int_equal(find(kit, ADA, FINDER, T0, &found), ERR_NONE);
    assert_same_grant(&found, &grant);
    assert_int_equal(find(kit, ADA, FINDER, T0 + 99, &found), ERR_NONE);
    assert_int_equal(find(kit, ADA, FINDER, T0 + 100, &found), ERR_NOT_FOUND);
    assert_int_equal(find(kit, BOB, FINDER, T0, &found), ERR_NOT_FOUND);
    assert_int_equal(find(kit, ADA, PLAYER, T0, &found), ERR_NOT_FOUND);
    none.id = STR("grt_2");
    none.user_id = bob.id;
    none.allowed = (struct permissions){ 0 };
    none.expires_at = NEVER_EXPIRES;
    add(kit, &none);
    assert_int_equal(find(kit, BOB, FINDER, NEVER_EXPIRES - 1, &found), ERR_NONE);
    assert_same_grant(&found, &none);
}

static void
a_new_grant_replaces_the_old_one(struct kit *kit)
{
    struct grant found, next = grant;
    add(kit, &grant);
    next.id = STR("grt_2");
    next.allowed.scopes = PROFILE;
    next.expires_at = T0 + 900;
    next.created_at = next.updated_at = T0 + 200;
    add(kit, &next);
    assert_int_equal(find(kit, ADA, FINDER, T0 + 200, &found), ERR_NONE);
    assert_same_grant(&found, &next);
    struct args old = { .mem = kit->mem, .grant = grant };
    assert_int_equal(tx_write(kit->db, put_work, &old), ERR_NOT_FOUND);
}

static void
only_scopes_and_expiry_can_be_changed(struct kit *kit)
{
    struct grant found, expected = grant;
    add(kit, &grant);
    struct args args = { .mem = kit->mem,
                         .grant = { .id = grant.id,
                                    .user_id = bob.id,
                                    .app_id = player.id,
                                    .allowed = { HINTS, DOMAINS_ALL, KIT_FOOD, KIT_FOOD },
                                    .shown = STR("Bank\n\nb.example"),
                                    .expires_at = NEVER_EXPIRES,
                                    .created_at = 7,
                                    .updated_at = T0 + 50 } };
    assert_int_equal(tx_write(kit->db, put_work, &args), ERR_NONE);
    expected.allowed = (struct permissions){ HINTS, DOMAINS_ALL, KIT_FOOD, KIT_FOOD };
    expected.shown = STR("Bank\n\nb.example");
    expected.expires_at = NEVER_EXPIRES;
    expected.updated_at = T0 + 50;
    assert_int_equal(find(kit, ADA, FINDER, T0, &found), ERR_NONE);
    assert_same_grant(&found, &expected);
}

static void
a_grant_is_revoked_once(struct kit *kit)
{
    struct grant found, other = grant;
    other.id = STR("grt_2");
    other.app_id = player.id;
    add(kit, &grant);
    add(kit, &other);
    struct args args = { .mem = kit->mem, .user = ada.id, .app = finder.id, .grant = grant };
    assert_int_equal(tx_write(kit->db, end_work, &args), ERR_NONE);
    assert_int_equal(tx_write(kit->db, end_work, &args), ERR_NOT_FOUND);
    assert_int_equal(tx_write(kit->db, put_work, &args), ERR_NOT_FOUND);
    assert_int_equal(find(kit, ADA, FINDER, T0, &found), ERR_NOT_FOUND);
    assert_int_equal(find(kit, ADA, PLAYER, T0, &found), ERR_NONE);
}

static void
valid_grants_of_a_user_are_listed_oldest_first(struct kit *kit)
{
    struct grant newer = grant, over = grant, other = grant;
    newer.id = STR("grt_2");
    newer.app_id = player.id;
    newer.created_at = newer.updated_at = T0 + 1;
    over.id = STR("grt_3");
    over.app_id = STR("app_CCCCCCCCCCCCCCCCCCCCCC");
    over.expires_at = T0;
    other.id = STR("grt_4");
    other.user_id = bob.id;
    add(kit, &newer);
    add(kit, &grant);
    add(kit, &over);
    add(kit, &other);
    struct args args = { .mem = kit->mem, .user = ada.id, .now = T0 };
    assert_int_equal(kit_read(kit->db, list_work, &args), ERR_NONE);
    assert_int_equal(args.count, 2);
    assert_same_grant(&args.list[0], &grant);
    assert_same_grant(&args.list[1], &newer);
    assert_int_equal(tx_write(kit->db, end_all_work, &args), ERR_NONE);
    assert_int_equal(kit_read(kit->db, list_work, &args), ERR_NONE);
    assert_int_equal(args.count, 0);
    args.user = bob.id;
    assert_int_equal(kit_read(kit->db, list_work, &args), ERR_NONE);
    assert_int_equal(args.count, 1);
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(a_grant_belongs_to_one_user_and_app_until_it_expires),
        KIT_CASE(a_new_grant_replaces_the_old_one),
        KIT_CASE(only_scopes_and_expiry_can_be_changed),
        KIT_CASE(a_grant_is_revoked_once),
        KIT_CASE(valid_grants_of_a_user_are_listed_oldest_first),
    };
    return KIT_RUN("store/grant_store", cases, LOG_WARN);
}
