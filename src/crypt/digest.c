/* digest.c - SHA-256 and HMAC as base64url text, because that is how they are stored and sent. */
#include "crypt/digest.h"

#include "base/arena.h"
#include "base/shard.h"

#include <gnutls/crypto.h>
#include <sodium.h>
#include <string.h>

#define HASH_BYTES crypto_hash_sha256_BYTES

/* GnuTLS uses the processor's SHA instructions and takes a tenth of the time of libsodium's
 * portable code. */
static void
make_hash(struct str data, unsigned char out[HASH_BYTES])
{
    if (gnutls_hash_fast(GNUTLS_DIG_SHA256, data.ptr, data.len, out) != 0)
        crypto_hash_sha256(out, (const unsigned char *)data.ptr, data.len);
}

/* A table takes a sixth of the time of libsodium's constant-time encoder. It leaks no timing: the
 * table fits into one cache line. */
static void
encode(const unsigned char *bytes, size_t count, char *out)
{
    _Alignas(64) static const char digits[65] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    uint32_t bits = 0;
    int held = 0;
    for (size_t i = 0; i < count; i++) {
        bits = bits << 8 | bytes[i];
        for (held += 8; held >= 6; held -= 6)
            *out++ = digits[bits >> (held - 6) & 63];
    }
    if (held > 0)
        *out = digits[bits << (6 - held) & 63];
}

/* In the arena, with room for the NUL, which the arena has zeroed. */
static char *
write_text(struct arena *mem, struct str data)
{
    unsigned char hash[HASH_BYTES];
    char *text = arena_alloc(mem, DIGEST_TEXT_LENGTH + 1);
    make_hash(data, hash);
    encode(hash, sizeof hash, text);
    return text;
}

struct str
digest_text(struct arena *mem, struct str data)
{
    return (struct str){ write_text(mem, data), DIGEST_TEXT_LENGTH };
}

/* The first two characters are replaced by the shard. The rest still has more than 240 bits of the
 * digest. */
struct str
digest_text_in(struct arena *mem, struct str data, struct str shard)
{
    char *text = write_text(mem, data);
    memcpy(text, shard_at_start(shard).ptr, SHARD_LENGTH);
    return (struct str){ text, DIGEST_TEXT_LENGTH };
}

struct str
digest_id(struct arena *mem, struct str id)
{
    return digest_text_in(mem, id, shard_of(id));
}

void
digest_short(struct str data, char out[DIGEST_SHORT_LENGTH])
{
    unsigned char hash[HASH_BYTES];
    make_hash(data, hash);
    encode(hash, DIGEST_SHORT_BYTES, out);
}

/* Unlike SHA-256 over key and data, an HMAC does not let a client append data without the key. */
struct str
digest_mac(struct arena *mem, struct str key, struct str data)
{
    unsigned char mac[crypto_auth_hmacsha256_BYTES];
    crypto_auth_hmacsha256_state state;
    char *text = arena_alloc(mem, DIGEST_TEXT_LENGTH + 1);
    crypto_auth_hmacsha256_init(&state, (const unsigned char *)key.ptr, key.len);
    crypto_auth_hmacsha256_update(&state, (const unsigned char *)data.ptr, data.len);
    crypto_auth_hmacsha256_final(&state, mac);
    encode(mac, sizeof mac, text);
    return (struct str){ text, DIGEST_TEXT_LENGTH };
}

/* In constant time. Absent texts are equal to nothing, also not to each other, so that a missing
 * hash never matches. */
bool
digest_equal(struct str a, struct str b)
{
    if (!str_present(a) || !str_present(b) || a.len != b.len)
        return false;
    return sodium_memcmp(a.ptr, b.ptr, a.len) == 0;
}
