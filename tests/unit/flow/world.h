/* world.h - a signed-in user, an app, and the steps of OAuth between them, for tests of flows.
 *
 * Ada owns the apps and is asked for consent. Accounts have no password, because hashing is slow
 * and only the tests of signing in need it. */
#ifndef UNIT_FLOW_WORLD_H
#define UNIT_FLOW_WORLD_H

#include "unit/store_kit.h"

#include "base/shard.h"
#include "crypt/secret.h"
#include "flow/accounts.h"
#include "flow/apps.h"
#include "flow/authorize.h"
#include "flow/sessions.h"
#include "flow/tokens.h"
#include "credential/grant_store.h"
#include "credential/session_store.h"
#include "store/tx.h"

#include <pthread.h>

#define T0 ((int64_t)1794648600)

/* RFC 7636, appendix B. */
#define VERIFIER "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
#define CHALLENGE "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
#define CALLBACK "https://c.example/cb"

#define HINTS ((scopes)SCOPE_AGENT_HINTS)
#define PROFILE ((scopes)SCOPE_PROFILE_READ)
#define MUSIC KIT_MUSIC

struct world {
    struct kit *kit;
    struct user ada;
    struct session session;
    struct app app;
    struct str secret;
};

static inline struct user
world_user(struct kit *kit, const char *name)
{
    struct account_params params = { .username = str_of(name) };
    struct account_problems problems;
    struct user user;
    assert_int_equal(account_make(kit->db, kit->mem, &params, T0, &user, &problems), ERR_NONE);
    return user;
}

struct world_session {
    struct arena *mem;
    const struct session *session;
};

static enum err
world_add_session(struct db_tx *tx, void *argument)
{
    struct world_session *adding = argument;
    return session_store_add(tx, adding->mem, adding->session);
}

static inline struct session
world_session(struct kit *kit, const struct user *user)
{
    struct session session = {
        .hash = session_hash(kit->mem, session_make_key(kit->mem, shard_of(user->id))),
        .user_id = user->id,
        .user_epoch = user->epoch,
        .device = STR("a browser"),
        .address = STR("192.0.2.1"),
        .created_at = T0,
        .expires_at = T0 + 2 * FAMILY_SECONDS,
    };
    struct world_session adding = { kit->mem, &session };
    assert_int_equal(tx_write(kit->db, world_add_session, &adding), ERR_NONE);
    return session;
}

static inline struct app
world_app(struct kit *kit, bool is_public, struct str *secret)
{
    static const struct str uris[] = { { CALLBACK, sizeof CALLBACK - 1 },
                                       { "http://127.0.0.1/cb", 19 } };
    struct app_params params = {
        .owner = STR("ada"),
        .name = STR("Concert Finder"),
        .redirect_uris = uris,
        .redirect_uri_count = KIT_COUNT(uris),
        .scopes = STR("agent_hints profile:read music_preferences"),
        .is_public = is_public,
    };
    struct app_problems problems;
    const struct secret *made;
    struct app app;
    assert_int_equal(app_register(kit->db, kit->mem, &params, T0, &app, &made, &problems),
                     ERR_NONE);
    assert_int_equal(made == NULL, is_public);
    if (secret != NULL)
        *secret = made == NULL ? STR_NONE : secret_reveal(made);
    return app;
}

static inline struct world
world_begin(struct kit *kit)
{
    struct world world = { .kit = kit, .ada = world_user(kit, "ada") };
    world.session = world_session(kit, &world.ada);
    world.app = world_app(kit, false, &world.secret);
    return world;
}

static inline struct authorize_params
world_params(const struct app *app)
{
    return (struct authorize_params){
        .client_id = app->id,
        .redirect_uri = STR(CALLBACK),
        .response_type = STR("code"),
        .scope = STR("agent_hints music_preferences"),
        .state = STR("xyz"),
        .challenge = STR(CHALLENGE),
        .challenge_method = STR("S256"),
    };
}

static inline struct authorize_checked
world_check(struct world *world, const struct authorize_params *params)
{
    struct authorize_checked checked;
    assert_int_equal(authorize_check(world->kit->db, world->kit->mem, params, &checked), ERR_NONE);
    return checked;
}

static inline struct authorize_begun
world_ask(struct world *world, const struct authorize_params *params, int64_t now)
{
    struct authorize_checked checked = world_check(world, params);
    struct authorize_begun begun;
    assert_int_equal(checked.stop, AUTHORIZE_OK);
    assert_int_equal(authorize_begin(world->kit->db, world->kit->mem, &checked, &world->session,
                                     &world->ada, now, &begun),
                     ERR_NONE);
    return begun;
}

static inline enum err
world_decide(struct world *world, struct str request_id, bool allow, scopes selected, int64_t now,
             struct str *code)
{
    struct consent_params params = {
        .request_id = request_id, .allow = allow, .selected = selected, .now = now
    };
    struct auth_request request;
    const struct secret *made = NULL;
    enum err err = consent_decide(world->kit->db, world->kit->mem, &world->session, &world->ada,
                                  &params, &request, &made);
    *code = made == NULL ? STR_NONE : secret_reveal(made);
    return err;
}

/* A code for the default parameters: from the valid grant, or after consent to all scopes. */
static inline struct str
world_code(struct world *world, int64_t now)
{
    struct authorize_params params = world_params(&world->app);
    struct authorize_begun begun = world_ask(world, &params, now);
    struct str code;
    if (begun.next == NEXT_CODE)
        return secret_reveal(begun.code);
    assert_int_equal(begun.next, NEXT_CONSENT);
    assert_int_equal(world_decide(world, begun.request_id, true, ~(scopes)0, now, &code), ERR_NONE);
    assert_true(str_present(code));
    return code;
}

static inline enum err
world_exchange(struct world *world, struct str code, int64_t now, struct token_set *out)
{
    struct exchange params = { .app = &world->app,
                               .code = code,
                               .redirect_uri = STR(CALLBACK),
                               .verifier = STR(VERIFIER),
                               .now = now };
    const char *problem;
    enum err err = token_exchange(world->kit->db, world->kit->mem, &params, out, &problem);
    assert_int_equal(err == ERR_NONE, problem == NULL);
    return err;
}

static inline enum err
world_refresh(struct world *world, const struct secret *token, int64_t now, struct token_set *out)
{
    struct refresh params = { .app = &world->app, .token = secret_reveal(token), .now = now };
    const char *problem;
    enum err err = token_refresh(world->kit->db, world->kit->mem, &params, out, &problem);
    assert_int_equal(err == ERR_NONE, problem == NULL);
    return err;
}

static inline struct token_set
world_tokens(struct world *world, int64_t now)
{
    struct token_set set;
    assert_int_equal(world_exchange(world, world_code(world, now), now, &set), ERR_NONE);
    return set;
}

/* The scopes of the access token; 0: invalid. */
static inline scopes
world_scopes(struct world *world, const struct secret *token, int64_t now)
{
    struct access access;
    enum err err =
        token_access(world->kit->db, world->kit->mem, secret_reveal(token), now, &access, NULL);
    if (err == ERR_UNAUTHENTICATED)
        return 0;
    assert_int_equal(err, ERR_NONE);
    return access.allowed.scopes;
}

/* Concurrent threads; each has its own arena and calls racer_start() first. */
struct racer {
    pthread_barrier_t *line;
    const struct world *world;
    struct arena *mem;
    struct str input;
    const struct session *session; /* NULL: the world's */
    enum err err;
    struct token_set set;
    int number;
};

#define RACERS 32

static inline struct racer *
racer_start(void *argument)
{
    struct racer *racer = argument;
    pthread_barrier_wait(racer->line);
    return racer;
}

static inline void
world_race(const struct world *world, struct racer *racers, void *(*run)(void *))
{
    pthread_t threads[RACERS];
    pthread_barrier_t line;
    pthread_barrier_init(&line, NULL, RACERS);
    for (int i = 0; i < RACERS; i++) {
        racers[i].line = &line;
        racers[i].world = world;
        racers[i].mem = arena_new();
        racers[i].number = i;
        assert_int_equal(pthread_create(&threads[i], NULL, run, &racers[i]), 0);
    }
    for (int i = 0; i < RACERS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&line);
}

static inline int
world_count(const struct racer *racers, enum err err)
{
    int count = 0;
    for (int i = 0; i < RACERS; i++)
        count += racers[i].err == err;
    return count;
}

static inline void
world_race_over(struct racer *racers)
{
    for (int i = 0; i < RACERS; i++)
        arena_free(racers[i].mem);
}

#endif
