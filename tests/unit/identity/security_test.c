#include "unit/assert_str.h"
#include "unit/flow/world.h"

#include "identity/security.h"
#include "job/usage.h"
#include "job/usage_counters.h"

static const struct str old_password = STR("five yellow tractors hum");
static const struct str new_password = STR("nine purple kettles sing");

/* ---- replaces store/tx.c, to run another request between two steps ---- */

static void (*meanwhile)(void); /* runs once, before the next urgent transaction */

enum err
tx_write_urgent(struct db *db, tx_work *work, void *argument)
{
    void (*first)(void) = meanwhile;
    meanwhile = NULL;
    if (first != NULL)
        first();
    return db_write(db, work, argument);
}

/* ---- Ada, with a password, two browsers and an app ---- */

static struct user
make_person(struct kit *kit, const char *name, struct str password)
{
    struct account_params params = {
        .username = str_of(name),
        .email = str_format(kit->mem, "%s@example.org", name),
        .confirmed = true,
        .password = password,
    };
    struct account_problems problems;
    struct user user;
    assert_int_equal(account_make(kit->db, kit->mem, &params, T0, &user, &problems), ERR_NONE);
    return user;
}

static struct world
begin(struct kit *kit)
{
    struct world world = { .kit = kit, .ada = make_person(kit, "ada", old_password) };
    world.session = world_session(kit, &world.ada);
    world.app = world_app(kit, false, &world.secret);
    return world;
}

static struct password_change
params_of(const struct world *world)
{
    return (struct password_change){ .user_id = world->ada.id,
                                     .session = &world->session,
                                     .new_password = new_password,
                                     .now = T0 + 10 };
}

static enum err
change(const struct world *world, const struct password_change *params)
{
    const char *problem = "untouched";
    struct str key;
    struct user user;
    enum err err =
        security_change_password(world->kit->db, world->kit->mem, params, &key, &user, &problem);
    if (!err) { /* the session goes on under another key */
        struct session found;
        struct user owner;
        assert_false(str_eq(session_hash(world->kit->mem, key), params->session->hash));
        assert_int_equal(
            session_find(world->kit->db, world->kit->mem, key, T0 + 20, &found, &owner), ERR_NONE);
        assert_true(str_eq(owner.id, params->user_id));
        assert_true(str_eq(found.device, params->session->device));
        assert_int_equal(found.expires_at, params->session->expires_at);
    }
    assert_int_equal(err == ERR_INVALID, problem != NULL);
    return err;
}

static enum err
check(const struct world *world, struct str password)
{
    return security_check_password(world->kit->db, world->kit->mem, world->ada.id, password);
}

/* The user's valid sessions. */
static size_t
sessions_of(struct kit *kit, struct str user_id, struct session **out)
{
    size_t count = 99;
    assert_int_equal(security_sessions(kit->db, kit->mem, user_id, T0 + 20, out, &count), ERR_NONE);
    return count;
}

static bool
has_session(struct kit *kit, const struct session *session)
{
    struct session *list = NULL;
    size_t count = sessions_of(kit, session->user_id, &list);
    for (size_t i = 0; i < count; i++)
        if (str_eq(list[i].hash, session->hash))
            return true;
    return false;
}

/* ---- password ---- */

static void
a_new_password_ends_the_other_sessions_and_leaves_apps_connected(struct kit *kit)
{
    struct world world = begin(kit);
    struct user bob = make_person(kit, "bob", STR_NONE);
    struct session other = world_session(kit, &world.ada), bobs = world_session(kit, &bob);
    struct token_set tokens = world_tokens(&world, T0);
    struct password_change params = params_of(&world);
    assert_int_equal(check(&world, old_password), ERR_NONE);
    assert_int_equal(change(&world, &params), ERR_NONE);
    assert_int_equal(check(&world, old_password), ERR_UNAUTHENTICATED);
    assert_int_equal(check(&world, new_password), ERR_NONE);
    assert_false(has_session(kit, &world.session));
    assert_false(has_session(kit, &other));
    assert_true(has_session(kit, &bobs));
    assert_true(world_scopes(&world, tokens.access, T0 + 20) != 0);
    struct token_set next;
    assert_int_equal(world_refresh(&world, tokens.refresh, T0 + 20, &next), ERR_NONE);
}

static int64_t
last_use(struct world *world)
{
    struct grant_usage usage;
    assert_int_equal(usage_of_grant(world->kit->db, world->kit->mem, NULL, world->ada.id,
                                    world->app.id, T0, &usage),
                     ERR_NONE);
    return usage.last_use;
}

static void
end_apps_ends_every_connection(struct kit *kit)
{
    struct world world = begin(kit);
    struct token_set tokens = world_tokens(&world, T0), next;
    struct str code = world_code(&world, T0); /* not exchanged yet */
    struct password_change params = params_of(&world);
    struct usage_counters *counters = usage_counters_new();
    usage_counters_add(counters, world.ada.id, world.app.id, USAGE_CALL, T0);
    assert_int_equal(usage_write(kit->db, kit->mem, counters), ERR_NONE);
    assert_int_equal(last_use(&world), T0);
    params.end_apps = true;
    assert_int_equal(change(&world, &params), ERR_NONE);
    assert_int_equal(last_use(&world), 0);
    usage_counters_free(counters);
    assert_int_equal(world_scopes(&world, tokens.access, T0 + 20), 0);
    assert_int_equal(world_refresh(&world, tokens.refresh, T0 + 20, &next), ERR_INVALID);
    assert_int_equal(world_exchange(&world, code, T0 + 20, &next), ERR_INVALID);
}

static void
a_wrong_password_is_not_confirmed(struct kit *kit)
{
    struct world world = begin(kit);
    struct session other = world_session(kit, &world.ada);
    char *much = arena_alloc(kit->mem, 2000000);
    memset(much, 'a', 1999999);
    const struct {
        const char *why;
        struct str password;
    } rows[] = {
        { "a wrong one", STR("five yellow tractors hun") },
        { "the new one", new_password },
        { "with a blank more", STR("five yellow tractors hum ") },
        { "up to a NUL", STR("five yellow tractors hum\0") },
        { "empty", STR("") },
        { "absent", STR_NONE },
        { "too long to be looked at", { much, 1999999 } },
        { "the hash itself", world.ada.password_hash },
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        assert_row(check(&world, rows[i].password) == ERR_UNAUTHENTICATED, rows[i].why);
    }
    assert_int_equal(check(&world, old_password), ERR_NONE);
    assert_true(has_session(kit, &other));
}

static void
an_account_without_a_password_gets_one(struct kit *kit)
{
    struct world world = begin(kit);
    struct user bob = make_person(kit, "bob", STR_NONE);
    struct session bobs = world_session(kit, &bob);
    struct password_change params = params_of(&world);
    params.user_id = bob.id;
    params.session = &bobs;
    assert_int_equal(security_check_password(kit->db, kit->mem, bob.id, STR("")),
                     ERR_UNAUTHENTICATED);
    assert_int_equal(change(&world, &params), ERR_NONE);
    assert_int_equal(security_check_password(kit->db, kit->mem, bob.id, new_password), ERR_NONE);
    params.user_id = STR("usr_AAAAAAAAAAAAAAAAAAAAAA");
    assert_int_equal(change(&world, &params), ERR_NOT_FOUND);
    assert_int_equal(
        security_check_password(kit->db, kit->mem, STR("usr_AAAAAAAAAAAAAAAAAAAAAA"), old_password),
        ERR_NOT_FOUND);
}

static void
a_weak_password_is_rejected_with_the_reason(struct kit *kit)
{
    struct world world = begin(kit);
    struct session other = world_session(kit, &world.ada);
    static const struct {
        const char *why;
        struct str password;
    } rows[] = {
        { "short", STR("kettle") },
        { "empty", STR("") },
        { "absent", STR_NONE },
        { "easy to guess", STR("passwordpassword") },
        { "her address", STR("ada@example.org") },
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct password_change params = params_of(&world);
        params.new_password = rows[i].password;
        assert_row(change(&world, &params) == ERR_INVALID, rows[i].why);
    }
    assert_int_equal(check(&world, old_password), ERR_NONE);
    assert_true(has_session(kit, &other));
}

static const struct world *racing;

static void
change_password_concurrently(void)
{
    struct password_change params = params_of(racing);
    params.new_password = STR("eleven silver spoons dance");
    assert_int_equal(change(racing, &params), ERR_NONE);
}

static void
the_second_of_two_concurrent_changes_is_refused(struct kit *kit)
{
    struct world world = begin(kit);
    struct password_change params = params_of(&world);
    racing = &world;
    meanwhile = change_password_concurrently; /* after the comparison of the old password */
    assert_int_equal(change(&world, &params), ERR_UNAUTHENTICATED);
    assert_int_equal(check(&world, new_password), ERR_UNAUTHENTICATED);
    assert_int_equal(check(&world, STR("eleven silver spoons dance")), ERR_NONE);
}

/* ---- sessions ---- */

static void
valid_sessions_are_listed_newest_first(struct kit *kit)
{
    struct user ada = make_person(kit, "ada", STR_NONE), bob = make_person(kit, "bob", STR_NONE);
    struct session *list = NULL;
    size_t count = 0;
    world_session(kit, &bob);
    static const int order[] = { 1, 2, 0 };
    for (size_t n = 0; n < ROWS(order); n++) {
        int i = order[n];
        struct session session = {
            .hash = session_hash(kit->mem, session_make_key(kit->mem, STR("AA"))),
            .user_id = ada.id,
            .user_epoch = ada.epoch,
            .device = str_format(kit->mem, "browser %d", i),
            .address = STR("192.0.2.1"),
            .created_at = T0 + i,
            .expires_at = T0 + 100 + i,
        };
        struct world_session adding = { kit->mem, &session };
        assert_int_equal(tx_write(kit->db, world_add_session, &adding), ERR_NONE);
    }
    assert_int_equal(sessions_of(kit, ada.id, &list), 3);
    for (size_t i = 0; i < 3; i++)
        assert_str(list[i].device, str_format(kit->mem, "browser %zu", 2 - i), "newest first");
    assert_int_equal(security_sessions(kit->db, kit->mem, ada.id, T0 + 101, &list, &count),
                     ERR_NONE);
    assert_int_equal(count, 1); /* the first two ended at T0 + 100 and 101 */
    assert_str(list[0].device, STR("browser 2"), "the valid one");
}

static void
session_ids_on_pages_give_no_access(struct kit *kit)
{
    struct user ada = make_person(kit, "ada", STR_NONE);
    struct session one = world_session(kit, &ada), two = world_session(kit, &ada);
    struct str id = security_session_id(kit->mem, &one);
    assert_int_equal(id.len, 22);
    assert_str(security_session_id(kit->mem, &one), id, "the same at every look");
    assert_false(str_eq(security_session_id(kit->mem, &two), id));
    assert_false(str_starts(one.hash, id)); /* nor is it the stored hash */
    assert_false(str_eq(session_hash(kit->mem, id), one.hash));
}

static void
a_session_is_ended_once_and_only_by_its_user(struct kit *kit)
{
    struct user ada = make_person(kit, "ada", STR_NONE), bob = make_person(kit, "bob", STR_NONE);
    struct session one = world_session(kit, &ada), two = world_session(kit, &ada);
    struct session bobs = world_session(kit, &bob);
    const struct {
        const char *why;
        struct str user_id, session_id;
    } strangers[] = {
        { "another person's", ada.id, security_session_id(kit->mem, &bobs) },
        { "hers, but another asks", bob.id, security_session_id(kit->mem, &one) },
        { "by its hash", ada.id, one.hash },
        { "by nothing", ada.id, STR("") },
        { "absent", ada.id, STR_NONE },
    };
    for (size_t i = 0; i < ROWS(strangers); i++)
        assert_row(security_end_session(kit->db, kit->mem, strangers[i].user_id,
                                        strangers[i].session_id, T0) == ERR_NOT_FOUND,
                   strangers[i].why);
    assert_true(has_session(kit, &one) && has_session(kit, &two) && has_session(kit, &bobs));

    struct str id = security_session_id(kit->mem, &one);
    assert_int_equal(security_end_session(kit->db, kit->mem, ada.id, id, T0), ERR_NONE);
    assert_true(!has_session(kit, &one) && has_session(kit, &two));
    assert_int_equal(security_end_session(kit->db, kit->mem, ada.id, id, T0), ERR_NOT_FOUND);
}

static void
ending_all_sessions_keeps_those_of_other_users(struct kit *kit)
{
    struct user ada = make_person(kit, "ada", STR_NONE), bob = make_person(kit, "bob", STR_NONE);
    struct session bobs = world_session(kit, &bob);
    struct session *list;
    world_session(kit, &ada);
    world_session(kit, &ada);
    assert_int_equal(security_end_sessions(kit->db, kit->mem, ada.id), ERR_NONE);
    assert_int_equal(sessions_of(kit, ada.id, &list), 0);
    assert_true(has_session(kit, &bobs));
    assert_int_equal(security_end_sessions(kit->db, kit->mem, ada.id),
                     ERR_NONE); /* no session is not an error */
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(a_new_password_ends_the_other_sessions_and_leaves_apps_connected),
        KIT_CASE(end_apps_ends_every_connection),
        KIT_CASE(a_wrong_password_is_not_confirmed),
        KIT_CASE(an_account_without_a_password_gets_one),
        KIT_CASE(a_weak_password_is_rejected_with_the_reason),
        KIT_CASE(the_second_of_two_concurrent_changes_is_refused),
        KIT_CASE(valid_sessions_are_listed_newest_first),
        KIT_CASE(session_ids_on_pages_give_no_access),
        KIT_CASE(a_session_is_ended_once_and_only_by_its_user),
        KIT_CASE(ending_all_sessions_keeps_those_of_other_users),
    };
    return KIT_RUN("identity/security", cases, LOG_WARN);
}
