/* notify.h - reports the state of the service to systemd (Type=notify), if systemd asked for it.
 * Without NOTIFY_SOCKET every function does nothing. Call from the main thread. */
#ifndef APP_NOTIFY_H
#define APP_NOTIFY_H

#include <stdint.h>

/* Sends one assignment, such as "READY=1". */
void notify_send(const char *state);

/* Milliseconds between two WATCHDOG=1 (half of what systemd allows), or 0 without a watchdog. */
int64_t notify_watchdog_ms(void);

#endif
