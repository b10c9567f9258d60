/* probe.h - requests one path of a service on this machine, with a deadline: for `penchant health`
 * and the watchdog. It does not verify the certificate, because it asks for liveness and sends
 * nothing secret. Blocks the calling thread. */
#ifndef HTTP_PROBE_H
#define HTTP_PROBE_H

#include "base/err.h"
#include "base/str.h"

struct probe {
    const char *listen; /* as in the setting; an address of any interface means loopback */
    bool tls;
    struct str host; /* of the Host header */
    const char *path;
    int deadline_ms;
};

/* The status of the response in *status. ERR_UNAVAILABLE: `why` says what failed. */
enum err probe_request(const struct probe *probe, int *status, struct why *why);

#endif
