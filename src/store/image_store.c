/* image_store.c - pictures of users and logos of apps, as base64url text, in tables of their own:
 * their rows are large and rarely read. */
#include "store/image_store.h"

#include "db/db.h"
#include "model/user.h"

/* ---- pictures of users ---- */

SQL(picture_add, "INSERT INTO user_picture (picture_id, image) VALUES ($1, $2)");

SQL(picture_find, "SELECT image FROM user_picture WHERE picture_id = $1");

SQL(picture_delete, "DELETE FROM user_picture WHERE picture_id = $1");

SQL(picture_put_user, "UPDATE user_account SET picture = $2, updated_at = $3 WHERE user_id = $1");

/* By the id in the user's row: pictures have no column for the user. */
enum err
picture_store_end_user(struct db_tx *tx, struct arena *mem, const struct user *user)
{
    return str_present(user->picture)
               ? db_query(tx, mem, &picture_delete, NULL, db_text(user->picture))
               : ERR_NONE;
}

/* The old picture is deleted first, so that no picture remains without a user. An absent id removes
 * the picture. */
enum err
picture_store_put(struct db_tx *tx, struct arena *mem, const struct user *user,
                  struct str picture_id, struct str image, int64_t now)
{
    enum err err = picture_store_end_user(tx, mem, user);
    if (!err && str_present(picture_id))
        err = db_query(tx, mem, &picture_add, NULL, db_text(picture_id), db_text(image));
    return err ? err
               : db_query(tx, mem, &picture_put_user, NULL, db_text(user->id), db_text(picture_id),
                          db_int(now));
}

/* By the id alone, which is random and appears only in URLs of the picture. */
enum err
picture_store_find(struct db_tx *tx, struct arena *mem, struct str picture_id, struct str *image)
{
    struct db_rows rows = { 0 };
    enum err err = db_query_row(tx, mem, &picture_find, &rows, ERR_NOT_FOUND, db_text(picture_id));
    *image = err ? STR_NONE : db_cell_text(&rows, 0, 0);
    return err;
}

/* ---- logos of apps ---- */

SQL(logo_put, "INSERT INTO app_logo (app_id, image) VALUES ($1, $2)"
              " ON CONFLICT (app_id) DO UPDATE SET image = excluded.image");

SQL(logo_put_mark, "UPDATE app SET logo = $2 WHERE app_id = $1");

/* The mark is part of the URL, which browsers cache: an old URL must not return a new image. */
SQL(logo_find, "SELECT app_logo.image FROM app JOIN app_logo ON app_logo.app_id = app.app_id"
               " WHERE app.app_id = $1 AND app.logo = $2");

SQL(logo_delete, "DELETE FROM app_logo WHERE app_id = $1");

enum err
logo_store_put(struct db_tx *tx, struct arena *mem, struct str app_id, struct str mark,
               struct str image)
{
    enum err err = db_query(tx, mem, &logo_put, NULL, db_text(app_id), db_text(image));
    return err ? err : db_query(tx, mem, &logo_put_mark, NULL, db_text(app_id), db_text(mark));
}

/* Both the app and the mark must match. */
enum err
logo_store_find(struct db_tx *tx, struct arena *mem, struct str app_id, struct str mark,
                struct str *image)
{
    struct db_rows rows = { 0 };
    enum err err =
        db_query_row(tx, mem, &logo_find, &rows, ERR_NOT_FOUND, db_text(app_id), db_text(mark));
    *image = err ? STR_NONE : db_cell_text(&rows, 0, 0);
    return err;
}

/* The mark in the app's row decides whether there is a logo. */
enum err
logo_store_delete(struct db_tx *tx, struct arena *mem, struct str app_id)
{
    enum err err = db_query(tx, mem, &logo_delete, NULL, db_text(app_id));
    return err ? err : db_query(tx, mem, &logo_put_mark, NULL, db_text(app_id), db_text(STR_NONE));
}
