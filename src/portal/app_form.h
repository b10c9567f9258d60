/* app_form.h - what the pages about one's own apps share: whose it is, its frame, its form. */
#ifndef PORTAL_APP_FORM_H
#define PORTAL_APP_FORM_H

#include "base/err.h"
#include "flow/apps.h"
#include "web/field.h"

struct call;
struct values;

/* The app of the path, if the visitor owns it. ERR_NOT_FOUND otherwise: that somebody else has such
 * an app is nobody's business. */
enum err developer_app_find(struct call *call, struct app *out);

/* The same by its id. */
enum err developer_app_find_id(struct call *call, struct str id, struct app *out);

/* A page about the app, with its name, its id and the way to its other pages; `tab` is where one
 * is: "overview", "connect", "try", "settings". */
enum err developer_app_page(struct call *call, int status, const char *page, const char *tab,
                            const struct app *app, struct values *values);

/* The fields of the form that registers and changes an app, in this order, first in a row's list.
 */
enum {
    APP_NAME,
    APP_REDIRECT_URIS,
    APP_HOMEPAGE,
    APP_PRIVACY_LINK,
    APP_KIND,
    APP_ONCE,
    APP_FIELDS,
};
extern const struct field developer_app_fields[APP_FIELDS];

/* What was sent, as a wish. Its owner and id are the login's to fill in. */
struct app_params developer_app_params(struct call *call);

/* The form as it was sent, or as the app is; with what is wrong. Nothing that was typed is lost. */
void developer_app_put_form(struct call *call, struct values *values,
                            const struct app_params *params, const struct app_problems *problems);

/* The page that shows a secret: once, and never again. `told` is why there is a new one. */
enum err developer_app_show_secret(struct call *call, const struct app *app, struct str secret,
                                   bool is_new_app);

#endif
