/* resources.c - resources: hints as text, and the preferences of each domain as JSON.
 *
 * For clients that let the user attach resources; the tools have more. URIs are penchant://hints,
 * penchant://hints/{task}, and penchant://preferences/{domain}. A denied permission is an error
 * with a sentence, a permission that was never requested a challenge (permission.h). */
#include "dispatch/allowed_domains.h"
#include "preference/preferences.h"
#include "mcp/hints.h"
#include "mcp/methods.h"
#include "mcp/permission.h"
#include "mcp/tool.h"
#include "model/grant.h"
#include "text/json_read.h"
#include "text/json_write.h"
#include "text/url.h"
#include "web/call.h"
#include "web/state.h"

#define LIST_TTL_MS 60000
#define HINTS "penchant://hints"
#define PREFERENCES "penchant://preferences/"

/* The audience is the model; clients may show the title to users. */
static void
write_resource(struct json *out, struct str uri, struct str name, struct str title,
               const char *type, double priority)
{
    json_open_object(out);
    json_put_str(out, "uri", uri);
    json_put_str(out, "name", name);
    json_put_str(out, "title", title);
    json_put_str(out, "mimeType", str_of(type));
    json_key_object(out, "annotations");
    json_key_array(out, "audience");
    json_str(out, STR("assistant"));
    json_close_array(out);
    json_key(out, "priority");
    json_number(out, priority);
    json_close_object(out);
    json_close_object(out);
}

/* Only what the token may read now, so the list may not be shared between users. */
enum err
resources_list(const struct mcp_call *mcp)
{
    struct call *call = mcp->call;
    const struct domains *domains = call->web->settings.domains;
    const struct json_value *params = mcp->message->params;
    if (params != NULL && json_member(params, "cursor") != NULL)
        return rpc_invalid(mcp, STR("cursor is not one of this server."));
    struct json *out = rpc_begin(mcp);
    json_key_array(out, "resources");
    if (permission_scope(mcp, SCOPE_AGENT_HINTS) == PERMITTED)
        write_resource(out, STR(HINTS), STR("hints"), STR("Hints about the user"), "text/plain",
                       0.9);
    for (size_t i = 0; i < domains->count; i++)
        if (allowed_domains_can_read(call->access, &domains->list[i]))
            write_resource(
                out, str_format(call->mem, PREFERENCES "%.*s", STR_ARG(domains->list[i].name)),
                domains->list[i].name, domains->list[i].title, "application/json", 0.4);
    json_close_array(out);
    rpc_put_private(mcp, out, LIST_TTL_MS);
    return rpc_end(out);
}

/* ---- reading ---- */

/* The code for an unknown resource differs between the eras. */
static enum err
refuse(const struct mcp_call *mcp, struct str uri, struct str sentence)
{
    struct buf data = buf_in(mcp->call->mem, TOOL_RESULT_MAX);
    struct json json = json_into(&data);
    json_open_object(&json);
    json_put_str(&json, "uri", uri);
    json_close_object(&json);
    return rpc_error(mcp, 200,
                     mcp->message->era == MCP_LEGACY ? RPC_RESOURCE_NOT_FOUND : RPC_INVALID_PARAMS,
                     sentence, buf_str(&data));
}

static enum err
deny(const struct mcp_call *mcp, enum permission permission, scopes needed, struct str uri,
     struct str what)
{
    return permission == PERMISSION_DENIED ? refuse(mcp, uri, permission_sentence(mcp, what))
                                           : permission_challenge(mcp, needed);
}

/* Private: the text is about one user, so no shared cache may keep it. */
static enum err
send_text(const struct mcp_call *mcp, struct str uri, const char *type, struct str text)
{
    struct json *out = rpc_begin(mcp);
    json_key_array(out, "contents");
    json_open_object(out);
    json_put_str(out, "uri", uri);
    json_put_str(out, "mimeType", str_of(type));
    json_put_str(out, "text", text);
    json_close_object(out);
    json_close_array(out);
    rpc_put_private(mcp, out, 0);
    return rpc_end(out);
}

/* The task is a part of the URI and percent-encoded there. */
static enum err
read_hints(const struct mcp_call *mcp, struct str uri, struct str encoded_task)
{
    struct str task = STR_NONE, text;
    mcp->call->activity.action = ACTIVITY_HINTS;
    enum permission permission = permission_scope(mcp, SCOPE_AGENT_HINTS);
    if (permission != PERMITTED)
        return deny(mcp, permission, SCOPE_AGENT_HINTS, uri, STR("hints"));
    if (mcp_hints_allowed(mcp->call) == 0)
        return deny(mcp, PERMISSION_DENIED, SCOPE_AGENT_HINTS, uri, STR("hints about any area"));
    if (str_present(encoded_task) && !url_decode(mcp->call->mem, encoded_task, false, &task))
        return refuse(mcp, uri, STR("The task in this URI is not valid percent-encoding."));
    enum err err = mcp_hints_text(mcp->call, task, &text);
    return err != ERR_NONE ? err : send_text(mcp, uri, "text/plain", text);
}

/* The record, without ids of facts and without what waits: get_preferences has these. */
static enum err
read_domain(const struct mcp_call *mcp, struct str uri, const struct domain *domain)
{
    struct call *call = mcp->call;
    struct record record = { 0 };
    call->activity.action = ACTIVITY_READ;
    enum permission permission = permission_read(mcp, domain);
    if (permission != PERMITTED)
        return deny(mcp, permission, SCOPE_PREFERENCES_READ, uri,
                    str_format(call->mem, "reading %.*s", STR_ARG(domain->name)));
    struct view view = access_view(call->access, call->web->settings.domains);
    enum err err = preferences_read(call->db, call->mem, &view, domain->name, &record);
    if (err != ERR_NONE)
        return err;
    struct buf buf = buf_in(call->mem, TOOL_RESULT_MAX);
    struct json json = json_into(&buf);
    json_open_object(&json);
    json_put_str(&json, "domain", domain->name);
    json_put_raw(&json, "preferences", record.json);
    json_put_time(&json, "updated_at", record.updated_at);
    json_close_object(&json);
    /* Before call_record_facts(): nothing is sent in this case. */
    if (buf.overflow)
        return refuse(mcp, uri,
                      STR("This area has more than 100 KB of facts. Call get_preferences, which "
                          "returns pages."));
    call_record_facts(call, (size_t)(domain - call->web->settings.domains->list),
                      record.atom_count);
    return send_text(mcp, uri, "application/json", buf_str(&buf));
}

/* A domain that does not exist is refused like any other unknown URI. */
enum err
resources_read(const struct mcp_call *mcp)
{
    static const struct str hints = STR(HINTS), hints_for = STR(HINTS "/"),
                            preferences = STR(PREFERENCES);
    const struct json_value *params = mcp->message->params;
    const struct json_value *uri = params == NULL ? NULL : json_member(params, "uri");
    if (uri == NULL || uri->type != JSON_STR)
        return rpc_invalid(mcp, STR("params.uri must be the URI of a resource."));
    struct str text = uri->text;
    if (str_eq(text, hints))
        return read_hints(mcp, text, STR_NONE);
    if (str_starts(text, hints_for) && text.len > hints_for.len)
        return read_hints(mcp, text, str_from(text, hints_for.len));
    const struct domain *domain =
        str_starts(text, preferences)
            ? domains_find(mcp->call->web->settings.domains, str_from(text, preferences.len))
            : NULL;
    if (domain != NULL)
        return read_domain(mcp, text, domain);
    return refuse(mcp, text, STR("This resource does not exist. resources/list lists all."));
}
