/* Many threads use one code, one refresh token, or one family at the same time. */
#include "unit/flow/world.h"

static bool
refresh_valid(struct world *world, const struct secret *token)
{
    struct access access;
    bool is_refresh;
    return token_introspect(world->kit->db, world->kit->mem, &world->app, secret_reveal(token), T0,
                            &access, &is_refresh) == ERR_NONE;
}

static void *
exchange_at_once(void *argument)
{
    struct racer *racer = racer_start(argument);
    struct exchange params = {
        &racer->world->app, racer->input, STR(CALLBACK), STR(VERIFIER), 0, T0, false
    };
    const char *problem;
    racer->err = token_exchange(racer->world->kit->db, racer->mem, &params, &racer->set, &problem);
    return NULL;
}

static void
concurrent_exchanges_redeem_a_code_once_and_revoke_the_family(struct kit *kit)
{
    struct world world = world_begin(kit);
    for (int round = 0; round < 4; round++) {
        struct racer racers[RACERS] = { 0 };
        struct str code = world_code(&world, T0);
        struct token_set none;
        for (int i = 0; i < RACERS; i++)
            racers[i].input = code;
        world_race(&world, racers, exchange_at_once);
        assert_int_equal(world_count(racers, ERR_NONE), 1);
        assert_int_equal(world_count(racers, ERR_INVALID), RACERS - 1);
        for (int i = 0; i < RACERS; i++) {
            if (racers[i].err != ERR_NONE)
                continue;
            assert_int_equal(world_scopes(&world, racers[i].set.access, T0), 0);
            assert_int_equal(world_refresh(&world, racers[i].set.refresh, T0, &none), ERR_INVALID);
        }
        world_race_over(racers);
    }
}

static void *
refresh_at_once(void *argument)
{
    struct racer *racer = racer_start(argument);
    struct refresh params = { .app = &racer->world->app, .token = racer->input, .now = T0 };
    const char *problem;
    racer->err = token_refresh(racer->world->kit->db, racer->mem, &params, &racer->set, &problem);
    return NULL;
}

static void
four_of_many_concurrent_refreshes_succeed(struct kit *kit)
{
    struct world world = world_begin(kit);
    for (int round = 0; round < 4; round++) {
        struct racer racers[RACERS] = { 0 };
        struct token_set set = world_tokens(&world, T0), next;
        for (int i = 0; i < RACERS; i++)
            racers[i].input = secret_reveal(set.refresh);
        world_race(&world, racers, refresh_at_once);
        assert_int_equal(world_count(racers, ERR_NONE), 1 + REUSES_MAX);
        assert_int_equal(world_count(racers, ERR_INVALID), RACERS - 1 - REUSES_MAX);
        for (int i = 0; i < RACERS; i++) {
            if (racers[i].err != ERR_NONE)
                continue;
            assert_int_equal(world_scopes(&world, racers[i].set.access, T0), HINTS | MUSIC);
            assert_int_equal(world_refresh(&world, racers[i].set.refresh, T0, &next), ERR_NONE);
        }
        assert_int_equal(world_scopes(&world, set.access, T0), HINTS | MUSIC);
        world_race_over(racers);
    }
}

/* Half of the threads refresh while one revokes the family. */
static void *
refresh_or_revoke(void *argument)
{
    struct racer *racer = racer_start(argument);
    const struct world *world = racer->world;
    struct token_set next;
    const char *problem;
    if (racer->number == RACERS / 2) {
        racer->err = token_revoke(world->kit->db, racer->mem, &world->app, racer->input, T0);
        return NULL;
    }
    racer->set.refresh = secret_read(racer->mem, racer->input, SECRET_REFRESH_TOKEN);
    for (int i = 0; i < 8; i++) {
        struct refresh params = { .app = &world->app,
                                  .token = secret_reveal(racer->set.refresh),
                                  .now = T0 };
        racer->err = token_refresh(world->kit->db, racer->mem, &params, &next, &problem);
        if (racer->err != ERR_NONE)
            return NULL;
        racer->set = next;
    }
    return NULL;
}

static void
tokens_refreshed_during_a_revocation_are_invalid(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct racer racers[RACERS] = { 0 };
    struct token_set set = world_tokens(&world, T0);
    for (int i = 0; i < RACERS; i++)
        racers[i].input = secret_reveal(set.refresh);
    world_race(&world, racers, refresh_or_revoke);
    for (int i = 0; i < RACERS; i++) {
        assert_true(racers[i].err == ERR_NONE || racers[i].err == ERR_INVALID);
        if (racers[i].set.access != NULL)
            assert_int_equal(world_scopes(&world, racers[i].set.access, T0), 0);
        if (racers[i].set.refresh != NULL)
            assert_false(refresh_valid(&world, racers[i].set.refresh));
    }
    world_race_over(racers);
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(concurrent_exchanges_redeem_a_code_once_and_revoke_the_family),
        KIT_CASE(four_of_many_concurrent_refreshes_succeed),
        KIT_CASE(tokens_refreshed_during_a_revocation_are_invalid),
    };
    return KIT_RUN("flow/tokens, many at once", cases, LOG_WARN);
}
