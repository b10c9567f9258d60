/* prompts.c - prompts that a user can start, and completion of their arguments.
 *
 * Definitions and texts are in api/mcp_surface.json. Two names are known here: about_me adds hints,
 * and interview fills in a domain. Any other is sent as it is. */
#include "domain/domain.h"
#include "mcp/hints.h"
#include "mcp/methods.h"
#include "mcp/permission.h"
#include "mcp/surface.h"
#include "mcp/tool.h"
#include "text/json_read.h"
#include "text/json_write.h"
#include "web/call.h"
#include "web/state.h"

#include <string.h>

#define TEXT_MAX ((size_t)100 * 1024)
#define VALUES_MAX 100

/* The member if it is a string, otherwise NULL. */
static const struct json_value *
text_member(const struct json_value *object, const char *name)
{
    const struct json_value *value =
        object == NULL || object->type != JSON_OBJECT ? NULL : json_member(object, name);
    return value != NULL && value->type == JSON_STR ? value : NULL;
}

/* NULL: there is no such prompt. */
static const struct json_value *
find_prompt(const struct mcp_call *mcp, struct str name)
{
    const struct json_value *list = mcp->call->web->settings.mcp_surface->list_prompts;
    for (size_t i = 0; i < list->count; i++)
        if (str_eq(json_member(&list->children[i], "name")->text, name))
            return &list->children[i];
    return NULL;
}

/* ---- prompts/get ---- */

/* With the role of the user, since prompts of a server are messages that the user chose to send. */
static void
add_text_message(struct json *out, struct str text)
{
    json_open_object(out);
    json_put_name(out, "role", STR("user"));
    json_key_object(out, "content");
    json_put_name(out, "type", STR("text"));
    json_put_str(out, "text", text);
    json_close_object(out);
    json_close_object(out);
}

/* As a resource, so that a client can show where the text comes from, and a model can distinguish
 * it from the words of the user. */
static void
add_hints_message(struct json *out, struct str hints)
{
    json_open_object(out);
    json_put_name(out, "role", STR("user"));
    json_key_object(out, "content");
    json_put_name(out, "type", STR("resource"));
    json_key_object(out, "resource");
    json_put_name(out, "uri", STR("penchant://hints"));
    json_put_name(out, "mimeType", STR("text/plain"));
    json_put_str(out, "text", hints);
    json_close_object(out);
    json_close_object(out);
    json_close_object(out);
}

/* The text with the domain in the place of "{domain}". */
static struct str
fill(struct arena *mem, struct str text, const struct domain *domain)
{
    static const struct str mark = STR("{domain}");
    struct buf out = buf_in(mem, TEXT_MAX);
    while (text.len > 0) {
        size_t plain = str_index(text, '{');
        buf_add(&out, str_first(text, plain));
        text = str_from(text, plain);
        if (domain != NULL && str_starts(text, mark)) {
            buf_add(&out, domain->name);
            text = str_from(text, mark.len);
        } else {
            buf_add(&out, str_first(text, 1));
            text = str_from(text, 1);
        }
    }
    return buf_str(&out);
}

/* The hints come first, as a resource, then the text of the prompt, then what the user typed. */
static enum err
send_prompt(const struct mcp_call *mcp, const struct json_value *prompt, struct str hints,
            struct str text, struct str request)
{
    struct json *out = rpc_begin(mcp);
    json_put_str(out, "description", json_member(prompt, "description")->text);
    json_key_array(out, "messages");
    if (str_present(hints))
        add_hints_message(out, hints);
    add_text_message(out, text);
    if (str_present(request))
        add_text_message(out, request);
    json_close_array(out);
    return rpc_end(out);
}

/* Only about_me reads something about the user, so only it needs a permission and appears in the
 * activity. */
enum err
prompts_get(const struct mcp_call *mcp)
{
    struct call *call = mcp->call;
    const struct mcp_surface *surface = call->web->settings.mcp_surface;
    const struct json_value *name = text_member(mcp->message->params, "name");
    const struct json_value *prompt = name == NULL ? NULL : find_prompt(mcp, name->text);
    if (prompt == NULL)
        return rpc_invalid(mcp, STR("There is no such prompt. prompts/list lists all."));
    const struct json_value *given = json_member(mcp->message->params, "arguments");
    const struct json_value *domain_name = text_member(given, "domain");
    const struct json_value *request = text_member(given, "request");
    struct str text = json_member(surface->texts, str_c(call->mem, name->text))->text;
    if (str_eq_c(name->text, "interview")) {
        struct tool_args args = { .mcp = mcp };
        if (domain_name == NULL)
            return rpc_invalid(mcp, STR("The argument domain is required."));
        const struct domain *domain = args_find_domain(&args, "domain", domain_name->text);
        return domain == NULL
                   ? rpc_invalid(mcp, args.problem)
                   : send_prompt(mcp, prompt, STR_NONE, fill(call->mem, text, domain), STR_NONE);
    }
    if (!str_eq_c(name->text, "about_me"))
        return send_prompt(mcp, prompt, STR_NONE, text, STR_NONE);
    struct str hints = STR_NONE;
    call->activity.action = ACTIVITY_HINTS;
    enum permission permission = permission_scope(mcp, SCOPE_AGENT_HINTS);
    if (permission == PERMISSION_NOT_REQUESTED)
        return permission_challenge(mcp, SCOPE_AGENT_HINTS);
    if (permission == PERMISSION_DENIED || mcp_hints_allowed(call) == 0)
        return rpc_invalid(mcp, permission_sentence(mcp, STR("hints")));
    enum err err = mcp_hints_text(call, request == NULL ? STR_NONE : request->text, &hints);
    return err != ERR_NONE
               ? err
               : send_prompt(mcp, prompt, hints, text, request == NULL ? STR_NONE : request->text);
}

/* ---- completion/complete ---- */

/* Completions of one argument, while candidates are offered. */
struct completing {
    struct json *out;
    struct str prefix;
    size_t total;
};

/* Counts all values that match, and writes the first VALUES_MAX, which is the limit of the
 * protocol. */
static void
add_completion(struct completing *completing, struct str value)
{
    if (str_starts(value, completing->prefix) && ++completing->total <= VALUES_MAX)
        json_str(completing->out, value);
}

/* The names of domains and contexts are the same for everyone, so no permission is needed. */
static void
add_completions(struct completing *completing, const struct domains *domains, struct str argument)
{
    bool tasks = str_eq_c(argument, "task");
    if (!tasks && !str_eq_c(argument, "domain"))
        return;
    for (size_t i = 0; i < domains->count; i++) {
        const struct domain *domain = &domains->list[i];
        if (!tasks)
            add_completion(completing, domain->name);
        for (size_t c = 0; tasks && c < domain->context_count; c++)
            add_completion(completing, domain->contexts[c].name);
    }
}

/* A prompt or template that does not exist has no values; only the form is checked. */
static bool
is_completion_reference(const struct json_value *ref)
{
    const struct json_value *type = text_member(ref, "type");
    if (type == NULL)
        return false;
    return str_eq_c(type->text, "ref/prompt")
               ? text_member(ref, "name") != NULL
               : str_eq_c(type->text, "ref/resource") && text_member(ref, "uri") != NULL;
}

/* Values for arguments of prompts and resource templates; the same for every one of them that has
 * an argument of this name. */
enum err
completion_complete(const struct mcp_call *mcp)
{
    const struct json_value *params = mcp->message->params;
    const struct json_value *argument = params == NULL ? NULL : json_member(params, "argument");
    const struct json_value *name = text_member(argument, "name");
    const struct json_value *value = text_member(argument, "value");
    if (name == NULL || value == NULL)
        return rpc_invalid(mcp, STR("params.argument must have name and value."));
    if (!is_completion_reference(json_member(params, "ref")))
        return rpc_invalid(mcp, STR("params.ref must name a prompt or a resource template."));
    struct json *out = rpc_begin(mcp);
    struct completing completing = { out, value->text, 0 };
    json_key_object(out, "completion");
    json_key_array(out, "values");
    add_completions(&completing, mcp->call->web->settings.domains, name->text);
    json_close_array(out);
    json_put_int(out, "total", (int64_t)completing.total);
    json_put_bool(out, "hasMore", completing.total > VALUES_MAX);
    json_close_object(out);
    return rpc_end(out);
}
