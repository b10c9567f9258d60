/* usage_counters_tools.c - how often each tool was called for a user, in the last 24 hours. */
#include "base/arena.h"
#include "job/usage_counters.h"
#include "job/usage_counters_internal.h"

#include <string.h>

#define ENTRIES 1024 /* a power of two */
#define PROBES 8
#define HOURS 24
#define HOUR 3600

/* Counts of the last HOURS hours, in a ring by hour. They are not stored. */
struct tool_counts {
    char user[USAGE_ID_LENGTH];
    char app[USAGE_ID_LENGTH];
    int64_t hour; /* the newest one counted; 0: free */
    uint16_t counts[HOURS][USAGE_TOOLS];
};

/* Call with the lock held. The entry of the user and the app; if there is none and `add`, the one
 * that was used the longest ago is replaced. */
static struct tool_counts *
find(struct usage_counters *counters, struct str user, struct str app, bool add)
{
    struct tool_counts *oldest = NULL;
    uint64_t words[2];
    memcpy(&words[0], user.ptr + 12, sizeof words[0]); /* ids are random */
    memcpy(&words[1], app.ptr + 12, sizeof words[1]);
    size_t at = (size_t)((words[0] ^ words[1]) * 0x9e3779b97f4a7c15u >> 40);
    for (size_t i = 0; i < PROBES; i++) {
        struct tool_counts *entry = &counters->tools[(at + i) % ENTRIES];
        if (entry->hour != 0 && memcmp(entry->user, user.ptr, sizeof entry->user) == 0 &&
            memcmp(entry->app, app.ptr, sizeof entry->app) == 0)
            return entry;
        if (oldest == NULL || entry->hour < oldest->hour)
            oldest = entry;
    }
    if (!add)
        return NULL;
    *oldest = (struct tool_counts){ 0 };
    memcpy(oldest->user, user.ptr, sizeof oldest->user);
    memcpy(oldest->app, app.ptr, sizeof oldest->app);
    return oldest;
}

/* Forgets the hours that are a day old. */
static void
advance(struct tool_counts *entry, int64_t hour)
{
    if (hour - entry->hour >= HOURS || hour < entry->hour)
        memset(entry->counts, 0, sizeof entry->counts);
    else
        for (int64_t h = entry->hour + 1; h <= hour; h++)
            memset(entry->counts[h % HOURS], 0, sizeof entry->counts[0]);
    entry->hour = hour;
}

static bool
are_ids(struct str user, struct str app)
{
    return usage_counters_is_id(user, STR("usr_")) && usage_counters_is_app(app);
}

/* The table is allocated at the first call of a tool, since many services have no MCP clients. */
void
usage_counters_add_tool(struct usage_counters *counters, struct str user, struct str app,
                        enum usage_tool tool, int64_t now)
{
    if (counters == NULL || !are_ids(user, app) || now < HOUR)
        return;
    pthread_mutex_lock(&counters->tool_lock);
    if (counters->tools == NULL) {
        pthread_mutex_lock(&counters->mem_lock);
        counters->tools = ARENA_ARRAY(counters->mem, struct tool_counts, ENTRIES);
        pthread_mutex_unlock(&counters->mem_lock);
    }
    struct tool_counts *entry = find(counters, user, app, true);
    advance(entry, now / HOUR);
    uint16_t *count = &entry->counts[now / HOUR % HOURS][tool];
    if (*count < UINT16_MAX)
        ++*count;
    pthread_mutex_unlock(&counters->tool_lock);
}

/* Sums over the last HOURS hours. 0 for a user or an app that was not counted. */
void
usage_counters_tools(struct usage_counters *counters, struct str user, struct str app, int64_t now,
                     int64_t out[USAGE_TOOLS])
{
    memset(out, 0, USAGE_TOOLS * sizeof *out);
    if (counters == NULL || !are_ids(user, app))
        return;
    pthread_mutex_lock(&counters->tool_lock);
    struct tool_counts *entry = counters->tools == NULL ? NULL : find(counters, user, app, false);
    if (entry != NULL) {
        advance(entry, now / HOUR);
        for (size_t hour = 0; hour < HOURS; hour++)
            for (size_t tool = 0; tool < USAGE_TOOLS; tool++)
                out[tool] += entry->counts[hour][tool];
    }
    pthread_mutex_unlock(&counters->tool_lock);
}
