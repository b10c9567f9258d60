#include "crypt/digest.h"

#include "base/arena.h"

#include <gnutls/crypto.h>
#include <sodium.h>
#include <string.h>

_Static_assert(DIGEST_BYTES == crypto_hash_sha256_BYTES, "SHA-256");

/* By GnuTLS, which is there for TLS anyway and has the processor's own instructions do it: a tenth
 * of what libsodium's portable code takes, whether over a token or over a page of atoms. */
void
digest_bytes(struct str data, unsigned char out[DIGEST_BYTES])
{
    if (gnutls_hash_fast(GNUTLS_DIG_SHA256, data.ptr, data.len, out) != 0)
        crypto_hash_sha256(out, (const unsigned char *)data.ptr, data.len);
}

struct str
digest_text(struct arena *mem, struct str data)
{
    unsigned char hash[DIGEST_BYTES];
    char *text = arena_alloc(mem, DIGEST_TEXT_LENGTH + 1);
    digest_bytes(data, hash);
    sodium_bin2base64(text, DIGEST_TEXT_LENGTH + 1, hash, sizeof hash,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    return (struct str){ text, DIGEST_TEXT_LENGTH };
}

void
digest_short(struct str data, char out[DIGEST_SHORT_LENGTH])
{
    unsigned char hash[DIGEST_BYTES];
    char text[DIGEST_SHORT_LENGTH + 1];
    digest_bytes(data, hash);
    sodium_bin2base64(text, sizeof text, hash, DIGEST_SHORT_BYTES,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    memcpy(out, text, DIGEST_SHORT_LENGTH);
}

bool
digest_equal(struct str a, struct str b)
{
    if (!str_present(a) || !str_present(b) || a.len != b.len)
        return false;
    return sodium_memcmp(a.ptr, b.ptr, a.len) == 0;
}
