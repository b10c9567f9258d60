/* authorize.h - the authorization request up to the code (RFC 6749 §4.1, RFC 7636, RFC 9207).
 *
 *   1  authorize_check   compares the parameters with the app's registration; writes nothing
 *   2  (the user signs in if necessary, even if the result will be an error)
 *   3  authorize_begin   if a valid grant covers the request: returns a code; otherwise stores the
 *                        request, bound to the session, and the user is asked for consent
 *   4  consent_decide    applies the user's decision to the stored request: a code or a denial
 *
 * Results are allocated from `mem`. Any thread may call these functions. */
#ifndef FLOW_AUTHORIZE_H
#define FLOW_AUTHORIZE_H

#include "base/err.h"
#include "model/app.h"
#include "model/grant.h"

struct arena;
struct db;
struct secret;
struct user;

/* error_description of invalid_target, for the authorization and token endpoints. */
#define AUTHORIZE_WRONG_TARGET                                                               \
    "resource must be the base URL of this service, its /mcp, or its /v1, and at the token " \
    "endpoint a part of what was authorized. Or omit it."

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
    audience audience;      /* of `resource` (RFC 8707); 0: not sent */
    bool wrong_target;      /* `resource` is not this service */
    scopes default_scopes;  /* for a self-registered client that named none */
    struct str request;     /* RFC 9101: not supported */
    struct str request_uri; /* the same */
    const char *repeated;   /* a parameter sent more than once; NULL: none */
    struct str trial_of;    /* id of the user who started this trial request on the portal; valid
                             * only for that user's own apps. Absent: not a trial */
};

enum authorize_stop {
    AUTHORIZE_OK,
    AUTHORIZE_SHOW_ERROR, /* the client or its redirect URI is not valid: error page, no redirect
                           */
    AUTHORIZE_REDIRECT_ERROR, /* redirect with an error, after the user has signed in */
};

struct authorize_checked {
    enum authorize_stop stop;
    const char *error;       /* RFC 6749 §4.1.2.1 */
    const char *description; /* a sentence */
    const char *reason;      /* more detail for the app's developer; may be NULL */
    struct str detail;       /* the rejected value, for the developer */
    struct app app;          /* id absent: unknown client_id */
    struct str redirect_uri; /* as sent */
    struct str state;
    struct str challenge;
    scopes scopes;
    audience audience;
    bool is_trial;
    bool must_sign_in; /* prompt=login */
    bool must_consent; /* prompt=consent, or the app is public */
};

/* ERR_NONE even if the request is not valid (see out->stop); other errors come from the store. */
enum err authorize_check(struct db *db, struct arena *mem, const struct authorize_params *params,
                         struct authorize_checked *out);

enum authorize_next { NEXT_CODE, NEXT_SIGN_IN, NEXT_CONSENT };

struct authorize_begun {
    enum authorize_next next;
    const struct secret *code; /* NEXT_CODE */
    struct str request_id;     /* NEXT_SIGN_IN, NEXT_CONSENT */
    scopes held;               /* NEXT_CONSENT: as of grant_covered() */
    bool app_changed;          /* since the user allowed it: its name, link, or place */
    struct str withheld;       /* facts that the app does not see: see model/view.h */
    scopes sensitive;          /* domains whose sensitive facts it sees */
    bool never_ends;           /* the user allowed it without an end date */
};

enum err authorize_begin(struct db *db, struct arena *mem, const struct authorize_checked *checked,
                         const struct session *session, const struct user *user, int64_t now,
                         struct authorize_begun *out);

/* Stores the request in the session that the user has just signed in to because of it. prompt=login
 * is satisfied. */
enum err authorize_keep(struct db *db, struct arena *mem, const struct authorize_checked *checked,
                        struct str session_hash, int64_t now, struct str *request_id);

/* Finds a stored request of this session, with its app. A request whose session has ended is found
 * too, with must_sign_in set: see sign_in.request_id. must_consent is set unless a valid grant
 * covers the request. ERR_NOT_FOUND: unknown or expired. */
enum err consent_find(struct db *db, struct arena *mem, const struct session *session,
                      struct str request_id, int64_t now, struct auth_request *request,
                      struct app *app, scopes *held);

struct consent_params {
    struct str request_id;
    bool allow;
    scopes selected;
    scopes domains;             /* chosen by the user if the app registered itself; else not used */
    scopes sensitive;           /* domains whose sensitive facts the user shares */
    bool writes_wait;           /* as `domains` */
    const struct str *withhold; /* ids of atoms that the app must not see, besides earlier ones */
    size_t withhold_count;
    enum grant_term term;
    int64_t now;
};

/* *code is NULL if the user denied access or selected nothing. ERR_NOT_FOUND as above.
 * ERR_FORBIDDEN: the app was disabled or changed after the request. ERR_TOO_LARGE: more facts are
 * withheld than a grant can have. */
enum err consent_decide(struct db *db, struct arena *mem, const struct session *session,
                        const struct user *user, const struct consent_params *params,
                        struct auth_request *request, const struct secret **code);

/* Completes a request that needed only a sign-in and that a valid grant covers: returns a code and
 * leaves the grant unchanged. ERR_NOT_FOUND and ERR_FORBIDDEN as above, also if the grant does not
 * cover the request anymore. */
enum err consent_resume(struct db *db, struct arena *mem, const struct session *session,
                        const struct user *user, struct str request_id, int64_t now,
                        struct auth_request *request, const struct secret **code);

#endif
