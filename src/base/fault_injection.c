#include "base/fault_injection.h"

#ifdef PENCHANT_FAULT_INJECTION

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The order is the format of the file: see fault_injection.h. */
struct script {
    _Atomic int64_t now;
    _Atomic int64_t forward_ms;
    _Atomic int64_t calls_left;
    _Atomic int64_t calls;
    _Atomic int64_t cheap_hashing;
    _Atomic int64_t skew_ms;
    _Atomic int64_t lazy_preparing;
};

/* Without the variable, nothing is injected, but calls are counted all the same. */
static struct script no_script = { .calls_left = -1 };
static struct script *script = &no_script;

/* Only in the fault injection build. The test and the program share the file, so the test changes
 * clock and faults while the program runs. */
void
fault_injection_start(void)
{
    const char *path = getenv("PENCHANT_FAULT_INJECTION");
    if (path == NULL)
        return;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    void *map =
        fd < 0 ? MAP_FAILED : mmap(NULL, sizeof *script, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED) {
        fprintf(stderr, "penchant: PENCHANT_FAULT_INJECTION: cannot map %s\n", path);
        exit(2);
    }
    close(fd);
    script = map;
}

int64_t
fault_injection_now(void)
{
    return atomic_load_explicit(&script->now, memory_order_relaxed);
}

int64_t
fault_injection_forward_ms(void)
{
    return atomic_load_explicit(&script->forward_ms, memory_order_relaxed);
}

bool
fault_injection_call_fails(void)
{
    atomic_fetch_add(&script->calls, 1);
    if (atomic_load(&script->calls_left) < 0)
        return false;
    /* One call fails, the one that finds 0. It leaves -1, so that the calls after it succeed. */
    return atomic_fetch_sub(&script->calls_left, 1) == 0;
}

bool
fault_injection_hashes_cheaply(void)
{
    return atomic_load_explicit(&script->cheap_hashing, memory_order_relaxed) == 1;
}

int64_t
fault_injection_skew_ms(void)
{
    return atomic_load_explicit(&script->skew_ms, memory_order_relaxed);
}

bool
fault_injection_prepares_lazily(void)
{
    return atomic_load_explicit(&script->lazy_preparing, memory_order_relaxed) == 1;
}

#else

/* ISO C requires a declaration in a translation unit. */
typedef int fault_injection_is_not_built;

#endif
