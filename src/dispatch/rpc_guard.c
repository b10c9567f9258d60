/* rpc_guard.c - see rpc_guard.h. Requests without an Origin are allowed: browsers send one if a
 * script of another site makes the request. */
#include "dispatch/rpc_guard.h"

#include "web/call.h"
#include "web/error.h"
#include "web/state.h"

static struct str
after_scheme(struct str url)
{
    return str_from(url, str_index(url, ':') + 3);
}

static bool
is_port(struct str text)
{
    int64_t port;
    return text.len == 0 || (text.ptr[0] == ':' && str_to_int(str_from(text, 1), 1, 65535, &port));
}

/* "localhost", "127.0.0.1", or "[::1]", with or without a port. */
static bool
is_loopback(struct str host)
{
    static const struct str names[] = { STR("localhost"), STR("127.0.0.1"), STR("[::1]") };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_eq_nocase(str_first(host, names[i].len), names[i]) &&
            is_port(str_from(host, names[i].len)))
            return true;
    return false;
}

/* True if Host is the host of base_url or auth_url, or, if the service listens on loopback, any
 * loopback name with any port. */
static bool
is_host_allowed(struct str host, const struct web_settings *settings)
{
    return str_eq_nocase(host, after_scheme(settings->base_url)) ||
           str_eq_nocase(host, after_scheme(settings->auth_url)) ||
           (settings->on_loopback && is_loopback(host));
}

/* "*" allows every origin, which the setting documents. */
static bool
is_listed(struct str origin, struct str list)
{
    struct str one;
    while (str_cut(&list, ' ', &one))
        if (str_eq_c(one, "*") || str_eq(one, origin))
            return true;
    return false;
}

/* True if the origin is ours or in the setting mcp-origins; without that setting, also if it is a
 * loopback origin. */
static bool
is_origin_allowed(struct str origin, const struct web_settings *settings)
{
    bool web = str_starts(origin, STR("http://")) || str_starts(origin, STR("https://"));
    return str_eq(origin, settings->base_url) || str_eq(origin, settings->auth_url) ||
           (str_present(settings->mcp_origins) ? is_listed(origin, settings->mcp_origins)
                                               : web && is_loopback(after_scheme(origin)));
}

/* Requests without Origin pass: they are not sent by a browser, so no page is behind them. */
bool
rpc_guard_check(struct call *call)
{
    const struct http_request *request = &call->exchange->request;
    const struct web_settings *settings = &call->web->settings;
    struct str origin = http_header(request, "Origin");
    if (http_header_count(request, "Host") != 1 ||
        !is_host_allowed(http_header(request, "Host"), settings)) {
        error_send(call, 403,
                   str_format(call->mem, "The Host header is not this service. Use %.*s%s.",
                              STR_ARG(settings->base_url), call->at.endpoint->path));
        return false;
    }
    if (http_header_count(request, "Origin") > 1 ||
        (str_present(origin) && !is_origin_allowed(origin, settings))) {
        error_send(call, 403,
                   STR("Pages of this origin may not call this endpoint. The operator allows "
                       "origins with the setting mcp-origins."));
        return false;
    }
    call->origin = str_present(origin) ? str_c(call->mem, origin) : NULL;
    return true;
}
