/* secret.c - PREFIX (6) RANDOM (43) CHECKSUM (6).
 *
 * The 43 characters encode 32 bytes. In a user's secret, the first two are the shard (a group
 * begins with its shard, too), which mask() hides. The order is: bytes, base64url, shard, mask,
 * checksum. Reading goes backward: the checksum is compared over the text as it is, and show()
 * removes the mask. */
#include "crypt/secret.h"

#include "base/arena.h"
#include "base/ascii.h"
#include "base/shard.h"
#include "crypt/digest.h"
#include "crypt/random.h"

#include <sodium.h>

#define RANDOM_BYTES 32
#define RANDOM_LENGTH 43
#define GROUP_BYTES 16
#define TIME_BYTES 4 /* after the group: seconds since 1970, hidden by the bytes after them */
#define MASK_AT 40   /* random, also in a secret that names its group */
#define CHECKED_LENGTH (SECRET_PREFIX_LENGTH + RANDOM_LENGTH)
#define CHECKSUM_LENGTH (SECRET_LENGTH - CHECKED_LENGTH)

/* Only this file sees the text, and secret_reveal() is the only way to it. */
struct secret {
    char text[SECRET_LENGTH + 1];
};

_Static_assert(CHECKSUM_LENGTH == 6, "the contract says six characters of checksum");
_Static_assert(sodium_base64_ENCODED_LEN(RANDOM_BYTES, sodium_base64_VARIANT_URLSAFE_NO_PADDING) ==
                   RANDOM_LENGTH + 1,
               "as many characters as the random bytes need");
_Static_assert(sodium_base64_ENCODED_LEN(GROUP_BYTES, sodium_base64_VARIANT_URLSAFE_NO_PADDING) ==
                   SECRET_GROUP_LENGTH + 1,
               "as many characters as the bytes of a group need");

/* The prefixes are public: secret scanners know them. */
static struct str
prefix_of(enum secret_kind kind)
{
    switch (kind) {
    case SECRET_ACCESS_TOKEN:
        return STR("pn_at_");
    case SECRET_REFRESH_TOKEN:
        return STR("pn_rt_");
    case SECRET_CODE:
        return STR("pn_ac_");
    case SECRET_CLIENT:
        return STR("pn_cs_");
    case SECRET_LINK:
        return STR("pn_li_");
    }
    abort(); /* a secret without a prefix could not be parsed */
}

bool
secret_begins(struct str text)
{
    for (enum secret_kind kind = SECRET_ACCESS_TOKEN; kind <= SECRET_LINK; kind++)
        if (str_starts(text, prefix_of(kind)))
            return true;
    return false;
}

/* Over everything before it, with the prefix, so a token is no valid secret of another kind. */
static void
write_checksum(const char *text, char checksum[static CHECKSUM_LENGTH])
{
    char digest[DIGEST_SHORT_LENGTH];
    digest_short((struct str){ text, CHECKED_LENGTH }, digest);
    memcpy(checksum, digest, CHECKSUM_LENGTH);
}

/* Client secrets belong to apps and are the only ones without a shard. */
static bool
is_of_user(const struct secret *secret)
{
    return !str_starts(secret_reveal(secret), prefix_of(SECRET_CLIENT));
}

/* Hides the first characters of the random part, or shows them again. */
static void
mask(char part[static RANDOM_LENGTH])
{
    static const char digits[65] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (size_t i = 0; i < SHARD_LENGTH; i++)
        part[i] = digits[(shard_digit(part[i]) ^ shard_digit(part[MASK_AT + i])) & 63];
}

/* Wipes the bytes. The shard replaces the first 12 bits; absent: they stay. */
static const struct secret *
make(struct arena *mem, enum secret_kind kind, unsigned char bytes[static RANDOM_BYTES],
     struct str shard)
{
    struct secret *secret = ARENA_NEW(mem, struct secret);
    memcpy(secret->text, prefix_of(kind).ptr, SECRET_PREFIX_LENGTH);
    sodium_bin2base64(secret->text + SECRET_PREFIX_LENGTH, RANDOM_LENGTH + 1, bytes, RANDOM_BYTES,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    sodium_memzero(bytes, RANDOM_BYTES);
    if (str_present(shard))
        memcpy(secret->text + SECRET_PREFIX_LENGTH, shard_at_start(shard).ptr, SHARD_LENGTH);
    if (is_of_user(secret))
        mask(secret->text + SECRET_PREFIX_LENGTH);
    write_checksum(secret->text, secret->text + CHECKED_LENGTH);
    return secret;
}

/* For secrets that name only a shard. */
const struct secret *
secret_make(struct arena *mem, enum secret_kind kind, struct str shard)
{
    unsigned char bytes[RANDOM_BYTES];
    random_bytes(bytes, sizeof bytes);
    return make(mem, kind, bytes, shard);
}

/* The text may be anything: shard_digit() returns -1 for other characters, and mask() keeps six
 * bits of it. */
int
secret_shard(struct str text)
{
    if (text.len != SECRET_LENGTH)
        return 0;
    char part[RANDOM_LENGTH];
    memcpy(part, text.ptr + SECRET_PREFIX_LENGTH, RANDOM_LENGTH);
    mask(part);
    int shard = shard_number(shard_at_start((struct str){ part, SHARD_LENGTH }));
    sodium_memzero(part, sizeof part);
    return shard;
}

/* Decodes exactly `length` bytes; anything else is a defect of the caller. */
static void
decode(struct str text, unsigned char *out, size_t length)
{
    size_t decoded = 0;
    if (sodium_base642bin(out, length, text.ptr, text.len, NULL, &decoded, NULL,
                          sodium_base64_VARIANT_URLSAFE_NO_PADDING) != 0 ||
        decoded != length)
        abort();
}

/* Replaces the first bytes, and makes a secret of them. */
static const struct secret *
make_in(struct arena *mem, enum secret_kind kind, unsigned char bytes[static RANDOM_BYTES],
        struct str group, int64_t now)
{
    decode(group, bytes, GROUP_BYTES);
    for (int i = 0; i < TIME_BYTES; i++) {
        unsigned char *at = bytes + GROUP_BYTES + i;
        *at = (unsigned char)((uint64_t)now >> 8 * (TIME_BYTES - 1 - i)) ^ at[TIME_BYTES];
    }
    return make(mem, kind, bytes, STR_NONE);
}

const struct secret *
secret_make_in(struct arena *mem, enum secret_kind kind, struct str group, int64_t now)
{
    unsigned char bytes[RANDOM_BYTES];
    random_bytes(bytes, sizeof bytes);
    return make_in(mem, kind, bytes, group, now);
}

/* The random part as it was before mask(). */
static void
show(const struct secret *secret, char part[static RANDOM_LENGTH])
{
    memcpy(part, secret->text + SECRET_PREFIX_LENGTH, RANDOM_LENGTH);
    if (is_of_user(secret))
        mask(part);
}

/* The caller overwrites `bytes` after use. */
static void
show_bytes(const struct secret *secret, unsigned char bytes[static RANDOM_BYTES])
{
    char part[RANDOM_LENGTH];
    show(secret, part);
    decode((struct str){ part, sizeof part }, bytes, RANDOM_BYTES);
    sodium_memzero(part, sizeof part);
}

/* The group that a token carries: its family, so that the family can be read before the token's
 * row. */
struct str
secret_group(struct arena *mem, const struct secret *secret)
{
    unsigned char bytes[RANDOM_BYTES];
    char *group = arena_alloc(mem, SECRET_GROUP_LENGTH + 1);
    show_bytes(secret, bytes);
    sodium_bin2base64(group, SECRET_GROUP_LENGTH + 1, bytes, GROUP_BYTES,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    sodium_memzero(bytes, sizeof bytes);
    return (struct str){ group, SECRET_GROUP_LENGTH };
}

/* The time is stored XORed with random bytes of the same secret, so that the text does not show
 * it. */
int64_t
secret_time(const struct secret *secret)
{
    unsigned char bytes[RANDOM_BYTES];
    int64_t time = 0;
    show_bytes(secret, bytes);
    for (const unsigned char *at = bytes + GROUP_BYTES; at < bytes + GROUP_BYTES + TIME_BYTES; at++)
        time = time << 8 | (*at ^ at[TIME_BYTES]);
    sodium_memzero(bytes, sizeof bytes);
    return time;
}

/* BLAKE2b with the secret as its key. The prefix separates an access token from a refresh token of
 * the same seed. */
static void
derive(enum secret_kind kind, const struct secret *from, struct str seed,
       unsigned char bytes[static RANDOM_BYTES])
{
    crypto_generichash_state state;
    crypto_generichash_init(&state, (const unsigned char *)from->text, SECRET_LENGTH, RANDOM_BYTES);
    crypto_generichash_update(&state, (const unsigned char *)prefix_of(kind).ptr,
                              SECRET_PREFIX_LENGTH);
    crypto_generichash_update(&state, (const unsigned char *)seed.ptr, seed.len);
    crypto_generichash_final(&state, bytes, RANDOM_BYTES);
    sodium_memzero(&state, sizeof state);
}

/* The same token and seed always give the same secret: a public client that repeats a request gets
 * the same pair again. */
const struct secret *
secret_derive(struct arena *mem, enum secret_kind kind, const struct secret *from, struct str seed)
{
    unsigned char bytes[RANDOM_BYTES];
    char part[RANDOM_LENGTH];
    derive(kind, from, seed, bytes);
    show(from, part);
    const struct secret *made = make(mem, kind, bytes, (struct str){ part, SHARD_LENGTH });
    sodium_memzero(part, sizeof part);
    return made;
}

const struct secret *
secret_derive_in(struct arena *mem, enum secret_kind kind, const struct secret *from,
                 struct str seed, struct str group, int64_t now)
{
    unsigned char bytes[RANDOM_BYTES];
    derive(kind, from, seed, bytes);
    return make_in(mem, kind, bytes, group, now);
}

static bool
is_of_alphabet(char c)
{
    return ascii_is_alphanumeric(c) || c == '-' || c == '_';
}

/* The 43rd character carries four bits; the other two must be zero, so that a secret has only one
 * representation. */
static bool
random_part_is_well_formed(struct str part)
{
    for (size_t i = 0; i < part.len; i++)
        if (!is_of_alphabet(part.ptr[i]))
            return false;
    return strchr("AEIMQUYcgkosw048", part.ptr[part.len - 1]) != NULL;
}

/* NULL: not a secret of this kind. The checksum rejects typing mistakes without a query; it proves
 * nothing. */
const struct secret *
secret_read(struct arena *mem, struct str text, enum secret_kind kind)
{
    if (text.len != SECRET_LENGTH || !str_starts(text, prefix_of(kind)))
        return NULL;
    if (!random_part_is_well_formed(str_first(str_from(text, SECRET_PREFIX_LENGTH), RANDOM_LENGTH)))
        return NULL;
    char checksum[CHECKSUM_LENGTH];
    write_checksum(text.ptr, checksum);
    if (sodium_memcmp(checksum, text.ptr + CHECKED_LENGTH, CHECKSUM_LENGTH) != 0)
        return NULL;
    struct secret *secret = ARENA_NEW(mem, struct secret);
    memcpy(secret->text, text.ptr, SECRET_LENGTH);
    return secret;
}

/* Keeps the shard in front of the digest, so that the hash names the database as well. Hashes are
 * compared, never the secrets. */
struct str
secret_hash(struct arena *mem, const struct secret *secret)
{
    char part[RANDOM_LENGTH];
    if (!is_of_user(secret))
        return digest_text(mem, secret_reveal(secret));
    show(secret, part);
    struct str hash =
        digest_text_in(mem, secret_reveal(secret), (struct str){ part, SHARD_LENGTH });
    sodium_memzero(part, sizeof part);
    return hash;
}

struct str
secret_reveal(const struct secret *secret)
{
    return (struct str){ secret->text, SECRET_LENGTH };
}
