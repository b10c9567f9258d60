/* fault_injection.h - how a test, from outside, stops the clock, makes the n-th store call fail and
 * makes password hashing cheap.
 *
 * Only in builds made with PENCHANT_FAULT_INJECTION (`make check` makes one; releases have none of
 * it). The variable PENCHANT_FAULT_INJECTION names a file of five 64-bit numbers in the machine's
 * byte order; the test writes them, the program maps and reads them: 0  the time in seconds; 0 =
 * the real one 1  milliseconds by which deadlines are moved forward 2  how many store calls may
 * still go well before one fails; -1 = all 3  how many store calls were made (written by the
 * program) 4  1 = hash passwords with the least memory and time that Argon2id allows Safe from any
 * thread. */
#ifndef BASE_FAULT_INJECTION_H
#define BASE_FAULT_INJECTION_H

#include <stdbool.h>
#include <stdint.h>

#ifdef PENCHANT_FAULT_INJECTION

void fault_injection_start(
    void); /* maps the file if the variable names one; ends the process if it cannot */
int64_t fault_injection_now(void);
int64_t fault_injection_forward_ms(void);
bool fault_injection_call_fails(void); /* counts one store call */
bool fault_injection_hashes_cheaply(void);

#else

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

#endif
#endif
