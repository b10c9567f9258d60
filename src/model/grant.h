/* grant.h - the things that can end, and when: sessions, requests, grants, families, codes, tokens.
 *
 * A grant is what one person allows one app. A family is one authorization under it: a code and
 * every token that came of it. Whatever ended never works again. Pure. */
#ifndef MODEL_GRANT_H
#define MODEL_GRANT_H

#include "base/str.h"
#include "model/scope.h"

#define SESSION_SECONDS ((int64_t)30 * 24 * 3600)
#define SESSIONS_PER_USER_MAX 50
#define REQUEST_SECONDS 600 /* to sign in and decide */
#define CODE_SECONDS 60
#define ACCESS_SECONDS 3600
#define REFRESH_SECONDS ((int64_t)30 * 24 * 3600) /* idle */
#define FAMILY_SECONDS ((int64_t)365 * 24 * 3600)
#define FAMILIES_PER_GRANT_MAX 100
#define REUSE_SECONDS 60                      /* in which a used refresh token may be a retry … */
#define REUSES_MAX 3                          /* … this often */
#define NEVER_EXPIRES ((int64_t)253402300799) /* the last second of the year 9999 */

struct session {
    struct str hash;
    struct str user_id;
    int64_t user_epoch;
    struct str device;
    struct str address;
    int64_t created_at;
    int64_t ends_at;
};

struct auth_request {
    struct str hash;
    struct str session_hash;
    struct str app_id;
    struct str redirect_uri; /* as the app asked for it */
    scopes scopes;
    struct str state; /* absent: none was sent */
    struct str challenge;
    bool must_sign_in;
    bool must_consent;
    bool is_trial; /* begun by the app's developer on the portal, where it is answered */
    int64_t ends_at;
};

struct grant {
    struct str id; /* grt_… */
    struct str user_id;
    struct str app_id;
    scopes scopes;
    int64_t ends_at;
    int64_t created_at;
    int64_t updated_at;
};

struct family {
    struct str id; /* fam_… */
    struct str grant_id;
    struct str user_id;
    struct str app_id;
    int64_t user_epoch;
    int64_t app_epoch;
    scopes scopes; /* as consented for this authorization */
    bool domains_limited;
    int64_t created_at;
    int64_t ends_at;
};

struct auth_code {
    struct str hash;
    struct str family_id;
    struct str app_id;
    struct str redirect_uri;
    struct str challenge;
    int64_t redeemed_at; /* 0: not yet */
    int64_t ends_at;
};

struct refresh_token {
    struct str hash;
    struct str family_id;
    struct str app_id;
    int64_t ends_at;
    int64_t used_at; /* 0: not yet */
    int64_t reuses;
};

/* A live access token, seen together with its family, grant, app and user. */
struct access {
    struct str user_id;
    struct str username; /* of one that was introspected */
    struct str app_id;
    struct str token_hash;
    scopes scopes; /* the token's, as far as the grant allows them now */
    bool domains_limited;
    int64_t created_at;
    int64_t ends_at;
    int64_t live_until; /* the token, its family and its grant, if nothing ends them before */
    int64_t generation; /* the user's */
    uint64_t commits;   /* that it was sure to be read behind */
    uint64_t version;   /* of all of these rows: see token_access_stamp(); 0: not to be kept */
};

/* How long a consent lasts, as the page offers it. */
enum grant_term { TERM_UNTIL_REVOKED, TERM_DAY, TERM_MONTH, TERM_YEAR };
bool grant_term_read(struct str text, enum grant_term *out); /* "revoked", "1d", "30d", "1y" */
int64_t grant_term_end(enum grant_term term, int64_t now);

/* What the grant holds after a consent: the asked scopes as ticked, the unasked as they were. */
scopes grant_after_consent(scopes held, scopes asked, scopes ticked);

/* Whether the person must be asked: more is wanted than the live grant holds. */
bool grant_covers(scopes held, scopes asked);

/* What a presented refresh token is. */
enum refresh_verdict {
    REFRESH_FRESH,     /* not used yet */
    REFRESH_RETRY,     /* used a moment ago: the client may have lost the answer */
    REFRESH_TOO_OFTEN, /* retried more often than that: no, but nothing ends */
    REFRESH_STOLEN,    /* used long ago: the family ends */
};
enum refresh_verdict refresh_judge(const struct refresh_token *token, int64_t now);

#endif
