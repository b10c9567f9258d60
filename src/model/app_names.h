/* app_names.h - how pure code gets the names of apps, which are in the store. `source` is the
 * caller's; code that gets a struct app_names calls it from its own thread. */
#ifndef MODEL_APP_NAMES_H
#define MODEL_APP_NAMES_H

#include "base/str.h"

struct arena;

/* Finds the current name of an app. Absent: the app does not exist any more. */
struct app_names {
    struct str (*find)(void *source, struct arena *mem, struct str app_id);
    void *source;
};

#endif
