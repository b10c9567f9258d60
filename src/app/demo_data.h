/* demo_data.h - what is known about the demo's person: written by her and by two apps, through the
 * flows that everybody's facts come through. The words are in demo/ada.json. */
#ifndef APP_DEMO_DATA_H
#define APP_DEMO_DATA_H

#include "base/err.h"
#include "domain/domain.h"

struct arena;
struct db;

struct demo_source {
    const char *name; /* as demo/ada.json has it */
    struct str source;
};

struct demo_counts {
    int64_t active, suppressed, held;
};

/* What does not fit the definitions there are is left out. */
enum err demo_data_add(struct db *db, struct arena *mem, const struct domains *domains,
                       struct str user_id, const struct demo_source *sources, size_t count,
                       int64_t now, struct demo_counts *out, struct why *why);

#endif
