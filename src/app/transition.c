#include "app/transition.h"

#include "app/notify.h"
#include "base/clock.h"
#include "base/fault_injection.h"
#include "base/log.h"

#include <string.h>
#include <unistd.h>

#define LOOK_MS 50     /* between two looks for a signal */
#define NOTIFY_MS 5000 /* between two messages to systemd, or less if its watchdog wants that */
#define GRACE_MS 2000  /* for a start to end by itself after a signal */
#define NS_PER_MS 1000000

/* Signals are blocked in every thread, so one stays pending until a thread takes it. */
static void
look_for_signal(struct transition *transition)
{
    const struct timespec now = { 0 };
    int received = sigtimedwait(transition->stop_signals, NULL, &now);
    if (received <= 0)
        return;
    transition->received = received;
    transition->received_at = clock_ticks_ns();
}

/* The kernel closes the store's files and connections; what was not committed is rolled back. */
static _Noreturn void
abandon_start(int signal)
{
    log_warn("start_abandoned", log_text("signal", str_of(sigabbrev_np(signal))),
             log_text("effect", STR("the process ends although the start waits for the store; what "
                                    "the start has not committed is rolled back")));
    log_stop();
    _exit(0);
}

static int64_t
notify_pause_ms(const struct transition *transition)
{
    int64_t watchdog_ms = transition->was_ready ? notify_watchdog_ms() : 0;
    int64_t usual_ms = FAULT_INJECTION_INTERVAL(NOTIFY_MS);
    return watchdog_ms > 0 && watchdog_ms < usual_ms ? watchdog_ms : usual_ms;
}

static void *
run(void *argument)
{
    struct transition *transition = argument;
    int64_t notify_ns = notify_pause_ms(transition) * NS_PER_MS;
    while (!background_wait(&transition->background, LOOK_MS)) {
        int64_t now = clock_ticks_ns();
        if (transition->stop_signals != NULL && transition->received == 0)
            look_for_signal(transition);
        if (transition->received != 0 && now - transition->received_at > GRACE_MS * NS_PER_MS)
            abandon_start(transition->received);
        if (now - transition->notified_at < notify_ns)
            continue;
        transition->notified_at = now;
        notify_alive(transition->was_ready, transition->stop_signals != NULL);
    }
    return NULL;
}

/* Without the thread, a signal waits until the start ends. */
void
transition_begin(struct transition *transition, const sigset_t *stop_signals, bool was_ready)
{
    *transition = (struct transition){ .was_ready = was_ready,
                                       .stop_signals = stop_signals,
                                       .notified_at = clock_ticks_ns() };
    transition->runs = background_start(&transition->background, run, transition);
}

int
transition_end(struct transition *transition)
{
    if (transition->runs)
        background_stop(&transition->background);
    return transition->received;
}
