#include "base/clock.h"

#include "base/fault_injection.h"

#include <time.h>

static struct timespec
read_clock(clockid_t id)
{
    struct timespec now = { 0 };
    clock_gettime(id, &now);
    return now;
}

int64_t
clock_now(void)
{
    int64_t stopped = fault_injection_now();
    return stopped != 0 ? stopped : (int64_t)read_clock(CLOCK_REALTIME).tv_sec;
}

int64_t
clock_steady_ms(void)
{
    struct timespec now = read_clock(CLOCK_MONOTONIC);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 + fault_injection_forward_ms();
}

int64_t
clock_ticks_ns(void)
{
    struct timespec now = read_clock(CLOCK_MONOTONIC);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
