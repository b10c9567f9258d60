#include "unit/flow/world.h"

static const struct str one_uri[] = { { CALLBACK, sizeof CALLBACK - 1 } };

static struct app_params
good_params(void)
{
    return (struct app_params){ .owner = STR("ada"),
                                .name = STR(" Concert Finder "),
                                .redirect_uris = one_uri,
                                .redirect_uri_count = 1,
                                .scopes = STR("music_preferences agent_hints") };
}

static size_t
count_apps(struct kit *kit)
{
    struct app *apps;
    size_t count;
    assert_int_equal(app_list(kit->db, kit->mem, STR_NONE, 0, 1000, &apps, &count), ERR_NONE);
    return count;
}

static enum err
authenticate(struct kit *kit, struct str id, struct str secret, int64_t now)
{
    struct app app = { 0 };
    enum err err = app_find(kit->db, kit->mem, id, &app);
    bool proved = app_is_authenticated(kit->mem, &app, secret, now);
    assert_false(err && proved);
    return proved ? ERR_NONE : ERR_UNAUTHENTICATED;
}

static void
app_register_stores_all_fields_and_only_a_hash_of_the_secret(struct kit *kit)
{
    struct user ada = world_user(kit, "ada");
    struct app_params params = good_params();
    struct app_problems problems = { .name = "left over" };
    struct app app, found;
    const struct secret *secret;
    assert_int_equal(app_register(kit->db, kit->mem, &params, T0, &app, &secret, &problems),
                     ERR_NONE);
    assert_null(problems.name);
    assert_true(app_id_well_formed(app.id));
    assert_int_equal(app_find(kit->db, kit->mem, app.id, &found), ERR_NONE);
    assert_true(str_eq(found.owner_id, ada.id));
    assert_true(str_eq_c(found.name, "Concert Finder"));
    assert_true(str_eq_c(found.redirect_uris, CALLBACK));
    assert_int_equal(found.scopes, MUSIC | HINTS);
    assert_int_equal(found.status, APP_ACTIVE);
    assert_int_equal(found.created_at, T0);
    assert_false(found.is_public);
    assert_true(str_starts(secret_reveal(secret), STR("pn_cs_")));
    assert_true(str_eq(found.secret_hash, secret_hash(kit->mem, secret)));
    assert_false(str_eq(found.secret_hash, secret_reveal(secret)));
    assert_int_equal(authenticate(kit, app.id, secret_reveal(secret), T0), ERR_NONE);

    params.is_public = true;
    assert_int_equal(app_register(kit->db, kit->mem, &params, T0, &app, &secret, &problems),
                     ERR_NONE);
    assert_null(secret);
    assert_int_equal(app_find(kit->db, kit->mem, app.id, &found), ERR_NONE);
    assert_true(found.is_public);
    assert_false(str_present(found.secret_hash));
}

static void
every_invalid_field_is_reported_and_nothing_is_stored(struct kit *kit)
{
    static const struct str bad_uri[] = { { "javascript:alert(1)", 19 } };
    world_user(kit, "ada");
    struct app_problems problems;
    struct app app;
    const struct secret *secret;
    struct app_params params = { .owner = STR("bob"),
                                 .name = STR("Penchant (official)"),
                                 .redirect_uris = bad_uri,
                                 .redirect_uri_count = 1,
                                 .scopes = STR("agent_hints everything") };
    assert_int_equal(app_register(kit->db, kit->mem, &params, T0, &app, &secret, &problems),
                     ERR_INVALID);
    assert_null(secret);
    assert_string_equal(problems.owner, "User bob does not exist.");
    assert_non_null(strstr(problems.name, "name of this service"));
    assert_non_null(strstr(problems.redirect_uris, "must start with https://"));
    assert_non_null(strstr(problems.scopes, "\"everything\""));

    struct app_params nothing = { 0 };
    assert_int_equal(app_register(kit->db, kit->mem, &nothing, T0, &app, &secret, &problems),
                     ERR_INVALID);
    assert_non_null(problems.owner);
    assert_non_null(problems.name);
    assert_non_null(strstr(problems.redirect_uris, "is missing"));
    assert_non_null(strstr(problems.scopes, "at least one scope"));

    struct app_params one_wrong = good_params();
    one_wrong.scopes = STR("agent_hints agent_hints");
    assert_int_equal(app_register(kit->db, kit->mem, &one_wrong, T0, &app, &secret, &problems),
                     ERR_INVALID);
    assert_null(problems.owner);
    assert_null(problems.name);
    assert_null(problems.redirect_uris);
    assert_non_null(problems.scopes);
    assert_int_equal(count_apps(kit), 0);
}

static void
a_developer_has_at_most_a_hundred_apps(struct kit *kit)
{
    struct app_params params = good_params();
    struct app_problems problems;
    struct app app, *list;
    const struct secret *secret;
    struct user ada = world_user(kit, "ada");
    world_user(kit, "bob");
    for (int i = 0; i < APPS_PER_OWNER_MAX; i++)
        assert_int_equal(app_register(kit->db, kit->mem, &params, T0 + i, &app, &secret, &problems),
                         ERR_NONE);
    assert_int_equal(app_register(kit->db, kit->mem, &params, T0, &app, &secret, &problems),
                     ERR_INVALID);
    assert_non_null(strstr(problems.owner, "100 apps"));
    params.owner = STR("bob");
    assert_int_equal(app_register(kit->db, kit->mem, &params, T0, &app, &secret, &problems),
                     ERR_NONE);
    assert_int_equal(count_apps(kit), APPS_PER_OWNER_MAX + 1);
    size_t count;
    assert_int_equal(app_list(kit->db, kit->mem, ada.id, 0, 1000, &list, &count), ERR_NONE);
    assert_int_equal(count, APPS_PER_OWNER_MAX);
    assert_int_equal(app_delete(kit->db, kit->mem, list[7].id, &app), ERR_NONE);
    params.owner = STR("ada");
    assert_int_equal(app_register(kit->db, kit->mem, &params, T0, &app, &secret, &problems),
                     ERR_NONE);
}

static void
only_the_right_secret_authenticates_an_app(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct str other_secret;
    struct app other = world_app(kit, false, &other_secret);
    struct app public = world_app(kit, true, NULL);
    const struct str cut = str_first(world.secret, world.secret.len - 1);
    const struct str unknown = STR("app_AAAAAAAAAAAAAAAAAAAAAA");
    const struct {
        const char *why;
        struct str id, secret;
        bool expected;
    } rows[] = {
        { "its own secret", world.app.id, world.secret, true },
        { "the other's own", other.id, other_secret, true },
        { "a public app without one", public.id, STR_NONE, true },
        { "another app's secret", world.app.id, other_secret, false },
        { "no secret", world.app.id, STR_NONE, false },
        { "an empty secret", world.app.id, STR(""), false },
        { "a cut secret", world.app.id, cut, false },
        { "the hash of the secret", world.app.id, world.app.secret_hash, false },
        { "a public app with an empty one", public.id, STR(""), false },
        { "a public app with another app's secret", public.id, world.secret, false },
        { "an unknown app", unknown, world.secret, false },
        { "an unknown app without a secret", unknown, STR_NONE, false },
        { "no form of an id", STR("app_"), world.secret, false },
        { "no id", STR_NONE, world.secret, false },
        { "nothing at all", STR_NONE, STR_NONE, false },
        { "an id with a NUL", STR("app_AAAAAAAAAAAAAAAAAAAAA\0"), world.secret, false },
    };
    for (size_t i = 0; i < KIT_COUNT(rows); i++) {
        enum err err = authenticate(kit, rows[i].id, rows[i].secret, T0);
        if (err != (rows[i].expected ? ERR_NONE : ERR_UNAUTHENTICATED))
            fail_msg("%s: %s", rows[i].why, err_name(err));
    }
}

static void
a_rotated_secret_stays_valid_for_a_day_or_is_revoked_at_once(struct kit *kit)
{
    struct world world = world_begin(kit);
    const struct secret *second, *third;
    struct app app;
    assert_int_equal(app_rotate_secret(kit->db, kit->mem, world.app.id, false, T0, &app, &second),
                     ERR_NONE);
    assert_int_equal(authenticate(kit, app.id, secret_reveal(second), T0), ERR_NONE);
    assert_int_equal(authenticate(kit, app.id, world.secret, T0 + 86399), ERR_NONE);
    assert_int_equal(authenticate(kit, app.id, world.secret, T0 + 86400), ERR_UNAUTHENTICATED);
    assert_int_equal(authenticate(kit, app.id, secret_reveal(second), T0 + 86400), ERR_NONE);

    assert_int_equal(app_rotate_secret(kit->db, kit->mem, app.id, true, T0 + 1, &app, &third),
                     ERR_NONE);
    assert_int_equal(authenticate(kit, app.id, secret_reveal(third), T0 + 1), ERR_NONE);
    assert_int_equal(authenticate(kit, app.id, secret_reveal(second), T0 + 1), ERR_UNAUTHENTICATED);
    assert_int_equal(authenticate(kit, app.id, world.secret, T0 + 1), ERR_UNAUTHENTICATED);

    struct app public = world_app(kit, true, NULL);
    assert_int_equal(app_rotate_secret(kit->db, kit->mem, public.id, false, T0, &app, &third),
                     ERR_FORBIDDEN);
    assert_int_equal(app_rotate_secret(kit->db, kit->mem, STR("app_AAAAAAAAAAAAAAAAAAAAAA"), false,
                                       T0, &app, &third),
                     ERR_NOT_FOUND);
}

static void
a_disabled_app_cannot_authenticate(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct app app;
    assert_int_equal(app_set_status(kit->db, kit->mem, world.app.id, APP_DISABLED, T0 + 1, &app),
                     ERR_NONE);
    assert_int_equal(app.status, APP_DISABLED);
    assert_int_equal(app.epoch, world.app.epoch + 1);
    assert_int_equal(app.updated_at, T0 + 1);
    assert_int_equal(authenticate(kit, app.id, world.secret, T0), ERR_UNAUTHENTICATED);
    assert_int_equal(app_set_status(kit->db, kit->mem, world.app.id, APP_ACTIVE, T0 + 2, &app),
                     ERR_NONE);
    assert_int_equal(app.epoch, world.app.epoch + 1);
    assert_int_equal(authenticate(kit, app.id, world.secret, T0), ERR_NONE);
    assert_int_equal(app_set_status(kit->db, kit->mem, STR("finder"), APP_ACTIVE, T0, &app),
                     ERR_NOT_FOUND);
}

static void
a_deleted_app_is_not_found(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct app app;
    assert_int_equal(app_delete(kit->db, kit->mem, world.app.id, &app), ERR_NONE);
    assert_true(str_eq_c(app.name, "Concert Finder"));
    assert_int_equal(app_find(kit->db, kit->mem, world.app.id, &app), ERR_NOT_FOUND);
    assert_int_equal(authenticate(kit, world.app.id, world.secret, T0), ERR_UNAUTHENTICATED);
    assert_int_equal(app_delete(kit->db, kit->mem, world.app.id, &app), ERR_NOT_FOUND);
    assert_int_equal(count_apps(kit), 0);
}

/* Even threads disable the app, odd ones rotate its secret. */
static void *
change_app(void *argument)
{
    struct racer *racer = racer_start(argument);
    struct db *db = racer->world->kit->db;
    const struct secret *secret;
    struct app app;
    for (int i = 0; i < 4 && racer->err == ERR_NONE; i++)
        racer->err =
            racer->number % 2 == 0
                ? app_set_status(db, racer->mem, racer->world->app.id, APP_DISABLED, T0, &app)
                : app_rotate_secret(db, racer->mem, racer->world->app.id, true, T0, &app, &secret);
    return NULL;
}

static void
concurrent_changes_of_an_app_do_not_overwrite_each_other(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct racer racers[RACERS] = { 0 };
    struct app app;
    world_race(&world, racers, change_app);
    assert_int_equal(world_count(racers, ERR_NONE), RACERS);
    assert_int_equal(app_find(kit->db, kit->mem, world.app.id, &app), ERR_NONE);
    assert_int_equal(app.epoch, RACERS / 2 * 4);
    assert_int_equal(app.status, APP_DISABLED);
    world_race_over(racers);
}

static void
an_app_is_changed_completely_or_not_at_all(struct kit *kit)
{
    struct world world = world_begin(kit);
    static const struct str uris[] = { { "https://new.example/cb", 22 } };
    struct app_params params = { .name = STR(" Gig Finder "),
                                 .redirect_uris = uris,
                                 .redirect_uri_count = 1,
                                 .scopes = STR("profile:read"),
                                 .homepage = STR("https://new.example/"),
                                 .privacy_link = STR(""),
                                 .is_public = true };
    struct app_problems problems;
    struct app app, found;
    assert_int_equal(app_change(kit->db, kit->mem, world.app.id, &params, T0 + 9, &app, &problems),
                     ERR_NONE);
    assert_int_equal(app_find(kit->db, kit->mem, world.app.id, &found), ERR_NONE);
    assert_true(str_eq_c(found.name, "Gig Finder"));
    assert_true(str_eq_c(found.redirect_uris, "https://new.example/cb"));
    assert_true(str_eq_c(found.homepage, "https://new.example/"));
    assert_false(str_present(found.privacy_link));
    assert_int_equal(found.scopes, PROFILE);
    assert_int_equal(found.updated_at, T0 + 9);
    assert_false(found.is_public); /* kind, owner, and secret stay unchanged */
    assert_true(str_eq(found.owner_id, world.ada.id));
    assert_int_equal(authenticate(kit, world.app.id, world.secret, T0), ERR_NONE);

    params.homepage = STR("http://new.example/");
    params.privacy_link = STR("javascript:alert(1)");
    params.name = STR("Never");
    assert_int_equal(app_change(kit->db, kit->mem, world.app.id, &params, T0, &app, &problems),
                     ERR_INVALID);
    assert_null(problems.name);
    assert_non_null(strstr(problems.homepage, "https"));
    assert_non_null(strstr(problems.privacy_link, "https"));
    assert_int_equal(app_find(kit->db, kit->mem, world.app.id, &found), ERR_NONE);
    assert_true(str_eq_c(found.name, "Gig Finder"));
    params.homepage = params.privacy_link = STR_NONE;
    assert_int_equal(app_change(kit->db, kit->mem, STR("app_AAAAAAAAAAAAAAAAAAAAAA"), &params, T0,
                                &app, &problems),
                     ERR_NOT_FOUND);
}

static void
registering_an_id_twice_adds_one_app(struct kit *kit)
{
    world_user(kit, "ada");
    struct app_params params = good_params();
    struct app_problems problems;
    struct app app;
    const struct secret *secret;
    params.id = STR("app_wishedwishedwishedwish");
    assert_int_equal(app_register(kit->db, kit->mem, &params, T0, &app, &secret, &problems),
                     ERR_NONE);
    assert_true(str_eq(app.id, params.id));
    assert_int_equal(app_register(kit->db, kit->mem, &params, T0, &app, &secret, &problems),
                     ERR_TAKEN);
    assert_int_equal(count_apps(kit), 1);
}

static void
app_refusal_explains_failed_authentication(struct kit *kit)
{
    struct world world = world_begin(kit);
    const struct secret *second, *other = secret_make(kit->mem, SECRET_CLIENT, STR("AA"));
    struct app app, hidden = world_app(kit, true, NULL);
    assert_int_equal(app_rotate_secret(kit->db, kit->mem, world.app.id, false, T0, &app, &second),
                     ERR_NONE);
    const struct {
        const char *why;
        const struct app *app;
        struct str secret;
        int64_t now;
        const char *expected;
    } rows[] = {
        { "none", &app, STR_NONE, T0, "is missing" },
        { "empty", &app, STR(""), T0, "is missing" },
        { "cut off", &app, str_first(secret_reveal(second), 50), T0, "malformed or incomplete" },
        { "another one", &app, secret_reveal(other), T0, "is wrong" },
        { "the replaced one", &app, world.secret, T0 + OLD_SECRET_SECONDS, "was replaced" },
        { "a public app with one", &hidden, secret_reveal(other), T0, "is public" },
    };
    for (size_t i = 0; i < KIT_COUNT(rows); i++) {
        const char *said = app_refusal(kit->mem, rows[i].app, rows[i].secret, rows[i].now);
        if (strstr(said, rows[i].expected) == NULL)
            fail_msg("%s: %s", rows[i].why, said);
    }
    assert_int_equal(app_end_old_secret(kit->db, kit->mem, world.app.id, T0, &app), ERR_NONE);
    assert_int_equal(authenticate(kit, world.app.id, world.secret, T0), ERR_UNAUTHENTICATED);
    assert_int_equal(authenticate(kit, world.app.id, secret_reveal(second), T0), ERR_NONE);
}

static void
an_account_is_deleted_with_its_apps_and_no_others(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct user bob = world_user(kit, "bob"), deleted;
    struct app app;
    assert_int_equal(account_delete(kit->db, kit->mem, bob.id, &deleted), ERR_NONE);
    assert_int_equal(app_find(kit->db, kit->mem, world.app.id, &app), ERR_NONE);
    assert_int_equal(account_delete(kit->db, kit->mem, world.ada.id, &deleted), ERR_NONE);
    assert_int_equal(app_find(kit->db, kit->mem, world.app.id, &app), ERR_NOT_FOUND);
    assert_int_equal(authenticate(kit, world.app.id, world.secret, T0), ERR_UNAUTHENTICATED);
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(app_register_stores_all_fields_and_only_a_hash_of_the_secret),
        KIT_CASE(every_invalid_field_is_reported_and_nothing_is_stored),
        KIT_CASE(a_developer_has_at_most_a_hundred_apps),
        KIT_CASE(only_the_right_secret_authenticates_an_app),
        KIT_CASE(a_rotated_secret_stays_valid_for_a_day_or_is_revoked_at_once),
        KIT_CASE(a_disabled_app_cannot_authenticate),
        KIT_CASE(a_deleted_app_is_not_found),
        KIT_CASE(an_app_is_changed_completely_or_not_at_all),
        KIT_CASE(an_account_is_deleted_with_its_apps_and_no_others),
        KIT_CASE(registering_an_id_twice_adds_one_app),
        KIT_CASE(app_refusal_explains_failed_authentication),
        KIT_CASE(concurrent_changes_of_an_app_do_not_overwrite_each_other),
    };
    return KIT_RUN("flow/apps", cases, LOG_WARN);
}
