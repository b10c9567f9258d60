/* random.h - bytes nobody can guess, from the kernel, one call at a time.
 *
 * No state of our own: a forked or restored copy of the process does not repeat itself. If the
 * kernel has none to give, the process stops. Safe from any thread. */
#ifndef CRYPT_RANDOM_H
#define CRYPT_RANDOM_H

#include "base/str.h"

void random_start(void); /* once, at start; ends the process if there is no source */
void random_bytes(void *out, size_t length);
uint32_t random_below(uint32_t limit); /* 0 … limit-1, evenly */

/* prefix + 22 base64url characters (16 random bytes): usr_…, app_…, atm_… */
struct str random_id(struct arena *mem, const char *prefix);

#endif
