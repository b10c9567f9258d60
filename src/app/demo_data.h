/* demo_data.h - adds the demo user's facts, connected apps, and activity, from demo/ada.json.
 *
 * The facts are written through the same flows as real ones, as the user and as two apps. `mem` is
 * scratch memory. Any thread may call it. */
#ifndef APP_DEMO_DATA_H
#define APP_DEMO_DATA_H

#include "base/err.h"
#include "domain/domain.h"

struct arena;
struct db;

struct demo_source {
    const char *name; /* in demo/ada.json */
    struct str source;
};

struct demo_counts {
    int64_t active, suppressed, held;
};

/* Facts that do not fit the loaded definitions are skipped. */
enum err demo_data_add(struct db *db, struct arena *mem, const struct domains *domains,
                       struct str user_id, const struct demo_source *sources, size_t count,
                       int64_t now, struct demo_counts *out, struct why *why);

#endif
