/* How long apps and tokens may be cached: only on SQLite, since other processes write to
 * PostgreSQL. */
#include "unit/flow/world.h"

#include "store/tx.h"

#define TRIES 8 /* ids share version counters, so another id's change can raise one */

static bool
is_shared(struct kit *kit)
{
    return store_commits(kit->db) == 0;
}

static struct access
cached(struct world *world, const struct secret *token)
{
    struct access access;
    assert_int_equal(
        token_access(world->kit->db, world->kit->mem, secret_reveal(token), T0, &access, NULL),
        ERR_NONE);
    token_access_mark(world->kit->db, &access);
    assert_int_equal(access.version == 0, is_shared(world->kit));
    return access;
}

static bool
is_current(struct world *world, const struct access *access)
{
    return token_access_version(world->kit->db, access) == access->version;
}

static void
issuing_tokens_keeps_other_cached_entries(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct token_set set = world_tokens(&world, T0);
    size_t apps_forgotten = 0, accesses_forgotten = 0;
    for (int i = 0; i < TRIES; i++) {
        struct access access = cached(&world, set.access);
        uint64_t version = app_version(kit->db, world.app.id);
        assert_int_equal(version == 0, is_shared(kit));
        assert_int_equal(world_refresh(&world, set.refresh, T0, &set), ERR_NONE);
        apps_forgotten += version != app_version(kit->db, world.app.id) ? 1 : 0;
        accesses_forgotten += is_current(&world, &access) ? 0 : 1;
    }
    assert_true(apps_forgotten < TRIES / 2);
    assert_true(accesses_forgotten < TRIES / 2);
}

static void
changing_an_app_invalidates_it_and_its_tokens(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct token_set set = world_tokens(&world, T0);
    struct app app;
    const struct secret *secret;
    uint64_t version = app_version(kit->db, world.app.id);
    assert_int_equal(app_rotate_secret(kit->db, kit->mem, world.app.id, true, T0, &app, &secret),
                     ERR_NONE);
    if (is_shared(kit))
        return;
    assert_int_not_equal(version, app_version(kit->db, world.app.id));

    struct access access = cached(&world, set.access);
    version = app_version(kit->db, world.app.id);
    assert_int_equal(app_set_status(kit->db, kit->mem, world.app.id, APP_DISABLED, T0, &app),
                     ERR_NONE);
    assert_int_not_equal(version, app_version(kit->db, world.app.id));
    assert_false(is_current(&world, &access));
}

static void
revoking_a_token_invalidates_it(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct token_set set = world_tokens(&world, T0);
    struct access access = cached(&world, set.access);
    assert_int_equal(token_revoke(kit->db, kit->mem, &world.app, secret_reveal(set.access), T0),
                     ERR_NONE);
    assert_int_equal(is_current(&world, &access), is_shared(kit));

    set = world_tokens(&world, T0);
    access = cached(&world, set.access);
    assert_int_equal(token_revoke(kit->db, kit->mem, &world.app, secret_reveal(set.refresh), T0),
                     ERR_NONE);
    assert_int_equal(is_current(&world, &access), is_shared(kit));
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(issuing_tokens_keeps_other_cached_entries),
        KIT_CASE(changing_an_app_invalidates_it_and_its_tokens),
        KIT_CASE(revoking_a_token_invalidates_it),
    };
    return KIT_RUN("flow/cache_versions", cases, LOG_WARN);
}
