/* error.c - the only place that writes error bodies, except mcp/rpc.c for JSON-RPC methods.
 *
 * An error is a page, the JSON of this API and of OAuth (error, error_description), or a JSON-RPC
 * error. The endpoint decides; without one, the path and the Accept header do. Every sentence is
 * English here, and translated for a page. */
#include "web/error.h"

#include "http/server.h"
#include "text/json_write.h"
#include "template/template.h"
#include "web/accept_header.h"
#include "web/call.h"
#include "web/message.h"
#include "web/page.h"
#include "web/response.h"

#include <string.h>

#define ERROR "error."

/* The message that is the heading of the error page. Without ERROR it is the error code in JSON. */
static const char *
error_key(int status)
{
    static const int statuses[] = { 400, 401, 403, 404, 405, 413, 414, 415, 417, 429, 431, 503 };
    static const char keys[][40] MESSAGE_KEYS = { ERROR "invalid_request",
                                                  ERROR "invalid_token",
                                                  ERROR "access_denied",
                                                  ERROR "not_found",
                                                  ERROR "method_not_allowed",
                                                  ERROR "payload_too_large",
                                                  ERROR "uri_too_long",
                                                  ERROR "unsupported_media_type",
                                                  ERROR "expectation_failed",
                                                  ERROR "rate_limited",
                                                  ERROR "request_header_fields_too_large",
                                                  ERROR "temporarily_unavailable",
                                                  ERROR "server_error" };
    size_t i = 0;
    while (i < sizeof statuses / sizeof *statuses && statuses[i] != status)
        i++;
    return keys[i];
}

/* Beyond the limit further problems are dropped: the response shows enough to fix. */
void
error_add_detail(struct call *call, struct str at, struct str problem)
{
    if (call->detail_count < CALL_DETAILS_MAX)
        call->details[call->detail_count++] = (struct call_detail){ at, problem };
}

/* With the request ID, which an operator finds in the log. */
enum err
error_send_page(struct call *call, int status, struct str sentence)
{
    struct values *values = values_new(call->mem);
    values_text(values, "headline", message(call, error_key(status)));
    values_text(values, "sentence", message_sentence(call, sentence));
    values_text(values, "status", str_format(call->mem, "%d", status));
    values_text(values, "request", call->exchange->request.id);
    for (size_t i = 0; i < call->detail_count; i++) {
        struct values *detail = values_item(values, "details");
        values_text(detail, "at", call->details[i].at);
        values_text(detail, "problem", message_sentence(call, call->details[i].problem));
    }
    return page_send(call, status, "error", values);
}

/* JSON-RPC 2.0 §5.1. Our own codes are HTTP statuses: those below -32000 belong to protocols. */
static void
error_rpc(struct call *call, int status, struct str sentence)
{
    struct json *json = response_json(call, status);
    json_open_object(json);
    json_put_str(json, "jsonrpc", STR("2.0"));
    json_key(json, "id");
    json_raw(json, str_present(call->rpc_id) ? call->rpc_id : STR("null"));
    json_key_object(json, "error");
    json_put_int(json, "code", status == 500 ? -32603 : status);
    json_put_str(json, "message", sentence);
    json_close_object(json);
    json_close_object(json);
    response_finish(call);
}

/* Also records the error for the developer's pages (call_set_error()). */
static void
error_json(struct call *call, int status, const char *error, struct str sentence)
{
    call_set_error(call, error, sentence);
    if (call->at.endpoint != NULL && call->at.endpoint->rpc) {
        error_rpc(call, status, sentence);
        return;
    }
    struct json *json = response_json(call, status);
    json_open_object(json);
    json_put_str(json, "error", str_of(error));
    json_put_str(json, "error_description", sentence);
    if (call->detail_count > 0) {
        json_key_array(json, "details");
        for (size_t i = 0; i < call->detail_count; i++) {
            json_open_object(json);
            json_put_str(json, "at", call->details[i].at);
            json_put_str(json, "problem", call->details[i].problem);
            json_close_object(json);
        }
        json_close_array(json);
    }
    json_close_object(json);
    response_finish(call);
}

/* Paths that only programs request: even a misspelled one gets JSON, which they can read. */
static bool
is_for_programs(struct str target)
{
    static const struct str prefixes[] = { STR("/oauth/token"), STR("/oauth/register"),
                                           STR("/.well-known/"), STR("/mcp"), STR("/v1/") };
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (str_starts(target, prefixes[i]))
            return true;
    return false;
}

/* A page only if the route is one, or unknown: an API route always responds with JSON. */
void
error_send(struct call *call, int status, struct str sentence)
{
    bool as_page = (call->at.endpoint == NULL ? !is_for_programs(call->exchange->request.target)
                                              : call->at.endpoint->page) &&
                   accept_prefers_page(http_header(&call->exchange->request, "Accept"));
    if (!as_page || error_send_page(call, status, sentence) != ERR_NONE)
        error_json(call, status, error_key(status) + strlen(ERROR), sentence);
    if (status == 503 || status == 429)
        response_retry_later(call);
    if (status == 401)
        response_add_header(call, "WWW-Authenticate", "Bearer");
}

/* RFC 6749 §5.1: Pragma goes with Cache-Control: no-store, which every response has. */
void
error_send_oauth(struct call *call, int status, const char *error, struct str sentence)
{
    error_json(call, status, error, sentence);
    response_add_header(call, "Pragma", "no-cache");
}

/* RFC 9110 §15.5.6: Allow is required. */
void
error_send_method_not_allowed(struct call *call)
{
    const char *allow = call->at.endpoint->rpc ? RPC_ALLOW : call->at.endpoint->allow;
    error_send(
        call, 405,
        str_format(call->mem, "This URL does not support that method. Use one of: %s.", allow));
    response_add_header(call, "Allow", allow);
}

/* For errors that a handler does not explain itself. The table has a row for every error but
 * ERR_NONE, which would be a defect. */
void
error_send_err(struct call *call, enum err err)
{
    static const struct {
        int status;
        const char *sentence;
    } responses[] = {
        [ERR_INVALID] = { 400, "The request is not valid. Check its parameters and try again." },
        [ERR_UNAUTHENTICATED] = { 401, "Sign in, or send a valid access token." },
        [ERR_FORBIDDEN] = { 403, "You do not have permission to do this." },
        [ERR_NOT_FOUND] = { 404, "This URL does not exist. Check its spelling." },
        [ERR_TAKEN] = { 400, "This name is taken. Choose another." },
        [ERR_TOO_LARGE] = { 413, "The request is too large. Send less data." },
        [ERR_RATE] = { 429, "Too many requests. Wait a few seconds, then try again." },
        [ERR_UNAVAILABLE] = { 503, "The service is temporarily unavailable, and nothing was "
                                   "changed. Try again in a few seconds." },
        [ERR_UNCONFIRMED] = { 503, "The database did not confirm the change, so it may or may not "
                                   "have been made. Check, or try again within a minute." },
        [ERR_INTERNAL] = { 500, "An error occurred on our side. Try again. If it happens again, "
                                "report the request ID." },
    };
    if (err == ERR_NONE || (size_t)err >= sizeof responses / sizeof *responses)
        err = ERR_INTERNAL;
    if (call->detail_count > 0) {
        /* The reason without the varying part, so that equal mistakes are counted together. */
        call->refusal.reason = str_of(responses[err].sentence);
        call->refusal.detail = str_format(call->mem, "%.*s %.*s", STR_ARG(call->details[0].at),
                                          STR_ARG(call->details[0].problem));
    }
    /* On a page of the user's own items, the URL is right and the item is missing. */
    const char *fallback = responses[err].sentence;
    if (err == ERR_NOT_FOUND && call->route != NULL && call->route->caller == CALLER_USER)
        fallback = "This item does not exist or was deleted.";
    /* The description repeats the first detail, for clients that show only the description. */
    struct str sentence = call->detail_count == 0
                              ? str_of(fallback)
                              : str_format(call->mem, "%.*s %.*s", STR_ARG(call->details[0].at),
                                           STR_ARG(call->details[0].problem));
    error_send(call, responses[err].status, sentence);
}
