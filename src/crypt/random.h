/* random.h - random bytes from the kernel.
 *
 * The module has no state of its own, so a forked or restored process does not repeat values. If
 * the kernel cannot provide random bytes, the process aborts. Safe from any thread. */
#ifndef CRYPT_RANDOM_H
#define CRYPT_RANDOM_H

#include "base/str.h"

void random_start(void); /* call once at startup; exits the process if no source is available */
void random_bytes(void *out, size_t length);
uint32_t random_below(uint32_t limit); /* uniform, 0 to limit - 1 */

/* prefix + 22 base64url characters (16 random bytes): usr_…, app_…, atm_… */
struct str random_id(struct arena *mem, const char *prefix);

/* The same in a shard (base/shard.h): its two characters, then 20 random ones. */
struct str random_id_in(struct arena *mem, const char *prefix, struct str shard);

/* 43 base64url characters (32 bytes): the shard, then 41 random ones. */
#define RANDOM_KEY_LENGTH 43
struct str random_key_in(struct arena *mem, struct str shard);

/* Four groups of four characters that are hard to confuse, for people to copy: 79 bits. */
#define RANDOM_GROUPS_CHARACTERS 16 /* without the three hyphens */
struct str random_groups(struct arena *mem);

#endif
