/* error.h - sends error responses, all in one shape.
 *
 * Programs get {"error", "error_description", "details"}; a browser that asks for a page gets an
 * error page. The sentence says what was wrong and what to do next. Call from the thread that
 * handles the request. */
#ifndef WEB_ERROR_H
#define WEB_ERROR_H

#include "base/err.h"
#include "base/str.h"

struct call;

/* The error's name follows from the status. JSON or a page, by the Accept header (see
 * accept_header.h). */
void error_send(struct call *call, int status, struct str sentence);

/* Always as a page. */
enum err error_send_page(struct call *call, int status, struct str sentence);

/* As JSON, with a name from an OAuth specification: "invalid_grant". */
void error_send_oauth(struct call *call, int status, const char *error, struct str sentence);

/* Adds one entry to "details" of the error that is sent next. */
void error_add_detail(struct call *call, struct str at, struct str problem);

/* The general response to an err; ERR_INVALID and others use the details added before. */
void error_send_err(struct call *call, enum err err);

/* 405 with the Allow header. */
void error_send_method_not_allowed(struct call *call);

#endif
