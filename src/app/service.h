/* service.h - the whole service, started and stopped in one place.
 *
 * service_run() opens the store, listens, and returns when a signal asked it to stop and everything
 * under way was finished. It returns an exit status; what went wrong was said in one line. */
#ifndef APP_SERVICE_H
#define APP_SERVICE_H

#include "app/settings.h"
#include "http/listen.h"

struct db;
struct domains;

struct service_plan {
    const struct settings *settings;
    const struct domains *domains;
    const struct listener *listener; /* open already; NULL: open what the settings say */
    /* Called once with the store open and the address known, before the first request is taken.
     * May be NULL. Anything but ERR_NONE ends the start, with why. */
    enum err (*before)(void *context, struct db *db, const char *base_url, struct why *why);
    void *context;
};

int service_run(const struct service_plan *plan);

#endif
