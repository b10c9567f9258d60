/* logos.c - logos that developers upload. The file is cleaned before it is stored; the mark of the
 * image is part of its URL. */
#include "flow/logos.h"

#include "model/app.h"
#include "model/logo.h"
#include "store/app_store.h"
#include "store/image_store.h"
#include "store/tx.h"
#include "text/base64url.h"

struct logo_change {
    struct arena *mem;
    struct str app_id;
    struct logo logo;
};

/* Holds the app, so that no logo is stored for one that is deleted meanwhile. */
static enum err
put(struct db_tx *tx, void *argument)
{
    struct logo_change *change = argument;
    struct app app;
    enum err err = app_store_lock(tx, change->mem, change->app_id, &app);
    if (err)
        return err;
    return str_present(change->logo.mark)
               ? logo_store_put(tx, change->mem, app.id, change->logo.mark, change->logo.image)
               : logo_store_delete(tx, change->mem, app.id);
}

/* The image is checked and cleaned before the transaction. */
enum err
logo_set(struct db *db, struct arena *mem, struct str app_id, struct str file, const char **problem)
{
    struct logo_change change = { .mem = mem, .app_id = app_id };
    *problem = logo_read(mem, file, &change.logo);
    return *problem != NULL ? ERR_INVALID : tx_write(db, put, &change);
}

enum err
logo_remove(struct db *db, struct arena *mem, struct str app_id)
{
    struct logo_change change = { .mem = mem, .app_id = app_id };
    return tx_write(db, put, &change);
}

/* `mark` is a part of the URL that changes with the image; an old mark is ERR_NOT_FOUND. */
enum err
logo_find(struct db *db, struct arena *mem, struct str app_id, struct str mark, struct str *png)
{
    struct str image = STR_NONE;
    *png = STR_NONE;
    if (!app_id_well_formed(app_id))
        return ERR_NOT_FOUND;
    struct db_tx *tx = tx_begin_read(db);
    enum err err = tx_end_read(tx, logo_store_find(tx, mem, app_id, mark, &image));
    if (err)
        return err;
    /* logo_read() encoded it, so that an image that cannot be decoded is damaged. */
    *png = base64url_decode(mem, image);
    return str_present(*png) ? ERR_NONE : ERR_INTERNAL;
}
