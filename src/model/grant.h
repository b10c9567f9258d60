/* grant.h - sessions, authorization requests, grants, token families, codes and tokens, and when
 * they expire.
 *
 * A grant is what one user allows one app. A family is one authorization under it: a code and every
 * token issued from it. Nothing that expired or was revoked becomes valid again. Pure; any thread
 * may call them. */
#ifndef MODEL_GRANT_H
#define MODEL_GRANT_H

#include "base/str.h"
#include "model/scope.h"
#include "model/view.h"

#define SESSION_SECONDS ((int64_t)30 * 24 * 3600)
#define CONFIRMED_SECONDS 300 /* a password or passkey counts this long for sensitive changes */
#define SESSIONS_PER_USER_MAX 50
#define REQUESTS_PER_SESSION_MAX 20
#define REQUEST_SECONDS 600 /* to sign in and decide */
#define CODE_SECONDS 60
#define ACCESS_SECONDS 3600
#define REFRESH_SECONDS ((int64_t)30 * 24 * 3600) /* idle */
#define FAMILY_SECONDS ((int64_t)365 * 24 * 3600)
#define FAMILIES_PER_GRANT_MAX 100
#define REUSE_SECONDS 60 /* for this long, reuse of a refresh token counts as a retry … */
#define REUSES_MAX 3     /* … up to this many times, … */
#define PUBLIC_REUSES_MAX \
    50 /* … and for a public client, whose processes share the token, to this */
#define NEVER_EXPIRES ((int64_t)253402300799) /* the last second of the year 9999 */

/* Where the tokens of an authorization are valid (RFC 8707). Stored as a number. */
enum {
    AUDIENCE_API = 1 << 0,                                   /* /v1 and user info */
    AUDIENCE_MCP = 1 << 1,                                   /* /mcp */
    AUDIENCE_SERVICE = 1 << 2 | AUDIENCE_API | AUDIENCE_MCP, /* the app named no single part */
};
typedef unsigned audience;

struct session {
    struct str hash;
    struct str user_id;
    int64_t user_epoch;
    struct str device;
    struct str address;
    int64_t created_at;
    int64_t expires_at;
    int64_t confirmed_at; /* the user's last password or passkey */
};

struct auth_request {
    struct str hash;
    struct str session_hash;
    struct str app_id;
    struct str redirect_uri; /* as requested by the app */
    scopes scopes;
    audience audience;
    struct str state; /* absent: none was sent */
    struct str challenge;
    bool must_sign_in;
    bool must_consent;
    bool is_trial; /* started by the app's developer on the portal, which receives the response */
    struct str shown;    /* about the app when the request was stored: see grant_shows() */
    bool app_changed;    /* set by consent_find(): since the user allowed it. Not stored */
    struct str withheld; /* the same: facts that the app does not see */
    scopes sensitive;    /* the same: domains whose sensitive facts it sees */
    bool never_ends;     /* the same: the user allowed it without an end date */
    int64_t expires_at;
};

/* The permissions of an app. agent_hints and preferences:write apply only in the domains listed for
 * them. Facts of sensitive members are a permission of their own, in domains that the app may read.
 */
struct permissions {
    scopes scopes;
    scopes hint_domains;
    scopes write_domains;
    scopes sensitive_domains;
};

struct grant {
    struct str id; /* grt_… */
    struct str user_id;
    struct str app_id;
    struct permissions allowed;
    scopes requested; /* by the app, ever; the user did not allow those that are not in `allowed` */
    bool writes_wait; /* what the app writes is held until the user confirms it */
    struct str shown; /* about the app when the user allowed this: see grant_shows() */
    struct str withheld; /* facts that the app must not see: see view.h */
    int64_t expires_at;
    int64_t created_at;
    int64_t updated_at;
    int64_t reused_at; /* when reuse of a code or refresh token revoked a family; 0: never */
};

struct family {
    struct str id; /* fam_… */
    struct str grant_id;
    struct str user_id;
    struct str app_id;
    int64_t user_epoch;
    int64_t app_epoch;
    scopes scopes;        /* as consented for this authorization */
    bool domains_limited; /* hints and writing apply only in the domains of `scopes` */
    audience audience;
    int64_t created_at;
    int64_t expires_at;
    int64_t issued_at; /* the newest refresh token is at most a day newer; 0: none yet */
};

struct auth_code {
    struct str hash;
    struct str family_id;
    struct str app_id;
    struct str redirect_uri;
    struct str challenge;
    int64_t redeemed_at; /* 0: not yet */
    int64_t expires_at;
};

struct refresh_token {
    struct str hash;
    struct str family_id;
    struct str app_id;
    int64_t expires_at;
    int64_t used_at; /* 0: not yet */
    int64_t reuses;
    struct str seed; /* the tokens that replaced it are derived from it and this; absent: none */
    bool is_lost;    /* by a failover, after it was issued */
};

/* A valid access token, together with data of its family, grant, app and user. */
struct access {
    struct str user_id;
    struct str username; /* set by introspection only, with profile:read */
    struct str app_id;
    struct str token_hash;
    struct permissions allowed; /* the token's permissions that the grant still includes */
    audience audience;          /* where the token is valid */
    int64_t rate_api;           /* of the app: see struct app */
    struct str withheld;        /* facts that the app must not see: see access_view() */
    struct str purpose;         /* of the app: see struct app */
    int64_t created_at;
    int64_t expires_at;
    int64_t valid_until; /* first expiry of the token, its family, and its grant */
    int64_t generation;  /* the user's */
    uint64_t commits;    /* number of commits that the read was sure to see */
    uint64_t version;    /* of all of these rows: see token_access_version(); 0: do not cache */
};

/* The view of the user's atoms that an access token gives. Valid as long as `access`. */
struct view access_view(const struct access *access, const struct domains *domains);

/* The durations of consent that the page offers. */
enum grant_term { TERM_UNTIL_REVOKED, TERM_DAY, TERM_MONTH, TERM_YEAR };
bool grant_term_read(struct str text, enum grant_term *out); /* "revoked", "1d", "30d", "1y" */
int64_t grant_term_end(enum grant_term term, int64_t now);

/* The permissions after a consent to the `selected` ones of the scopes `asked`. The consent page
 * shows them. */
struct permissions permissions_of(scopes asked, scopes selected);

/* The part of an authorization's permissions that its grant includes. */
struct permissions permissions_within(scopes set, bool domains_limited,
                                      const struct permissions *granted);

/* A grant after consent: requested scopes as selected, others unchanged. A domain becomes usable
 * for hints or for writing only if this consent showed it for that. */
struct permissions grant_after_consent(const struct permissions *held, scopes asked,
                                       scopes selected);

/* The same if the user chose the domains, whatever the app asked for (DOMAINS_ALL: no limit).
 * preferences:read then becomes the scopes of these domains. grant_limited_scopes() are the scopes
 * of the authorization. */
scopes grant_limited_scopes(scopes asked, scopes selected, scopes domains);
struct permissions grant_after_limited_consent(const struct permissions *held, scopes asked,
                                               scopes selected, scopes domains);

/* The domains in which these scopes allow an app to read. */
scopes scopes_readable(scopes set);

/* Applies the user's choice of sensitive facts on a page that showed the scopes `asked`. Domains
 * that it did not show stay as they are. */
void grant_choose_sensitive(struct permissions *grant, scopes asked, scopes chosen);

/* A grant that loses scopes. Hints and writing lose the domains among them. */
struct permissions grant_without(const struct permissions *held, scopes removed);

/* Whether the app sees facts of the domain: in records, or, unless sensitive, only in hints. A
 * sensitive fact also needs the user's choice. */
bool grant_reads(const struct permissions *allowed, struct str domain, bool sensitive);

/* Those of the requested scopes that the grant already includes, in every domain in which the
 * request would use them. If it is all of them, no consent is needed. */
scopes grant_covered(const struct permissions *held, scopes asked);

/* Users decide by an app's name, its privacy link, and the place that they return to. `shown` in a
 * grant is these two lines and then the places, one per line. grant_shows() is whether the user has
 * seen them all; grant_add_shown() is `shown` after a consent. */
bool grant_shows(struct str shown, struct str about, struct str place);
struct str grant_add_shown(struct arena *mem, struct str shown, struct str about, struct str place);

/* How to treat a presented refresh token. */
enum refresh_state {
    REFRESH_FRESH,     /* not used yet */
    REFRESH_RETRY,     /* used just now: the client may have lost the response */
    REFRESH_TOO_OFTEN, /* retried too often: reject it, but keep the family */
    REFRESH_REUSED,    /* used long ago: revoke the family */
    REFRESH_LOST,      /* the database lost it in a failover: the user must connect again */
};
enum refresh_state refresh_classify(const struct refresh_token *token, int64_t reuses_max,
                                    int64_t now);

#endif
