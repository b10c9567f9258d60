/* reply.h - the only voice: statuses, headers, JSON, pages, redirects, errors.
 *
 * A handler calls one of these and returns ERR_NONE, or returns an err and leaves the words to
 * reply_err(). A later reply replaces an earlier one whole, headers included. Every answer carries
 * the headers its kind must have; nothing here echoes what a client sent into a header. */
#ifndef WEB_REPLY_H
#define WEB_REPLY_H

#include "base/err.h"
#include "base/str.h"

struct call;
struct json;
struct values;

/* What is written into it until the handler returns becomes the body. */
struct json *reply_json(struct call *call, int status);

/* A template of pages/; `values` may be NULL. */
enum err reply_page(struct call *call, int status, const char *page, struct values *values);

/* 303 to a path of ours, or to an app's redirect URI. */
void reply_redirect(struct call *call, const char *path);

/* Bytes of any other type, cached by nobody unless a header says so. */
void reply_bytes(struct call *call, int status, const char *type, struct str bytes);

/* Bytes that stay as they are under this tag (strong, quoted): 304 to whoever has them. */
void reply_file(struct call *call, const char *type, const char *tag, struct str bytes);

/* After reply_json(), for what a client may keep: an ETag of the body, 304 to whoever has it, and
 * no sharing between tokens. */
void reply_conditional(struct call *call);

/* A JSON answer as it was given before, with its ETag if it had one. */
void reply_kept(struct call *call, struct str tag, struct str body);

/* After one of the above; replaces a header of the same name. Both must live as long as the call.
 */
void reply_header(struct call *call, const char *name, const char *value);

/* "Retry-After", for a page that says "not now" in its own words. */
void reply_retry_later(struct call *call);

/* An error in the one shape, or as a page for whoever prefers to read (see accept.h): the sentence
 * says what was wrong and what to do. The error's name follows from the status. */
void reply_error(struct call *call, int status, struct str sentence);

/* The same, always as a page. */
enum err reply_error_page(struct call *call, int status, struct str sentence);

/* After reply_page(): its forms may lead there, too, and its script may call this service. Browsers
 * apply form-action to the redirects that follow a form. `origin` comes from redirect_uri_origin().
 */
void reply_form_action(struct call *call, struct str origin);

/* After reply_page(): its script may call this service. */
void reply_connect(struct call *call);

/* As JSON, with a name of its own: "invalid_grant". */
void reply_oauth_error(struct call *call, int status, const char *error, struct str sentence);

/* One entry of the "details" of the error that follows. */
void reply_detail(struct call *call, struct str at, struct str problem);

/* The answer to a failure of that kind, in general words. */
void reply_err(struct call *call, enum err err);

/* 405, and the answer to OPTIONS. */
void reply_method_not_allowed(struct call *call);
void reply_options(struct call *call);

/* Once, behind the handler: what was written becomes the body. */
void reply_finish(struct call *call);

#endif
