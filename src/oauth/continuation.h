/* continuation.h - the destination of a user after signing in or signing up: a page, or the
 * authorization request of an app. Results are in the request's arena. Call from the thread that
 * handles the request. */
#ifndef OAUTH_CONTINUATION_H
#define OAUTH_CONTINUATION_H

#include "base/err.h"
#include "base/str.h"

struct call;

/* As the browser sent it, unchecked. */
struct continuation {
    struct str next;    /* a path of this service; absent: none */
    struct str request; /* id of a stored authorization request; absent: see
                         * continuation_request() */
};

/* The app that sent the user here. Its redirect URI must be allowed in form-action, which browsers
 * also apply to the redirects that follow a form. */
struct sender {
    struct str app; /* its name; absent: no app */
    struct str redirect_uri;
};

/* The stored authorization request that continues, from `request` or from `next`. */
struct str continuation_request(const struct continuation *continuation);

/* The path to continue with; absent if there is none that is safe. */
struct str continuation_path(struct call *call, const struct continuation *continuation);

struct sender continuation_sender(struct call *call, const struct continuation *continuation);

/* Where to redirect now that the session with this key has begun. */
enum err continuation_find(struct call *call, const struct continuation *continuation,
                           struct str key, const char **out);

#endif
