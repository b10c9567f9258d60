/* shard.h - the shard that a user's data belongs to.
 *
 * A shard is a number from 0 to 4095: the first two base64url characters of the user id after its
 * prefix (usr_AB…). They are random, so users spread evenly over the shards. Everything that
 * belongs to a user begins with the same two characters: session keys, authorization requests,
 * codes, tokens, one-time links, and the hashes under which these are stored. So each of them leads
 * to its shard without a lookup, and rows of one user can be kept in one database (docs/SCALE.md).
 *
 * A single database holds all shards. Pure functions, safe from any thread. */
#ifndef BASE_SHARD_H
#define BASE_SHARD_H

#include "base/str.h"

#define SHARD_LENGTH 2
#define SHARD_COUNT 4096

/* The two characters after the first "_" of an id, which may come from a request: if they are
 * missing or not base64url, the first shard (AA). Points into `id`, or to a constant. */
struct str shard_of(struct str id);

/* The same for text that begins with its shard: a session key, or a stored hash. */
struct str shard_at_start(struct str text);

/* 0 to SHARD_COUNT - 1. */
int shard_number(struct str shard);

/* The value of a base64url digit, 0 to 63; -1 for any other character. */
int shard_digit(char c);

/* Whether a stored hash belongs to the shard of the id, as every hash that the program stores does.
 */
bool shard_holds(struct str hash, struct str id);

#endif
