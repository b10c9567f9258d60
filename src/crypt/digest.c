#include "crypt/digest.h"

#include "base/arena.h"

#include <sodium.h>
#include <string.h>

struct str
digest_text(struct arena *mem, struct str data)
{
    unsigned char hash[crypto_hash_sha256_BYTES];
    char *text = arena_alloc(mem, DIGEST_TEXT_LENGTH + 1);
    crypto_hash_sha256(hash, (const unsigned char *)data.ptr, data.len);
    sodium_bin2base64(text, DIGEST_TEXT_LENGTH + 1, hash, sizeof hash,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    return (struct str){ text, DIGEST_TEXT_LENGTH };
}

void
digest_short(struct str data, char out[DIGEST_SHORT_LENGTH])
{
    unsigned char hash[crypto_generichash_BYTES_MIN];
    char text[DIGEST_SHORT_LENGTH + 1];
    crypto_generichash(hash, sizeof hash, (const unsigned char *)data.ptr, data.len, NULL, 0);
    sodium_bin2base64(text, sizeof text, hash, sizeof hash,
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
