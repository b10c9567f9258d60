#include "unit/web/by_hand.h"

static void
assert_ok(const char *target)
{
    assert_int_equal(get(target), 200);
    assert_header("Content-Type", "application/json");
    assert_string_equal(answer_body(), "{\"status\":\"ok\"}");
    assert_header("Access-Control-Allow-Origin", NULL);
}

static void
assert_away(void)
{
    assert_int_equal(get("/readyz"), 503);
    assert_header("Content-Type", "application/json");
    assert_true(response_contains("\"error\":\"temporarily_unavailable\""));
    assert_non_null(answer_header("Retry-After"));
}

static void
with_its_store_the_service_is_alive_and_ready(void **state)
{
    (void)state;
    assert_ok("/healthz");
    assert_ok("/readyz");
}

static void
without_its_store_the_service_is_not_ready(void **state)
{
    (void)state;
    fake.ping = ERR_UNAVAILABLE;
    assert_away();
    assert_ok("/healthz");
    fake.ping = ERR_NONE;
    assert_ok("/readyz");
}

static void
while_draining_the_service_is_not_ready(void **state)
{
    (void)state;
    web_begin_drain(hand.web);
    assert_away();
    assert_ok("/healthz");
}

static void
a_readiness_check_of_a_remote_store_blocks(void **state)
{
    (void)state;
    get("/readyz");
    assert_false(hand.exchange.blocks);
    close_web();
    fake.reads_block = true;
    open_web(NULL, "http://127.0.0.1:8080", true);
    get("/readyz");
    assert_true(hand.exchange.blocks);
    get("/healthz");
    assert_false(hand.exchange.blocks);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_web, tear_down_web)

int
main(void)
{
    log_setup(LOG_AS_TEXT, LOG_ERROR);
    const struct CMUnitTest tests[] = {
        TEST(with_its_store_the_service_is_alive_and_ready),
        TEST(without_its_store_the_service_is_not_ready),
        TEST(while_draining_the_service_is_not_ready),
        TEST(a_readiness_check_of_a_remote_store_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
