/* logo_store.h - reads and writes the logos of apps. */
#ifndef STORE_LOGO_STORE_H
#define STORE_LOGO_STORE_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct db_tx;

/* Replaces the logo. `mark` is a digest of the image, which is base64url of a PNG. */
enum err logo_store_put(struct db_tx *tx, struct arena *mem, struct str app_id, struct str mark,
                        struct str image);

/* ERR_NOT_FOUND if the app has no logo with this mark. */
enum err logo_store_find(struct db_tx *tx, struct arena *mem, struct str app_id, struct str mark,
                         struct str *image);

/* No error if the app has none. */
enum err logo_store_delete(struct db_tx *tx, struct arena *mem, struct str app_id);

#endif
