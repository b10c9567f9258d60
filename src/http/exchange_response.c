/* exchange_response.c - passes the service's response to the library, and responses to requests
 * that the server rejects itself. The library does not copy the body: it stays valid until
 * exchange_end(). */
#include "base/log.h"
#include "http/exchange_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Both uses are defects of the calling code: see http_response_header(). */
static _Noreturn void
header_defect(const char *name, const char *what)
{
    fprintf(stderr, "penchant: defect: response header %s %s\n", name, what);
    abort();
}

/* A line break would let a value add headers, or a second response (response splitting). */
static bool
breaks_line(const char *text)
{
    return strchr(text, '\n') != NULL || strchr(text, '\r') != NULL;
}

/* A line break would let a value add headers or a whole response (response splitting), and a defect
 * of the code must not become one of security: both defects stop the process. */
void
http_response_header(struct http_response *response, const char *name, const char *value)
{
    if (breaks_line(name) || breaks_line(value))
        header_defect("(name withheld)", "has a line break in it");
    if (response->header_count == HTTP_HEADERS_MAX)
        header_defect(name, "is one too many");
    response->headers[response->header_count++] = (struct http_header_line){ name, value };
}

static void
add_header(struct MHD_Response *response, const char *name, const char *value)
{
    if (MHD_add_response_header(response, name, value) != MHD_YES)
        log_error("http_header_not_sent", log_text("name", str_of(name)));
}

/* A response without a status, or with a head that cannot be sent, is a bug in the service; respond
 * anyway. */
static void
check_response(struct http_response *reply)
{
    size_t bytes = 0;
    for (size_t i = 0; i < reply->header_count; i++)
        bytes += strlen(reply->headers[i].name) + strlen(reply->headers[i].value) + 4;
    if (reply->status != 0 && bytes <= HTTP_RESPONSE_HEAD_MAX)
        return;
    log_error("http_response_invalid", log_number("status", reply->status),
              log_number("head_bytes", (int64_t)bytes));
    *reply = (struct http_response){ .status = 500, .close = reply->close };
}

/* The last step of every exchange; only on the library's thread. */
enum MHD_Result
exchange_response_send(struct exchange *x)
{
    struct http_response *reply = &x->open.response;
    check_response(reply);
    struct str body = reply->body;
    /* RFC 9110 §15.3.5 and §15.4.5: these have no content. */
    if (reply->status == 204 || reply->status == 304)
        body.len = 0;
    struct MHD_Response *response = MHD_create_response_from_buffer(
        body.len, (void *)(uintptr_t)(body.len == 0 ? "" : body.ptr), MHD_RESPMEM_PERSISTENT);
    if (response == NULL)
        return MHD_NO;
    for (size_t i = 0; i < reply->header_count; i++)
        add_header(response, reply->headers[i].name, reply->headers[i].value);
    add_header(response, "X-Request-Id", x->id);
    if (x->traceparent[0] != '\0')
        add_header(response, "traceparent", x->traceparent);
    /* The library parses chunks leniently, so a proxy may disagree about where the body ends. Close
     * the connection, so that nothing after it is read as a request. */
    if (reply->close || x->head.length == HEAD_CHUNKED ||
        atomic_load(&x->server->connections.mode) != CONNECTIONS_SERVE)
        add_header(response, "Connection", "close");
    exchange_set_step(x, STEP_SENT);
    connection_enter_response(x->connection, body.len);
    enum MHD_Result queued = MHD_queue_response(x->handle, (unsigned)reply->status, response);
    MHD_destroy_response(response);
    return queued;
}

/* After a response at the head, the library drops all further
 * bytes as body, so the connection must close unless the body is read first. */
enum MHD_Result
exchange_response_send_early(struct exchange *x)
{
    const struct head *head = &x->head;
    bool small = head->length >= 0 && head->length <= HTTP_DISCARD_MAX;
    if (small && !head->expects_continue && !x->open.response.close) {
        exchange_set_step(x, STEP_DISCARD);
        connection_enter(x->connection, STAGE_BODY);
        return MHD_YES;
    }
    x->open.response.close = true;
    x->connection->lingers = true;
    return exchange_response_send(x);
}

/* Counts the refusal, and lets the service write the response, so that errors of the server and of
 * handlers look alike. */
void
exchange_response_refuse(struct exchange *x, enum http_refusal refusal, const char *detail)
{
    struct http_server *server = x->server;
    atomic_fetch_add_explicit(&server->refused[refusal], 1, memory_order_relaxed);
    /* The service may have never seen this request, but now `done` must count and log it. */
    x->seen_by_service = true;
    server->service.refuse(server->service.context, &x->open, refusal, detail);
}

/* After a rejected head the following bytes cannot be trusted to be a request. */
enum MHD_Result
exchange_response_refuse_head(struct exchange *x, enum http_refusal refusal, const char *detail)
{
    exchange_response_refuse(x, refusal, detail);
    x->open.response.close = true;
    x->connection->lingers = !x->connection->over_limit;
    return exchange_response_send(x);
}
