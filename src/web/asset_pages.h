/* asset_pages.h - the stylesheet, pictures and scripts of the pages, compiled in. */
#ifndef WEB_ASSET_PAGES_H
#define WEB_ASSET_PAGES_H

#include "base/str.h"

struct arena;
struct assets;

/* Every file of pages/ that is no template, with its type and entity tag. Lives in the arena. */
struct assets *assets_new(struct arena *mem);

/* "/assets/style.css?v=…": changes with the file, so that no cache shows a new page with an old
 * stylesheet. */
/* Tells one release's file from the next one's. */
struct str assets_version(const struct assets *assets, const char *name);

struct str assets_address(const struct assets *assets, struct arena *mem, const char *name);

#endif
