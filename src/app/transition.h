/* transition.h - a thread beside the main thread while that starts or stops the service.
 *
 * It feeds systemd's watchdog, which the main thread cannot do meanwhile. During a start it also
 * asks systemd for more time, and ends the process if a stop signal arrives and the start does not
 * end within two seconds: it may wait for a database that hangs, or for a migration. A start can be
 * interrupted at any point, as by kill -9. Call from the main thread. */
#ifndef APP_TRANSITION_H
#define APP_TRANSITION_H

#include "base/background.h"

#include <signal.h>

struct transition {
    struct background background;
    bool runs;                    /* the thread was started */
    bool was_ready;               /* systemd expects the watchdog to be fed */
    const sigset_t *stop_signals; /* NULL: it is no start, and signals wait until its end */
    int received;                 /* the first of them */
    int64_t received_at;          /* clock_ticks_ns() */
    int64_t notified_at;
};

void transition_begin(struct transition *transition, const sigset_t *stop_signals, bool was_ready);

/* Returns the stop signal that arrived since transition_begin(), or 0. */
int transition_end(struct transition *transition);

#endif
