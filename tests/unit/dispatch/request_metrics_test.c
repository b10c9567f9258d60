#include "unit/web/by_hand.h"

#include <ctype.h>

static const char *
page(void)
{
    prepare("GET", "/metrics");
    assert_int_equal(send_to(web_metrics_service(hand.web)), 200);
    assert_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
    return answer_body();
}

/* The value of one series; -1: missing. */
static double
value_of(const char *text, const char *series)
{
    size_t length = strlen(series);
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += line[0] == '\n';
        if (strncmp(line, series, length) == 0 && line[length] == ' ')
            return strtod(line + length, NULL);
        if (line[0] == '\0')
            break;
    }
    return -1;
}

/* name{label="value",…} number */
static bool
sample_ok(struct str line)
{
    size_t i = 0;
    while (i < line.len && (isalnum((unsigned char)line.ptr[i]) || line.ptr[i] == '_'))
        i++;
    if (i == 0)
        return false;
    if (i < line.len && line.ptr[i] == '{') {
        do {
            i++;
            size_t name = i;
            while (i < line.len && (isalnum((unsigned char)line.ptr[i]) || line.ptr[i] == '_'))
                i++;
            if (i == name || i + 1 >= line.len || line.ptr[i] != '=' || line.ptr[i + 1] != '"')
                return false;
            i += 2;
            while (i < line.len && line.ptr[i] != '"')
                i++;
            i++;
        } while (i < line.len && line.ptr[i] == ',');
        if (i >= line.len || line.ptr[i++] != '}')
            return false;
    }
    char *end = NULL;
    const char *number = str_c(hand.mem, str_from(line, i));
    if (number[0] != ' ' || number[1] == '\0')
        return false;
    strtod(number, &end);
    return *end == '\0';
}

static void
the_page_is_in_prometheus_format(void **state)
{
    (void)state;
    get("/");
    get("/nothing");
    struct str rest = str_of(page());
    struct str line;
    size_t samples = 0;
    while (str_cut(&rest, '\n', &line)) {
        if (line.len == 0)
            continue;
        if (line.ptr[0] == '#') {
            assert_true(str_starts(line, STR("# HELP ")) || str_starts(line, STR("# TYPE ")));
            continue;
        }
        if (!sample_ok(line))
            fail_msg("%.*s", STR_ARG(line));
        samples++;
    }
    assert_in_range(samples, 20, 1000);
}

static void
requests_are_counted_by_route_and_outcome(void **state)
{
    (void)state;
    get("/healthz");
    get("/healthz");
    prepare("HEAD", "/healthz");
    send_it();
    fake.ping = ERR_UNAVAILABLE;
    get("/readyz");
    get("/nothing/usr_secret");
    get("/assets/usr_secret");
    const char *text = page();
#define SERIES(method, route, status)                                                     \
    "penchant_http_requests_total{listener=\"main\",method=\"" method "\",route=\"" route \
    "\",status=\"" status "\"}"
    assert_true(value_of(text, SERIES("GET", "/healthz", "2xx")) == 3);
    assert_true(value_of(text, SERIES("GET", "/readyz", "5xx")) == 1);
    assert_true(value_of(text, SERIES("other", "other", "4xx")) == 1);
    assert_true(value_of(text, SERIES("GET", "/assets/{file}", "4xx")) == 1);
    assert_true(value_of(text, "penchant_http_request_duration_seconds_count{listener=\"main\","
                               "method=\"GET\",route=\"/healthz\",status=\"2xx\"}") == 3);
    assert_true(value_of(text, "penchant_http_request_duration_seconds_count{listener=\"main\","
                               "method=\"GET\",route=\"/readyz\",status=\"5xx\"}") == 1);
    assert_null(strstr(text, "usr_secret"));
}

static void
process_metrics_are_included(void **state)
{
    (void)state;
    const char *text = page();
    assert_true(value_of(text, "process_resident_memory_bytes") > 100000);
    assert_true(value_of(text, "process_open_fds") >= 3);
    assert_true(value_of(text, "process_threads") >= 1);
    assert_true(value_of(text, "process_cpu_seconds_total") >= 0);
    assert_true(value_of(text, "process_start_time_seconds") > 1e9);
    assert_true(value_of(text, "penchant_uptime_seconds") >= 0);
    assert_true(value_of(text, "penchant_log_lines_dropped_total") == 0);
}

static void
the_public_listener_has_no_metrics(void **state)
{
    (void)state;
    assert_int_equal(get("/metrics"), 404);
    prepare("GET", "/healthz");
    assert_int_equal(send_to(web_metrics_service(hand.web)), 404);
}

static void
a_closed_connection_is_counted_separately(void **state)
{
    (void)state;
    prepare("GET", "/healthz");
    struct http_service service = web_service(hand.web);
    service.head(service.context, &hand.exchange);
    service.done(service.context, &hand.exchange);
    assert_true(value_of(page(), SERIES("GET", "/healthz", "none")) == 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_web, tear_down_web)

int
main(void)
{
    log_setup(LOG_AS_TEXT, LOG_ERROR);
    const struct CMUnitTest tests[] = {
        TEST(the_page_is_in_prometheus_format),
        TEST(requests_are_counted_by_route_and_outcome),
        TEST(process_metrics_are_included),
        TEST(the_public_listener_has_no_metrics),
        TEST(a_closed_connection_is_counted_separately),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
