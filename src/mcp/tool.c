/* tool.c - each function returns a usable value also after a problem, so that a tool reads all its
 * arguments and then checks args->problem once. The first problem is kept. */
#include "mcp/tool.h"

#include "domain/domain.h"
#include "mcp/permission.h"
#include "text/json_read.h"
#include "text/json_write.h"
#include "text/utf8.h"
#include "web/call.h"
#include "web/state.h"

#include <math.h>

/* ---- arguments ---- */

void
args_fail(struct tool_args *args, struct str sentence)
{
    if (!str_present(args->problem))
        args->problem = sentence;
}

static const struct json_value *
find(const struct tool_args *args, const char *name)
{
    return args->object == NULL ? NULL : json_member(args->object, name);
}

/* Unknown arguments are errors: a model that misspells one would otherwise get a result that it did
 * not ask for. */
void
args_only(struct tool_args *args, const char *const *names)
{
    struct arena *mem = args->mcp->call->mem;
    for (size_t i = 0; args->object != NULL && i < args->object->count; i++) {
        size_t n = 0;
        while (names[n] != NULL && !str_eq_c(args->object->children[i].key, names[n]))
            n++;
        if (names[n] != NULL)
            continue;
        struct buf list = buf_in(mem, TOOL_RESULT_MAX);
        for (n = 0; names[n] != NULL; n++)
            buf_add_format(&list, "%s%s", n == 0 ? "" : ", ", names[n]);
        args_fail(args, str_format(mem, "There is no argument \"%.*s\". The arguments are: %.*s.",
                                   STR_ARG(str_first(args->object->children[i].key, 64)),
                                   STR_ARG(buf_str(&list))));
    }
}

/* Absent: not given, or invalid; the problem is then noted in `args`. */
struct str
args_text(struct tool_args *args, const char *name, size_t max_characters)
{
    const struct json_value *value = find(args, name);
    if (value == NULL)
        return STR_NONE;
    if (value->type == JSON_STR && utf8_length(value->text) <= max_characters)
        return value->text;
    args_fail(args,
              str_format(args->mcp->call->mem, "%s must be a string of at most %zu characters.",
                         name, max_characters));
    return STR_NONE;
}

/* 200.0 is accepted: some clients send every number as a real. */
int64_t
args_integer(struct tool_args *args, const char *name, int64_t min, int64_t max, int64_t fallback)
{
    const struct json_value *value = find(args, name);
    if (value == NULL)
        return fallback;
    double number = value->type == JSON_INT    ? (double)value->integer
                    : value->type == JSON_REAL ? value->real
                                               : NAN;
    if (number >= (double)min && number <= (double)max && floor(number) == number)
        return (int64_t)number;
    args_fail(args, str_format(args->mcp->call->mem, "%s must be an integer from %lld to %lld.",
                               name, (long long)min, (long long)max));
    return fallback;
}

/* The error lists all domains, so that a model can correct itself. */
const struct domain *
args_find_domain(struct tool_args *args, const char *name, struct str text)
{
    const struct domains *domains = args->mcp->call->web->settings.domains;
    const struct domain *found = domains_find(domains, text);
    if (found != NULL)
        return found;
    struct arena *mem = args->mcp->call->mem;
    struct buf list = buf_in(mem, TOOL_RESULT_MAX);
    for (size_t i = 0; i < domains->count; i++)
        buf_add_format(&list, "%s%.*s", i == 0 ? "" : ", ", STR_ARG(domains->list[i].name));
    args_fail(args, str_format(mem, "%s \"%.*s\" does not exist. The domains are: %.*s.", name,
                               STR_ARG(str_first(text, 64)), STR_ARG(buf_str(&list))));
    return NULL;
}

const struct domain *
args_domain(struct tool_args *args, const char *name)
{
    struct str text = args_text(args, name, 100);
    return str_present(text) ? args_find_domain(args, name, text) : NULL;
}

/* NULL: not given, or invalid. All items are strings. */
const struct json_value *
args_list(struct tool_args *args, const char *name, size_t max_items)
{
    const struct json_value *value = find(args, name);
    bool fine = value != NULL && value->type == JSON_ARRAY && value->count <= max_items;
    for (size_t i = 0; fine && i < value->count; i++)
        fine = value->children[i].type == JSON_STR;
    if (fine || value == NULL)
        return value;
    args_fail(args, str_format(args->mcp->call->mem, "%s must be a list of at most %zu strings.",
                               name, max_items));
    return NULL;
}

/* ---- results ---- */

/* The same data twice: some clients show a model only the text, others only the structure. */
struct str
tool_write_result(const struct mcp_call *mcp, struct str structured)
{
    struct buf buf = buf_in(mcp->call->mem, 4 * TOOL_RESULT_MAX);
    struct json out = json_into(&buf);
    buf_reserve(&buf, 3 * structured.len + 512);
    rpc_write_begin(mcp, &out);
    json_key_array(&out, "content");
    json_open_object(&out);
    json_put_name(&out, "type", STR("text"));
    json_put_str(&out, "text", structured);
    json_close_object(&out);
    json_close_array(&out);
    json_put_raw(&out, "structuredContent", structured);
    json_close_object(&out);
    return buf_str(&buf);
}

enum err
tool_send_result(const struct mcp_call *mcp, struct str structured)
{
    return rpc_send(mcp, tool_write_result(mcp, structured));
}

/* Not a JSON-RPC error, which clients often hide from the model. */
enum err
tool_send_error(const struct mcp_call *mcp, struct str sentence)
{
    mcp->call->rpc.failed = true;
    struct json *out = rpc_begin(mcp);
    json_key_array(out, "content");
    json_open_object(out);
    json_put_name(out, "type", STR("text"));
    json_put_str(out, "text", sentence);
    json_close_object(out);
    json_close_array(out);
    json_put_bool(out, "isError", true);
    return rpc_end(out);
}

enum err
tool_send_denied(const struct mcp_call *mcp, scopes needed, bool requested, struct str what)
{
    return requested ? tool_send_error(mcp, permission_sentence(mcp, what))
                     : permission_challenge(mcp, needed);
}
