/* assets.h - serves the stylesheets, images, and scripts of the pages, embedded in the program.
 * Made at startup, then read-only: any thread may use them. */
#ifndef WEB_ASSETS_H
#define WEB_ASSETS_H

#include "base/str.h"
#include "web/route.h"

struct arena;
struct assets;

extern const struct route asset_routes[]; /* /assets/… */

/* Collects all assets with their types and entity tags. Allocated in `mem`. */
struct assets *assets_new(struct arena *mem);

/* A hash of all assets. In "/assets/style.css?v=…" it prevents caches from combining a new page
 * with an old stylesheet. */
struct str assets_release(const struct assets *assets);

/* Size in bytes, uncompressed, of the stylesheets and scripts that a page loads. */
size_t assets_loaded_by(const struct assets *assets, struct str page);

#endif
