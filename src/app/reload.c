/* reload.c - the main thread while the service runs. New settings are loaded and checked completely
 * before the running service stops. */
#include "app/reload.h"

#include "app/confine.h"
#include "app/notify.h"
#include "base/arena.h"
#include "base/log.h"
#include "host/sandbox.h"
#include "http/probe.h"
#include "http/server.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TLS_FILES_CHECK_MS 5000
#define TLS_CHANGED 0 /* instead of a signal */

/* When the certificate and the key were last changed. */
struct tls_times {
    struct timespec cert, key;
};

/* Both files count, since a certificate and its key are replaced one after the other. 0: there is
 * no TLS, or the file cannot be read now. */
static struct tls_times
tls_times(const struct settings *settings)
{
    struct stat cert = { 0 }, key = { 0 };
    if (settings->tls_cert != NULL && stat(settings->tls_cert, &cert) == 0)
        stat(settings->tls_key, &key);
    return (struct tls_times){ cert.st_mtim, key.st_mtim };
}

/* Whether the HTTP threads answer; any status will do. */
static void
feed_watchdog(const struct reload *reload, int64_t deadline_ms)
{
    struct probe probe = { .listen = reload->address,
                           .tls = reload->settings->tls_cert != NULL,
                           .host = STR("localhost"),
                           .path = "/healthz",
                           .deadline_ms = (int)deadline_ms };
    struct why why = { 0 };
    int status = 0;
    if (probe_request(&probe, &status, &why))
        log_error("watchdog_no_answer", log_text("reason", str_of(why.text)));
    else
        notify_send("WATCHDOG=1");
}

/* A program that replaces this file, as DHCP clients do, makes it inaccessible: the sandbox allows
 * only files that existed at the start. */
static void
report_lost_file(bool *reported)
{
    int fd = *reported ? -1 : open("/etc/resolv.conf", O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        close(fd);
    else if (!*reported && errno == EACCES) {
        *reported = true;
        log_warn("sandbox_lost_file", log_text("file", STR("/etc/resolv.conf")),
                 log_text("hint", STR("it was replaced; restart the service, or host names can no "
                                      "longer be resolved")));
    }
}

/* Returns the received signal, or TLS_CHANGED. */
static int
wait_for_event(const struct reload *reload, struct tls_times *seen, bool *reported)
{
    int64_t watchdog_ms = notify_watchdog_ms();
    int64_t pause_ms =
        watchdog_ms > 0 && watchdog_ms < TLS_FILES_CHECK_MS ? watchdog_ms : TLS_FILES_CHECK_MS;
    struct timespec pause = { pause_ms / 1000, pause_ms % 1000 * 1000000 };
    for (;;) {
        int received = sigtimedwait(reload->signals, NULL, &pause);
        if (received > 0)
            return received;
        if (reload->sandbox->count > 0)
            report_lost_file(reported);
        if (watchdog_ms > 0)
            feed_watchdog(reload, watchdog_ms);
        struct tls_times now = tls_times(reload->settings);
        if (memcmp(&now, seen, sizeof now) == 0)
            continue;
        *seen = now; /* also if loading fails: each change is tried once */
        return TLS_CHANGED;
    }
}

bool
reload_load(const struct reload *reload, struct service_settings *next)
{
    struct why why = { 0 }, outside = { 0 };
    *next = (struct service_settings){ .mem = arena_new() };
    enum err err = reload->load(reload->context, next, &why);
    /* The cause, if a file could not be read. */
    if (next->settings != NULL && confine_check(reload->sandbox, next->settings, &outside)) {
        why = outside;
        err = ERR_INVALID;
    }
    /* The key and the certificate are usually replaced one after the other. The pair between the
     * two does not match and is refused here; the second change is loaded. */
    if (!err && next->settings->tls_cert != NULL)
        err = http_tls_check(next->settings->tls_cert, next->settings->tls_key, &why);
    if (!err)
        return true;
    log_error("reload_failed", log_text("reason", str_of(why.text)),
              log_text("hint", STR("the service continues with the previous settings")));
    arena_free(next->mem);
    return false;
}

/* A terminal that is closed sends SIGHUP, too. */
bool
reload_is_signal(const struct reload *reload, int received)
{
    return received == SIGHUP && reload->load != NULL && !isatty(STDIN_FILENO);
}

/* A reload that fails is logged and leaves the running service as it is. */
int
reload_wait(const struct reload *reload, struct service_settings *next)
{
    bool reported = false;
    struct tls_times seen = tls_times(reload->settings);
    for (;;) {
        int received = wait_for_event(reload, &seen, &reported);
        if (received != TLS_CHANGED && !reload_is_signal(reload, received))
            return received;
        if (reload->load != NULL && reload_load(reload, next))
            return 0;
    }
}
