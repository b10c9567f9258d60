/* Random requests, consents, narrowings, and disconnections of one app, compared with a model that
 * keeps, for hints and for writing, one flag per domain: a consent page showed it, and the user has
 * not removed it since. No token may reach a domain beyond these flags, and a user is asked exactly
 * when a request would. MODEL_WALKS sets the number of walks. */
#include "unit/flow/world.h"

#include "flow/connections.h"

#define WALKS_SQLITE 40
#define WALKS_POSTGRES 6
#define STEPS 30
#define TOKENS_MAX (STEPS * 2)
#define BITS 64
#define FIRST 4 /* bit of the first domain */

struct model {
    bool scope[BITS];
    bool hints[BITS], writes[BITS]; /* by domain, also those that do not exist yet */
};

struct walk {
    struct world world;
    unsigned seed;
    int step;
    struct model model;
    struct token_set tokens[TOKENS_MAX];
    size_t count;
};

static void
agree_at(const struct walk *walk, bool agrees, const char *what)
{
    if (!agrees)
        fail_msg("walk %u, step %d: %s", walk->seed, walk->step, what);
}

static unsigned
dice(struct walk *walk, unsigned sides)
{
    walk->seed = walk->seed * 1103515245 + 12345;
    return (walk->seed >> 16) % sides;
}

/* At least one of the scopes that exist. */
static scopes
some(struct walk *walk)
{
    scopes set = 0;
    while (set == 0)
        for (size_t i = 0; i < scope_count(); i++)
            if (dice(walk, 3) == 0)
                set |= (scopes)1 << i;
    return set;
}

/* ---- the model ---- */

static bool
has(scopes set, int bit)
{
    return set >> bit & 1;
}

/* Whether a request for `asked` of which `selected` is allowed reaches the domain. */
static bool
reaches(scopes asked, scopes selected, int domain)
{
    bool names_a_domain = false;
    for (int i = FIRST; i < BITS; i++)
        names_a_domain |= has(asked, i);
    if (!names_a_domain || (asked & SCOPE_PREFERENCES_READ) != 0)
        return true;
    return has(selected, domain);
}

static void
forget_new_domains(bool *flags)
{
    bool all = true;
    for (int i = FIRST; i < (int)scope_count(); i++)
        all &= flags[i];
    for (int i = (int)scope_count(); i < BITS && !all; i++)
        flags[i] = false;
}

static void
remove_scopes(struct model *model, scopes removed)
{
    for (int i = 0; i < BITS; i++) {
        model->scope[i] &= !has(removed, i);
        if (i < FIRST)
            continue;
        model->hints[i] &= !has(removed, i) && (removed & SCOPE_AGENT_HINTS) == 0;
        model->writes[i] &= !has(removed, i) && (removed & SCOPE_PREFERENCES_WRITE) == 0;
    }
}

static void
consent(struct model *model, scopes asked, scopes selected)
{
    remove_scopes(model, asked & ~selected);
    for (int i = 0; i < BITS; i++) {
        model->scope[i] |= has(selected, i);
        if (i < FIRST || !reaches(asked, selected, i))
            continue;
        model->hints[i] |= (selected & SCOPE_AGENT_HINTS) != 0;
        model->writes[i] |= (selected & SCOPE_PREFERENCES_WRITE) != 0;
    }
}

static bool
must_ask(const struct model *model, scopes asked)
{
    bool more = false;
    for (int i = 0; i < BITS; i++) {
        more |= has(asked, i) && !model->scope[i];
        if (i < FIRST || !reaches(asked, asked, i))
            continue;
        more |= (asked & SCOPE_AGENT_HINTS) != 0 && !model->hints[i];
        more |= (asked & SCOPE_PREFERENCES_WRITE) != 0 && !model->writes[i];
    }
    return more;
}

/* ---- the steps ---- */

static void
keep_tokens(struct walk *walk, struct str code)
{
    if (!str_present(code) || walk->count == TOKENS_MAX)
        return;
    agree_at(walk, world_exchange(&walk->world, code, T0, &walk->tokens[walk->count]) == ERR_NONE,
             "the code is refused");
    walk->count++;
}

static void
ask(struct walk *walk)
{
    struct world *world = &walk->world;
    scopes asked = some(walk), selected = dice(walk, 2) == 0 ? asked : asked & some(walk);
    struct authorize_params params = world_params(&world->app);
    params.scope = scopes_write(world->kit->mem, asked);
    struct authorize_begun begun = world_ask(world, &params, T0);
    struct str code = STR_NONE;
    bool asks = begun.next == NEXT_CONSENT, must = must_ask(&walk->model, asked);
    agree_at(walk, asks || !must, "a code without consent");
    agree_at(walk, !asks || must, "a question without need");
    if (!asks)
        code = secret_reveal(begun.code);
    else if (dice(walk, 8) == 0)
        world_decide(world, begun.request_id, false, selected, T0, &code);
    else if (dice(walk, 8) > 0) { /* otherwise the user leaves the page */
        agree_at(walk, world_decide(world, begun.request_id, true, selected, T0, &code) == ERR_NONE,
                 "the decision is refused");
        if (selected != 0)
            consent(&walk->model, asked, selected);
    }
    keep_tokens(walk, code);
}

static void
narrow(struct walk *walk)
{
    struct world *world = &walk->world;
    struct connection connection;
    scopes keep = ~(dice(walk, 8) == 0 ? ~(scopes)0 : some(walk) & some(walk));
    enum err err = connection_narrow(world->kit->db, world->kit->mem, world->ada.id, world->app.id,
                                     keep, 0, T0, &connection);
    scopes held = 0;
    for (int i = 0; i < BITS; i++)
        held |= (scopes)walk->model.scope[i] << i;
    agree_at(walk, err == (held != 0 ? ERR_NONE : ERR_NOT_FOUND), "the connection");
    remove_scopes(&walk->model, held & ~keep);
    if ((held & keep) == 0)
        walk->model = (struct model){ 0 };
}

static void
refresh(struct walk *walk)
{
    struct token_set *set = &walk->tokens[walk->count == 0 ? 0 : dice(walk, (unsigned)walk->count)];
    if (walk->count > 0 && world_scopes(&walk->world, set->access, T0) != 0)
        agree_at(walk, world_refresh(&walk->world, set->refresh, T0, set) == ERR_NONE,
                 "the refresh token is refused");
}

/* No token reaches further than the model. */
static void
compare(struct walk *walk)
{
    struct kit *kit = walk->world.kit;
    for (size_t n = 0; n < walk->count; n++) {
        struct access access;
        if (token_access(kit->db, kit->mem, secret_reveal(walk->tokens[n].access), T0, &access,
                         NULL) != ERR_NONE)
            continue;
        for (int i = 0; i < BITS; i++) {
            agree_at(walk, !has(access.allowed.scopes, i) || walk->model.scope[i], "a scope");
            agree_at(walk, !has(access.allowed.hint_domains, i) || walk->model.hints[i], "hints");
            agree_at(walk, !has(access.allowed.write_domains, i) || walk->model.writes[i],
                     "writing");
        }
    }
}

static void
walk_at_random(struct walk *walk)
{
    for (walk->step = 0; walk->step < STEPS; walk->step++) {
        unsigned what = dice(walk, 8);
        if (what < 5)
            ask(walk);
        else if (what < 7)
            narrow(walk);
        else
            refresh(walk);
        forget_new_domains(walk->model.hints);
        forget_new_domains(walk->model.writes);
        compare(walk);
    }
}

static struct app
app_for_everything(struct kit *kit)
{
    static const struct str uris[] = { { CALLBACK, sizeof CALLBACK - 1 } };
    struct app_params params = {
        .owner = STR("ada"),
        .name = STR("Concert Finder"),
        .redirect_uris = uris,
        .redirect_uri_count = 1,
        .scopes = scopes_write(kit->mem, ~(scopes)0),
    };
    struct app_problems problems;
    const struct secret *made;
    struct app app;
    assert_int_equal(app_register(kit->db, kit->mem, &params, T0, &app, &made, &problems),
                     ERR_NONE);
    return app;
}

static void
no_token_reaches_a_domain_that_was_not_shown(struct kit *kit)
{
    int64_t walks = kit->postgres == NULL ? WALKS_SQLITE : WALKS_POSTGRES;
    str_to_int(str_of(getenv("MODEL_WALKS")), 1, 1000000, &walks);
    struct world world = world_begin(kit);
    struct arena *whole = kit->mem;
    for (unsigned i = 0; i < (unsigned)walks; i++) {
        kit->mem = arena_new();
        struct walk walk = { .world = world, .seed = i + 1 };
        walk.world.app = app_for_everything(kit);
        walk_at_random(&walk);
        struct app gone;
        assert_int_equal(app_delete(kit->db, kit->mem, walk.world.app.id, &gone), ERR_NONE);
        arena_free(kit->mem);
    }
    kit->mem = whole;
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(no_token_reaches_a_domain_that_was_not_shown),
    };
    return KIT_RUN("consent_model", cases, LOG_WARN);
}
