/* page.h - sends an HTML page.
 *
 * Renders a template of pages/ in the request's language, with the security headers that every page
 * carries. Call from the thread that handles the request. */
#ifndef WEB_PAGE_H
#define WEB_PAGE_H

#include "base/err.h"
#include "base/str.h"

struct call;
struct values;

#define THEME_COOKIE "penchant-theme" /* "light" or "dark"; otherwise the system's */

/* `page` is the template's name without ".html"; `values` may be NULL. */
enum err page_send(struct call *call, int status, const char *page, struct values *values);

/* After page_send(): the page's forms may also lead to `origin` (see redirect_uri_origin()), since
 * browsers apply form-action to redirects after a form, and its script may call this service. */
void page_allow_form_action(struct call *call, struct str origin);

/* After page_send(): the page's script may call this service. */
void page_allow_connect(struct call *call);

#endif
