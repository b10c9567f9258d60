/* shard.c - two base64url characters give 4,096 shards. They are the first characters of the random
 * part of an id, so ids spread evenly over the shards without a table. */
#include "base/shard.h"

#include "base/ascii.h"

#define FIRST STR("AA")

int
shard_digit(char c)
{
    return base64_digit(c, "-_");
}

/* The text may come from a request. Any answer is safe: in the wrong shard, nothing is found. */
struct str
shard_at_start(struct str text)
{
    bool valid =
        text.len >= SHARD_LENGTH && shard_digit(text.ptr[0]) >= 0 && shard_digit(text.ptr[1]) >= 0;
    return valid ? str_first(text, SHARD_LENGTH) : FIRST;
}

/* An id without a prefix is in the first shard. */
struct str
shard_of(struct str id)
{
    size_t prefix = str_index(id, '_');
    return prefix < id.len ? shard_at_start(str_from(id, prefix + 1)) : FIRST;
}

int
shard_number(struct str shard)
{
    struct str valid = shard_at_start(shard);
    return shard_digit(valid.ptr[0]) * 64 + shard_digit(valid.ptr[1]);
}

/* Whether a hash that begins with a shard and an id belong to the same user's database. */
bool
shard_holds(struct str hash, struct str id)
{
    return str_eq(shard_at_start(hash), shard_of(id));
}
