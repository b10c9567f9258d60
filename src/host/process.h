/* process.h - limits, privileges, and signals of the service's process. Main thread. */
#ifndef HOST_PROCESS_H
#define HOST_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Forbids core files and new privileges, and raises the limit of descriptors. Logs a warning if it
 * is too low for this number of connections. */
void process_prepare(int64_t connections);

/* While the service runs, only root can read this process's memory and its /proc/self/fd. The
 * control socket is bound through /proc/self/fd, so it must be open before. */
void process_hide_memory(bool hidden);

/* The signals that the service waits for. SIGHUP is left alone if it was ignored at startup
 * (nohup).
 */
sigset_t process_awaited_signals(void);

#endif
