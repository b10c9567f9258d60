/* trial.h - lets developers try their own app on the portal.
 *
 * The app's redirect URIs lead to the app, so a trial uses {auth_url}/developer/try/callback. That
 * URI is accepted only with a `state` created by trial_begin() for this app, in this session, by
 * the app's owner, less than ten minutes ago. Nothing is stored: the state carries a MAC made with
 * the session's key, and the PKCE verifier is derived from the same key, so the browser never sees
 * it. Results are in the request's arena. Call from the thread that handles the request. */
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

/* Starts a trial in the user's session. */
struct trial trial_begin(struct call *call, struct str app_id);

/* Finds the trial of this state. False: it is from another session, or expired. */
bool trial_read(struct call *call, struct str state, struct trial *out);

/* Whether an authorization request belongs to a trial. The caller may be signed out. */
bool trial_matches(struct call *call, struct str client_id, struct str redirect_uri,
                   struct str state);

#endif
