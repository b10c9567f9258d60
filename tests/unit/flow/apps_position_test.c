/* Two apps whose positions collide. Positions are a time and a random number, which is chosen here.
 */
#include "unit/flow/world.h"

static uint32_t chances[8];
static size_t chance;

/* Replaces that of crypt/random.c. */
uint32_t
random_below(uint32_t limit)
{
    assert_true(chance < KIT_COUNT(chances) && chances[chance] < limit);
    return chances[chance++];
}

static enum err
add(struct kit *kit, struct str id, struct app *out)
{
    static const struct str uris[] = { { CALLBACK, sizeof CALLBACK - 1 } };
    struct app_params params = {
        .id = id,
        .owner = STR("ada"),
        .name = STR("Concert Finder"),
        .redirect_uris = uris,
        .redirect_uri_count = 1,
        .scopes = STR("agent_hints"),
    };
    struct app_problems problems;
    const struct secret *secret;
    return app_register(kit->db, kit->mem, &params, T0, out, &secret, &problems);
}

static void
an_app_whose_position_is_taken_gets_the_next(struct kit *kit)
{
    struct app first, second, found;
    memcpy(chances, (uint32_t[]){ 1, 5, 5, 5, 6 }, 5 * sizeof chances[0]);
    chance = 0;
    world_user(kit, "ada");
    assert_int_equal(add(kit, STR_NONE, &first), ERR_NONE);
    assert_int_equal(add(kit, STR_NONE, &second), ERR_NONE);
    assert_int_equal(chance, 5);
    assert_true(second.position > first.position);
    assert_int_equal(app_find(kit->db, kit->mem, second.id, &found), ERR_NONE);
}

static void
an_app_whose_id_is_taken_is_refused_at_once(struct kit *kit)
{
    struct app app;
    struct str id = STR("app_AAAAAAAAAAAAAAAAAAAAAA");
    memcpy(chances, (uint32_t[]){ 1, 5, 6, 7 }, 4 * sizeof chances[0]);
    chance = 0;
    world_user(kit, "ada");
    assert_int_equal(add(kit, id, &app), ERR_NONE);
    assert_int_equal(add(kit, id, &app), ERR_TAKEN);
    assert_int_equal(chance, 3);
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(an_app_whose_position_is_taken_gets_the_next),
        KIT_CASE(an_app_whose_id_is_taken_is_refused_at_once),
    };
    return KIT_RUN("flow/apps, positions", cases, LOG_SILENT);
}
