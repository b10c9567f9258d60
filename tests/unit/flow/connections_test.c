#include "unit/assert_str.h"
#include "unit/flow/world.h"

#include "flow/connections.h"

#define BOTH (HINTS | MUSIC) /* requested by the default parameters */

static enum err
find(const struct world *world, int64_t now, struct connection *out)
{
    return connection_find(world->kit->db, world->kit->mem, world->ada.id, world->app.id, now, out);
}

static size_t
count_of(struct kit *kit, struct str user_id, int64_t now, struct connection **list)
{
    size_t count = 99;
    assert_int_equal(connections_list(kit->db, kit->mem, user_id, now, list, &count), ERR_NONE);
    return count;
}

static enum err
narrow(const struct world *world, scopes keep, struct connection *out)
{
    return connection_narrow(world->kit->db, world->kit->mem, world->ada.id, world->app.id, keep, 0,
                             T0 + 10, out);
}

static enum err
set_end(const struct world *world, int64_t expires_at, int64_t now)
{
    struct connection out;
    return connection_set_end(world->kit->db, world->kit->mem, world->ada.id, world->app.id,
                              expires_at, now, &out);
}

static enum err
end(const struct world *world, int64_t now)
{
    struct connection out;
    return connection_end(world->kit->db, world->kit->mem, world->ada.id, world->app.id, now, &out);
}

/* ---- reading ---- */

static void
connections_are_listed_newest_first_with_their_apps(struct kit *kit)
{
    struct world world = world_begin(kit), second = world, third = world;
    struct user bob = world_user(kit, "bob");
    struct connection *list;
    second.app = world_app(kit, true, NULL);
    third.app = world_app(kit, true, NULL);
    assert_int_equal(count_of(kit, world.ada.id, T0, &list), 0);
    world_tokens(&world, T0);
    world_tokens(&second, T0 + 1);
    world_tokens(&third, T0 + 2);
    world_tokens(&world, T0 + 3); /* a second authorization is not a second connection */
    assert_int_equal(count_of(kit, world.ada.id, T0 + 4, &list), 3);
    assert_str(list[0].app.id, third.app.id, "the newest");
    assert_str(list[1].app.id, second.app.id, "the second");
    assert_str(list[2].app.id, world.app.id, "the oldest");
    for (size_t i = 0; i < 3; i++) {
        assert_str(list[i].grant.app_id, list[i].app.id, "grant and app belong together");
        assert_str(list[i].grant.user_id, world.ada.id, "hers");
        assert_true(list[i].grant.allowed.scopes == BOTH);
    }
    assert_int_equal(count_of(kit, bob.id, T0 + 4, &list), 0);
}

static void
expired_grants_are_not_connections(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct connection one, *list;
    assert_int_equal(find(&world, T0, &one), ERR_NOT_FOUND);
    world_tokens(&world, T0);
    assert_int_equal(find(&world, T0, &one), ERR_NONE);
    assert_str(one.app.name, STR("Concert Finder"), "its app comes with it");
    assert_int_equal(set_end(&world, T0 + 100, T0), ERR_NONE);
    assert_int_equal(find(&world, T0 + 99, &one), ERR_NONE);
    assert_int_equal(find(&world, T0 + 100, &one), ERR_NOT_FOUND);
    assert_int_equal(count_of(kit, world.ada.id, T0 + 99, &list), 1);
    assert_int_equal(count_of(kit, world.ada.id, T0 + 100, &list), 0);

    struct app gone;
    assert_int_equal(app_delete(kit->db, kit->mem, world.app.id, &gone), ERR_NONE);
    assert_int_equal(find(&world, T0 + 1, &one), ERR_NOT_FOUND);
    assert_int_equal(count_of(kit, world.ada.id, T0 + 1, &list), 0);
}

static void
other_users_cannot_find_or_change_a_connection(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct user bob = world_user(kit, "bob");
    struct token_set tokens = world_tokens(&world, T0);
    struct connection one;
    const struct {
        const char *why;
        struct str user_id, app_id;
    } rows[] = {
        { "another person's", bob.id, world.app.id },
        { "unknown user", STR("usr_AAAAAAAAAAAAAAAAAAAAAA"), world.app.id },
        { "an app that is not there", world.ada.id, STR("app_AAAAAAAAAAAAAAAAAAAAAA") },
        { "no id of an app", world.ada.id, world.ada.id },
        { "more than an id", world.ada.id, str_format(kit->mem, "%.*s%%", STR_ARG(world.app.id)) },
        { "empty", world.ada.id, STR("") },
        { "absent", world.ada.id, STR_NONE },
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct str user = rows[i].user_id, app = rows[i].app_id;
        assert_row(connection_find(kit->db, kit->mem, user, app, T0, &one) == ERR_NOT_FOUND,
                   rows[i].why);
        assert_row(connection_narrow(kit->db, kit->mem, user, app, 0, 0, T0, &one) == ERR_NOT_FOUND,
                   rows[i].why);
        assert_row(connection_set_end(kit->db, kit->mem, user, app, T0, T0, &one) == ERR_NOT_FOUND,
                   rows[i].why);
        assert_row(connection_end(kit->db, kit->mem, user, app, T0, &one) == ERR_NOT_FOUND,
                   rows[i].why);
    }
    assert_true(world_scopes(&world, tokens.access, T0 + 1) == BOTH);
}

/* ---- narrowing ---- */

static void
narrowing_applies_to_existing_tokens_at_once(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct token_set tokens = world_tokens(&world, T0), next;
    struct connection one;
    assert_int_equal(narrow(&world, MUSIC, &one), ERR_NONE);
    assert_true(one.grant.allowed.scopes == MUSIC);
    assert_int_equal(one.grant.updated_at, T0 + 10);
    assert_true(world_scopes(&world, tokens.access, T0 + 11) == MUSIC);
    assert_int_equal(world_refresh(&world, tokens.refresh, T0 + 11, &next), ERR_NONE);
    assert_true(world_scopes(&world, next.access, T0 + 12) == MUSIC);
}

static void
narrowing_never_adds_scopes(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct token_set tokens = world_tokens(&world, T0);
    struct connection one;
    assert_int_equal(narrow(&world, ~(scopes)0, &one), ERR_NONE);
    assert_true(one.grant.allowed.scopes == BOTH);
    assert_int_equal(narrow(&world, HINTS | PROFILE, &one), ERR_NONE);
    assert_true(one.grant.allowed.scopes == HINTS);
    assert_int_equal(narrow(&world, BOTH, &one), ERR_NONE); /* removed scopes are not restored */
    assert_true(one.grant.allowed.scopes == HINTS);
    assert_true(world_scopes(&world, tokens.access, T0 + 11) == HINTS);
}

static void
narrowing_to_no_scope_ends_the_connection(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct token_set tokens = world_tokens(&world, T0), next;
    struct connection one;
    assert_int_equal(narrow(&world, PROFILE, &one), ERR_NONE); /* not held */
    assert_int_equal(find(&world, T0 + 11, &one), ERR_NOT_FOUND);
    assert_int_equal(world_scopes(&world, tokens.access, T0 + 11), 0);
    assert_int_equal(world_refresh(&world, tokens.refresh, T0 + 11, &next), ERR_INVALID);
    assert_int_equal(narrow(&world, BOTH, &one), ERR_NOT_FOUND);
}

/* ---- end dates ---- */

static void
an_end_date_applies_to_tokens_and_can_be_removed_before(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct token_set tokens = world_tokens(&world, T0);
    assert_int_equal(set_end(&world, T0 + 100, T0), ERR_NONE);
    assert_true(world_scopes(&world, tokens.access, T0 + 99) == BOTH);
    assert_int_equal(world_scopes(&world, tokens.access, T0 + 100), 0);
    assert_int_equal(set_end(&world, NEVER_EXPIRES, T0 + 99), ERR_NONE);
    assert_true(world_scopes(&world, tokens.access, T0 + 100) == BOTH);
    assert_int_equal(set_end(&world, T0 + 200, T0 + 100), ERR_NONE);
    assert_int_equal(set_end(&world, NEVER_EXPIRES, T0 + 200), ERR_NOT_FOUND); /* too late */
    assert_int_equal(world_scopes(&world, tokens.access, T0 + 200), 0);
}

static void
after_a_disconnect_tokens_are_invalid_and_consent_is_needed(struct kit *kit)
{
    struct world world = world_begin(kit), other = world;
    other.app = world_app(kit, true, NULL);
    struct token_set tokens = world_tokens(&world, T0), others = world_tokens(&other, T0), next;
    struct str code = world_code(&world, T0); /* not exchanged yet */
    struct connection *list;
    assert_int_equal(end(&world, T0 + 10), ERR_NONE);
    assert_int_equal(world_scopes(&world, tokens.access, T0 + 10), 0);
    assert_int_equal(world_refresh(&world, tokens.refresh, T0 + 10, &next), ERR_INVALID);
    assert_int_equal(world_exchange(&world, code, T0 + 10, &next), ERR_INVALID);
    assert_int_equal(end(&world, T0 + 11), ERR_NOT_FOUND);
    assert_true(world_scopes(&other, others.access, T0 + 11) == BOTH);
    assert_int_equal(count_of(kit, world.ada.id, T0 + 11, &list), 1);

    struct authorize_params params = world_params(&world.app);
    struct authorize_begun begun = world_ask(&world, &params, T0 + 12);
    assert_int_equal(begun.next, NEXT_CONSENT);
    world_tokens(&world, T0 + 13); /* a new grant does not restore old tokens */
    assert_int_equal(world_scopes(&world, tokens.access, T0 + 14), 0);
    assert_int_equal(world_refresh(&world, tokens.refresh, T0 + 14, &next), ERR_INVALID);
}

/* ---- concurrency ---- */

static void *
keep_one(void *argument)
{
    struct racer *racer = racer_start(argument);
    const struct world *world = racer->world;
    struct connection one;
    racer->err = connection_narrow(world->kit->db, racer->mem, world->ada.id, world->app.id,
                                   racer->number % 2 ? HINTS : MUSIC, 0, T0, &one);
    return NULL;
}

static void
concurrent_narrowing_never_restores_scopes(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct token_set tokens = world_tokens(&world, T0);
    struct racer racers[RACERS] = { 0 };
    world_race(&world, racers, keep_one);
    /* The first thread keeps one scope; the next removes it, which ends the connection. */
    assert_int_equal(world_scopes(&world, tokens.access, T0), 0);
    assert_true(world_count(racers, ERR_NONE) >= 2);
    assert_int_equal(world_count(racers, ERR_NONE) + world_count(racers, ERR_NOT_FOUND), RACERS);
    world_race_over(racers);
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(connections_are_listed_newest_first_with_their_apps),
        KIT_CASE(expired_grants_are_not_connections),
        KIT_CASE(other_users_cannot_find_or_change_a_connection),
        KIT_CASE(narrowing_applies_to_existing_tokens_at_once),
        KIT_CASE(narrowing_never_adds_scopes),
        KIT_CASE(narrowing_to_no_scope_ends_the_connection),
        KIT_CASE(an_end_date_applies_to_tokens_and_can_be_removed_before),
        KIT_CASE(after_a_disconnect_tokens_are_invalid_and_consent_is_needed),
        KIT_CASE(concurrent_narrowing_never_restores_scopes),
    };
    return KIT_RUN("flow/connections", cases, LOG_WARN);
}
