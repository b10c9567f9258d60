/* picture.c - a picture is stored without metadata, and under a new random id each time, so that
 * its URL never returns another image. */
#include "identity/picture.h"

#include "base/shard.h"
#include "crypt/random.h"
#include "model/user.h"
#include "store/image_store.h"
#include "store/tx.h"
#include "store/user_store.h"
#include "text/base64url.h"
#include "text/png.h"

#define ID_MAX 100

struct picture_change {
    struct arena *mem;
    struct str user_id, picture_id, image;
    int64_t now;
};

/* An absent image removes the picture. The user is read under the lock, because picture_store_put()
 * also deletes the picture that the user had. */
static enum err
put(struct db_tx *tx, void *argument)
{
    const struct picture_change *change = argument;
    struct user user;
    enum err err = user_store_lock(tx, change->mem, change->user_id);
    if (!err)
        err = user_store_find(tx, change->mem, change->user_id, &user);
    return err ? err
               : picture_store_put(tx, change->mem, &user, change->picture_id, change->image,
                                   change->now);
}

/* Only the chunks that draw the picture are stored: no metadata, such as the place of a photo. Each
 * picture has an id of its own. */
enum err
picture_set(struct db *db, struct arena *mem, struct str user_id, struct str file, int64_t now,
            const char **problem)
{
    struct str clean;
    *problem = png_clean(mem, file, &clean);
    if (*problem != NULL)
        return ERR_INVALID;
    struct picture_change change = { .mem = mem,
                                     .user_id = user_id,
                                     .picture_id = random_id_in(mem, "pic_", shard_of(user_id)),
                                     .image = base64url_encode(mem, clean),
                                     .now = now };
    return tx_write(db, put, &change);
}

enum err
picture_remove(struct db *db, struct arena *mem, struct str user_id, int64_t now)
{
    struct picture_change change = { .mem = mem, .user_id = user_id, .now = now };
    return tx_write(db, put, &change);
}

/* The id comes from a URL; the limit keeps long ones from the database. */
enum err
picture_find(struct db *db, struct arena *mem, struct str picture_id, struct str *png)
{
    struct str image = STR_NONE;
    *png = STR_NONE;
    if (picture_id.len > ID_MAX)
        return ERR_NOT_FOUND;
    struct db_tx *tx = tx_begin_read(db);
    enum err err = tx_end_read(tx, picture_store_find(tx, mem, picture_id, &image));
    if (err)
        return err;
    *png = base64url_decode(mem, image);
    return str_present(*png) ? ERR_NONE : ERR_INTERNAL;
}

struct str
picture_path(struct arena *mem, const struct user *user)
{
    if (!str_present(user->picture))
        return STR_NONE;
    return str_format(mem, "/pictures/%.*s", STR_ARG(user->picture));
}
