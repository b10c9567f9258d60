/* site_pages.c - addresses that browsers, password managers, crawlers, and security researchers
 * look for, and the privacy page. */
#include "account/account_routes.h"

#include "base/embedded.h"
#include "template/template.h"
#include "text/time_text.h"
#include "web/call.h"
#include "web/page.h"
#include "web/response.h"
#include "web/state.h"

#define FOR_A_DAY "public, max-age=86400"
#define DAY_SECONDS ((int64_t)24 * 3600)
#define CONTACT_DAYS 90 /* RFC 9116 section 2.5.5: less than a year */

static enum err
send_file(struct call *call, const char *type, struct str bytes)
{
    response_bytes(call, 200, type, bytes);
    response_header(call, "Cache-Control", FOR_A_DAY);
    return ERR_NONE;
}

static enum err
get_icon(struct call *call)
{
    return send_file(call, "image/svg+xml", embedded_find("pages/icon.svg"));
}

/* Safari asks for this address, whatever a page says. */
static enum err
get_touch_icon(struct call *call)
{
    return send_file(call, "image/png", embedded_find("pages/touch-icon.png"));
}

static enum err
get_manifest(struct call *call)
{
    return send_file(call, "application/manifest+json", embedded_find("pages/site.webmanifest"));
}

/* Personal pages need a session anyway; crawlers should not waste requests on them. */
static enum err
get_robots(struct call *call)
{
    return send_file(call, "text/plain; charset=utf-8",
                     STR("User-agent: *\nDisallow: /account\nDisallow: /oauth/\nDisallow: /v1/\n"
                         "Disallow: /mcp\n"));
}

/* RFC 9116. It never expires while the service runs; an abandoned copy does. */
static enum err
get_security(struct call *call)
{
    const struct web_settings *settings = &call->web->settings;
    if (!str_present(settings->security_contact))
        return ERR_NOT_FOUND;
    int64_t expires = (call->now / DAY_SECONDS + CONTACT_DAYS) * DAY_SECONDS;
    return send_file(call, "text/plain; charset=utf-8",
                     str_format(call->mem,
                                "Contact: %.*s\nExpires: %.*s\nPreferred-Languages: en\n"
                                "Canonical: %.*s/.well-known/security.txt\n",
                                STR_ARG(settings->security_contact),
                                STR_ARG(time_write(call->mem, expires)),
                                STR_ARG(settings->auth_url)));
}

/* The well-known address that password managers open to change a password; CALLER_USER makes a
 * signed-out user sign in first. */
static enum err
get_change_password(struct call *call)
{
    response_redirect(call, "/account/security");
    return ERR_NONE;
}

static enum err
get_privacy(struct call *call)
{
    struct values *values = values_new(call->mem);
    values_text(values, "privacy_url", call->web->settings.privacy_url);
    return page_send(call, 200, "privacy", values);
}

const struct route site_routes[] = {
    { GET, "/favicon.ico", get_icon, CALLER_ANYONE, .summary = "Returns the icon of the site.",
      .page = true },
    { GET, "/apple-touch-icon.png", get_touch_icon, CALLER_ANYONE,
      .summary = "Returns the icon for the home screen of a phone.", .page = true },
    { GET, "/site.webmanifest", get_manifest, CALLER_ANYONE,
      .summary = "Returns the web app manifest.", .page = true },
    { GET, "/robots.txt", get_robots, CALLER_ANYONE,
      .summary = "Lists the paths that crawlers must not visit.", .page = true },
    { GET, "/.well-known/security.txt", get_security, CALLER_ANYONE,
      .summary = "Says where to report vulnerabilities.", .page = true },
    { GET, "/.well-known/change-password", get_change_password, CALLER_USER,
      .summary = "Redirects to the page for a new password.", .page = true },
    { GET, "/privacy", get_privacy, CALLER_ANYONE,
      .summary = "Says what the service stores and who sees it.", .page = true },
    { 0 },
};
