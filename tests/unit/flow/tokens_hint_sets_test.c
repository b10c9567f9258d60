/* Hint sets that token_access() returns with a token. */
#include "unit/flow/world.h"

#include "base/buf.h"
#include "db/row_sum.h"
#include "flow/connections.h"
#include "preference/hints.h"
#include "store/tx.h"
#include "unit/assert_str.h"

#define HINT_SETS STR("food_profile one\nmusic_preferences two")

SQL(test_put_hint_sets, "UPDATE user_record SET hint_sets = $2 WHERE user_id = $1 AND domain = ''");

static enum err
put_hint_sets(struct db_tx *tx, void *argument)
{
    const struct world *world = argument;
    struct row_sum row = { .user_id = world->ada.id, .domain = STR(""), .text = HINT_SETS };
    return db_query(tx, world->kit->mem, &test_put_hint_sets, NULL, db_text(world->ada.id),
                    db_text(row_sum_add(world->kit->mem, &row)));
}

/* The hint sets of a token; the access is the same with and without requesting them. */
static struct str
found_with(struct world *world, const struct secret *token)
{
    struct kit *kit = world->kit;
    struct access with, without;
    struct str hint_sets = STR("left over");
    assert_int_equal(token_access(kit->db, kit->mem, secret_reveal(token), T0, &with, &hint_sets),
                     ERR_NONE);
    assert_int_equal(token_access(kit->db, kit->mem, secret_reveal(token), T0, &without, NULL),
                     ERR_NONE);
    assert_str(with.user_id, without.user_id, "user");
    assert_str(with.app_id, without.app_id, "app");
    assert_int_equal(with.allowed.scopes, without.allowed.scopes);
    assert_int_equal(with.generation, without.generation);
    return hint_sets;
}

static void
hint_sets_are_returned_with_the_token(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct token_set set = world_tokens(&world, T0);
    assert_false(str_present(found_with(&world, set.access)));
    assert_int_equal(tx_write(kit->db, put_hint_sets, &world), ERR_NONE);
    assert_str(found_with(&world, set.access), HINT_SETS, "hint sets");
}

static void
hint_sets_are_absent_after_the_auth_version_changed(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct token_set set = world_tokens(&world, T0);
    struct str hint_sets = STR("left over");
    struct access access;
    struct connection left;
    assert_int_equal(tx_write(kit->db, put_hint_sets, &world), ERR_NONE);
    assert_int_equal(
        connection_narrow(kit->db, kit->mem, world.ada.id, world.app.id, HINTS, 0, T0, &left),
        ERR_NONE);
    assert_false(str_present(found_with(&world, set.access)));
    assert_int_equal(world_scopes(&world, set.access, T0), HINTS);

    assert_int_equal(connection_end(kit->db, kit->mem, world.ada.id, world.app.id, T0, &left),
                     ERR_NONE);
    assert_int_equal(
        token_access(kit->db, kit->mem, secret_reveal(set.access), T0, &access, &hint_sets),
        ERR_UNAUTHENTICATED);
    assert_str(hint_sets, STR("left over"), "of a token that opens nothing");
}

/* A damaged row that names a domain more often than there can be domains. */
static void
a_domain_that_a_row_names_twice_is_read_once(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct buf row = buf_in(kit->mem, 100000);
    struct hints hints;
    for (int i = 0; i < 3 * DOMAINS_MAX; i++)
        buf_add_c(&row, "food_profile damaged\n");
    struct hints_params params = { .view = view_whole(world.ada.id),
                                   .hint_sets = buf_str(&row),
                                   .domains = kit_domains(),
                                   .allowed = UINT64_MAX,
                                   .max_tokens = 100 };
    assert_int_equal(hints_read(kit->db, kit->mem, &params, &hints), ERR_NONE);
    assert_true(hints.stale);
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(hint_sets_are_returned_with_the_token),
        KIT_CASE(hint_sets_are_absent_after_the_auth_version_changed),
        KIT_CASE(a_domain_that_a_row_names_twice_is_read_once),
    };
    return KIT_RUN("flow/tokens_hint_sets", cases, LOG_WARN);
}
