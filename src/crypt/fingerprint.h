/* fingerprint.h - what stands for a text where the text itself must not lie about.
 *
 * 128 bits under a key that this process made up when it started: nobody outside can find two texts
 * with the same one, nor learn a token from it. Fast, and good in this process alone. */
#ifndef CRYPT_FINGERPRINT_H
#define CRYPT_FINGERPRINT_H

#include "base/str.h"

#define FINGERPRINT_BYTES 16

void fingerprint(struct str text, unsigned char out[FINGERPRINT_BYTES]);

#endif
