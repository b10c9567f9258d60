/* authorize.h - an app asks a person for access, up to the code (RFC 6749 §4.1, RFC 7636, RFC
 * 9207).
 *
 *   1  authorize_check   what the app sent, against what it registered; nothing is written
 *   2  (the person signs in, if nobody is signed in: also when the answer will be an error)
 *   3  authorize_begin   with a live grant that covers it: a code at once; else the request is kept
 *                        on the server, bound to the session, and the person is asked
 *   4  consent_decide    what the person ticked, for the request that was kept: a code or a denial
 */
#ifndef FLOW_AUTHORIZE_H
#define FLOW_AUTHORIZE_H

#include "base/err.h"
#include "model/app.h"
#include "model/grant.h"

struct arena;
struct db;
struct secret;
struct user;

/* The sentence for invalid_target, here and where tokens are given. */
#define AUTHORIZE_WRONG_TARGET "resource is not this service; leave it out."

/* As sent; absent: not sent, or sent empty. */
struct authorize_params {
    struct str client_id;
    struct str redirect_uri;
    struct str response_type;
    struct str scope;
    struct str state;
    struct str challenge;
    struct str challenge_method;
    struct str prompt;
    struct str resource;    /* RFC 8707: one that is not ours; see AUTHORIZE_WRONG_TARGET */
    struct str request;     /* RFC 9101: not offered */
    struct str request_uri; /* the same */
    const char *repeated;   /* a parameter that came twice; NULL: none */
    struct str trial_of;    /* this person has begun the request on the portal, whose address the
                             * redirect URI is; that holds for their own apps. Absent: nobody */
};

enum authorize_stop {
    AUTHORIZE_FINE,
    AUTHORIZE_TELL_PERSON, /* who asks, or where to answer, is not known: a page, never a redirect
                            */
    AUTHORIZE_TELL_APP,    /* redirect with an error, once the person is signed in */
};

struct authorize_checked {
    enum authorize_stop stop;
    const char *error;       /* RFC 6749 §4.1.2.1 */
    const char *description; /* a sentence */
    const char *reason;      /* the same for the app's developer, where there is more to say */
    struct str detail;       /* … and what was sent */
    struct app app;          /* its id is absent if nobody knows it */
    struct str redirect_uri; /* as asked */
    struct str state;
    struct str challenge;
    scopes scopes;
    bool is_trial;
    bool must_sign_in; /* prompt=login */
    bool must_consent; /* prompt=consent, or the app is public */
};

/* ERR_NONE whatever was found; another only if the store could not be asked. */
enum err authorize_check(struct db *db, struct arena *mem, const struct authorize_params *params,
                         struct authorize_checked *out);

enum authorize_next { NEXT_CODE, NEXT_SIGN_IN, NEXT_CONSENT };

struct authorize_begun {
    enum authorize_next next;
    const struct secret *code; /* NEXT_CODE */
    struct str request_id;     /* NEXT_SIGN_IN, NEXT_CONSENT */
    scopes held;               /* NEXT_CONSENT: what the app may do already */
};

enum err authorize_begin(struct db *db, struct arena *mem, const struct authorize_checked *checked,
                         const struct session *session, const struct user *user, int64_t now,
                         struct authorize_begun *out);

/* The person has signed in because of this very request, in the session of that hash: it waits
 * there, and prompt=login is done with. */
enum err authorize_keep(struct db *db, struct arena *mem, const struct authorize_checked *checked,
                        struct str session_hash, int64_t now, struct str *request_id);

/* The request that waits in this session, with its app; or one whose session has ended, which
 * must_sign_in says, so that it comes into the next one: see sign_in.request_id. ERR_NOT_FOUND:
 * there is none, or it is too late. */
enum err consent_find(struct db *db, struct arena *mem, const struct session *session,
                      struct str request_id, int64_t now, struct auth_request *request,
                      struct app *app, scopes *held);

struct consent_params {
    struct str request_id;
    bool allow;
    scopes ticked;
    enum grant_term term;
    int64_t now;
};

/* *code is NULL when the person said no, or ticked nothing. ERR_NOT_FOUND as above; ERR_FORBIDDEN:
 * the app was disabled or changed meanwhile. */
enum err consent_decide(struct db *db, struct arena *mem, const struct session *session,
                        const struct user *user, const struct consent_params *params,
                        struct auth_request *request, const struct secret **code);

/* A request that waited only for a sign-in, and that the living grant covers: a code, and the grant
 * as it is. ERR_NOT_FOUND and ERR_FORBIDDEN as above, also if it is not covered any more. */
enum err consent_resume(struct db *db, struct arena *mem, const struct session *session,
                        const struct user *user, struct str request_id, int64_t now,
                        struct auth_request *request, const struct secret **code);

#endif
