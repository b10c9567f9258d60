/* fingerprint.c - SipHash with a random key of this process. Fingerprints are therefore only
 * compared within the process and never stored. */
#include "crypt/fingerprint.h"

#include <pthread.h>
#include <sodium.h>

_Static_assert(FINGERPRINT_BYTES == crypto_shorthash_siphashx24_BYTES, "SipHash-128");

static unsigned char key[crypto_shorthash_siphashx24_KEYBYTES];
static pthread_once_t key_made = PTHREAD_ONCE_INIT;

/* Called once by the first thread that needs it. */
static void
make_key(void)
{
    randombytes_buf(key, sizeof key);
}

/* Texts chosen by an attacker cannot be made to collide, since the key is unknown. */
void
fingerprint(struct str text, unsigned char out[FINGERPRINT_BYTES])
{
    pthread_once(&key_made, make_key);
    crypto_shorthash_siphashx24(out, (const unsigned char *)text.ptr, text.len, key);
}
