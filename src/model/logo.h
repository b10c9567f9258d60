/* logo.h - logos of apps: small square PNG images, served from this service only.
 *
 * Pure; any thread may call it. */
#ifndef MODEL_LOGO_H
#define MODEL_LOGO_H

#include "base/str.h"

struct app;
struct arena;

struct logo {
    struct str image; /* cleaned (text/png.h), as base64url: the stores hold text */
    struct str mark;  /* a digest; the URL contains it, so that browsers may keep the image */
};

/* NULL: *out is the logo. Otherwise a sentence for the app's developer. */
const char *logo_read(struct arena *mem, struct str file, struct logo *out);

/* The path of the app's logo on this service; absent: it has none. */
struct str logo_path(struct arena *mem, const struct app *app);

#endif
