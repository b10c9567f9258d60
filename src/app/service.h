/* service.h - all parts of the service, from the open store to the listening server, for one run
 * with one set of settings. run.h runs it from start to end.
 *
 * Call from the main thread. */
#ifndef APP_SERVICE_H
#define APP_SERVICE_H

#include "app/reload.h"
#include "http/listen.h"

#include <stdbool.h>

struct db;
struct domains;
struct service;

#define SERVICE_DRAIN_MS 10000 /* for open requests, at the end */

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

/* The settings and the listener must stay valid until service_stop(). */
struct service *service_new(const struct service_plan *plan, const struct service_settings *with,
                            const struct listener *listener);

/* After an error, only service_has_store() and service_stop() may be called. */
enum err service_start(struct service *service, struct why *why);

/* False after an error of service_start(): the store could not be opened. */
bool service_has_store(const struct service *service);

void service_begin_drain(struct service *service); /* /readyz is 503 from now on */

/* Finishes open requests, at most SERVICE_DRAIN_MS long, stops everything, and frees the service.
 */
void service_stop(struct service *service);

#endif
