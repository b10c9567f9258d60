/* response.c - every response starts in response_begin(), which sets the headers that all of them
 * need: nosniff, no-store, HSTS, and CORS if the route allows it. A second response to one request
 * replaces the first, headers included, so that an error never carries a header of the success.
 *
 * JSON is written into call->out and becomes the body in response_finish(), which also finds out
 * whether it was too large. */
#include "web/response.h"

#include "crypt/digest.h"
#include "http/server.h"
#include "text/json_write.h"
#include "web/call.h"
#include "web/state.h"

#include <strings.h>

#define BODY_OUT_MAX ((size_t)16 * 1024 * 1024)

#define RETRY_AFTER_SECONDS "5"

/* ---- headers ---- */

#define RATE_HEADERS "RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, "

void
response_add_header(struct call *call, const char *name, const char *value)
{
    http_response_header(&call->exchange->response, name, value);
}

/* Scripts of an origin that rpc_guard.c has allowed may read the response. */
static void
begin_rpc(struct call *call)
{
    response_add_header(call, "Vary", "Authorization, Origin");
    if (call->origin == NULL)
        return;
    response_add_header(call, "Access-Control-Allow-Origin", call->origin);
    response_add_header(call, "Access-Control-Expose-Headers",
                        RATE_HEADERS "Retry-After, WWW-Authenticate, X-Request-Id, traceparent");
}

/* Replaces a response that was begun before, as an error in the middle of a handler does.
 * Everything is no-store unless the handler says otherwise. */
void
response_begin(struct call *call, int status, const char *type)
{
    struct http_response *response = &call->exchange->response;
    response->status = status;
    response->body = STR("");
    response->header_count = 0;
    call->writing = call->conditional = false;

    if (type != NULL)
        response_add_header(call, "Content-Type", type);
    response_add_header(call, "X-Content-Type-Options", "nosniff");
    response_add_header(call, "Cache-Control", "no-store");
    if (call->web->https)
        response_add_header(call, "Strict-Transport-Security", "max-age=31536000");
    if (call->at.endpoint != NULL && call->at.endpoint->cors) {
        response_add_header(call, "Access-Control-Allow-Origin", "*");
        response_add_header(call, "Access-Control-Expose-Headers",
                            "ETag, " RATE_HEADERS
                            "Retry-After, WWW-Authenticate, X-Request-Id, traceparent");
    }
    if (call->at.endpoint != NULL && call->at.endpoint->rpc)
        begin_rpc(call);
}

/* Removes the earlier header, since two Cache-Control or Vary headers would be combined. */
void
response_header(struct call *call, const char *name, const char *value)
{
    struct http_response *response = &call->exchange->response;
    size_t kept = 0;
    for (size_t i = 0; i < response->header_count; i++)
        if (strcasecmp(response->headers[i].name, name) != 0)
            response->headers[kept++] = response->headers[i];
    response->header_count = kept;
    response_add_header(call, name, value);
}

void
response_retry_later(struct call *call)
{
    response_header(call, "Retry-After", RETRY_AFTER_SECONDS);
}

/* ---- kinds of responses ---- */

/* The caller writes the document; response_finish() makes it the body. */
struct json *
response_json(struct call *call, int status)
{
    response_begin(call, status, "application/json");
    call->out = buf_in(call->mem, BODY_OUT_MAX);
    call->json = json_into(&call->out);
    call->writing = true;
    return &call->json;
}

void
response_redirect(struct call *call, const char *path)
{
    response_begin(call, 303, NULL);
    response_add_header(call, "Referrer-Policy", "no-referrer");
    response_add_header(call, "Location", path);
}

void
response_bytes(struct call *call, int status, const char *type, struct str bytes)
{
    response_begin(call, status, type);
    call->exchange->response.body = bytes;
}

/* Also the answer to a CORS preflight, with the headers that MCP clients send. */
void
response_options(struct call *call)
{
    const struct endpoint *endpoint = call->at.endpoint;
    response_begin(call, 204, NULL);
    response_add_header(call, "Allow", endpoint->rpc ? RPC_ALLOW : endpoint->allow);
    if (endpoint->cors || call->origin != NULL) {
        response_add_header(call, "Access-Control-Allow-Methods",
                            endpoint->rpc ? "POST" : endpoint->methods);
        response_add_header(
            call, "Access-Control-Allow-Headers",
            "Authorization, Content-Type, Accept, If-None-Match, MCP-Protocol-Version, "
            "Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID, traceparent, tracestate");
        response_add_header(call, "Access-Control-Max-Age", "86400");
    }
}

void
response_conditional(struct call *call)
{
    call->conditional = true;
    response_header(call, "Cache-Control", "private, no-cache");
    response_header(call, "Vary", "Authorization");
}

/* RFC 9110 §13.1.2: a list of tags, or "*"; compared weakly. */
static bool
has_tag(struct str list, struct str tag)
{
    struct str one;
    while (str_cut(&list, ',', &one)) {
        one = str_trim(one);
        if (str_starts(one, STR("W/")))
            one = str_from(one, 2);
        if (str_eq(one, tag) || str_eq(one, STR("*")))
            return true;
    }
    return false;
}

/* The ETag is sent with 304 as well (RFC 9110 §15.4.5). */
void
response_file(struct call *call, const char *type, const char *tag, struct str bytes)
{
    if (has_tag(http_header(&call->exchange->request, "If-None-Match"), str_of(tag)))
        response_bytes(call, 304, NULL, STR(""));
    else
        response_bytes(call, 200, type, bytes);
    response_add_header(call, "ETag", tag);
}

/* A digest of the body, not the generation: a restored backup repeats generations with other
 * content. */
static struct str
make_tag(struct call *call)
{
    char tag[DIGEST_SHORT_LENGTH + 2] = { '"', [DIGEST_SHORT_LENGTH + 1] = '"' };
    digest_short(call->exchange->response.body, tag + 1);
    return str_copy(call->mem, (struct str){ tag, sizeof tag });
}

/* 304 has the headers of the 200, but no body (RFC 9110 §15.4.5). */
static void
put_tag(struct call *call, struct str tag)
{
    struct http_response *response = &call->exchange->response;
    response_add_header(call, "ETag", str_c(call->mem, tag));
    if (has_tag(http_header(&call->exchange->request, "If-None-Match"), tag)) {
        response->status = 304;
        response->body = STR("");
    }
}

/* An overflow is noted here and becomes an error response: a cut body is never sent. */
void
response_finish(struct call *call)
{
    if (!call->writing)
        return;
    call->writing = false;
    if (call->out.overflow) {
        call->response_overflow = true;
        return;
    }
    call->exchange->response.body = buf_str(&call->out);
    call->etag =
        call->conditional && call->exchange->response.status == 200 ? make_tag(call) : STR_NONE;
}

void
response_apply_etag(struct call *call)
{
    if (str_present(call->etag))
        put_tag(call, call->etag);
}

/* The same headers as in the response that the handler wrote. */
void
response_cached(struct call *call, struct str tag, struct str body)
{
    response_begin(call, 200, "application/json");
    call->exchange->response.body = body;
    if (str_present(tag) && tag.len > 0) {
        response_conditional(call);
        put_tag(call, tag);
    } else if (call->route->caller == CALLER_TOKEN) {
        response_header(call, "Vary", "Authorization");
    } else {
        response_header(call, "Pragma", "no-cache");
    }
}
