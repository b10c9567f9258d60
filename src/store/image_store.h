/* image_store.h - reads and writes the pictures of users and the logos of apps. An image is
 * base64url of a PNG. Results are allocated from `mem`. Call from the thread that runs the
 * transaction. */
#ifndef STORE_IMAGE_STORE_H
#define STORE_IMAGE_STORE_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct db_tx;
struct user;

/* Replaces the user's picture. An absent id removes it. Hold the user and read it in the same
 * transaction. */
enum err picture_store_put(struct db_tx *tx, struct arena *mem, const struct user *user,
                           struct str picture_id, struct str image, int64_t now);

enum err picture_store_find(struct db_tx *tx, struct arena *mem, struct str picture_id,
                            struct str *image);

/* For a user who is deleted; no error if there is no picture. */
enum err picture_store_end_user(struct db_tx *tx, struct arena *mem, const struct user *user);

/* Replaces the logo. `mark` is a digest of the image. */
enum err logo_store_put(struct db_tx *tx, struct arena *mem, struct str app_id, struct str mark,
                        struct str image);

/* ERR_NOT_FOUND if the app has no logo with this mark. */
enum err logo_store_find(struct db_tx *tx, struct arena *mem, struct str app_id, struct str mark,
                         struct str *image);

/* No error if the app has none. */
enum err logo_store_delete(struct db_tx *tx, struct arena *mem, struct str app_id);

#endif
