#include "crypt/random.h"

#include "base/arena.h"
#include "base/shard.h"

#include <sodium.h>

#define ID_BYTES 16
#define KEY_BYTES 32

/* Before any other function of this file, and before threads start. */
void
random_start(void)
{
    if (sodium_init() < 0) {
        fputs("penchant: the kernel provides no random numbers, so that secrets would be "
              "guessable; exiting\n",
              stderr);
        abort();
    }
}

/* libsodium calls getrandom(2) each time and keeps no pool; it aborts if the kernel fails. */
void
random_bytes(void *out, size_t length)
{
    randombytes_buf(out, length);
}

uint32_t
random_below(uint32_t limit)
{
    return randombytes_uniform(limit);
}

/* 128 bits or more, so ids neither collide nor can be guessed. */
struct str
random_id(struct arena *mem, const char *prefix)
{
    unsigned char bytes[ID_BYTES];
    char text[sodium_base64_ENCODED_LEN(ID_BYTES, sodium_base64_VARIANT_URLSAFE_NO_PADDING)];
    random_bytes(bytes, sizeof bytes);
    sodium_bin2base64(text, sizeof text, bytes, sizeof bytes,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    return str_format(mem, "%s%s", prefix, text);
}

/* The shard replaces two of the 22 characters, so 116 of 128 bits stay random. */
struct str
random_id_in(struct arena *mem, const char *prefix, struct str shard)
{
    struct str id = random_id(mem, "");
    return str_format(mem, "%s%.*s%.*s", prefix, STR_ARG(shard_at_start(shard)),
                      STR_ARG(str_from(id, SHARD_LENGTH)));
}

/* The first two characters are the shard of the user, so that the key alone says which database has
 * its row. */
struct str
random_key_in(struct arena *mem, struct str shard)
{
    unsigned char bytes[KEY_BYTES];
    char *text = arena_alloc(mem, RANDOM_KEY_LENGTH + 1);
    random_bytes(bytes, sizeof bytes);
    sodium_bin2base64(text, RANDOM_KEY_LENGTH + 1, bytes, sizeof bytes,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    sodium_memzero(bytes, sizeof bytes);
    memcpy(text, shard_at_start(shard).ptr, SHARD_LENGTH);
    return (struct str){ text, RANDOM_KEY_LENGTH };
}

/* Without i, l, o, 0, and 1, which look alike on paper. */
struct str
random_groups(struct arena *mem)
{
    static const char letters[] = "abcdefghjkmnpqrstuvwxyz23456789";
    const size_t length = RANDOM_GROUPS_CHARACTERS + 3;
    char *text = arena_alloc(mem, length + 1);
    for (size_t i = 0; i < length; i++)
        text[i] = i % 5 == 4 ? '-' : letters[random_below(sizeof letters - 1)];
    return (struct str){ text, length };
}
