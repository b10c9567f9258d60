/* fault_injection.h - lets a test stop the clock, make the n-th database call fail, make
 * password hashing cheap, and make a start shorter.
 *
 * Compiled only with PENCHANT_FAULT_INJECTION, which `make check` sets and releases do not. The
 * environment variable PENCHANT_FAULT_INJECTION names a file of seven 64-bit integers in native
 * byte order. The program maps the file; the test writes to it:
 *
 *   0  the time in seconds; 0: the real time
 *   1  milliseconds to add to the monotonic clock
 *   2  number of database calls that succeed before one fails; -1: all succeed
 *   3  number of database calls so far (written by the program)
 *   4  1: hash passwords with the least memory and time that Argon2id allows
 *   5  seconds by which the system's clock is wrong
 *   6  1: a statement is prepared when it first runs, not at startup (db_settings.prepare_lazily)
 *
 * Safe from any thread. */
#ifndef BASE_FAULT_INJECTION_H
#define BASE_FAULT_INJECTION_H

#include <stdbool.h>
#include <stdint.h>

#ifdef PENCHANT_FAULT_INJECTION

/* How often a thread looks for something to do: more often here, so that tests wait less. */
#define FAULT_INJECTION_INTERVAL(ms) ((ms) / 10)

/* Maps the file if the variable is set; exits the process if it cannot. */
void fault_injection_start(void);
int64_t fault_injection_now(void);
int64_t fault_injection_forward_ms(void);
bool fault_injection_call_fails(void); /* counts one database call */
bool fault_injection_hashes_cheaply(void);
int64_t fault_injection_skew_ms(void);
bool fault_injection_prepares_lazily(void);

#else

#define FAULT_INJECTION_INTERVAL(ms) (ms)

static inline void
fault_injection_start(void)
{
}

static inline int64_t
fault_injection_now(void)
{
    return 0;
}

static inline int64_t
fault_injection_forward_ms(void)
{
    return 0;
}

static inline bool
fault_injection_call_fails(void)
{
    return false;
}

static inline bool
fault_injection_hashes_cheaply(void)
{
    return false;
}

static inline int64_t
fault_injection_skew_ms(void)
{
    return 0;
}

static inline bool
fault_injection_prepares_lazily(void)
{
    return false;
}

#endif
#endif
