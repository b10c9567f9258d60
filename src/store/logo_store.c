#include "store/logo_store.h"

#include "db/db.h"

SQL(logo_put, "INSERT INTO app_logo (app_id, image) VALUES ($1, $2)"
              " ON CONFLICT (app_id) DO UPDATE SET image = excluded.image");

SQL(logo_put_mark, "UPDATE app SET logo = $2 WHERE app_id = $1");

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

enum err
logo_store_find(struct db_tx *tx, struct arena *mem, struct str app_id, struct str mark,
                struct str *image)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &logo_find, &rows, db_text(app_id), db_text(mark));
    if (!err && rows.count == 0)
        err = ERR_NOT_FOUND;
    *image = err ? STR_NONE : db_cell_text(&rows, 0, 0);
    return err;
}

enum err
logo_store_delete(struct db_tx *tx, struct arena *mem, struct str app_id)
{
    enum err err = db_query(tx, mem, &logo_delete, NULL, db_text(app_id));
    return err ? err : db_query(tx, mem, &logo_put_mark, NULL, db_text(app_id), db_text(STR_NONE));
}
