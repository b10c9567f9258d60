/* picture.h - the picture of a user: a small square PNG image (text/png.h), served from this
 * service only.
 *
 * Anyone who knows its URL can load it, as apps expect of the claim `picture`. Its id is random, so
 * that only the user and apps with profile:read know it, and a new picture has a new one. Results
 * are allocated from `mem`. Any thread may call these functions. */
#ifndef IDENTITY_PICTURE_H
#define IDENTITY_PICTURE_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct db;
struct user;

/* ERR_INVALID: *problem is a sentence for the user, and nothing has changed. */
enum err picture_set(struct db *db, struct arena *mem, struct str user_id, struct str file,
                     int64_t now, const char **problem);

enum err picture_remove(struct db *db, struct arena *mem, struct str user_id, int64_t now);

/* The image as PNG. ERR_NOT_FOUND: no user has this picture. */
enum err picture_find(struct db *db, struct arena *mem, struct str picture_id, struct str *png);

/* The path of the user's picture on this service; absent: there is none. */
struct str picture_path(struct arena *mem, const struct user *user);

#endif
