/* trial.h - a developer tries an app of their own on the portal.
 *
 * The flow needs a redirect URI that the browser can come back to, and the app's own lead
 * elsewhere. So there is one of ours, {auth_url}/developer/try/callback, which is good for one
 * request only: one whose `state` was made here, for this app, in this session, less than ten
 * minutes ago, by the app's owner. Nothing is stored for that: the state carries a mark that only
 * whoever has the session's key can make, and the verifier is made from the same key, so that the
 * browser never sees it. */
#ifndef OAUTH_TRIAL_H
#define OAUTH_TRIAL_H

#include "base/str.h"

struct call;

#define TRIAL_PATH "/developer/try/callback"

struct trial {
    struct str app_id;
    struct str state;
    struct str verifier;
    struct str challenge;
};

struct str trial_redirect_uri(const struct call *call);

/* A new one, in the visitor's session. */
struct trial trial_begin(struct call *call, struct str app_id);

/* The one that this state belongs to. False: none of this session, or too old. */
bool trial_read(struct call *call, struct str state, struct trial *out);

/* Whether an authorization request is one of the above. The visitor may be nobody. */
bool trial_matches(struct call *call, struct str client_id, struct str redirect_uri,
                   struct str state);

#endif
