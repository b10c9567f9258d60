/* assistant_pages.c - /connect: the address of the MCP endpoint, how to enter it in well-known
 * assistants, and the assistants that the user has connected.
 *
 * Anyone may open the page, so that it can be linked; the list is for a signed-in user. An
 * assistant is an app that registered itself or has a metadata document: assistants do not come
 * from the portal. */
#include "account/account_routes.h"
#include "base/buf.h"
#include "dispatch/browser_session.h"
#include "flow/connections.h"
#include "job/usage.h"
#include "job/usage_counters.h"
#include "page/account_page.h"
#include "page/when.h"
#include "text/base64url.h"
#include "text/json_write.h"
#include "template/template.h"
#include "text/url.h"
#include "web/call.h"
#include "web/message.h"
#include "web/page.h"
#include "web/response.h"
#include "web/state.h"

#define LINK_MAX ((size_t)4096)
#define SHOWN_MAX 12 /* the page of connected apps has all */

/* ---- links that open an assistant ---- */

/* What Cursor and Visual Studio Code store about a server. */
static struct str
server_json(struct call *call, struct str address, bool named)
{
    struct buf out = buf_in(call->mem, LINK_MAX);
    struct json json = json_into(&out);
    json_open_object(&json);
    if (named) {
        json_put_str(&json, "name", STR("penchant"));
        json_put_str(&json, "type", STR("http"));
    }
    json_put_str(&json, "url", address);
    json_close_object(&json);
    return buf_str(&out);
}

static struct str
address_of(struct call *call)
{
    return str_format(call->mem, "%.*s/mcp", STR_ARG(call->web->settings.base_url));
}

/* Pages cannot link to other schemes than https, so these are redirects. */
static enum err
get_cursor(struct call *call)
{
    struct str config = base64url_encode(call->mem, server_json(call, address_of(call), false));
    response_redirect(call, str_format(call->mem,
                                       "cursor://anysphere.cursor-deeplink/mcp/install?name="
                                       "penchant&config=%.*s",
                                       STR_ARG(config))
                                .ptr);
    return ERR_NONE;
}

/* A redirect to a private-use scheme, which opens the editor. */
static enum err
get_vscode(struct call *call)
{
    struct buf link = buf_in(call->mem, LINK_MAX);
    buf_add_c(&link, "vscode:mcp/install?");
    url_encode(&link, server_json(call, address_of(call), true));
    response_redirect(call, str_c(call->mem, buf_str(&link)));
    return ERR_NONE;
}

/* ---- connected assistants ---- */

/* "Hints 12, Preferences 3". The counts are those of this process, for the last 24 hours. */
static void
put_tools(struct call *call, struct values *item, struct str app_id)
{
    static const char labels[USAGE_TOOLS][32] MESSAGE_KEYS = {
        [TOOL_GET_HINTS] = "assistant.tool.get_hints",
        [TOOL_GET_PREFERENCES] = "assistant.tool.get_preferences",
        [TOOL_REMEMBER] = "assistant.tool.remember",
        [TOOL_FORGET] = "assistant.tool.forget",
    };
    int64_t counts[USAGE_TOOLS];
    struct buf out = buf_in(call->mem, LINK_MAX);
    usage_counters_tools(call->web->settings.counters, call->browser->user.id, app_id, call->now,
                         counts);
    for (size_t i = 0; i < USAGE_TOOLS; i++)
        if (counts[i] > 0) {
            buf_add_c(&out, out.len > 0 ? ", " : "");
            buf_add(&out, message_one(call, labels[i], "count", message_number(call, counts[i])));
        }
    if (out.len > 0)
        values_text(item, "tools",
                    message_one(call, KEY("assistant.tools"), "tools", buf_str(&out)));
}

/* The number of uses is that of today. */
static enum err
put_assistant(struct call *call, struct values *item, const struct connection *connection)
{
    struct grant_usage usage;
    enum err err = usage_of_grant(call->db, call->mem, call->web->settings.counters,
                                  call->browser->user.id, connection->app.id, call->now, &usage);
    if (err != ERR_NONE)
        return err;
    values_text(item, "app", connection->app.name);
    values_text(item, "app_id", connection->app.id);
    when_put(call, item, "since", connection->grant.created_at);
    when_put(call, item, "last_use", usage.last_use);
    put_tools(call, item, connection->app.id);
    values_text(item, "uses",
                message_count(call, KEY("assistant.uses.one"), KEY("assistant.uses.other"),
                              usage.days[USAGE_DAYS - 1]));
    return ERR_NONE;
}

/* Apps of the portal are not assistants and are left out. */
static enum err
put_assistants(struct call *call, struct values *values)
{
    struct connection *list = NULL;
    size_t count = 0, shown = 0;
    enum err err =
        connections_list(call->db, call->mem, call->browser->user.id, call->now, &list, &count);
    for (size_t i = 0; i < count && shown < SHOWN_MAX && !err; i++)
        if (list[i].app.kind != APP_PORTAL) {
            err = put_assistant(call, values_item(values, "assistants"), &list[i]);
            shown++;
        }
    return err;
}

/* Also for signed-out users, who see the address and the instructions. */
static enum err
get_connect(struct call *call)
{
    struct values *values = values_new(call->mem);
    enum err err = call->browser == NULL ? ERR_NONE : put_assistants(call, values);
    if (err != ERR_NONE)
        return err;
    values_text(values, "address", address_of(call));
    err = account_page(call, 200, "connect", "apps", values);
    if (err == ERR_NONE)
        page_allow_connect(call);
    return err;
}

const struct route account_assistant_routes[] = {
    { GET, "/connect", get_connect, CALLER_ANYONE, .summary = "Shows how to connect an assistant.",
      .page = true, .blocks = true, .mcp = true },
    { GET, "/connect/cursor", get_cursor, CALLER_USER, .summary = "Opens Cursor to add the server.",
      .page = true, .mcp = true },
    { GET, "/connect/vscode", get_vscode, CALLER_USER,
      .summary = "Opens Visual Studio Code to add the server.", .page = true, .mcp = true },
    { 0 },
};
