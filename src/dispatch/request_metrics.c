/* request_metrics.c - the metrics page: requests, process, and response cache.
 *
 * Each route has one histogram for each class of status, which counts without a lock. Only those
 * with a count are written, so the page grows with the routes in use. Values that the system does
 * not provide are left out. */
#include "dispatch/request_metrics.h"

#include "base/arena.h"
#include "base/cache.h"
#include "base/clock.h"
#include "base/log.h"
#include "web/call.h"
#include "web/response.h"

#include <dirent.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define PAGE_MAX ((size_t)4 * 1024 * 1024)

/* ---- counting ---- */

struct counts *
counts_new(struct arena *mem, const struct router *router)
{
    return ARENA_ARRAY(mem, struct counts, router_row_count(router) + 1);
}

void
counts_add(struct counts *counts, int status, int64_t ns)
{
    size_t class = status >= 100 && status < 600 ? (size_t)status / 100 : 0;
    histogram_observe(&counts->latency[class], ns);
}

/* ---- writing requests ---- */

/* Labels of a route, or of requests that matched no route. The route label is the pattern: paths
 * sent by clients would make the number of labels unbounded. */
static void
label_of(const struct counted *of, size_t number, char *label, size_t size)
{
    bool row = number < router_row_count(of->router);
    snprintf(label, size, "listener=\"%s\",method=\"%s\",route=\"%s\"", of->listener,
             row ? method_name(router_row(of->router, number)->method) : "other",
             row ? router_row(of->router, number)->path : "other");
}

static const char *const classes[] = { "none", "1xx", "2xx", "3xx", "4xx", "5xx" };

#define CLASSES (sizeof classes / sizeof *classes)

static void
write_count(struct buf *page, const char *labels, const struct histogram *latency)
{
    metric_value(page, "penchant_http_requests_total", labels, (int64_t)histogram_count(latency));
}

static void
write_latency(struct buf *page, const char *labels, const struct histogram *latency)
{
    metric_histogram(page, "penchant_http_request_duration_seconds", labels, latency);
}

/* The text format wants all values of a family in one block, so the page walks over all counts once
 * for each family. */
static void
write_each(struct buf *page, const struct counted *counted, size_t count,
           void (*write)(struct buf *, const char *, const struct histogram *))
{
    for (size_t c = 0; c < count; c++)
        for (size_t i = 0; i <= router_row_count(counted[c].router); i++) {
            char label[200], labels[240];
            label_of(&counted[c], i, label, sizeof label);
            for (size_t class = 0; class < CLASSES; class ++) {
                const struct histogram *latency = &counted[c].counts[i].latency[class];
                snprintf(labels, sizeof labels, "%s,status=\"%s\"", label, classes[class]);
                if (histogram_count(latency) > 0)
                    write(page, labels, latency);
            }
        }
}

void
metrics_write_requests(struct buf *page, const struct counted *counted, size_t count)
{
    metric_family(page, "penchant_http_requests_total", "counter",
                  "Requests by route and class of status; none: closed without a response.");
    write_each(page, counted, count, write_count);
    metric_family(page, "penchant_http_request_duration_seconds", "histogram",
                  "Time from the head of a request to the end of its response, by route and class "
                  "of status.");
    write_each(page, counted, count, write_latency);
}

/* ---- writing the process ---- */

/* -1: unknown (a sandbox without /proc); the metric is then omitted. */
static int64_t
resident_bytes(void)
{
    long long pages = -1;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL)
        return -1;
    if (fscanf(file, "%*d %lld", &pages) != 1)
        pages = -1;
    fclose(file);
    return pages < 0 ? -1 : pages * sysconf(_SC_PAGESIZE);
}

/* Entries of a folder of /proc, one for each descriptor or thread. */
static int64_t
count_entries(const char *folder)
{
    DIR *dir = opendir(folder);
    if (dir == NULL)
        return -1;
    int64_t count = 0;
    // cppcheck-suppress readdirCalled ; no other thread has this DIR
    for (const struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir))
        count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

static void
gauge(struct buf *page, const char *name, const char *help, int64_t value)
{
    if (value < 0)
        return;
    metric_put(page, name, "gauge", help, value);
}

/* Written with its fraction, which metric_value() cannot do. */
static void
write_cpu(struct buf *page)
{
    struct timespec used;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) != 0)
        return;
    metric_family(page, "process_cpu_seconds_total", "counter", "Processor time used.");
    buf_add_format(page, "process_cpu_seconds_total %lld.%03ld\n", (long long)used.tv_sec,
                   used.tv_nsec / 1000000);
}

/* The names that Prometheus recommends for processes, from /proc. */
void
metrics_write_process(struct buf *page, int64_t started_at)
{
    int64_t descriptors = count_entries("/proc/self/fd");
    gauge(page, "process_resident_memory_bytes", "Resident memory.", resident_bytes());
    gauge(page, "process_open_fds", "Open descriptors.",
          descriptors < 0 ? -1 : descriptors - 1); /* without opendir()'s own */
    gauge(page, "process_threads", "Threads.", count_entries("/proc/self/task"));
    gauge(page, "process_start_time_seconds", "Start time in seconds since 1970.", started_at);
    gauge(page, "penchant_uptime_seconds", "Seconds since the start.", clock_now() - started_at);
    write_cpu(page);
    metric_family(page, "penchant_build_info", "gauge", "1, with the version as a label.");
    metric_value(page, "penchant_build_info", "version=\"" PENCHANT_VERSION "\"", 1);
    metric_put(page, "penchant_log_lines_dropped_total", "counter",
               "Log lines dropped because the queue was full.", (int64_t)log_dropped());
}

/* ---- writing the response cache ---- */

void
metrics_write_cache(struct buf *page, struct cache *cache)
{
    struct cache_counts counts = cache_count(cache);
    metric_put(page, "penchant_cache_hits_total", "counter", "Lookups that found an entry.",
               (int64_t)counts.hits);
    metric_put(page, "penchant_cache_misses_total", "counter", "Lookups that found none.",
               (int64_t)counts.misses);
    metric_put(page, "penchant_cache_bytes", "gauge", "Memory of cached entries.",
               (int64_t)counts.bytes);
    metric_put(page, "penchant_cache_entries", "gauge", "Cached entries.", (int64_t)counts.entries);
}

/* ---- the page ---- */

/* The other modules register what they write in base/metric.h. */
static enum err
get_metrics(struct call *call)
{
    struct buf page = buf_in(call->mem, PAGE_MAX);
    metric_write_page(&page);
    if (page.overflow)
        return ERR_INTERNAL;
    response_bytes(call, 200, "text/plain; version=0.0.4; charset=utf-8", buf_str(&page));
    return ERR_NONE;
}

const struct route metrics_routes[] = {
    { GET, "/metrics", get_metrics, CALLER_OPERATOR,
      .summary = "Returns metrics for Prometheus; only on --metrics-listen." },
    { 0 },
};
