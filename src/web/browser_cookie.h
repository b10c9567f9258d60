/* browser_cookie.h - cookies of the pages: HttpOnly, for the whole site, and on HTTPS limited to
 * this host by the prefix __Host-. Results are in the request's arena. Call from the thread that
 * handles the request. */
#ifndef WEB_BROWSER_COOKIE_H
#define WEB_BROWSER_COOKIE_H

#include "base/str.h"

struct call;

/* The cookie's value; absent if the browser did not send it, or sent it twice. `name` is without
 * the prefix. */
struct str browser_cookie(const struct call *call, const char *name);

/* Adds a Set-Cookie header to the response. Lax: also sent when another site links here. 0 seconds
 * delete the cookie. */
enum cookie_scope { COOKIE_LAX, COOKIE_STRICT };
void browser_cookie_set(struct call *call, const char *name, struct str value, int64_t seconds,
                        enum cookie_scope scope);

#endif
