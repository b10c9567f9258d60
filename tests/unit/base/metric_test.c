#include "unit/assert_str.h"

#include "base/arena.h"
#include "base/metric.h"

#include <pthread.h>

/* The number behind the line that starts so, or -1. */
static long long
number_at(struct str page, const char *line_start)
{
    struct str line;
    while (str_cut(&page, '\n', &line))
        if (str_starts(line, str_of(line_start))) {
            long long number = -1;
            sscanf(line.ptr + strlen(line_start), " %lld", &number);
            return number;
        }
    return -1;
}

static void
observations_fall_into_their_bucket_and_add_up(void **state)
{
    static const struct {
        int64_t ns;
        const char *first_bucket; /* the smallest that holds it */
    } rows[] = {
        { 0, "5e-05" },        { -5, "5e-05" },         { 50000, "5e-05" },
        { 50001, "0.0001" },   { 250000, "0.00025" },   { 250001, "0.0005" },
        { 1000000, "0.001" },  { 9999999, "0.01" },     { 1000000000, "1" },
        { 10000000000, "10" }, { 10000000001, "+Inf" }, { INT64_MAX / 1000000, "+Inf" },
    };
    static const char *const bounds[] = { "5e-05",  "0.0001", "0.00025", "0.0005", "0.001",
                                          "0.0025", "0.005",  "0.01",    "0.05",   "0.25",
                                          "1",      "10",     "+Inf" };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct histogram histogram = { 0 };
        struct buf page = buf_in(mem, 10000);
        histogram_observe(&histogram, rows[i].ns);
        assert_int_equal(histogram_count(&histogram), 1);
        metric_histogram(&page, "t", "", &histogram);
        bool reached = false;
        for (size_t b = 0; b < ROWS(bounds); b++) {
            reached = reached || strcmp(bounds[b], rows[i].first_bucket) == 0;
            const char *line = str_format(mem, "t_bucket{le=\"%s\"}", bounds[b]).ptr;
            assert_row(number_at(buf_str(&page), line) == reached, line);
        }
    }
    arena_free(mem);
}

static void
a_histogram_is_written_as_prometheus_reads_it(void **state)
{
    struct arena *mem = arena_new();
    struct histogram histogram = { 0 };
    struct buf page = buf_in(mem, 10000);
    (void)state;
    histogram_observe(&histogram, 60000);
    histogram_observe(&histogram, 60000);
    histogram_observe(&histogram, 2000000);
    histogram_observe(&histogram, 20000000000);
    metric_family(&page, "t", "histogram", "how long");
    metric_histogram(&page, "t", "a=\"b\"", &histogram);
    assert_str(buf_str(&page),
               STR("# HELP t how long\n# TYPE t histogram\n"
                   "t_bucket{a=\"b\",le=\"5e-05\"} 0\n"
                   "t_bucket{a=\"b\",le=\"0.0001\"} 2\n"
                   "t_bucket{a=\"b\",le=\"0.00025\"} 2\n"
                   "t_bucket{a=\"b\",le=\"0.0005\"} 2\n"
                   "t_bucket{a=\"b\",le=\"0.001\"} 2\n"
                   "t_bucket{a=\"b\",le=\"0.0025\"} 3\n"
                   "t_bucket{a=\"b\",le=\"0.005\"} 3\n"
                   "t_bucket{a=\"b\",le=\"0.01\"} 3\n"
                   "t_bucket{a=\"b\",le=\"0.05\"} 3\n"
                   "t_bucket{a=\"b\",le=\"0.25\"} 3\n"
                   "t_bucket{a=\"b\",le=\"1\"} 3\n"
                   "t_bucket{a=\"b\",le=\"10\"} 3\n"
                   "t_bucket{a=\"b\",le=\"+Inf\"} 4\n"
                   "t_sum{a=\"b\"} 20.002120000\n"
                   "t_count{a=\"b\"} 4\n"),
               "with labels");
    page = buf_in(mem, 10000);
    metric_value(&page, "n", "", -3);
    metric_value(&page, "n", "a=\"b\"", 4);
    assert_str(buf_str(&page), STR("n -3\nn{a=\"b\"} 4\n"), "values");
    arena_free(mem);
}

enum { THREADS = 4, EACH = 20000 };

static void *
observe_many(void *histogram)
{
    for (int64_t i = 0; i < EACH; i++)
        histogram_observe(histogram, i * 1000);
    return NULL;
}

static void
threads_lose_no_observation(void **state)
{
    struct histogram histogram = { 0 };
    pthread_t threads[THREADS];
    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, observe_many, &histogram), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(histogram_count(&histogram), THREADS * EACH);
    assert_int_equal(histogram.sum_ns, (uint64_t)THREADS * EACH * (EACH - 1) / 2 * 1000);
}

static void
write_name(struct buf *page, void *context)
{
    buf_add_c(page, context);
}

static void
the_page_calls_every_registered_writer(void **state)
{
    char first[] = "first ", second[] = "second ", third[] = "third ";
    struct arena *mem = arena_new();
    struct buf page = buf_in(mem, 1000);
    (void)state;
    metric_register(write_name, first);
    metric_register(write_name, second);
    metric_register(write_name, second);
    metric_register(write_name, third);
    metric_write_page(&page);
    assert_str(buf_str(&page), STR("first second second third "), "in order");
    metric_unregister(second);
    page = buf_in(mem, 1000);
    metric_write_page(&page);
    assert_str(buf_str(&page), STR("first third "), "forgotten");
    metric_unregister(first);
    metric_unregister(third);
    metric_unregister(third);
    page = buf_in(mem, 1000);
    metric_write_page(&page);
    assert_str(buf_str(&page), STR(""), "none left");
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(observations_fall_into_their_bucket_and_add_up),
        cmocka_unit_test(a_histogram_is_written_as_prometheus_reads_it),
        cmocka_unit_test(threads_lose_no_observation),
        cmocka_unit_test(the_page_calls_every_registered_writer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
