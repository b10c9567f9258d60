/* browser_cookie.c - cookies of the pages. With https their names begin with __Host-: browsers then
 * accept them only from this host, with Secure and for the whole path, so that another host of the
 * same domain cannot set them. */
#include "web/browser_cookie.h"

#include "text/cookie.h"
#include "text/url.h"
#include "web/call.h"
#include "web/response.h"
#include "web/state.h"

static struct str
full_name(const struct call *call, const char *name)
{
    return str_format(call->mem, "%s%s",
                      url_is_https(call->web->settings.auth_url) ? "__Host-" : "", name);
}

/* Several Cookie headers are ambiguous; the request counts as one without cookies. */
struct str
browser_cookie(const struct call *call, const char *name)
{
    const struct http_request *request = &call->exchange->request;
    return http_header_count(request, "Cookie") == 1
               ? cookie_find(http_header(request, "Cookie"), full_name(call, name))
               : STR_NONE;
}

/* Always HttpOnly, so that no script can read it, and always with SameSite. Secure follows the URL,
 * because a browser would drop such a cookie on http. */
void
browser_cookie_set(struct call *call, const char *name, struct str value, int64_t seconds,
                   enum cookie_scope scope)
{
    bool secure = url_is_https(call->web->settings.auth_url);
    response_add_header(
        call, "Set-Cookie",
        str_format(call->mem, "%.*s=%.*s; Path=/; Max-Age=%lld; HttpOnly; SameSite=%s%s",
                   STR_ARG(full_name(call, name)), STR_ARG(value), (long long)seconds,
                   scope == COOKIE_STRICT ? "Strict" : "Lax", secure ? "; Secure" : "")
            .ptr);
}
