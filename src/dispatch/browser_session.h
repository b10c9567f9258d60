/* browser_session.h - who sits in front of the browser: the session's cookie, and the token of its
 * forms.
 */
#ifndef DISPATCH_BROWSER_SESSION_H
#define DISPATCH_BROWSER_SESSION_H

#include "base/err.h"
#include "model/grant.h"
#include "model/user.h"

struct call;
struct multipart;

struct browser_session {
    struct str key; /* of the session */
    struct session session;
    struct user user;
};

/* Fills call->visitor if a live session's cookie came with the request; leaves it NULL if none did.
 */
enum err browser_session_find(struct call *call);

/* The form that was sent carries the token of this visitor's session. */
bool browser_session_form_ok(struct call *call);

/* The parts of a form with a file. ERR_INVALID: it is none. */
enum err browser_session_read_parts(struct call *call, struct multipart *out);

/* With the next reply: the cookie of a new session, and the end of one. */
void browser_session_set_cookie(struct call *call, struct str key);
void browser_session_clear_cookie(struct call *call);

/* To the sign-in page, and from there back to where the visitor wanted to go; from a form, to the
 * app's request that it was about. */
void browser_session_require(struct call *call);

/* An app's request waits on the server under an id. The address of its page, absent if the id
 * cannot be one; the id in such an address, absent if it is another; and where one signs in for it.
 */
struct str request_page_path(struct call *call, struct str id);
struct str request_in_path(struct str next);
const char *request_sign_in_path(struct call *call, struct str id);

/* A path of ours, nothing else: what may be followed after signing in. */
bool return_path_ok(struct str next);

/* The address of a page of ours that leads on to `next` in the end; if that is none of ours, of the
 * page alone. */
struct str return_path_via(struct call *call, const char *page, struct str next);

#endif
