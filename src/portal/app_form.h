/* app_form.h - shared by the pages about a developer's apps: owner check, layout, and form. Results
 * are in the request's arena. Call from the thread that handles the request. */
#ifndef PORTAL_APP_FORM_H
#define PORTAL_APP_FORM_H

#include "base/err.h"
#include "flow/apps.h"
#include "web/field.h"

struct call;
struct values;

/* The app of the path. ERR_NOT_FOUND unless the user owns it, so that the response does not reveal
 * other users' apps. */
enum err developer_app_find(struct call *call, struct app *out);

/* The same by its id. */
enum err developer_app_find_id(struct call *call, struct str id, struct app *out);

/* The URL of the app's settings. */
const char *developer_app_settings_path(struct call *call, const struct app *app);

/* Sends a page about the app, with its name, id, and tabs; `tab` is the selected one: "overview",
 * "connect", "try", "settings". */
enum err developer_app_page(struct call *call, int status, const char *page, const char *tab,
                            const struct app *app, struct values *values);

/* The fields of the form that registers and changes an app, in this order, first in a row's list.
 */
enum {
    APP_NAME,
    APP_REDIRECT_URIS,
    APP_HOMEPAGE,
    APP_PRIVACY_LINK,
    APP_PURPOSE,
    APP_KIND,
    APP_ONCE,
    APP_FIELDS,
};
extern const struct field developer_app_fields[APP_FIELDS];

/* The submitted form. The caller fills in owner and id. */
struct app_params developer_app_params(struct call *call);

/* Puts the form as submitted, or with the app's values, and the problems. Keeps all input. */
void developer_app_put_form(struct call *call, struct values *values,
                            const struct app_params *params, const struct app_problems *problems);

/* Why the logo was refused, and why the domain is not verified; NULL: that was not asked for. */
struct app_refusals {
    const char *logo;
    const char *domain;
};

/* Sends the settings of the app. */
enum err developer_app_show_settings(struct call *call, int status, const struct app *app,
                                     const struct app_refusals *refusals);

/* Sends the page that shows a new secret once. `is_new_app` selects its text. */
enum err developer_app_show_secret(struct call *call, const struct app *app, struct str secret,
                                   bool is_new_app);

#endif
