/* Covers cases A1 to A43 of the attack catalog, as far as they are decided below HTTP. */
#include "unit/flow/world.h"

/* ---- step 1: parameters ---- */

/* Valid parameters with one field changed. */
enum field {
    CLIENT,
    URI,
    TYPE,
    SCOPE,
    STATE,
    CHALLENGE_,
    METHOD,
    PROMPT,
    REQUEST,
    REQUEST_URI,
    RESOURCE,
    REPEATED
};

static struct authorize_params
with(const struct app *app, enum field field, struct str value)
{
    struct authorize_params params = world_params(app);
    struct str *const fields[] = {
        &params.client_id, &params.redirect_uri, &params.response_type,    &params.scope,
        &params.state,     &params.challenge,    &params.challenge_method, &params.prompt,
        &params.request,   &params.request_uri,
    };
    if (field == RESOURCE)
        params.wrong_target = true;
    else if (field == REPEATED)
        params.repeated = value.ptr;
    else
        *fields[field] = value;
    return params;
}

#define TIMES_10(text) text text text text text text text text text text

static void
parameters_are_compared_with_the_registration(struct kit *kit)
{
    struct world world = world_begin(kit);
    static const struct {
        const char *why;
        enum field field;
        struct str value;
        enum authorize_stop stop;
        const char *error;
    } rows[] = {
        { "as it should be", STATE, STR("xyz"), AUTHORIZE_OK, NULL },
        { "A1 no client_id", CLIENT, STR_NONE, AUTHORIZE_SHOW_ERROR, "invalid_request" },
        { "A2 unknown client_id", CLIENT, STR("app_AAAAAAAAAAAAAAAAAAAAAA"), AUTHORIZE_SHOW_ERROR,
          "invalid_request" },
        { "no form of a client_id", CLIENT, STR("app"), AUTHORIZE_SHOW_ERROR, "invalid_request" },
        { "client_id twice", REPEATED, STR("client_id"), AUTHORIZE_SHOW_ERROR, "invalid_request" },
        { "A4 no redirect_uri", URI, STR_NONE, AUTHORIZE_SHOW_ERROR, "invalid_request" },
        { "A5 another redirect_uri", URI, STR("https://evil.example/cb"), AUTHORIZE_SHOW_ERROR,
          "invalid_request" },
        { "A6 one more segment", URI, STR(CALLBACK "/x"), AUTHORIZE_SHOW_ERROR, "invalid_request" },
        { "redirect_uri twice", REPEATED, STR("redirect_uri"), AUTHORIZE_SHOW_ERROR,
          "invalid_request" },
        { "A15 the loopback with a port", URI, STR("http://127.0.0.1:51004/cb"), AUTHORIZE_OK,
          NULL },
        { "A20 no response_type", TYPE, STR_NONE, AUTHORIZE_REDIRECT_ERROR, "invalid_request" },
        { "A21 token", TYPE, STR("token"), AUTHORIZE_REDIRECT_ERROR, "unsupported_response_type" },
        { "A21 code token", TYPE, STR("code token"), AUTHORIZE_REDIRECT_ERROR,
          "unsupported_response_type" },
        { "A21 upper case", TYPE, STR("CODE"), AUTHORIZE_REDIRECT_ERROR,
          "unsupported_response_type" },
        { "A23 no challenge", CHALLENGE_, STR_NONE, AUTHORIZE_REDIRECT_ERROR, "invalid_request" },
        { "A24 plain", METHOD, STR("plain"), AUTHORIZE_REDIRECT_ERROR, "invalid_request" },
        { "no method, which means plain", METHOD, STR_NONE, AUTHORIZE_REDIRECT_ERROR,
          "invalid_request" },
        { "the method in lower case", METHOD, STR("s256"), AUTHORIZE_REDIRECT_ERROR,
          "invalid_request" },
        { "A26 a padded challenge", CHALLENGE_, STR(CHALLENGE "="), AUTHORIZE_REDIRECT_ERROR,
          "invalid_request" },
        { "A26 a short challenge", CHALLENGE_, STR("abc"), AUTHORIZE_REDIRECT_ERROR,
          "invalid_request" },
        { "A28 the hash of nothing", CHALLENGE_, STR("47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"),
          AUTHORIZE_REDIRECT_ERROR, "invalid_request" },
        { "A31 no scope", SCOPE, STR_NONE, AUTHORIZE_OK, NULL },
        { "only offline_access", SCOPE, STR("offline_access"), AUTHORIZE_OK, NULL },
        { "offline_access among others", SCOPE, STR("offline_access agent_hints"), AUTHORIZE_OK,
          NULL },
        { "A32 an unknown scope", SCOPE, STR("agent_hints all"), AUTHORIZE_REDIRECT_ERROR,
          "invalid_scope" },
        { "A32 a tab between", SCOPE, STR("agent_hints\tprofile:read"), AUTHORIZE_REDIRECT_ERROR,
          "invalid_scope" },
        { "a scope the app did not register", SCOPE, STR("agent_hints preferences:read"),
          AUTHORIZE_REDIRECT_ERROR, "invalid_scope" },
        { "A33 another order", SCOPE, STR("music_preferences agent_hints"), AUTHORIZE_OK, NULL },
        { "A35 no state", STATE, STR_NONE, AUTHORIZE_OK, NULL },
        { "a line break in the state", STATE, STR("a\r\nb"), AUTHORIZE_REDIRECT_ERROR,
          "invalid_request" },
        { "a state of much more than 2048 bytes", STATE, STR(TIMES_10(TIMES_10(TIMES_10("abc")))),
          AUTHORIZE_REDIRECT_ERROR, "invalid_request" },
        { "scope twice", REPEATED, STR("scope"), AUTHORIZE_REDIRECT_ERROR, "invalid_request" },
        { "state twice", REPEATED, STR("state"), AUTHORIZE_REDIRECT_ERROR, "invalid_request" },
        { "A37 prompt=none is ignored", PROMPT, STR("none"), AUTHORIZE_OK, NULL },
        { "A42 request", REQUEST, STR("e30.e30."), AUTHORIZE_REDIRECT_ERROR,
          "request_not_supported" },
        { "A42 request_uri", REQUEST_URI, STR("http://169.254.169.254/"), AUTHORIZE_REDIRECT_ERROR,
          "request_uri_not_supported" },
        { "A43 resource", RESOURCE, STR("https://c.example/"), AUTHORIZE_REDIRECT_ERROR,
          "invalid_target" },
    };
    for (size_t i = 0; i < KIT_COUNT(rows); i++) {
        struct authorize_params params = with(&world.app, rows[i].field, rows[i].value);
        struct authorize_checked checked = world_check(&world, &params);
        if (checked.stop != rows[i].stop)
            fail_msg("%s: stopped as %d", rows[i].why, (int)checked.stop);
        if (rows[i].error != NULL && strcmp(checked.error, rows[i].error) != 0)
            fail_msg("%s: %s", rows[i].why, checked.error);
        if (checked.stop != AUTHORIZE_OK && checked.description == NULL)
            fail_msg("%s: says nothing", rows[i].why);
        if (checked.stop == AUTHORIZE_SHOW_ERROR && str_present(checked.redirect_uri))
            fail_msg("%s: could be redirected", rows[i].why);
    }
    struct authorize_params twice = with(&world.app, REPEATED, STR("state"));
    assert_string_equal(world_check(&world, &twice).reason, "A parameter was sent more than once.");
    struct app disabled;
    assert_int_equal(app_set_status(kit->db, kit->mem, world.app.id, APP_DISABLED, T0, &disabled),
                     ERR_NONE);
    struct authorize_params params = world_params(&world.app);
    assert_int_equal(world_check(&world, &params).stop, AUTHORIZE_SHOW_ERROR); /* A3 */
}

static void
state_is_returned_unchanged_if_it_is_valid(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct authorize_params params = with(&world.app, STATE, STR("a b&c=\xc3\xa9"));
    assert_true(str_eq(world_check(&world, &params).state, STR("a b&c=\xc3\xa9")));
    params = with(&world.app, STATE, STR_NONE);
    assert_false(str_present(world_check(&world, &params).state));
    params = with(&world.app, TYPE, STR("token")); /* also with an error */
    assert_true(str_eq(world_check(&world, &params).state, STR("xyz")));
    params = with(&world.app, REPEATED, STR("state")); /* ambiguous, so it is not returned */
    assert_false(str_present(world_check(&world, &params).state));
    params = with(&world.app, STATE, STR("a\nb"));
    assert_false(str_present(world_check(&world, &params).state));
}

static void
unknown_prompt_values_are_ignored(struct kit *kit)
{
    struct world world = world_begin(kit);
    static const struct {
        struct str prompt;
        bool login, consent;
    } rows[] = {
        { STR_NONE, false, false },
        { STR("login"), true, false },
        { STR("consent"), false, true },
        { STR("login consent"), true, true },
        { STR("consent login"), true, true },
        { STR("none"), false, false },
        { STR("select_account login"), true, false },
        { STR("LOGIN"), false, false },
    };
    for (size_t i = 0; i < KIT_COUNT(rows); i++) {
        struct authorize_params params = with(&world.app, PROMPT, rows[i].prompt);
        struct authorize_checked checked = world_check(&world, &params);
        assert_int_equal(checked.must_sign_in, rows[i].login);
        assert_int_equal(checked.must_consent, rows[i].consent);
    }
}

/* ---- steps 3 and 4: requests and decisions ---- */

struct looking {
    struct arena *mem;
    struct str user_id, app_id;
    int64_t now;
    struct grant grant;
};

static enum err
find_grant(struct db_tx *tx, void *argument)
{
    struct looking *looking = argument;
    return grant_store_find(tx, looking->mem, looking->user_id, looking->app_id, looking->now,
                            &looking->grant);
}

/* The scopes of the valid grant; 0: none. */
static scopes
granted(struct world *world, int64_t now)
{
    struct looking looking = {
        .mem = world->kit->mem, .user_id = world->ada.id, .app_id = world->app.id, .now = now
    };
    enum err err = kit_read(world->kit->db, find_grant, &looking);
    return err ? 0 : looking.grant.allowed.scopes;
}

static void
a_consent_gives_one_code_and_one_grant(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct authorize_params params = world_params(&world.app);
    struct authorize_begun begun = world_ask(&world, &params, T0);
    struct auth_request request;
    struct app app;
    scopes held = 99;
    struct str code;
    assert_int_equal(begun.next, NEXT_CONSENT);
    assert_int_equal(begun.held, 0);
    assert_null(begun.code);
    assert_true(str_starts(begun.request_id, STR("req_")));
    assert_int_equal(consent_find(kit->db, kit->mem, &world.session, begun.request_id, T0, &request,
                                  &app, &held),
                     ERR_NONE);
    assert_true(str_eq(app.id, world.app.id));
    assert_true(str_eq_c(request.redirect_uri, CALLBACK));
    assert_true(str_eq_c(request.state, "xyz"));
    assert_int_equal(request.scopes, HINTS | MUSIC);
    assert_int_equal(held, 0);
    assert_int_equal(granted(&world, T0), 0);

    assert_int_equal(world_decide(&world, begun.request_id, true, HINTS | MUSIC, T0, &code),
                     ERR_NONE);
    assert_true(str_starts(code, STR("pn_ac_")));
    assert_int_equal(granted(&world, T0), HINTS | MUSIC);
    assert_int_equal(world_decide(&world, begun.request_id, true, HINTS | MUSIC, T0, &code),
                     ERR_NOT_FOUND);
    assert_false(str_present(code));
}

static void
selected_scopes_are_granted_and_none_is_a_denial(struct kit *kit)
{
    static const struct {
        const char *why;
        bool allow;
        scopes selected;
        scopes granted; /* 0: denied */
    } rows[] = {
        { "one deselected", true, MUSIC, MUSIC },
        { "selected but not asked", true, HINTS | PROFILE | SCOPE_PREFERENCES_WRITE, HINTS },
        { "nothing selected", true, 0, 0 },
        { "only selected but not asked", true, PROFILE, 0 },
        { "denied", false, HINTS | MUSIC, 0 },
    };
    struct world world = world_begin(kit);
    for (size_t i = 0; i < KIT_COUNT(rows); i++) {
        world.app = world_app(kit, false, NULL);
        struct authorize_params params = world_params(&world.app);
        struct authorize_begun begun = world_ask(&world, &params, T0);
        struct str code;
        assert_int_equal(
            world_decide(&world, begun.request_id, rows[i].allow, rows[i].selected, T0, &code),
            ERR_NONE);
        if (str_present(code) != (rows[i].granted != 0) || granted(&world, T0) != rows[i].granted)
            fail_msg("%s", rows[i].why);
        assert_int_equal(world_decide(&world, begun.request_id, true, HINTS, T0, &code),
                         ERR_NOT_FOUND); /* also after a denial */
    }
}

static void
consent_updates_a_valid_grant_and_denial_keeps_it(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct str code;
    world_code(&world, T0);
    struct authorize_params params = with(&world.app, SCOPE, STR("agent_hints profile:read"));
    struct authorize_begun begun = world_ask(&world, &params, T0); /* requests more */
    assert_int_equal(begun.next, NEXT_CONSENT);
    assert_int_equal(begun.held, 0); /* hints of music only */
    assert_int_equal(world_decide(&world, begun.request_id, false, 0, T0, &code), ERR_NONE);
    assert_int_equal(granted(&world, T0), HINTS | MUSIC);

    begun = world_ask(&world, &params, T0);
    assert_int_equal(world_decide(&world, begun.request_id, true, PROFILE, T0, &code), ERR_NONE);
    assert_true(str_present(code));
    assert_int_equal(granted(&world, T0),
                     MUSIC | PROFILE); /* hints not selected, music not requested */
}

static void
a_covering_grant_skips_consent(struct kit *kit)
{
    struct world world = world_begin(kit);
    world_code(&world, T0);
    struct authorize_params params = world_params(&world.app);
    struct authorize_begun begun = world_ask(&world, &params, T0 + 5);
    assert_int_equal(begun.next, NEXT_CODE);
    assert_false(str_present(begun.request_id));
    params = with(&world.app, SCOPE, STR("music_preferences")); /* less */
    assert_int_equal(world_ask(&world, &params, T0).next, NEXT_CODE);
    params = with(&world.app, SCOPE, STR("agent_hints")); /* fewer scopes, but in all domains */
    begun = world_ask(&world, &params, T0);
    assert_int_equal(begun.next, NEXT_CONSENT);
    assert_int_equal(begun.held, 0);
    params = with(&world.app, PROMPT, STR("consent"));
    assert_int_equal(world_ask(&world, &params, T0).next, NEXT_CONSENT);
    params = with(&world.app, PROMPT, STR("login"));
    assert_int_equal(world_ask(&world, &params, T0).next, NEXT_SIGN_IN);

    world.app = world_app(kit, true, NULL); /* any program can pose as a public app */
    world_code(&world, T0);
    params = world_params(&world.app);
    assert_int_equal(world_ask(&world, &params, T0).next, NEXT_CONSENT);
}

static void
an_expired_grant_needs_consent_again(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct authorize_params params = world_params(&world.app);
    struct authorize_begun begun = world_ask(&world, &params, T0);
    struct consent_params day = { .request_id = begun.request_id,
                                  .allow = true,
                                  .selected = HINTS | MUSIC,
                                  .term = TERM_DAY,
                                  .now = T0 };
    struct auth_request request;
    const struct secret *code;
    assert_int_equal(
        consent_decide(kit->db, kit->mem, &world.session, &world.ada, &day, &request, &code),
        ERR_NONE);
    assert_int_equal(world_ask(&world, &params, T0 + 86399).next, NEXT_CODE);
    begun = world_ask(&world, &params, T0 + 86400);
    assert_int_equal(begun.next, NEXT_CONSENT);
    assert_int_equal(begun.held, 0);
    struct str second;
    assert_int_equal(world_decide(&world, begun.request_id, true, HINTS, T0 + 86400, &second),
                     ERR_NONE);
    assert_int_equal(granted(&world, T0 + 86400), HINTS); /* without scopes of the old grant */
}

static void
a_request_is_decided_only_by_its_session_before_it_expires_for_an_active_app(struct kit *kit)
{
    struct world world = world_begin(kit), other = world;
    struct authorize_params params = world_params(&world.app);
    struct authorize_begun begun = world_ask(&world, &params, T0);
    struct str code;
    struct app app;
    other.session = world_session(kit, &world.ada); /* even of the same user */
    assert_int_equal(world_decide(&other, begun.request_id, true, HINTS, T0, &code), ERR_NOT_FOUND);
    assert_int_equal(world_decide(&world, STR("req_x"), true, HINTS, T0, &code), ERR_NOT_FOUND);
    assert_int_equal(world_decide(&world, STR_NONE, true, HINTS, T0, &code), ERR_NOT_FOUND);
    assert_int_equal(
        world_decide(&world, begun.request_id, true, HINTS, T0 + REQUEST_SECONDS, &code),
        ERR_NOT_FOUND);
    assert_int_equal(app_set_status(kit->db, kit->mem, world.app.id, APP_DISABLED, T0, &app),
                     ERR_NONE);
    assert_int_equal(world_decide(&world, begun.request_id, true, HINTS, T0, &code), ERR_FORBIDDEN);
    assert_int_equal(app_set_status(kit->db, kit->mem, world.app.id, APP_ACTIVE, T0, &app),
                     ERR_NONE);
    assert_int_equal(granted(&world, T0), 0);
    assert_int_equal(
        world_decide(&world, begun.request_id, true, HINTS, T0 + REQUEST_SECONDS - 1, &code),
        ERR_NONE);
    assert_true(str_present(code));
    begun = world_ask(&world, &params, T0);
    assert_int_equal(app_delete(kit->db, kit->mem, world.app.id, &app), ERR_NONE);
    assert_int_equal(world_decide(&world, begun.request_id, true, HINTS, T0, &code), ERR_FORBIDDEN);
}

/* ---- prompt=login ---- */

static void
a_request_that_needs_a_sign_in_cannot_be_decided_before(struct kit *kit)
{
    static const struct str passphrase = STR("five yellow tractors hum");
    struct world world = world_begin(kit);
    const char *problem;
    struct str code, key, next_key;
    struct auth_request request;
    const struct secret *made = NULL;
    assert_int_equal(
        account_set_password(kit->db, kit->mem, world.ada.id, passphrase, T0, &world.ada, &problem),
        ERR_NONE);
    struct sign_in in = { .login = STR("ada"),
                          .password = passphrase,
                          .device = STR("x"),
                          .address = STR("x"),
                          .now = T0 };
    assert_int_equal(session_sign_in(kit->db, kit->mem, &in, &key, &world.ada), ERR_NONE);
    assert_int_equal(session_find(kit->db, kit->mem, key, T0, &world.session, &world.ada),
                     ERR_NONE);

    struct authorize_params params = with(&world.app, PROMPT, STR("login"));
    struct authorize_begun begun = world_ask(&world, &params, T0);
    assert_int_equal(begun.next, NEXT_SIGN_IN);
    assert_int_equal(world_decide(&world, begun.request_id, true, HINTS, T0, &code), ERR_NOT_FOUND);
    assert_int_equal(consent_resume(kit->db, kit->mem, &world.session, &world.ada, begun.request_id,
                                    T0, &request, &made),
                     ERR_NOT_FOUND);

    in.old_key = key;
    in.request_id = begun.request_id;
    assert_int_equal(session_sign_in(kit->db, kit->mem, &in, &next_key, &world.ada), ERR_NONE);
    assert_int_equal(world_decide(&world, begun.request_id, true, HINTS, T0, &code),
                     ERR_NOT_FOUND); /* the request moved out of the old session */
    assert_int_equal(session_find(kit->db, kit->mem, next_key, T0, &world.session, &world.ada),
                     ERR_NONE);
    enum err not_covered = consent_resume(kit->db, kit->mem, &world.session, &world.ada,
                                          begun.request_id, T0, &request, &made);
    assert_true(not_covered == ERR_NOT_FOUND || not_covered == ERR_FORBIDDEN);
    assert_null(made);
    assert_int_equal(world_decide(&world, begun.request_id, true, HINTS | MUSIC, T0, &code),
                     ERR_NONE);
    assert_true(str_present(code));
}

/* ---- concurrency ---- */

/* `input` is a request; thread n selects only the n-th scope. */
static void *
decide_at_once(void *argument)
{
    struct racer *racer = racer_start(argument);
    const struct world *world = racer->world;
    struct consent_params params = { .request_id = racer->input,
                                     .allow = true,
                                     .selected = racer->number % 2 == 0 ? HINTS : MUSIC,
                                     .now = T0 };
    struct auth_request request;
    const struct secret *code = NULL;
    const struct session *session = racer->session != NULL ? racer->session : &world->session;
    racer->err =
        consent_decide(world->kit->db, racer->mem, session, &world->ada, &params, &request, &code);
    racer->set.access = code;
    return NULL;
}

static void
concurrent_decisions_on_a_request_give_one_code(struct kit *kit)
{
    struct world world = world_begin(kit);
    struct authorize_params params = world_params(&world.app);
    struct authorize_begun begun = world_ask(&world, &params, T0);
    struct racer racers[RACERS] = { 0 };
    for (int i = 0; i < RACERS; i++)
        racers[i].input = begun.request_id;
    world_race(&world, racers, decide_at_once);
    assert_int_equal(world_count(racers, ERR_NONE), 1);
    assert_int_equal(world_count(racers, ERR_NOT_FOUND), RACERS - 1);
    world_race_over(racers);
}

static void
concurrent_decisions_on_several_requests_add_up(struct kit *kit)
{
    struct world world = world_begin(kit), second = world; /* two browsers */
    second.session = world_session(kit, &world.ada);
    for (int round = 0; round < 4;
         round++) { /* from the second round on, database connections exist */
        struct racer racers[RACERS] = { 0 };
        world.app = world_app(kit, false, NULL);
        struct authorize_params hints = with(&world.app, SCOPE, STR("agent_hints"));
        struct authorize_params music = with(&world.app, SCOPE, STR("music_preferences"));
        second.app = world.app;
        for (int i = 0; i < RACERS; i++) {
            struct world *of = i < RACERS / 2 ? &world : &second;
            racers[i].session = &of->session;
            racers[i].input = world_ask(of, i % 2 == 0 ? &hints : &music, T0).request_id;
        }
        world_race(&world, racers, decide_at_once);
        assert_int_equal(world_count(racers, ERR_NONE), RACERS);
        assert_int_equal(granted(&world, T0), HINTS | MUSIC);
        for (int i = 0; i < RACERS; i++) {
            struct token_set set;
            assert_int_equal(world_exchange(&world, secret_reveal(racers[i].set.access), T0, &set),
                             ERR_NONE);
            assert_int_equal(world_scopes(&world, set.access, T0), i % 2 == 0 ? HINTS : MUSIC);
        }
        world_race_over(racers);
    }
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(parameters_are_compared_with_the_registration),
        KIT_CASE(state_is_returned_unchanged_if_it_is_valid),
        KIT_CASE(unknown_prompt_values_are_ignored),
        KIT_CASE(a_consent_gives_one_code_and_one_grant),
        KIT_CASE(selected_scopes_are_granted_and_none_is_a_denial),
        KIT_CASE(consent_updates_a_valid_grant_and_denial_keeps_it),
        KIT_CASE(a_covering_grant_skips_consent),
        KIT_CASE(an_expired_grant_needs_consent_again),
        KIT_CASE(a_request_is_decided_only_by_its_session_before_it_expires_for_an_active_app),
        KIT_CASE(a_request_that_needs_a_sign_in_cannot_be_decided_before),
        KIT_CASE(concurrent_decisions_on_a_request_give_one_code),
        KIT_CASE(concurrent_decisions_on_several_requests_add_up),
    };
    return KIT_RUN("flow/authorize", cases, LOG_WARN);
}
