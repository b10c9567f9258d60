/* service.h - starts and stops the whole service.
 *
 * service_run() opens the store, listens, and returns after a stop signal, when all open requests
 * are finished. It returns the exit status and prints one line if the start failed. Call it from
 * the main thread, before any other thread exists: it blocks signals for all.
 *
 * SIGHUP, or a changed TLS file, restarts the service in place with newly loaded settings: open
 * requests are finished, and new connections wait in the queue of the listening socket, which stays
 * open. If the new settings are invalid, nothing changes. */
#ifndef APP_SERVICE_H
#define APP_SERVICE_H

#include "app/reload.h"
#include "http/listen.h"

struct db;
struct domains;

struct service_plan {
    const struct settings *settings;
    const struct domains *domains;
    const char *leave;               /* a folder that the caller deletes afterwards; NULL: none */
    const struct listener *listener; /* already open; NULL: open the address in the settings */
    /* Called once with the open store and the base URL, before the first request is accepted.
     * May be NULL. An error stops the start and is reported with `why`. */
    enum err (*before)(void *context, struct db *db, const char *base_url, struct why *why);
    reload_settings *reload; /* NULL: none */
    void *context;
};

int service_run(const struct service_plan *plan);

#endif
