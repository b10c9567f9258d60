/* workers_kit.h - how many jobs wait and run, read from the metrics page. */
#ifndef UNIT_WORKERS_KIT_H
#define UNIT_WORKERS_KIT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/workers.h"

#include <stdlib.h>
#include <string.h>

/* Of a pool with the name "workers". */
static inline size_t
workers_metric(struct workers *workers, const char *line)
{
    struct arena *memory = arena_new();
    struct buf page = buf_in(memory, 4096);
    workers_write_metrics(&page, workers);
    buf_add_char(&page, '\0');
    const char *at = strstr(page.ptr, line);
    size_t value = at == NULL ? SIZE_MAX : strtoul(at + strlen(line), NULL, 10);
    arena_free(memory);
    return value;
}

static inline size_t
workers_waiting(struct workers *workers)
{
    return workers_metric(workers, "\npenchant_workers_waiting ");
}

static inline size_t
workers_busy(struct workers *workers)
{
    return workers_metric(workers, "\npenchant_workers_busy ");
}

#endif
