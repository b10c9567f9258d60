/* assets.h - the stylesheet, pictures and scripts of the pages, compiled in. */
#ifndef WEB_ASSETS_H
#define WEB_ASSETS_H

#include "base/str.h"
#include "web/route.h"

struct arena;
struct assets;

extern const struct route asset_routes[]; /* /assets/… */

/* Every file of pages/ that is no template, with its type and entity tag. Lives in the arena. */
struct assets *assets_new(struct arena *mem);

/* Tells one release's files from the next one's: in "/assets/style.css?v=…" it keeps caches from
 * showing a new page with an old stylesheet. */
struct str assets_release(const struct assets *assets);

/* How many bytes a page loads: the stylesheets and scripts it names, before packing. */
size_t assets_loaded_by(const struct assets *assets, struct str page);

#endif
