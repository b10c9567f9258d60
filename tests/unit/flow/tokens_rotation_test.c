/* How many rows refreshing leaves, and that reuse is recognized without them. */
#include "job/expiry.h"
#include "store/housekeeping_store.h"
#include "credential/token_store.h"
#include "unit/flow/world.h"

SQL(test_count_refresh, "SELECT COUNT(*) FROM refresh_token");
SQL(test_reuses, "SELECT COUNT(*) FROM app_grant WHERE reused_at <> 0");

#define ROUNDS 200
#define PAUSE (REUSE_SECONDS + 1)

struct counting {
    struct arena *mem;
    const struct sql *sql;
    int64_t count;
};

static enum err
count(struct db_tx *tx, void *argument)
{
    struct counting *counting = argument;
    struct db_rows rows = { 0 };
    enum err err = db_query_values(tx, counting->mem, counting->sql, NULL, 0, &rows);
    counting->count = err ? -1 : db_cell_int(&rows, 0, 0);
    return err;
}

static int64_t
counted(struct kit *kit, const struct sql *sql)
{
    struct counting counting = { kit->mem, sql, 0 };
    assert_int_equal(kit_read(kit->db, count, &counting), ERR_NONE);
    return counting.count;
}

/* After housekeeping at `now`. */
static int64_t
rows_left(struct kit *kit, int64_t now)
{
    for (bool more = true; more;)
        assert_int_equal(
            expiry_step(kit->db, kit->mem, token_clean_expired, now, EXPIRY_ROWS, &more), ERR_NONE);
    return counted(kit, &test_count_refresh);
}

/* Refreshes again and again, each time after the retry window. Returns the newest tokens. */
static struct token_set
rotate(struct world *world, struct token_set set, int64_t *now)
{
    for (int i = 0; i < ROUNDS; i++) {
        struct token_set next;
        *now += PAUSE;
        assert_int_equal(world_refresh(world, set.refresh, *now, &next), ERR_NONE);
        set = next;
    }
    return set;
}

static void
used_tokens_are_deleted_after_the_retry_window(struct kit *kit)
{
    struct world world = world_begin(kit);
    int64_t now = T0;
    struct token_set newest = rotate(&world, world_tokens(&world, now), &now), next;
    assert_int_equal(rows_left(kit, now), 2); /* one was used just now */
    assert_int_equal(rows_left(kit, now + PAUSE), 1);
    assert_int_equal(world_refresh(&world, newest.refresh, now + PAUSE, &next), ERR_NONE);
}

static void
a_used_token_without_a_row_revokes_the_family(struct kit *kit)
{
    struct world world = world_begin(kit);
    int64_t now = T0;
    struct token_set first = world_tokens(&world, now), newest, none;
    newest = rotate(&world, first, &now);
    assert_int_equal(rows_left(kit, now + PAUSE), 1);
    assert_true(world_scopes(&world, newest.access, now) != 0);
    assert_int_equal(world_refresh(&world, first.refresh, now, &none), ERR_INVALID);
    assert_int_equal(world_scopes(&world, newest.access, now), 0);
    assert_int_equal(world_refresh(&world, newest.refresh, now, &none), ERR_INVALID);
    assert_int_equal(counted(kit, &test_reuses), 1);
}

static void
a_used_token_without_a_row_can_be_revoked_by_its_app_only(struct kit *kit)
{
    struct world world = world_begin(kit);
    int64_t now = T0;
    struct token_set first = world_tokens(&world, now), newest = rotate(&world, first, &now), none;
    struct world other = world;
    other.app = world_app(kit, false, NULL);
    struct str token = secret_reveal(first.refresh);
    assert_int_equal(rows_left(kit, now), 2);
    assert_int_equal(world_refresh(&other, first.refresh, now, &none), ERR_INVALID);
    assert_int_equal(token_revoke(kit->db, kit->mem, &other.app, token, now), ERR_NONE);
    assert_true(world_scopes(&world, newest.access, now) != 0);
    assert_int_equal(token_revoke(kit->db, kit->mem, &world.app, token, now), ERR_NONE);
    assert_int_equal(world_scopes(&world, newest.access, now), 0);
}

/* It is the newest of its family, so no other party has a newer one. */
static void
a_token_that_expired_unused_does_not_revoke_the_family(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct token_set set = world_tokens(&world, T0), next, none;
    int64_t later = T0 + 2 * 86400 - 1; /* almost a day after the last note in the family's row */
    assert_int_equal(world_refresh(&world, set.refresh, T0 + 86400, &next), ERR_NONE);
    assert_int_equal(world_refresh(&world, next.refresh, later, &set), ERR_NONE);
    assert_int_equal(rows_left(kit, later + REFRESH_SECONDS), 0);
    assert_int_equal(world_refresh(&world, set.refresh, later + REFRESH_SECONDS, &none),
                     ERR_INVALID);
    assert_int_equal(counted(kit, &test_reuses), 0);
}

static void
a_token_of_an_unknown_family_is_unknown(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct token_set set = world_tokens(&world, T0), none;
    const struct secret *strange = secret_make(kit->mem, SECRET_REFRESH_TOKEN, STR("AA"));
    assert_int_equal(world_refresh(&world, strange, T0, &none), ERR_INVALID);
    assert_true(world_scopes(&world, set.access, T0) != 0);
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(used_tokens_are_deleted_after_the_retry_window),
        KIT_CASE(a_used_token_without_a_row_revokes_the_family),
        KIT_CASE(a_used_token_without_a_row_can_be_revoked_by_its_app_only),
        KIT_CASE(a_token_that_expired_unused_does_not_revoke_the_family),
        KIT_CASE(a_token_of_an_unknown_family_is_unknown),
    };
    return KIT_RUN("flow/tokens, rotation", cases, LOG_ERROR);
}
