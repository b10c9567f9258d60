/* rehearsal.h - how a test, from outside, stops the clock and makes the n-th store call fail.
 *
 * Only in builds made with PENCHANT_REHEARSAL (`make check` makes one; releases have none of it).
 * The variable PENCHANT_REHEARSAL names a file of four 64-bit numbers in the machine's byte order;
 * the test writes them, the program maps and reads them:
 *   0  the time in seconds; 0 = the real one
 *   1  milliseconds by which deadlines are moved forward
 *   2  how many store calls may still go well before one fails; -1 = all
 *   3  how many store calls were made (written by the program)
 * Safe from any thread. */
#ifndef BASE_REHEARSAL_H
#define BASE_REHEARSAL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef PENCHANT_REHEARSAL

void
rehearsal_start(void); /* maps the file if the variable names one; ends the process if it cannot */
int64_t rehearsal_now(void);
int64_t rehearsal_forward_ms(void);
bool rehearsal_call_fails(void); /* counts one store call */

#else

static inline void
rehearsal_start(void)
{
}

static inline int64_t
rehearsal_now(void)
{
    return 0;
}

static inline int64_t
rehearsal_forward_ms(void)
{
    return 0;
}

static inline bool
rehearsal_call_fails(void)
{
    return false;
}

#endif
#endif
