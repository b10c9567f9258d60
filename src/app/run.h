/* run.h - runs the service until a signal stops it.
 *
 * run_service() opens the store, listens, and returns after a stop signal, when all open requests
 * are finished. If the first start fails, it prints one line. It returns the exit status: 1 after a
 * failure, 2 if a setting is wrong. Call it from the main thread, before any other thread exists:
 * it blocks signals for all. A stop signal also ends a start that hangs, after two seconds.
 *
 * SIGHUP, or a changed TLS file, restarts the service in place with newly loaded settings: open
 * requests are finished, and new connections wait in the queue of the listening socket, which stays
 * open. If the new settings are invalid, nothing changes. If the service cannot start with them, it
 * starts with the previous ones. If the store cannot be opened, it tries again until it can. */
#ifndef APP_RUN_H
#define APP_RUN_H

#include "app/service.h"

int run_service(const struct service_plan *plan);

#endif
