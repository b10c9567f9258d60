/* Any bytes as a secret, unchanged and with a correct checksum: an accepted one has its prefix,
 * only allowed characters, and a correct checksum, and is returned unchanged. */
#include "base/arena.h"
#include "base/shard.h"
#include "crypt/digest.h"
#include "crypt/random.h"
#include "crypt/secret.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t
try_kinds(struct arena *mem, struct str text)
{
    static const enum secret_kind kinds[] = { SECRET_ACCESS_TOKEN, SECRET_REFRESH_TOKEN,
                                              SECRET_CODE, SECRET_CLIENT };
    size_t accepted = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const struct secret *secret = secret_read(mem, text, kinds[i]);
        if (secret == NULL)
            continue;
        accepted++;
        assert(text.len == SECRET_LENGTH && str_starts(text, STR("pn_")));
        assert(str_eq(secret_reveal(secret), text));
        struct str hash = secret_hash(mem, secret), digest = digest_text(mem, text);
        bool of_user = kinds[i] != SECRET_CLIENT;
        assert(str_eq(str_from(hash, 2), str_from(digest, 2)));
        for (size_t j = 0; j < 2; j++)
            assert(of_user ? shard_digit(hash.ptr[j]) ==
                                 (shard_digit(text.ptr[6 + j]) ^ shard_digit(text.ptr[46 + j]))
                           : hash.ptr[j] == digest.ptr[j]);
        for (size_t j = 0; j < text.len; j++)
            assert(strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
                          text.ptr[j]) != NULL &&
                   text.ptr[j] != '\0');
    }
    assert(accepted <= 1);
    return accepted;
}

static void
try_with_checksum(struct arena *mem, struct str input)
{
    char text[SECRET_LENGTH];
    if (input.len < 49)
        return;
    memcpy(text, input.ptr, 49);
    memcpy(text + 49, digest_text(mem, str_first(input, 49)).ptr, 6);
    try_kinds(mem, (struct str){ text, sizeof text });
    text[sizeof text - 1] ^= 1;
    assert(try_kinds(mem, (struct str){ text, sizeof text }) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena *mem;
    if (mem == NULL) {
        random_start();
        mem = arena_new();
    }
    struct str input = { size ? (const char *)data : "", size };
    try_kinds(mem, input);
    try_with_checksum(mem, input);
    arena_reset(mem);
    return 0;
}
