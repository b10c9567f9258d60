#include "job/expiry.h"
#include "store/housekeeping_store.h"
#include "credential/session_store.h"
#include "credential/token_store.h"
#include "unit/flow/world.h"

static enum err
introspect(struct world *world, struct str token, int64_t now, struct access *out, bool *is_refresh)
{
    return token_introspect(world->kit->db, world->kit->mem, &world->app, token, now, out,
                            is_refresh);
}

static bool
refresh_valid(struct world *world, const struct secret *token, int64_t now)
{
    struct access access;
    bool is_refresh;
    enum err err = introspect(world, secret_reveal(token), now, &access, &is_refresh);
    assert_true(is_refresh);
    return err == ERR_NONE;
}

static void
revoked(struct world *world, const struct secret *token)
{
    assert_int_equal(
        token_revoke(world->kit->db, world->kit->mem, &world->app, secret_reveal(token), T0),
        ERR_NONE);
}

/* ---- consent to refresh ---- */

static void
consent_exchange_and_refresh_work(struct kit *kit)
{
    static const struct str passphrase = STR("five yellow tractors hum");
    struct world world = { .kit = kit };
    struct account_params person = { .username = STR("ada"), .password = passphrase };
    struct account_problems problems;
    struct str key;
    struct app asking;
    assert_int_equal(account_make(kit->db, kit->mem, &person, T0, &world.ada, &problems), ERR_NONE);
    world.app = world_app(kit, false, &world.secret);
    struct sign_in in = { .login = STR("ada"),
                          .password = passphrase,
                          .device = STR("x"),
                          .address = STR("x"),
                          .now = T0 };
    assert_int_equal(session_sign_in(kit->db, kit->mem, &in, &key, &world.ada), ERR_NONE);
    assert_int_equal(session_find(kit->db, kit->mem, key, T0, &world.session, &world.ada),
                     ERR_NONE);
    struct str code = world_code(&world, T0);
    assert_int_equal(app_find(kit->db, kit->mem, world.app.id, &asking), ERR_NONE);
    assert_true(app_is_authenticated(kit->mem, &asking, world.secret, T0));
    world.app = asking;

    struct token_set first, second;
    struct access access;
    bool is_refresh;
    assert_int_equal(world_exchange(&world, code, T0 + 1, &first), ERR_NONE);
    assert_int_equal(first.scopes, HINTS | MUSIC);
    assert_int_equal(
        token_access(kit->db, kit->mem, secret_reveal(first.access), T0 + 1, &access, NULL),
        ERR_NONE);
    assert_true(str_eq(access.user_id, world.ada.id));
    assert_true(str_eq(access.app_id, world.app.id));
    assert_true(access.allowed.hint_domains == MUSIC); /* a domain, and not preferences:read */
    assert_true(access.allowed.write_domains == 0);
    assert_int_equal(access.expires_at, T0 + 1 + ACCESS_SECONDS);

    assert_int_equal(world_refresh(&world, first.refresh, T0 + 100, &second), ERR_NONE);
    assert_int_equal(second.scopes, HINTS | MUSIC);
    assert_int_equal(
        introspect(&world, secret_reveal(second.access), T0 + 100, &access, &is_refresh), ERR_NONE);
    assert_false(str_present(access.username)); /* without profile:read */
    assert_false(is_refresh);
    assert_int_equal(access.created_at, T0 + 100);
    assert_int_equal(
        introspect(&world, secret_reveal(second.refresh), T0 + 100, &access, &is_refresh),
        ERR_NONE);
    assert_true(is_refresh);
    assert_false(str_present(access.username)); /* without profile:read */
    assert_int_equal(access.created_at, T0 + 100);
    assert_int_equal(access.valid_until, T0 + 100 + REFRESH_SECONDS);

    revoked(&world, second.refresh);
    kit_reopen(kit);
    assert_int_equal(world_scopes(&world, first.access, T0 + 100), 0);
    assert_int_equal(world_scopes(&world, second.access, T0 + 100), 0);
    assert_int_equal(world_refresh(&world, second.refresh, T0 + 100, &first), ERR_INVALID);
    assert_int_equal(world_code(&world, T0 + 200).len,
                     SECRET_LENGTH); /* the grant is still valid */
}

/* ---- shards ---- */

static bool
is_in(struct str secret, struct str shard)
{
    int first = shard_digit(secret.ptr[6]) ^ shard_digit(secret.ptr[46]);
    int second = shard_digit(secret.ptr[7]) ^ shard_digit(secret.ptr[47]);
    return first * 64 + second == shard_number(shard);
}

static void
codes_and_tokens_begin_with_the_shard_of_their_user(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct str shard = shard_of(world.ada.id);
    struct token_set set = world_tokens(&world, T0), next;
    assert_int_equal(world_refresh(&world, set.refresh, T0 + 1, &next), ERR_NONE);
    assert_true(is_in(world_code(&world, T0), shard));
    assert_true(is_in(secret_reveal(set.access), shard));
    assert_true(is_in(secret_reveal(set.refresh), shard));
    assert_true(is_in(secret_reveal(next.access), shard));
    assert_true(is_in(secret_reveal(next.refresh), shard));
}

/* Rows that no flow writes: of the user's family, but in another shard. */
struct stray {
    struct arena *mem;
    struct str family_id;
    struct str app_id;
    struct str code_hash, access_hash, refresh_hash;
};

static enum err
add_strays(struct db_tx *tx, void *argument)
{
    const struct stray *stray = argument;
    struct live_family live = { 0 };
    struct access_token access = { .hash = stray->access_hash,
                                   .scopes = HINTS | MUSIC,
                                   .audience = AUDIENCE_API,
                                   .created_at = T0,
                                   .expires_at = T0 + ACCESS_SECONDS };
    struct auth_code code = { .hash = stray->code_hash,
                              .family_id = stray->family_id,
                              .app_id = stray->app_id,
                              .redirect_uri = STR(CALLBACK),
                              .challenge = STR(CHALLENGE),
                              .expires_at = T0 + CODE_SECONDS };
    enum err err = family_store_find(tx, stray->mem, stray->family_id, T0, &live);
    if (!err)
        err = access_store_add(tx, stray->mem, &access, &live);
    if (!err)
        err = code_store_add(tx, stray->mem, &code);
    return err ? err : refresh_store_add(tx, stray->mem, stray->refresh_hash, stray->family_id, T0);
}

static void
codes_and_tokens_of_another_shard_are_unknown(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct token_set set = world_tokens(&world, T0), none;
    struct str own = shard_of(world.ada.id);
    struct str other = str_eq_c(own, "AA") ? STR("AB") : STR("AA");
    const struct str shards[] = { own, other };
    for (size_t i = 0; i < KIT_COUNT(shards); i++) {
        bool is_refresh;
        struct access access;
        const char *problem = NULL;
        const struct secret *at = secret_make(kit->mem, SECRET_ACCESS_TOKEN, shards[i]);
        const struct secret *rt = secret_make(kit->mem, SECRET_REFRESH_TOKEN, shards[i]);
        const struct secret *ac = secret_make(kit->mem, SECRET_CODE, shards[i]);
        struct stray stray = {
            .mem = kit->mem,
            .family_id = str_format(kit->mem, "fam_%s", secret_group(kit->mem, set.refresh).ptr),
            .app_id = world.app.id,
            .code_hash = secret_hash(kit->mem, ac),
            .access_hash = secret_hash(kit->mem, at),
            .refresh_hash = secret_hash(kit->mem, rt),
        };
        struct exchange exchange = {
            &world.app, secret_reveal(ac), STR(CALLBACK), STR(VERIFIER), 0, T0, false
        };
        assert_int_equal(tx_write(kit->db, add_strays, &stray), ERR_NONE);
        assert_int_equal(token_access(kit->db, kit->mem, secret_reveal(at), T0, &access, NULL),
                         i == 0 ? ERR_NONE : ERR_UNAUTHENTICATED);
        assert_int_equal(introspect(&world, secret_reveal(at), T0, &access, &is_refresh),
                         i == 0 ? ERR_NONE : ERR_NOT_FOUND);
        assert_int_equal(introspect(&world, secret_reveal(rt), T0, &access, &is_refresh),
                         i == 0 ? ERR_NONE : ERR_NOT_FOUND);
        assert_int_equal(world_refresh(&world, rt, T0, &none), i == 0 ? ERR_NONE : ERR_INVALID);
        assert_int_equal(token_exchange(kit->db, kit->mem, &exchange, &none, &problem),
                         i == 0 ? ERR_NONE : ERR_INVALID);
    }
}

static void
a_token_stays_invalid_when_a_deleted_app_is_registered_again(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct token_set set = world_tokens(&world, T0);
    static const struct str uris[] = { { CALLBACK, sizeof CALLBACK - 1 } };
    struct app_params params = { .owner = STR("ada"),
                                 .id = world.app.id,
                                 .name = STR("Concert Finder"),
                                 .redirect_uris = uris,
                                 .redirect_uri_count = 1,
                                 .scopes = STR("agent_hints music_preferences") };
    struct app_problems problems;
    const struct secret *secret;
    struct app app;
    assert_true(world_scopes(&world, set.access, T0) != 0);
    assert_int_equal(app_delete(kit->db, kit->mem, world.app.id, &app), ERR_NONE);
    assert_int_equal(world_scopes(&world, set.access, T0), 0);
    assert_int_equal(app_register(kit->db, kit->mem, &params, T0, &app, &secret, &problems),
                     ERR_NONE);
    assert_true(str_eq(app.id, world.app.id));
    assert_int_equal(world_scopes(&world, set.access, T0), 0);
}

/* ---- exchange ---- */

static void
a_failed_exchange_does_not_redeem_the_code(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct app other = world_app(kit, false, NULL);
    struct str code = world_code(&world, T0);
    struct token_set set = world_tokens(&world, T0);
    const struct secret *unknown = secret_make(kit->mem, SECRET_CODE, STR("AA"));
    const struct {
        const char *why;
        const struct app *app;
        struct str code, redirect_uri, verifier;
        int64_t now;
    } rows[] = {
        { "another app", &other, code, STR(CALLBACK), STR(VERIFIER), T0 },
        { "another redirect_uri of the app", &world.app, code, STR("http://127.0.0.1/cb"),
          STR(VERIFIER), T0 },
        { "no redirect_uri", &world.app, code, STR_NONE, STR(VERIFIER), T0 },
        { "another verifier", &world.app, code, STR(CALLBACK), STR(CHALLENGE), T0 },
        { "no verifier", &world.app, code, STR(CALLBACK), STR_NONE, T0 },
        { "an empty verifier", &world.app, code, STR(CALLBACK), STR(""), T0 },
        { "too late", &world.app, code, STR(CALLBACK), STR(VERIFIER), T0 + CODE_SECONDS },
        { "an unknown code", &world.app, secret_reveal(unknown), STR(CALLBACK), STR(VERIFIER), T0 },
        { "a code with a letter less", &world.app, str_first(code, code.len - 1), STR(CALLBACK),
          STR(VERIFIER), T0 },
        { "a refresh token", &world.app, secret_reveal(set.refresh), STR(CALLBACK), STR(VERIFIER),
          T0 },
        { "no code", &world.app, STR_NONE, STR(CALLBACK), STR(VERIFIER), T0 },
    };
    for (size_t i = 0; i < KIT_COUNT(rows); i++) {
        struct exchange params = {
            rows[i].app, rows[i].code, rows[i].redirect_uri, rows[i].verifier, 0, rows[i].now, false
        };
        struct token_set none;
        const char *problem = NULL;
        enum err err = token_exchange(kit->db, kit->mem, &params, &none, &problem);
        if (err != ERR_INVALID || problem == NULL)
            fail_msg("%s: %s", rows[i].why, err_name(err));
    }
    assert_int_equal(world_exchange(&world, code, T0 + CODE_SECONDS - 1, &set), ERR_NONE);
    assert_int_equal(world_scopes(&world, set.access, T0 + CODE_SECONDS), HINTS | MUSIC);
}

static void
a_reused_code_revokes_only_its_family(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct token_set other = world_tokens(&world, T0), set, none;
    struct str code = world_code(&world, T0);
    const char *problem;
    assert_int_equal(world_exchange(&world, code, T0, &set), ERR_NONE);

    struct app stranger = world_app(kit, false, NULL);
    struct exchange wrong = { &stranger, code, STR(CALLBACK), STR(VERIFIER), 0, T0, false };
    assert_int_equal(token_exchange(kit->db, kit->mem, &wrong, &none, &problem), ERR_INVALID);
    wrong.app = &world.app;
    wrong.verifier = STR(CHALLENGE);
    assert_int_equal(token_exchange(kit->db, kit->mem, &wrong, &none, &problem), ERR_INVALID);
    assert_int_equal(world_scopes(&world, set.access, T0),
                     HINTS | MUSIC); /* these attempts change nothing */

    int64_t days_later = T0 + 3 * 86400;
    assert_int_equal(world_exchange(&world, code, days_later, &none), ERR_INVALID);
    assert_int_equal(world_scopes(&world, set.access, T0), 0);
    assert_int_equal(world_refresh(&world, set.refresh, T0, &none), ERR_INVALID);
    assert_int_equal(world_scopes(&world, other.access, T0), HINTS | MUSIC);
    assert_int_equal(world_exchange(&world, code, T0, &none), ERR_INVALID);
}

struct ending {
    struct arena *mem;
    struct str user_id, app_id;
    scopes keep;
};

static enum err
end_grant(struct db_tx *tx, void *argument)
{
    struct ending *ending = argument;
    return grant_store_end(tx, ending->mem, ending->user_id, ending->app_id);
}

static void
disconnect(struct world *world)
{
    struct ending ending = { world->kit->mem, world->ada.id, world->app.id, 0 };
    assert_int_equal(tx_write(world->kit->db, end_grant, &ending), ERR_NONE);
}

static enum err
narrow_grant(struct db_tx *tx, void *argument)
{
    struct ending *ending = argument;
    struct grant grant;
    enum err err = grant_store_find(tx, ending->mem, ending->user_id, ending->app_id, T0, &grant);
    grant.allowed = grant_without(&grant.allowed, ~ending->keep);
    return err ? err : grant_store_put(tx, ending->mem, &grant);
}

static void
disable_and_enable_user(struct world *world)
{
    struct user out;
    assert_int_equal(
        account_set_status(world->kit->db, world->kit->mem, world->ada.id, USER_DISABLED, T0, &out),
        ERR_NONE);
    assert_int_equal(
        account_set_status(world->kit->db, world->kit->mem, world->ada.id, USER_ACTIVE, T0, &out),
        ERR_NONE);
}

static void
disable_and_enable_app(struct world *world)
{
    assert_int_equal(app_set_status(world->kit->db, world->kit->mem, world->app.id, APP_DISABLED,
                                    T0, &world->app),
                     ERR_NONE);
    assert_int_equal(
        app_set_status(world->kit->db, world->kit->mem, world->app.id, APP_ACTIVE, T0, &world->app),
        ERR_NONE);
}

static void
delete_user(struct world *world)
{
    struct user out;
    assert_int_equal(account_delete(world->kit->db, world->kit->mem, world->ada.id, &out),
                     ERR_NONE);
}

static void
revoked_and_expired_tokens_stay_invalid(struct kit *kit)
{
    static const struct {
        const char *why;
        void (*end)(struct world *world);
    } rows[] = {
        { "disconnected", disconnect },
        { "person disabled and enabled", disable_and_enable_user },
        { "app disabled and enabled", disable_and_enable_app },
        { "person deleted", delete_user },
    };
    for (size_t i = 0; i < KIT_COUNT(rows); i++) {
        assert_int_equal(db_write(kit->db, kit_clear, kit), ERR_NONE);
        struct world world = world_begin(kit);
        struct token_set set = world_tokens(&world, T0), none;
        struct str code = world_code(&world, T0);
        rows[i].end(&world);
        for (int again = 0; again < 2; again++) {
            if (world_scopes(&world, set.access, T0) != 0)
                fail_msg("%s: the access token is valid", rows[i].why);
            if (world_refresh(&world, set.refresh, T0, &none) != ERR_INVALID)
                fail_msg("%s: the refresh token is valid", rows[i].why);
            if (world_exchange(&world, code, T0, &none) != ERR_INVALID)
                fail_msg("%s: the code is valid", rows[i].why);
            if (refresh_valid(&world, set.refresh, T0))
                fail_msg("%s: the refresh token is introspected as active", rows[i].why);
            kit_reopen(kit);
        }
    }
}

static void
narrowing_a_grant_narrows_live_tokens(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct token_set set = world_tokens(&world, T0), next;
    struct ending narrow = { kit->mem, world.ada.id, world.app.id, MUSIC };
    assert_int_equal(tx_write(kit->db, narrow_grant, &narrow), ERR_NONE);
    assert_int_equal(world_scopes(&world, set.access, T0), MUSIC);
    assert_int_equal(world_refresh(&world, set.refresh, T0, &next), ERR_NONE);
    assert_int_equal(next.scopes, MUSIC);
    assert_int_equal(world_scopes(&world, next.access, T0), MUSIC);
}

/* ---- refresh ---- */

static void
a_used_refresh_token_can_be_retried_three_times(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct token_set set = world_tokens(&world, T0), fresh, retried[REUSES_MAX], none, next;
    assert_int_equal(world_refresh(&world, set.refresh, T0, &fresh), ERR_NONE);
    for (int i = 0; i < REUSES_MAX; i++)
        assert_int_equal(world_refresh(&world, set.refresh, T0 + REUSE_SECONDS, &retried[i]),
                         ERR_NONE);
    assert_int_equal(world_refresh(&world, set.refresh, T0 + REUSE_SECONDS, &none), ERR_INVALID);
    assert_int_equal(world_scopes(&world, set.access, T0),
                     HINTS | MUSIC); /* the family is still valid */
    assert_int_equal(world_refresh(&world, fresh.refresh, T0, &next), ERR_NONE);
    for (int i = 0; i < REUSES_MAX; i++) {
        assert_int_equal(world_scopes(&world, retried[i].access, T0), HINTS | MUSIC);
        assert_int_equal(world_refresh(&world, retried[i].refresh, T0, &next), ERR_NONE);
    }
}

static void
a_refresh_token_reused_after_the_window_revokes_the_family(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct token_set other = world_tokens(&world, T0);
    struct token_set set = world_tokens(&world, T0), next, none;
    assert_int_equal(world_refresh(&world, set.refresh, T0, &next), ERR_NONE);
    assert_int_equal(world_refresh(&world, set.refresh, T0 + REUSE_SECONDS + 1, &none),
                     ERR_INVALID);
    assert_int_equal(world_scopes(&world, set.access, T0), 0);
    assert_int_equal(world_scopes(&world, next.access, T0), 0);
    assert_int_equal(world_refresh(&world, next.refresh, T0, &none), ERR_INVALID);
    assert_int_equal(world_scopes(&world, other.access, T0), HINTS | MUSIC);
    kit_reopen(kit);
    assert_int_equal(world_scopes(&world, next.access, T0), 0); /* the revocation was committed */
}

static void
a_refused_refresh_does_not_use_the_token(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct app other = world_app(kit, false, NULL);
    struct token_set set = world_tokens(&world, T0), out;
    struct str token = secret_reveal(set.refresh);
    const struct secret *unknown = secret_make(kit->mem, SECRET_REFRESH_TOKEN, STR("AA"));
    const struct {
        const char *why;
        struct refresh params;
        enum err expected;
    } rows[] = {
        { "another app", { &other, token, STR_NONE, 0, T0, NULL, NULL, false }, ERR_INVALID },
        { "more than was allowed",
          { &world.app, token, STR("agent_hints profile:read"), 0, T0, NULL, NULL, false },
          ERR_FORBIDDEN },
        { "an unknown scope",
          { &world.app, token, STR("all"), 0, T0, NULL, NULL, false },
          ERR_FORBIDDEN },
        { "unknown",
          { &world.app, secret_reveal(unknown), STR_NONE, 0, T0, NULL, NULL, false },
          ERR_INVALID },
        { "an access token",
          { &world.app, secret_reveal(set.access), STR_NONE, 0, T0, NULL, NULL, false },
          ERR_INVALID },
        { "garbage",
          { &world.app, STR("pn_rt_x"), STR_NONE, 0, T0, NULL, NULL, false },
          ERR_INVALID },
        { "absent", { &world.app, STR_NONE, STR_NONE, 0, T0, NULL, NULL, false }, ERR_INVALID },
        { "idle for 30 days",
          { &world.app, token, STR_NONE, 0, T0 + REFRESH_SECONDS, NULL, NULL, false },
          ERR_INVALID },
    };
    for (size_t i = 0; i < KIT_COUNT(rows); i++) {
        const char *problem = NULL;
        enum err err = token_refresh(kit->db, kit->mem, &rows[i].params, &out, &problem);
        if (err != rows[i].expected || problem == NULL)
            fail_msg("%s: %s", rows[i].why, err_name(err));
    }
    assert_int_equal(world_refresh(&world, set.refresh, T0 + REFRESH_SECONDS - 1, &out), ERR_NONE);
}

static void
a_refresh_can_narrow_scopes_for_one_token(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct token_set set = world_tokens(&world, T0), less, all;
    const char *problem;
    struct refresh params = {
        &world.app, secret_reveal(set.refresh), STR("agent_hints"), 0, T0, NULL, NULL, false
    };
    assert_int_equal(token_refresh(kit->db, kit->mem, &params, &less, &problem), ERR_NONE);
    assert_int_equal(less.scopes, HINTS);
    assert_int_equal(world_scopes(&world, less.access, T0), HINTS);
    assert_int_equal(world_refresh(&world, less.refresh, T0, &all), ERR_NONE);
    assert_int_equal(all.scopes, HINTS | MUSIC);
}

static void
a_family_expires_after_a_year_despite_refreshes(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct token_set set = world_tokens(&world, T0), last;
    int64_t now = T0;
    for (int i = 0; i < 14; i++) {
        now = T0 + i * (REFRESH_SECONDS - 86400);
        if (now >= T0 + FAMILY_SECONDS)
            break;
        assert_int_equal(world_refresh(&world, set.refresh, now, &last), ERR_NONE);
        set = last;
    }
    assert_int_equal(world_refresh(&world, set.refresh, T0 + FAMILY_SECONDS, &last), ERR_INVALID);
    assert_int_equal(world_refresh(&world, set.refresh, T0 + FAMILY_SECONDS - 1, &last), ERR_NONE);
    assert_int_equal(world_scopes(&world, last.access, T0 + FAMILY_SECONDS - 1), HINTS | MUSIC);
    assert_int_equal(world_scopes(&world, last.access, T0 + FAMILY_SECONDS), 0);
}

/* ---- introspection and revocation ---- */

static void
introspection_finds_only_valid_tokens_of_the_app(struct kit *kit)
{
    struct world world = world_begin(kit), other = world;
    struct token_set set = world_tokens(&world, T0), next;
    struct access access;
    bool is_refresh;
    other.app = world_app(kit, false, NULL);
    struct str token = secret_reveal(set.access), refresh = secret_reveal(set.refresh);
    assert_int_equal(introspect(&world, token, T0 + ACCESS_SECONDS - 1, &access, &is_refresh),
                     ERR_NONE);
    assert_int_equal(introspect(&world, token, T0 + ACCESS_SECONDS, &access, &is_refresh),
                     ERR_NOT_FOUND);
    assert_int_equal(introspect(&other, token, T0, &access, &is_refresh), ERR_NOT_FOUND);
    assert_int_equal(introspect(&other, refresh, T0, &access, &is_refresh), ERR_NOT_FOUND);
    assert_int_equal(introspect(&world, STR("garbage"), T0, &access, &is_refresh), ERR_NOT_FOUND);
    assert_int_equal(introspect(&world, STR_NONE, T0, &access, &is_refresh), ERR_NOT_FOUND);
    assert_int_equal(introspect(&world, world.secret, T0, &access, &is_refresh), ERR_NOT_FOUND);
    assert_true(refresh_valid(&world, set.refresh, T0));
    assert_int_equal(world_refresh(&world, set.refresh, T0, &next), ERR_NONE);
    assert_false(refresh_valid(&world, set.refresh, T0)); /* used, even if just now */
    assert_true(refresh_valid(&world, next.refresh, T0));
}

static void
a_refresh_token_gives_no_access(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct token_set set = world_tokens(&world, T0);
    assert_int_equal(world_scopes(&world, set.refresh, T0), 0);
    assert_int_equal(world_scopes(&world, set.access, T0), HINTS | MUSIC);
}

static void
revocation_follows_the_contract(struct kit *kit)
{
    struct world world = world_begin(kit), other = world;
    struct token_set set = world_tokens(&world, T0), next;
    other.app = world_app(kit, false, NULL);
    revoked(&other, set.access); /* another app's token stays valid */
    revoked(&other, set.refresh);
    revoked(&world, secret_make(kit->mem, SECRET_ACCESS_TOKEN, STR("AA")));
    assert_int_equal(token_revoke(kit->db, kit->mem, &world.app, STR("garbage"), T0), ERR_NONE);
    assert_int_equal(token_revoke(kit->db, kit->mem, &world.app, STR_NONE, T0), ERR_NONE);
    assert_int_equal(world_scopes(&world, set.access, T0), HINTS | MUSIC);

    revoked(&world, set.access); /* only this token */
    assert_int_equal(world_scopes(&world, set.access, T0), 0);
    assert_int_equal(world_refresh(&world, set.refresh, T0, &next), ERR_NONE);
    assert_int_equal(world_scopes(&world, next.access, T0), HINTS | MUSIC);

    revoked(&world, set.refresh); /* a used one also revokes the family */
    assert_int_equal(world_scopes(&world, next.access, T0), 0);
    assert_false(refresh_valid(&world, next.refresh, T0));
    revoked(&world, set.refresh);
}

static const char *
refused(struct world *world, struct str token, int64_t now, bool known)
{
    struct str app_id;
    const char *sentence = NULL;
    assert_int_equal(token_refusal(world->kit->db, world->kit->mem, token, now, &app_id, &sentence),
                     ERR_NONE);
    assert_int_equal(str_present(app_id), known);
    if (known)
        assert_true(str_eq(app_id, world->app.id));
    return sentence;
}

static void
token_refusal_explains_and_names_the_app(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct token_set set = world_tokens(&world, T0);
    struct str access = secret_reveal(set.access), refresh = secret_reveal(set.refresh);
    struct str never = secret_reveal(secret_make(kit->mem, SECRET_ACCESS_TOKEN, STR("AA")));
    struct app app;
    int64_t late = T0 + ACCESS_SECONDS;
    assert_non_null(strstr(refused(&world, access, late, true), "has expired"));
    assert_non_null(strstr(refused(&world, refresh, late, true), "is a refresh token"));
    assert_non_null(strstr(refused(&world, str_first(access, 40), T0, false), "is incomplete"));
    assert_non_null(strstr(refused(&world, STR("gho_abc"), T0, false), "not an access token"));
    assert_non_null(strstr(refused(&world, never, T0, false), "is unknown"));
    assert_int_equal(app_set_status(kit->db, kit->mem, world.app.id, APP_DISABLED, T0, &app),
                     ERR_NONE);
    assert_non_null(strstr(refused(&world, access, T0 + 1, true), "was revoked"));
}

/* ---- cleaning ---- */

static void
cleaning_deletes_expired_rows_only(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct token_set old = world_tokens(&world, T0), next;
    int64_t later = T0 + 2 * ACCESS_SECONDS; /* expired rows are kept for one more term */
    struct token_set young = world_tokens(&world, later);
    bool more = true;
    for (int i = 0; i < 10 && more; i++)
        assert_int_equal(
            expiry_step(kit->db, kit->mem, token_clean_expired, later, EXPIRY_ROWS, &more),
            ERR_NONE);
    assert_false(more);
    assert_int_equal(world_scopes(&world, young.access, later), HINTS | MUSIC);
    assert_int_equal(world_scopes(&world, old.access, T0),
                     0); /* deleted, so the clock does not matter */
    assert_int_equal(world_refresh(&world, old.refresh, later, &next), ERR_NONE);
    assert_int_equal(world_refresh(&world, young.refresh, later, &next), ERR_NONE);
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(consent_exchange_and_refresh_work),
        KIT_CASE(codes_and_tokens_begin_with_the_shard_of_their_user),
        KIT_CASE(codes_and_tokens_of_another_shard_are_unknown),
        KIT_CASE(a_token_stays_invalid_when_a_deleted_app_is_registered_again),
        KIT_CASE(a_failed_exchange_does_not_redeem_the_code),
        KIT_CASE(a_reused_code_revokes_only_its_family),
        KIT_CASE(revoked_and_expired_tokens_stay_invalid),
        KIT_CASE(narrowing_a_grant_narrows_live_tokens),
        KIT_CASE(a_used_refresh_token_can_be_retried_three_times),
        KIT_CASE(a_refresh_token_reused_after_the_window_revokes_the_family),
        KIT_CASE(a_refused_refresh_does_not_use_the_token),
        KIT_CASE(a_refresh_can_narrow_scopes_for_one_token),
        KIT_CASE(a_family_expires_after_a_year_despite_refreshes),
        KIT_CASE(introspection_finds_only_valid_tokens_of_the_app),
        KIT_CASE(a_refresh_token_gives_no_access),
        KIT_CASE(revocation_follows_the_contract),
        KIT_CASE(token_refusal_explains_and_names_the_app),
        KIT_CASE(cleaning_deletes_expired_rows_only),
    };
    return KIT_RUN("flow/tokens", cases, LOG_WARN);
}
