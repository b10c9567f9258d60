/* fixtures.c - answers from a file, for the conformance suite, which calls tools that this server
 * does not have. A request that no answer matches goes to the methods of the server. */
#include "mcp/fixtures.h"

#ifdef PENCHANT_FAULT_INJECTION

#include "base/arena.h"
#include "mcp/surface.h"
#include "text/json_read.h"
#include "text/json_tree.h"
#include "text/json_write.h"
#include "web/call.h"
#include "web/response.h"
#include "web/state.h"

#include <stdio.h>
#include <stdlib.h>

#define FILE_MAX ((size_t)256 * 1024)
#define DEPTH_MAX 16

/* A file that cannot be read is an empty text, which is not JSON: the program ends with that
 * message. */
const struct json_value *
fixtures_read(struct arena *mem)
{
    const char *path = getenv("PENCHANT_MCP_FIXTURES");
    FILE *file = path == NULL ? NULL : fopen(path, "re");
    const struct json_value *document = NULL;
    struct why why = { 0 };
    if (path == NULL)
        return NULL;
    char *text = arena_alloc(mem, FILE_MAX);
    size_t length = file == NULL ? 0 : fread(text, 1, FILE_MAX, file);
    if (file != NULL)
        fclose(file);
    if (json_read(mem, (struct str){ text, length }, DEPTH_MAX, &document, &why) != ERR_NONE) {
        fprintf(stderr, "penchant: PENCHANT_MCP_FIXTURES: %s: %s\n", path, why.text);
        exit(2);
    }
    return document;
}

/* ---- matching ---- */

static struct str
text_of(const struct json_value *object, const char *name)
{
    const struct json_value *value =
        object == NULL || object->type != JSON_OBJECT ? NULL : json_member(object, name);
    return value == NULL ? STR_NONE : value->text;
}

/* Every key of `wanted` must have a response with content of the wanted type. */
static bool
has_input(const struct json_value *params, const struct json_value *wanted)
{
    const struct json_value *given = json_member(params, "inputResponses");
    if (wanted == NULL)
        return true;
    if (given == NULL || given->type != JSON_OBJECT)
        return false;
    for (size_t i = 0; i < wanted->count; i++) {
        char key[64];
        snprintf(key, sizeof key, "%.*s", STR_ARG(wanted->children[i].text));
        const struct json_value *response = json_member(given, key);
        if (response == NULL || response->type != JSON_OBJECT)
            return false;
    }
    return true;
}

/* Fixtures answer calls of a conformance test (a file of the operator), by method, name, state, and
 * input. */
static bool
matches(const struct mcp_call *mcp, const struct json_value *answer)
{
    const struct json_value *params = mcp->message->params;
    struct str name = text_of(answer, "name"), state = text_of(answer, "state");
    struct str sent =
        str_present(text_of(params, "name")) ? text_of(params, "name") : text_of(params, "uri");
    return str_eq(text_of(answer, "method"), mcp->message->method) && str_present(sent) &&
           str_eq(name, sent) &&
           (!str_present(state) || str_eq(state, text_of(params, "requestState"))) &&
           has_input(params, json_member(answer, "input"));
}

/* ---- sending ---- */

static void
write_members(struct json *out, const struct json_value *object)
{
    for (size_t i = 0; i < object->count; i++) {
        json_key_str(out, object->children[i].key);
        json_tree_write(out, &object->children[i]);
    }
}

/* One answer as server-sent events: progress, then the result. */
static void
send_stream(const struct mcp_call *mcp, const struct json_value *result)
{
    struct buf stream = buf_in(mcp->call->mem, FILE_MAX);
    const struct json_value *token =
        mcp->message->meta == NULL ? NULL : json_member(mcp->message->meta, "progressToken");
    for (int progress = 0; token != NULL && progress <= 100; progress += 50) {
        struct json out = json_into(&stream);
        buf_add_c(&stream, "event: message\ndata: ");
        json_open_object(&out);
        json_put_str(&out, "jsonrpc", STR("2.0"));
        json_put_str(&out, "method", STR("notifications/progress"));
        json_key_object(&out, "params");
        json_key(&out, "progressToken");
        json_tree_write(&out, token);
        json_put_int(&out, "progress", progress);
        json_put_int(&out, "total", 100);
        json_close_object(&out);
        json_close_object(&out);
        buf_add_c(&stream, "\n\n");
    }
    struct json *out = rpc_begin(mcp);
    write_members(out, result);
    rpc_end(out);
    response_finish(mcp->call);
    buf_add_format(&stream, "event: message\ndata: %.*s\n\n",
                   STR_ARG(mcp->call->exchange->response.body));
    response_bytes(mcp->call, 200, "text/event-stream", buf_str(&stream));
}

/* An answer is an error, a request for input, a stream, or a result. The server itself never
 * streams. */
static void
send_answer(const struct mcp_call *mcp, const struct json_value *answer)
{
    const struct json_value *result = json_member(answer, "result");
    const struct json_value *requests = json_member(answer, "inputRequests");
    const struct json_value *error = json_member(answer, "error");
    struct buf text = buf_in(mcp->call->mem, FILE_MAX);
    struct json json = json_into(&text);
    if (error != NULL) {
        json_tree_write(&json, json_member(error, "data"));
        rpc_error(mcp, (int)json_member(error, "status")->integer,
                  (int)json_member(error, "code")->integer, text_of(error, "message"),
                  buf_str(&text));
    } else if (requests != NULL) {
        json_tree_write(&json, requests);
        rpc_send_input_required(mcp, buf_str(&text), text_of(answer, "requestState"));
    } else if (json_member(answer, "stream") != NULL) {
        send_stream(mcp, result);
    } else {
        struct json *out = rpc_begin(mcp);
        write_members(out, result);
        if (str_eq_c(mcp->message->method, "resources/read"))
            rpc_put_private(mcp, out, 0);
        rpc_end(out);
    }
}

/* True: the response was sent. Without fixtures, which is the normal case, this costs one
 * comparison. */
bool
fixtures_send(const struct mcp_call *mcp)
{
    const struct json_value *fixtures = mcp->call->web->settings.mcp_surface->fixtures;
    const struct json_value *answers = fixtures == NULL ? NULL : json_member(fixtures, "answers");
    if (mcp->message->params == NULL)
        return false;
    for (size_t i = 0; answers != NULL && i < answers->count; i++)
        if (matches(mcp, &answers->children[i])) {
            send_answer(mcp, &answers->children[i]);
            return true;
        }
    return false;
}

#else

/* ISO C requires a declaration in a translation unit. */
typedef int fixtures_are_not_built;

#endif
