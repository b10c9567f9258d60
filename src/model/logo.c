/* logo.c - the mark of a logo is a digest of its bytes. */
#include "model/logo.h"

#include "crypt/digest.h"
#include "model/app.h"
#include "text/base64url.h"
#include "text/png.h"

/* The mark is taken from the cleaned image, so that the same picture has the same URL. */
const char *
logo_read(struct arena *mem, struct str file, struct logo *out)
{
    struct str clean;
    const char *problem = png_clean(mem, file, &clean);
    *out = (struct logo){ 0 };
    if (problem != NULL)
        return problem;
    char mark[DIGEST_SHORT_LENGTH];
    digest_short(clean, mark);
    out->image = base64url_encode(mem, clean);
    out->mark = str_copy(mem, (struct str){ mark, sizeof mark });
    return NULL;
}

struct str
logo_path(struct arena *mem, const struct app *app)
{
    if (!str_present(app->logo))
        return STR_NONE;
    return str_format(mem, "/logos/%.*s/%.*s", STR_ARG(app->id), STR_ARG(app->logo));
}
