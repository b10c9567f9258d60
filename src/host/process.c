/* process.c - see process.h. Best effort: what the system does not allow stays as it is. */
#include "host/process.h"

#include "base/log.h"

#include <sys/prctl.h>
#include <sys/resource.h>

/* Call before threads start. What fails is not fatal: the service is then less protected, not
 * wrong. */
void
process_prepare(int64_t connections)
{
    struct rlimit limit;
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 }); /* memory holds secrets: no core files */
    /* No program started from here can gain rights by setuid. */
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
        if (limit.rlim_cur < (rlim_t)connections + 64)
            log_warn("descriptor_limit_too_low",
                     log_text("hint", STR("raise ulimit -n or lower the setting connections")),
                     log_number("descriptors", (int64_t)limit.rlim_cur),
                     log_number("connections", connections));
    }
}

void
process_hide_memory(bool hidden)
{
#ifndef PENCHANT_FAULT_INJECTION
    prctl(PR_SET_DUMPABLE, hidden ? 0 : 1, 0, 0, 0);
#else
    (void)hidden;
#endif
}

/* SIGHUP only if it is not ignored, as under nohup. */
sigset_t
process_awaited_signals(void)
{
    sigset_t set;
    struct sigaction hangup = { 0 };
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
        sigaddset(&set, SIGHUP);
    return set;
}
