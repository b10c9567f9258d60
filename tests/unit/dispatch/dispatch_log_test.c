/* What dispatch.c logs about a request, and what it must not log. */
#include "unit/web/by_hand.h"

#include "web/response.h"

#include <unistd.h>

static enum err
answer(struct call *call)
{
    response_bytes(call, 200, "text/plain", STR("fifteen bytes.."));
    return ERR_NONE;
}

static enum err
fail_for_now(struct call *call)
{
    (void)call;
    return ERR_UNAVAILABLE;
}

static const struct route rows[] = {
    { GET, "/api/{x}", answer, CALLER_ANYONE, .summary = "A row." },
    { GET, "/half", fail_for_now, CALLER_ANYONE, .summary = "Fails." },
    { 0 },
};

#define TWO_SECONDS ((int64_t)2 * 1000 * 1000 * 1000)

static int
setup(void **state)
{
    (void)state;
    open_web((const struct route *const[]){ rows, NULL }, "https://id.example", true);
    return 0;
}

/* The standard error output of one request. */
static const char *
logged(const char *method, const char *target, int64_t took_ns, enum log_level level)
{
    FILE *file = tmpfile();
    int kept = dup(STDERR_FILENO);
    assert_non_null(file);
    dup2(fileno(file), STDERR_FILENO);
    log_setup(LOG_AS_TEXT, level);
    prepare(method, target);
    hand.exchange.started_ns -= took_ns;
    send_it();
    log_setup(LOG_AS_TEXT, LOG_ERROR);
    dup2(kept, STDERR_FILENO);
    close(kept);
    char *text = arena_alloc(hand.mem, 8192);
    rewind(file);
    assert_true(fread(text, 1, 8191, file) < 8191);
    fclose(file);
    return text;
}

static void
a_request_is_logged_without_its_query(void **state)
{
    (void)state;
    hand.web->settings.access_log = true;
    const char *line = logged("GET", "/api/x%20y?code=pn_ac_secret", 0, LOG_INFO);
    assert_non_null(
        strstr(line, " info request id=req_1 method=GET path=/api/x%20y status=200 us="));
    assert_non_null(strstr(line, " bytes=15 client=192.0.2.7\n"));
    assert_null(strstr(line, "secret"));
    assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
}

static void
a_path_cannot_forge_a_line(void **state)
{
    (void)state;
    hand.web->settings.access_log = true;
    const char *line = logged("GET", "/x\n2026 info request status=200\x1b[2J", 0, LOG_INFO);
    assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
    assert_null(strchr(line, '\x1b'));
}

static void
without_an_access_log_only_problems_are_logged(void **state)
{
    (void)state;
    assert_string_equal(logged("GET", "/api/x", 0, LOG_INFO), "");
    assert_string_equal(logged("GET", "/nothing", 0, LOG_INFO), "");
    assert_non_null(strstr(logged("GET", "/half?code=secret", 0, LOG_WARN),
                           " warn request id=req_1 method=GET path=/half status=503"));
}

static void
a_slow_request_is_logged_too(void **state)
{
    (void)state;
    assert_non_null(
        strstr(logged("GET", "/api/x", TWO_SECONDS, LOG_WARN), " warn request id=req_1"));
}

static void
a_head_request_is_logged_with_zero_bytes(void **state)
{
    (void)state;
    hand.web->settings.access_log = true;
    assert_non_null(strstr(logged("HEAD", "/api/x", 0, LOG_INFO), " bytes=0 "));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, tear_down_web)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_request_is_logged_without_its_query),          TEST(a_path_cannot_forge_a_line),
        TEST(without_an_access_log_only_problems_are_logged), TEST(a_slow_request_is_logged_too),
        TEST(a_head_request_is_logged_with_zero_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
