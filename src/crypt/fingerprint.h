/* fingerprint.h - a keyed 128-bit hash that replaces secret text in memory, for example in cache
 * keys.
 *
 * The key is random per process, so an attacker can neither construct collisions nor recover a
 * token. Values are only meaningful within this process. Safe from any thread. */
#ifndef CRYPT_FINGERPRINT_H
#define CRYPT_FINGERPRINT_H

#include "base/str.h"

#define FINGERPRINT_BYTES 16

void fingerprint(struct str text, unsigned char out[FINGERPRINT_BYTES]);

#endif
