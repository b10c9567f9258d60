#include "unit/web/call_by_hand.h"

#include "base/cache.h"
#include "dispatch/response_cache.h"
#include "model/grant.h"

#define ROOM ((size_t)1024 * 1024)

static const struct route row = { .method = GET, .cached_by = CACHE_ACCOUNT };

static int
hot_setup(void **state)
{
    call_setup(state);
    cache_free(hand.web->cache);
    hand.web->cache = cache_new(ROOM);
    prepare("GET", "/oauth/userinfo");
    return 0;
}

/* Access of a token that a user gave to an app. */
static struct access
access_by(struct str token_hash, uint64_t version)
{
    return (struct access){ .user_id = STR("usr_ada"),
                            .app_id = STR("app_music"),
                            .token_hash = token_hash,
                            .allowed.scopes = SCOPE_PROFILE_READ,
                            .generation = 7,
                            .valid_until = NOW + 3600,
                            .version = version };
}

static bool
is_cached(const struct access *access)
{
    struct call call = call_by_hand();
    call.route = &row;
    call.access = access;
    hand.exchange.response = (struct http_response){ 0 };
    return response_cache_send(&call);
}

static void
put_in_cache(const struct access *access, struct str body)
{
    struct call call = call_by_hand();
    call.route = &row;
    call.access = access;
    assert_false(response_cache_send(&call));
    assert_true(call.cacheable);
    response_cache_put(&call, STR_NONE, body);
}

/* The sum of the versions of user (5), app (3), and token (2). */
#define BEFORE (5 + 3 + 2)

/* After a change of the user (6), for another token (1): the same sum. */
#define AFTER (6 + 3 + 1)

static void
a_response_is_cached_for_one_token(void **state)
{
    (void)state;
    struct access one = access_by(STR("hash of one token"), BEFORE);
    struct access other = access_by(STR("hash of another"), AFTER);
    assert_int_equal(one.version, other.version);
    put_in_cache(&one, STR("{\"name\":\"as it was\"}"));
    assert_true(is_cached(&one));
    assert_string_equal(answer_body(), "{\"name\":\"as it was\"}");
    assert_false(is_cached(&other));
}

static void
a_response_is_cached_until_a_change(void **state)
{
    (void)state;
    struct access access = access_by(STR("hash"), BEFORE);
    put_in_cache(&access, STR("{}"));
    struct access later[] = { access, access, access, access, access, access };
    later[0].version++;
    later[1].generation++;
    later[2].allowed.scopes = 0;
    later[3].allowed.hint_domains = SCOPE_FIRST_DOMAIN;
    later[4].allowed.write_domains = SCOPE_FIRST_DOMAIN;
    later[5].version = 0; /* unknown */
    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
        if (is_cached(&later[i]))
            fail_msg("an outdated response was sent for access %zu", i);
    assert_true(is_cached(&access));
}

#define HOT_TEST(function) cmocka_unit_test_setup_teardown(function, hot_setup, call_teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        HOT_TEST(a_response_is_cached_for_one_token),
        HOT_TEST(a_response_is_cached_until_a_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
