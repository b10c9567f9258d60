/* picture_store.h - reads and writes the pictures of users. */
#ifndef STORE_PICTURE_STORE_H
#define STORE_PICTURE_STORE_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct db_tx;
struct user;

/* Replaces the user's picture; `image` is base64url of a PNG. An absent id removes it. Hold the
 * user and read it in the same transaction. */
enum err picture_store_put(struct db_tx *tx, struct arena *mem, const struct user *user,
                           struct str picture_id, struct str image, int64_t now);

enum err picture_store_find(struct db_tx *tx, struct arena *mem, struct str picture_id,
                            struct str *image);

/* For a user who is deleted; no error if there is no picture. */
enum err picture_store_end_user(struct db_tx *tx, struct arena *mem, const struct user *user);

#endif
