/* notify.h - reports the state of the service to systemd (Type=notify), if systemd asked for it.
 * Without NOTIFY_SOCKET every function does nothing. Any thread may call. */
#ifndef APP_NOTIFY_H
#define APP_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

/* Sends one assignment, such as "READY=1". */
void notify_send(const char *state);

/* Announces the end, which takes up to `ms`: systemd does not kill the service before. */
void notify_stopping(int64_t ms);

/* Feeds the watchdog, and asks for more time for a start that is going on. */
void notify_alive(bool watchdog, bool starts);

/* Milliseconds between two WATCHDOG=1 (half of what systemd allows), or 0 without a watchdog. */
int64_t notify_watchdog_ms(void);

#endif
