/* browser_session.h - the session cookie, anti-CSRF form tokens, and return paths of pages. Results
 * are in the request's arena. Call from the thread that handles the request. */
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

/* Sets call->browser if the request has the cookie of a valid session; otherwise it stays NULL. */
enum err browser_session_find(struct call *call);

#define FORM_EXPIRED \
    "This form has expired. Nothing was saved. Go back, reload the page, and send it again."

/* True if the form contains the form token of this session. If not, the response is 403 with
 * FORM_EXPIRED. */
bool browser_session_form_ok(struct call *call);

/* Reads a multipart form. ERR_INVALID: the body is not one. */
enum err browser_session_read_parts(struct call *call, struct multipart *out);

/* Add a Set-Cookie header to the response: for a new session, or to delete the cookie. */
void browser_session_set_cookie(struct call *call, struct str key);
void browser_session_clear_cookie(struct call *call);

/* The device cookie marks a browser in which this user has signed in. Such a browser has its own
 * budget of failed sign-ins, so that failures of others do not lock the user out. Returns a key for
 * that budget; absent without a valid cookie. */
void browser_session_set_device(struct call *call, const struct user *user);
struct str browser_session_device(struct call *call, const struct user *user);

/* The cookie that binds challenges for passkeys to this browser (identity/challenge.h). Absent: the
 * browser has none. */
struct str browser_session_challenges(const struct call *call);
void browser_session_set_challenges(struct call *call, struct str value);

/* Redirects to the sign-in page, which leads back to the requested page or, after a form, to the
 * authorization request of that form. */
void browser_session_require(struct call *call);

/* Paths of a stored authorization request: its consent page (absent if the id is malformed), the id
 * in such a path (absent if `next` is another path), and the sign-in page that continues it. */
struct str request_page_path(struct call *call, struct str id);
struct str request_in_path(struct str next);
const char *request_sign_in_path(struct call *call, struct str id);

/* True if `next` is a path of this service, which is safe to redirect to after sign-in. */
bool return_path_ok(struct str next);

/* The path of a page that continues to `next` afterwards; without `next` if it is not safe. */
struct str return_path_via(struct call *call, const char *page, struct str next);

#endif
