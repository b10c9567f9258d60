/* site_pages.c - addresses that browsers, password managers, and crawlers look for. */
#include "account/account_routes.h"

#include "base/embedded.h"
#include "web/call.h"
#include "web/response.h"

#define FOR_A_DAY "public, max-age=86400"

static enum err
get_icon(struct call *call)
{
    response_bytes(call, 200, "image/svg+xml", embedded_find("pages/icon.svg"));
    response_header(call, "Cache-Control", FOR_A_DAY);
    return ERR_NONE;
}

/* Personal pages need a session anyway; crawlers should not waste requests on them. */
static enum err
get_robots(struct call *call)
{
    response_bytes(call, 200, "text/plain; charset=utf-8",
                   STR("User-agent: *\nDisallow: /account\nDisallow: /oauth/\nDisallow: /v1/\n"
                       "Disallow: /mcp\n"));
    response_header(call, "Cache-Control", FOR_A_DAY);
    return ERR_NONE;
}

static enum err
get_change_password(struct call *call)
{
    response_redirect(call, "/account/security");
    return ERR_NONE;
}

const struct route site_routes[] = {
    { GET, "/favicon.ico", get_icon, CALLER_ANYONE, .summary = "Returns the icon of the site.",
      .page = true },
    { GET, "/robots.txt", get_robots, CALLER_ANYONE, .summary = "Tells crawlers what to leave out.",
      .page = true },
    { GET, "/.well-known/change-password", get_change_password, CALLER_USER,
      .summary = "Redirects to the page for a new password.", .page = true },
    { 0 },
};
