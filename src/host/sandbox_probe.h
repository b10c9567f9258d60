/* sandbox_probe.h - lets a test try, inside the running service, what a compromised worker would
 * try. Compiled only into fault injection builds. Safe from any thread. */
#ifndef HOST_SANDBOX_PROBE_H
#define HOST_SANDBOX_PROBE_H

#include "base/err.h"
#include "base/str.h"

#ifdef PENCHANT_FAULT_INJECTION

/* True if the words are "sandbox-probe CALL [PATH]": tries the call and writes the name of the
 * error, or "allowed". */
bool sandbox_probe(const struct str *words, size_t count, struct why *out);

#else

static inline bool
sandbox_probe(const struct str *words, size_t count, struct why *out)
{
    (void)words, (void)count, (void)out;
    return false;
}

#endif
#endif
