/* logo_pages.c - the logo of an app: uploaded by its developer, and shown to everyone. */
#include "dispatch/browser_session.h"
#include "flow/logos.h"
#include "portal/app_form.h"
#include "portal/portal_routes.h"
#include "text/multipart.h"
#include "web/call.h"
#include "web/flash.h"
#include "web/message.h"
#include "web/response.h"

#define FORM_OVERHEAD ((size_t)4 * KIB)
#define UPLOAD_MAX ((size_t)256 * KIB) /* a larger file gets the sentence about its size, too */

/* The file is rewritten before it is stored (text/png.h): only chunks that draw the image are
 * kept. */
static enum err
post_logo(struct call *call)
{
    struct app app;
    struct multipart parts;
    const char *problem = "Choose a file.";
    enum err err = developer_app_find(call, &app);
    if (err != ERR_NONE)
        return err;
    struct str file = STR("");
    if (browser_session_read_parts(call, &parts) == ERR_NONE)
        file = multipart_find(&parts, "file");
    err = file.len == 0 ? ERR_INVALID : logo_set(call->db, call->mem, app.id, file, &problem);
    if (err == ERR_INVALID)
        return developer_app_show_settings(call, 400, &app,
                                           &(struct app_refusals){ .logo = problem });
    if (err == ERR_NONE)
        flash_redirect(call, developer_app_settings_path(call, &app),
                       &(struct flash){ .key = KEY("flash.app.logo_saved") });
    return err;
}

static enum err
post_remove(struct call *call)
{
    struct app app;
    enum err err = developer_app_find(call, &app);
    if (err == ERR_NONE)
        err = logo_remove(call->db, call->mem, app.id);
    if (err == ERR_NONE)
        flash_redirect(call, developer_app_settings_path(call, &app),
                       &(struct flash){ .key = KEY("flash.app.logo_removed") });
    return err;
}

/* The type is fixed and browsers may not guess another one. The path changes with the image. */
static enum err
get_logo(struct call *call)
{
    struct str png;
    enum err err = logo_find(call->db, call->mem, call_param(call, 0), call_param(call, 1), &png);
    if (err != ERR_NONE)
        return err;
    response_bytes(call, 200, "image/png", png);
    response_header(call, "Cache-Control", "public, max-age=31536000, immutable");
    response_header(call, "Content-Security-Policy",
                    "default-src 'none'; sandbox; frame-ancestors 'none'");
    response_header(call, "Cross-Origin-Resource-Policy", "same-origin");
    return ERR_NONE;
}

const struct route developer_logo_routes[] = {
    { POST, "/developer/apps/{app}/logo", post_logo, CALLER_USER,
      .summary = "Stores the logo of an app.", .page = true, .body = BODY_FILE,
      .body_max = UPLOAD_MAX + FORM_OVERHEAD, .blocks = true },
    { POST, "/developer/apps/{app}/logo/remove", post_remove, CALLER_USER,
      .summary = "Removes the logo of an app.", .page = true, .body = BODY_FORM,
      .body_max = 4 * KIB, .blocks = true },
    { GET, "/logos/{app}/{mark}", get_logo, CALLER_ANYONE, .summary = "Returns the logo of an app.",
      .page = true },
    { 0 },
};
