/* response.h - builds the response of a request: status, headers, JSON, redirects, files.
 *
 * A handler calls one of these functions (or one of page.h and error.h) and returns ERR_NONE, or
 * returns an err, which dispatch turns into an error response. A later call replaces an earlier
 * response completely, headers included. Each response carries the headers that its kind requires;
 * no function here copies client input into a header, except an Origin that was checked. Header
 * names and values are not copied: they must stay valid as long as the call. Call from the thread
 * that handles the request. */
#ifndef WEB_RESPONSE_H
#define WEB_RESPONSE_H

#include "base/err.h"
#include "base/str.h"

struct call;
struct json;

/* 200 or another status with a JSON body: the handler writes into the returned writer until it
 * returns. */
struct json *response_json(struct call *call, int status);

/* 303 to one of our paths, or to an app's redirect URI. */
void response_redirect(struct call *call, const char *path);

/* A body of any other type, with Cache-Control: no-store unless a header replaces it. */
void response_bytes(struct call *call, int status, const char *type, struct str bytes);

/* A static file under a strong, quoted entity tag: 304 if the client has it. */
void response_file(struct call *call, const char *type, const char *tag, struct str bytes);

/* After response_json(): adds an ETag of the body, answers 304 if the client has it, and forbids
 * sharing between tokens. */
void response_conditional(struct call *call);

/* A JSON body from the response cache, with its ETag if it had one. */
void response_cached(struct call *call, struct str tag, struct str body);

/* Replaces a header of the same name. */
void response_header(struct call *call, const char *name, const char *value);

/* Adds Retry-After to a 429 or 503 response. */
void response_retry_later(struct call *call);

/* The response to OPTIONS. */
void response_options(struct call *call);

/* ---- for dispatch, page.c and error.c ---- */

/* The Allow header of a JSON-RPC endpoint: its GET row only rejects the method. */
#define RPC_ALLOW "POST, OPTIONS"

/* Starts over with this status and the headers of every response. type NULL: no body. */
void response_begin(struct call *call, int status, const char *type);
void response_add_header(struct call *call, const char *name, const char *value);

/* Once, after the handler: what was written becomes the body, and call->etag its tag.
 * call->response_overflow is set if the body exceeded its limit. */
void response_finish(struct call *call);

/* After response_finish(): adds call->etag, and turns the response into 304 if the client has it.
 */
void response_apply_etag(struct call *call);

#endif
