#include "unit/flow/world.h"

#include "base/fault_injection.h"
#include "crypt/digest.h"
#include "crypt/password.h"
#include "store/user_store.h"

/* Takes the place of the program's. */
bool
fault_injection_hashes_cheaply(void)
{
    return true;
}

static const struct str passphrase = STR("five yellow tractors hum");

static struct user
make_ada(struct kit *kit)
{
    struct account_params params = { .username = STR("ada"),
                                     .email = STR("ada@example.org"),
                                     .confirmed = true,
                                     .password = passphrase };
    struct account_problems problems;
    struct user user;
    assert_int_equal(account_make(kit->db, kit->mem, &params, T0, &user, &problems), ERR_NONE);
    return user;
}

static struct sign_in
good_sign_in(void)
{
    return (struct sign_in){ .login = STR("ada"),
                             .password = passphrase,
                             .device = STR("Firefox"),
                             .address = STR("192.0.2.1"),
                             .now = T0 };
}

static struct str
signed_in(struct kit *kit, const struct sign_in *params)
{
    struct user user;
    struct str key;
    assert_int_equal(session_sign_in(kit->db, kit->mem, params, &key, &user), ERR_NONE);
    return key;
}

static enum err
find(struct kit *kit, struct str key, int64_t now)
{
    struct session session;
    struct user user;
    return session_find(kit->db, kit->mem, key, now, &session, &user);
}

struct listing {
    struct arena *mem;
    struct str user_id;
    struct session *list;
    size_t count;
};

static enum err
list(struct db_tx *tx, void *argument)
{
    struct listing *listing = argument;
    return session_store_list(tx, listing->mem, listing->user_id, T0, &listing->list,
                              &listing->count);
}

static struct listing
sessions_of(struct kit *kit, struct str user_id)
{
    struct listing listing = { .mem = kit->mem, .user_id = user_id };
    assert_int_equal(kit_read(kit->db, list, &listing), ERR_NONE);
    return listing;
}

static void
sign_in_by_username_or_address_returns_a_session_key(struct kit *kit)
{
    struct user ada = make_ada(kit), user;
    struct session session;
    static const struct str ways[] = { STR("ada"), STR(" ADA "), STR("Ada@Example.org") };
    for (size_t i = 0; i < KIT_COUNT(ways); i++) {
        struct sign_in params = good_sign_in();
        params.login = ways[i];
        struct str key = signed_in(kit, &params);
        assert_true(session_key_well_formed(key));
        assert_int_equal(session_find(kit->db, kit->mem, key, T0, &session, &user), ERR_NONE);
        assert_true(str_eq(user.id, ada.id));
        assert_true(str_eq(session.user_id, ada.id));
        assert_true(str_eq_c(session.device, "Firefox"));
        assert_true(str_eq_c(session.address, "192.0.2.1"));
        assert_int_equal(session.expires_at, T0 + SESSION_SECONDS);
        assert_true(str_eq(session.hash, session_hash(kit->mem, key))); /* not the key itself */
    }
    assert_int_equal(sessions_of(kit, ada.id).count, KIT_COUNT(ways));
}

static void
unknown_wrong_and_disabled_give_the_same_error(struct kit *kit)
{
    struct user ada = make_ada(kit), out;
    world_user(kit, "bob"); /* has no password */
    char *much = arena_alloc(kit->mem, 2000000);
    memset(much, 'a', 1999999);
    const struct {
        const char *why;
        struct str login, password;
    } rows[] = {
        { "a wrong password", STR("ada"), STR("five yellow tractors hun") },
        { "the password and more", STR("ada"), STR("five yellow tractors hum ") },
        { "the password up to a NUL", STR("ada"), STR("five yellow tractors hum\0") },
        { "another case", STR("ada"), STR("Five yellow tractors hum") },
        { "empty", STR("ada"), STR("") },
        { "absent", STR("ada"), STR_NONE },
        { "a very long one", STR("ada"), { much, 1999999 } },
        { "unknown username", STR("cyd"), passphrase },
        { "no name", STR_NONE, passphrase },
        { "a name that cannot be", STR("ada\0"), passphrase },
        { "account without a password", STR("bob"), passphrase },
        { "account without a password, and none given", STR("bob"), STR("") },
        { "the hash for the password", STR("ada"), ada.password_hash },
    };
    for (size_t i = 0; i < KIT_COUNT(rows); i++) {
        struct sign_in params = good_sign_in();
        struct user user;
        struct str key;
        params.login = rows[i].login;
        params.password = rows[i].password;
        enum err err = session_sign_in(kit->db, kit->mem, &params, &key, &user);
        if (err != ERR_UNAUTHENTICATED)
            fail_msg("%s: %s", rows[i].why, err_name(err));
    }
    assert_int_equal(account_set_status(kit->db, kit->mem, ada.id, USER_DISABLED, T0, &out),
                     ERR_NONE);
    struct sign_in right = good_sign_in();
    struct str key;
    assert_int_equal(session_sign_in(kit->db, kit->mem, &right, &key, &out), ERR_UNAUTHENTICATED);
    assert_int_equal(sessions_of(kit, ada.id).count, 0);
}

static void
a_session_ends_by_time_by_signing_out_and_with_its_user(struct kit *kit)
{
    struct user ada = make_ada(kit), out;
    struct sign_in params = good_sign_in();
    struct str first = signed_in(kit, &params), second = signed_in(kit, &params);
    assert_int_equal(find(kit, first, T0 + SESSION_SECONDS - 1), ERR_NONE);
    assert_int_equal(find(kit, first, T0 + SESSION_SECONDS), ERR_NOT_FOUND);

    assert_int_equal(session_sign_out(kit->db, kit->mem, first), ERR_NONE);
    assert_int_equal(find(kit, first, T0), ERR_NOT_FOUND);
    assert_int_equal(session_sign_out(kit->db, kit->mem, first), ERR_NONE);
    assert_int_equal(session_sign_out(kit->db, kit->mem, STR("garbage")), ERR_NONE);
    assert_int_equal(find(kit, second, T0), ERR_NONE);

    assert_int_equal(account_set_status(kit->db, kit->mem, ada.id, USER_DISABLED, T0, &out),
                     ERR_NONE);
    assert_int_equal(find(kit, second, T0), ERR_NOT_FOUND);
    assert_int_equal(account_set_status(kit->db, kit->mem, ada.id, USER_ACTIVE, T0, &out),
                     ERR_NONE);
    assert_int_equal(find(kit, second, T0), ERR_NOT_FOUND);
    struct str third = signed_in(kit, &params);
    kit_reopen(kit);
    assert_int_equal(find(kit, second, T0), ERR_NOT_FOUND);
    assert_int_equal(find(kit, third, T0), ERR_NONE);
}

static void
signing_in_ends_the_previous_session(struct kit *kit)
{
    struct user ada = make_ada(kit);
    struct sign_in params = good_sign_in();
    struct str planted = session_make_key(kit->mem, STR("AA")), first, second;
    params.old_key = planted; /* planted in the browser by an attacker */
    first = signed_in(kit, &params);
    assert_false(str_eq(first, planted));
    assert_int_equal(find(kit, planted, T0), ERR_NOT_FOUND);
    params.old_key = first;
    second = signed_in(kit, &params);
    assert_int_equal(find(kit, first, T0), ERR_NOT_FOUND);
    assert_int_equal(find(kit, second, T0), ERR_NONE);
    assert_int_equal(sessions_of(kit, ada.id).count, 1);

    params.old_key = second;
    params.password = STR("wrong");
    struct user user;
    assert_int_equal(session_sign_in(kit->db, kit->mem, &params, &first, &user),
                     ERR_UNAUTHENTICATED);
    assert_int_equal(find(kit, second, T0), ERR_NONE); /* a failed sign-in ends no session */
}

static void
a_malformed_key_finds_no_session(struct kit *kit)
{
    make_ada(kit);
    struct sign_in params = good_sign_in();
    struct str key = signed_in(kit, &params);
    const struct str keys[] = {
        STR_NONE,
        STR(""),
        str_first(key, 42),
        str_format(kit->mem, "%.*sA", STR_ARG(key)),
        session_hash(kit->mem, key), /* as read from a stolen database */
        session_form_token(kit->mem, key),
        session_make_key(kit->mem, STR("AA")),
        STR("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'"),
    };
    for (size_t i = 0; i < KIT_COUNT(keys); i++)
        assert_int_equal(find(kit, keys[i], T0), ERR_NOT_FOUND);
    assert_false(session_key_well_formed(keys[7]));
    assert_int_equal(find(kit, key, T0), ERR_NONE);
}

static void
a_session_of_another_shard_is_unknown(struct kit *kit)
{
    struct user ada = make_ada(kit);
    struct str shard = shard_of(ada.id);
    struct str other = str_eq_c(shard, "AA") ? STR("AB") : STR("AA");
    const struct str shards[] = { shard, other };
    for (size_t i = 0; i < KIT_COUNT(shards); i++) {
        struct str key = session_make_key(kit->mem, shards[i]);
        struct session session = { .hash = session_hash(kit->mem, key),
                                   .user_id = ada.id,
                                   .user_epoch = ada.epoch,
                                   .device = STR("a browser"),
                                   .address = STR("192.0.2.1"),
                                   .created_at = T0,
                                   .expires_at = T0 + 100 };
        struct world_session adding = { kit->mem, &session };
        assert_true(str_eq(str_first(key, 2), shards[i]));
        assert_true(str_eq(str_first(session.hash, 2), shards[i]));
        assert_int_equal(tx_write(kit->db, world_add_session, &adding), ERR_NONE);
        assert_int_equal(find(kit, key, T0), i == 0 ? ERR_NONE : ERR_NOT_FOUND);
    }
}

static void
a_form_token_belongs_to_one_key(struct kit *kit)
{
    struct str one = session_make_key(kit->mem, STR("AA"));
    struct str two = session_make_key(kit->mem, STR("AA"));
    struct str token = session_form_token(kit->mem, one);
    assert_false(str_eq(one, two));
    assert_true(str_eq(token, session_form_token(kit->mem, one)));
    assert_false(str_eq(token, session_form_token(kit->mem, two)));
    assert_false(str_eq(token, session_hash(kit->mem, one))); /* not stored */
    assert_int_equal(token.len, 43);
}

static void
a_device_is_one_short_line(struct kit *kit)
{
    static const struct {
        struct str device;
        const char *expected;
    } rows[] = {
        { STR("Firefox"), "Firefox" },
        { STR_NONE, "an unknown device" },
        { STR(""), "an unknown device" },
        { STR("Fire\nfox"), "an unknown device" },
        { STR("Fire\xff"), "an unknown device" },
        { STR("Fire \xe2\x80\xae ox"), "an unknown device" },
    };
    struct user ada = make_ada(kit);
    for (size_t i = 0; i < KIT_COUNT(rows); i++) {
        struct sign_in params = good_sign_in();
        struct session session;
        params.device = rows[i].device;
        struct str key = signed_in(kit, &params);
        assert_int_equal(session_find(kit->db, kit->mem, key, T0, &session, &ada), ERR_NONE);
        assert_string_equal(session.device.ptr, rows[i].expected);
    }
    struct sign_in params = good_sign_in();
    struct session session;
    char *much = arena_alloc(kit->mem, 5000);
    memset(much, 'a', 4999);
    params.device = (struct str){ much, 4999 };
    struct str key = signed_in(kit, &params);
    assert_int_equal(session_find(kit->db, kit->mem, key, T0, &session, &ada), ERR_NONE);
    assert_int_equal(session.device.len, 200);
}

static void
a_new_password_ends_every_session(struct kit *kit)
{
    struct user ada = make_ada(kit), out;
    struct sign_in params = good_sign_in();
    struct str key = signed_in(kit, &params);
    const char *problem;
    assert_int_equal(account_set_password(kit->db, kit->mem, ada.id,
                                          STR("seven violet umbrellas fly"), T0, &out, &problem),
                     ERR_NONE);
    assert_int_equal(find(kit, key, T0), ERR_NOT_FOUND);
}

/* ---- outdated hashes ---- */

#define OLD_PASSWORD STR("violet kettle sings at dawn 47")
#define OLD_HASH                                                                                   \
    STR("$argon2id$v=19$m=8192,t=1,p=1$CBKln8TMZTao3hVm+FAwew$kSWgK5rWLFReUFKSDUDx662UgkjR1S6I2vz" \
        "VdoXflYQ")

struct hashing {
    struct arena *mem;
    struct str user_id, hash, old_hash;
};

static enum err
put_hash(struct db_tx *tx, void *argument)
{
    struct hashing *hashing = argument;
    return user_store_put_password(tx, hashing->mem, hashing->user_id, hashing->hash, T0);
}

static enum err
renew_hash(struct db_tx *tx, void *argument)
{
    struct hashing *hashing = argument;
    return user_store_renew_password(tx, hashing->mem, hashing->user_id, hashing->old_hash,
                                     hashing->hash);
}

static struct user
ada_now(struct kit *kit)
{
    struct user user;
    assert_int_equal(account_find(kit->db, kit->mem, STR("ada"), &user), ERR_NONE);
    return user;
}

static void
an_outdated_hash_is_replaced_only_with_the_right_password(struct kit *kit)
{
    struct user user = world_user(kit, "ada");
    struct hashing hashing = { .mem = kit->mem, .user_id = user.id, .hash = OLD_HASH };
    assert_int_equal(tx_write(kit->db, put_hash, &hashing), ERR_NONE);
    struct user before = ada_now(kit);
    struct str key;
    struct sign_in params = good_sign_in();
    assert_int_equal(session_sign_in(kit->db, kit->mem, &params, &key, &user), ERR_UNAUTHENTICATED);
    assert_true(str_eq(ada_now(kit).password_hash, OLD_HASH));
    params.password = OLD_PASSWORD;
    signed_in(kit, &params);
    struct user after = ada_now(kit);
    assert_false(str_eq(after.password_hash, OLD_HASH));
    assert_false(password_outdated(after.password_hash));
    assert_true(password_matches(after.password_hash, OLD_PASSWORD));
    /* Nothing else changes. */
    assert_int_equal(after.updated_at, before.updated_at);
    signed_in(kit, &params);
    assert_true(str_eq(ada_now(kit).password_hash, after.password_hash)); /* replaced only once */
}

static void
a_hash_is_replaced_only_if_it_did_not_change(struct kit *kit)
{
    struct user user = make_ada(kit);
    struct hashing hashing = {
        .mem = kit->mem, .user_id = user.id, .old_hash = OLD_HASH, .hash = STR("another")
    };
    struct str before = ada_now(kit).password_hash;
    assert_int_equal(tx_write(kit->db, renew_hash, &hashing), ERR_NONE);
    assert_true(str_eq(ada_now(kit).password_hash, before));
}

static void *
sign_in_with_old_hash(void *argument)
{
    struct racer *racer = racer_start(argument);
    struct sign_in params = good_sign_in();
    struct user user;
    struct str key;
    params.password = OLD_PASSWORD;
    racer->err = session_sign_in(racer->world->kit->db, racer->mem, &params, &key, &user);
    return NULL;
}

static void
concurrent_sign_ins_succeed_while_a_hash_is_replaced(struct kit *kit)
{
    struct user user = world_user(kit, "ada");
    struct hashing hashing = { .mem = kit->mem, .user_id = user.id, .hash = OLD_HASH };
    assert_int_equal(tx_write(kit->db, put_hash, &hashing), ERR_NONE);
    struct world world = { .kit = kit, .ada = user };
    struct racer racers[RACERS] = { 0 };
    world_race(&world, racers, sign_in_with_old_hash);
    assert_int_equal(world_count(racers, ERR_NONE), RACERS);
    assert_true(password_matches(ada_now(kit).password_hash, OLD_PASSWORD));
    world_race_over(racers);
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(sign_in_by_username_or_address_returns_a_session_key),
        KIT_CASE(unknown_wrong_and_disabled_give_the_same_error),
        KIT_CASE(a_session_ends_by_time_by_signing_out_and_with_its_user),
        KIT_CASE(signing_in_ends_the_previous_session),
        KIT_CASE(a_malformed_key_finds_no_session),
        KIT_CASE(a_session_of_another_shard_is_unknown),
        KIT_CASE(a_form_token_belongs_to_one_key),
        KIT_CASE(a_device_is_one_short_line),
        KIT_CASE(a_new_password_ends_every_session),
        KIT_CASE(an_outdated_hash_is_replaced_only_with_the_right_password),
        KIT_CASE(a_hash_is_replaced_only_if_it_did_not_change),
        KIT_CASE(concurrent_sign_ins_succeed_while_a_hash_is_replaced),
    };
    return KIT_RUN("flow/sessions", cases, LOG_WARN);
}
