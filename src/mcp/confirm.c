/* confirm.c - a question to the user, as two calls of the same tool (elicitation in URL mode).
 *
 * The first response names a URL and a state. The client opens the URL and repeats the call with
 * the state, which is a time and a MAC over method, tool, arguments, and time. So a repeated call
 * is recognized without a session, by every process, and only if it is the same call of the same
 * client for the same user. */
#include "mcp/confirm.h"

#include "crypt/digest.h"
#include "flow/connections.h"
#include "model/grant.h"
#include "text/json_read.h"
#include "text/json_tree.h"
#include "text/json_write.h"
#include "web/call.h"
#include "web/state.h"

#define VALID_SECONDS 600
#define BYTES_MAX ((size_t)256 * 1024)

static const struct json_value *
param(const struct mcp_call *mcp, const char *name, enum json_type type)
{
    const struct json_value *value = json_member(mcp->message->params, name);
    return value != NULL && value->type == type ? value : NULL;
}

/* The key is the id of the grant: random, the same in every process, and never sent to a client.
 * It also binds the state to the user and the client. */
static enum err
make_state(const struct mcp_call *mcp, int64_t end, struct str *out)
{
    struct call *call = mcp->call;
    /* Not NULL: a tool that runs was found by this name. */
    const struct json_value *name = param(mcp, "name", JSON_STR);
    const struct json_value *arguments = param(mcp, "arguments", JSON_OBJECT);
    struct connection connection;
    enum err err = connection_find(call->db, call->mem, call->access->user_id, call->access->app_id,
                                   call->now, &connection);
    if (err != ERR_NONE)
        return err;
    struct buf data = buf_in(call->mem, BYTES_MAX);
    struct json json = json_into(&data);
    json_open_array(&json);
    json_str(&json, mcp->message->method);
    json_str(&json, name->text);
    json_int(&json, end);
    if (arguments != NULL)
        json_tree_write(&json, arguments);
    json_close_array(&json);
    struct str mac = digest_mac(call->mem, connection.grant.id, buf_str(&data));
    *out = str_format(call->mem, "%lld.%.*s", (long long)end, STR_ARG(mac));
    return data.overflow ? ERR_INTERNAL : ERR_NONE;
}

/* A decline is honored, because it only withdraws the change. An "accept" of the client proves
 * nothing, so it is ignored. */
enum err
confirm_read(const struct mcp_call *mcp, enum confirm_step *out)
{
    const struct json_value *state = param(mcp, "requestState", JSON_STR);
    const struct json_value *responses = param(mcp, "inputResponses", JSON_OBJECT);
    *out = CONFIRM_FIRST;
    if (state == NULL)
        return json_member(mcp->message->params, "requestState") == NULL ? ERR_NONE : ERR_INVALID;
    int64_t end, now = mcp->call->now;
    struct str expected;
    /* The time is in the state as plain text; the MAC covers it. */
    if (!str_to_int(str_first(state->text, str_index(state->text, '.')), now, now + VALID_SECONDS,
                    &end))
        return ERR_INVALID;
    enum err err = make_state(mcp, end, &expected);
    if (err != ERR_NONE)
        return err;
    if (!digest_equal(state->text, expected))
        return ERR_INVALID;
    const struct json_value *answer = responses == NULL ? NULL : json_member(responses, "confirm");
    const struct json_value *action =
        answer == NULL || answer->type != JSON_OBJECT ? NULL : json_member(answer, "action");
    bool declined = action != NULL && action->type == JSON_STR && str_eq_c(action->text, "decline");
    *out = declined ? CONFIRM_DECLINED : CONFIRM_ASKED;
    return ERR_NONE;
}

/* Only clients that can open a URL for the user (elicitation of mode "url"). Others get the URL as
 * text. */
bool
confirm_possible(const struct mcp_call *mcp)
{
    if (mcp->message->era != MCP_MODERN)
        return false;
    const struct json_value *elicitation =
        json_member(json_member(mcp->message->meta, MCP_META "clientCapabilities"), "elicitation");
    return elicitation != NULL && elicitation->type == JSON_OBJECT &&
           json_member(elicitation, "url") != NULL;
}

/* The key "confirm" is where confirm_read() finds the answer. */
enum err
confirm_ask(const struct mcp_call *mcp, struct str url, struct str sentence)
{
    struct str state;
    enum err err = make_state(mcp, mcp->call->now + VALID_SECONDS, &state);
    if (err != ERR_NONE)
        return err;
    struct buf requests = buf_in(mcp->call->mem, BYTES_MAX);
    struct json out = json_into(&requests);
    json_open_object(&out);
    json_key_object(&out, "confirm");
    json_put_str(&out, "method", STR("elicitation/create"));
    json_key_object(&out, "params");
    json_put_str(&out, "mode", STR("url"));
    json_put_str(&out, "url", url);
    json_put_str(&out, "message", sentence);
    json_close_object(&out);
    json_close_object(&out);
    json_close_object(&out);
    return rpc_send_input_required(mcp, buf_str(&requests), state);
}

struct str
confirm_url(const struct mcp_call *mcp, struct str atom_id)
{
    return str_format(mcp->call->mem, "%.*s/account/waiting%s%.*s",
                      STR_ARG(mcp->call->web->settings.auth_url), str_present(atom_id) ? "#" : "",
                      STR_ARG(atom_id));
}
