/* run.c - the main thread from the first start of the service to its end.
 *
 * A restart in place is a stop and a start in one process: the listening socket and the sandbox
 * stay, everything else is made again from the new settings. A process that has served must not end
 * because a restart fails: clients wait in the queue of the socket, and a supervisor could only do
 * the same start again. */
#include "app/run.h"

#include "app/confine.h"
#include "app/notify.h"
#include "app/transition.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "config/settings.h"
#include "host/process.h"
#include "host/sandbox.h"
#include "model/scope.h"
#include "net/net.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define RETRY_MS 1000
#define REPORT_AGAIN_NS ((int64_t)60 * 1000000000)
#define STOP_MARGIN_MS 30000 /* for what follows the drain: SQLite's last checkpoint */

enum ending {
    STOPPED,
    RELOADS, /* run->next has the settings */
    NOT_STARTED,
};

/* Settings of a run are in an arena that is freed when they are not used any more; those of the
 * plan have none. */
struct run {
    const struct service_plan *plan;
    struct listener listener;
    struct sandbox sandbox;
    sigset_t signals;                /* all that are waited for */
    sigset_t stop_signals;           /* those of them that also end a start */
    struct service_settings now;     /* of the service that runs or starts */
    struct service_settings working; /* of the last one that ran, until the next one does */
    struct service_settings next;
    bool was_ready;
    bool store_failed;   /* the last start */
    bool setting_failed; /* the last start: a setting is wrong, and not the store */
    struct why reported; /* the last failure that was logged */
    int64_t reported_at;
};

/* ---- settings ---- */

static void
drop_settings(struct service_settings *settings)
{
    if (settings->mem != NULL)
        arena_free(settings->mem);
    *settings = (struct service_settings){ 0 };
}

/* The working ones stay until the service runs with the new ones. */
static void
use_next(struct run *run)
{
    if (run->working.settings == NULL)
        run->working = run->now;
    else
        drop_settings(&run->now);
    run->now = run->next;
}

static struct reload
reload_of(const struct run *run)
{
    return (struct reload){ .load = run->plan->reload,
                            .context = run->plan->context,
                            .settings = run->now.settings,
                            .sandbox = &run->sandbox,
                            .address = run->listener.address,
                            .signals = &run->signals };
}

/* ---- stop ---- */

static void
announce_stop(const struct run *run, int received)
{
    int64_t delay_ms = run->now.settings->drain_delay * 1000;
    log_info("stopping", log_text("signal", str_of(sigabbrev_np(received))));
    notify_stopping(delay_ms + SERVICE_DRAIN_MS + STOP_MARGIN_MS);
}

/* A load balancer sees that the service is not ready and sends no more requests. */
static void
delay_drain(const struct run *run, struct service *service)
{
    struct timespec delay = { .tv_sec = run->now.settings->drain_delay };
    struct transition transition;
    service_begin_drain(service);
    if (delay.tv_sec == 0)
        return;
    transition_begin(&transition, NULL, true);
    sigtimedwait(&run->signals, NULL, &delay); /* a second signal ends it */
    transition_end(&transition);
}

/* ---- one run ---- */

static enum ending
wait_for_end(struct run *run, struct service *service)
{
    struct reload reload = reload_of(run);
    int received = reload_wait(&reload, &run->next);
    if (received == 0) {
        log_info("reloading");
        notify_send("RELOADING=1");
        return RELOADS;
    }
    announce_stop(run, received);
    delay_drain(run, service);
    return STOPPED;
}

/* The demo's folder must be deleted, so its start, which is short, is not interrupted. */
static enum ending
start_and_wait(struct run *run, struct service *service, struct why *why)
{
    struct transition transition;
    transition_begin(&transition, run->plan->leave == NULL ? &run->stop_signals : NULL,
                     run->was_ready);
    enum err err = service_start(service, why);
    int received = transition_end(&transition);
    run->store_failed = !service_has_store(service);
    run->setting_failed = err == ERR_INVALID && !run->store_failed;
    if (received != 0) {
        announce_stop(run, received);
        return STOPPED;
    }
    if (err)
        return NOT_STARTED;
    drop_settings(&run->working);
    run->was_ready = true;
    run->reported = (struct why){ 0 };
    notify_send("READY=1");
    return wait_for_end(run, service);
}

static enum ending
run_once(struct run *run, struct why *why)
{
    struct transition transition;
    /* Here, where no thread of another service runs: a reload may have loaded other domains. */
    scopes_setup(run->now.domains);
    log_setup(run->now.settings->log_format, run->now.settings->log_level);
    process_prepare(run->now.settings->connections);
    net_start();
    log_start();
    struct service *service = service_new(run->plan, &run->now, &run->listener);
    enum ending ending = start_and_wait(run, service, why);
    transition_begin(&transition, NULL, run->was_ready);
    service_stop(service);
    transition_end(&transition);
    if (ending != NOT_STARTED)
        log_info("stopped");
    log_stop();
    return ending;
}

/* ---- after a start that failed ---- */

/* Once, and then once a minute. */
static void
report_failure(struct run *run, const struct why *why)
{
    int64_t now = clock_ticks_ns();
    if (strcmp(run->reported.text, why->text) == 0 && now - run->reported_at < REPORT_AGAIN_NS)
        return;
    run->reported = *why;
    run->reported_at = now;
    log_error("restart_failed", log_text("reason", str_of(why->text)),
              log_text("hint", STR("the service tries again every second; connections wait")));
}

/* False: a signal stops the service. SIGHUP loads other settings. */
static bool
wait_to_retry(struct run *run)
{
    struct reload reload = reload_of(run);
    int64_t watchdog_ms = notify_watchdog_ms();
    int64_t ms = watchdog_ms > 0 && watchdog_ms < RETRY_MS ? watchdog_ms : RETRY_MS;
    struct timespec pause = { ms / 1000, ms % 1000 * 1000000 };
    notify_alive(true, true);
    int received = sigtimedwait(&run->signals, NULL, &pause);
    if (received <= 0)
        return true;
    if (!reload_is_signal(&reload, received)) {
        announce_stop(run, received);
        log_info("stopped");
        return false;
    }
    if (reload_load(&reload, &run->next))
        use_next(run);
    return true;
}

/* A store that cannot be opened, and could with the working settings, is not the fault of the new
 * ones. False: the process ends. */
static bool
recover(struct run *run, const struct why *why)
{
    const struct settings *working = run->working.settings;
    if (!run->was_ready)
        return false;
    if (working == NULL ||
        (run->store_failed && strcmp(working->store, run->now.settings->store) == 0)) {
        report_failure(run, why);
        return wait_to_retry(run);
    }
    log_error("reload_failed", log_text("reason", str_of(why->text)),
              log_text("hint", STR("the service starts again with the previous settings")));
    drop_settings(&run->now);
    run->now = run->working;
    run->working = (struct service_settings){ 0 };
    return true;
}

/* A signal that arrived while the service was stopped for a reload ends the process before the
 * start. */
static bool
is_stopped_meanwhile(const struct run *run)
{
    const struct timespec now = { 0 };
    int received = sigtimedwait(&run->stop_signals, NULL, &now);
    if (received <= 0)
        return false;
    announce_stop(run, received);
    log_info("stopped");
    return true;
}

/* ---- from start to end ---- */

/* A listener that the caller has opened comes first, then a socket of systemd. */
static enum err
open_listener(const struct service_plan *plan, struct listener *out, struct why *why)
{
    if (plan->listener != NULL) {
        *out = *plan->listener;
        return ERR_NONE;
    }
    if (http_socket_inherited())
        return listener_inherit(out, why);
    return listener_open("listen", plan->settings->listen, out, why);
}

/* True: the first start failed. */
static bool
run_until_end(struct run *run, struct why *why)
{
    for (;;) {
        *why = (struct why){ 0 };
        switch (run_once(run, why)) {
        case STOPPED:
            return false;
        case RELOADS:
            use_next(run);
            if (is_stopped_meanwhile(run))
                return false;
            break;
        case NOT_STARTED:
            if (!recover(run, why))
                return !run->was_ready;
            break;
        }
    }
}

static void
block_signals(struct run *run)
{
    struct reload reload = reload_of(run);
    run->signals = run->stop_signals = process_awaited_signals();
    if (reload_is_signal(&reload, SIGHUP)) /* it waits until the service has started */
        sigdelset(&run->stop_signals, SIGHUP);
    /* Before the first thread, so that every thread inherits it. */
    pthread_sigmask(SIG_BLOCK, &run->signals, NULL);
    signal(SIGPIPE, SIG_IGN);
}

int
run_service(const struct service_plan *plan)
{
    struct run run = { .plan = plan, .now = { NULL, plan->settings, plan->domains } };
    struct why why = { 0 };
    struct arena *mem = arena_new();

    block_signals(&run);
    enum err err = open_listener(plan, &run.listener, &why);
    bool failed = err != ERR_NONE;
    run.setting_failed = err == ERR_INVALID;
    log_setup(plan->settings->log_format, plan->settings->log_level);
    if (!failed) {
        confine_process(mem, plan->settings, plan->leave, &run.sandbox);
        failed = run_until_end(&run, &why);
    }
    drop_settings(&run.now);
    drop_settings(&run.working);
    arena_free(mem);
    if (!failed)
        return 0;
    fprintf(stderr, "penchant: %s\n", why.text);
    return run.setting_failed ? 2 : 1;
}
