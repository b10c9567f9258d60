/* reload.h - waits while the service runs: for signals and changed TLS files, and answers systemd's
 * watchdog. Call from the main thread. */
#ifndef APP_RELOAD_H
#define APP_RELOAD_H

#include "config/settings.h"

#include <signal.h>
#include <stdbool.h>

struct domains;
struct sandbox;

/* The settings that a restart in place replaces. */
struct service_settings {
    struct arena *mem; /* holds both */
    const struct settings *settings;
    const struct domains *domains;
};

/* Loads the settings again, into next->mem. Sets next->settings even if only the domain definitions
 * cannot be loaded. */
typedef enum err reload_settings(void *context, struct service_settings *next, struct why *why);

struct reload {
    reload_settings *load; /* NULL: SIGHUP stops the service, and changed TLS files stay unused */
    void *context;
    const struct settings *settings;
    const struct sandbox *sandbox; /* of the first start */
    const char *address;           /* that the service listens on */
    const sigset_t *signals;       /* to wait for, blocked in every thread */
};

/* Returns the signal that stops the service; or 0 to restart it with *next, which was loaded
 * because of SIGHUP or a changed TLS file. Invalid new settings are logged, and the function keeps
 * waiting. If standard input is a terminal, SIGHUP stops the service, because then the terminal was
 * closed.
 */
int reload_wait(const struct reload *reload, struct service_settings *next);

/* Whether this signal reloads the settings, and does not stop the service. */
bool reload_is_signal(const struct reload *reload, int received);

/* Loads and checks the settings. False: they are invalid, and that was logged. */
bool reload_load(const struct reload *reload, struct service_settings *next);

#endif
