/* trial.c - the portal tries an app's flow with a redirect URI of the portal. Nothing is stored for
 * a trial: its state is a MAC with the key of the session, from which the verifier is computed
 * again. */
#include "oauth/trial.h"

#include "crypt/digest.h"
#include "crypt/random.h"
#include "dispatch/browser_session.h"
#include "model/grant.h"
#include "web/call.h"
#include "web/state.h"

#define MAC_LENGTH 22

struct str
trial_redirect_uri(const struct call *call)
{
    return str_format(call->mem, "%.*s" TRIAL_PATH, STR_ARG(call->web->settings.auth_url));
}

/* A MAC with the session's key. `purpose` keeps a state from being used as a verifier. */
static struct str
mac(struct call *call, const char *purpose, struct str text)
{
    struct str key = call->browser->key;
    return digest_text(call->mem, str_format(call->mem, "trial %s %.*s %.*s", purpose, STR_ARG(key),
                                             STR_ARG(text)));
}

/* `body` is the state without its MAC: "try.app_….1794648600.nonce". */
static struct trial
make(struct call *call, struct str app_id, struct str body)
{
    struct trial trial = { .app_id = app_id };
    struct str tag = str_first(mac(call, "state", body), MAC_LENGTH);
    trial.state = str_format(call->mem, "%.*s.%.*s", STR_ARG(body), STR_ARG(tag));
    trial.verifier = mac(call, "verifier", body);
    trial.challenge = digest_text(call->mem, trial.verifier);
    return trial;
}

/* The time in the state limits how long the trial can take. */
struct trial
trial_begin(struct call *call, struct str app_id)
{
    struct str nonce = random_id(call->mem, "");
    return make(call, app_id,
                str_format(call->mem, "try.%.*s.%lld.%.*s", STR_ARG(app_id), (long long)call->now,
                           STR_ARG(nonce)));
}

/* The state comes from the browser. It is recomputed from its parts and compared, so that nothing
 * in it is used before it is verified. */
bool
trial_read(struct call *call, struct str state, struct trial *out)
{
    struct str rest = state, word, app_id, time, nonce;
    int64_t began;
    if (call->browser == NULL || !str_present(state) || !str_cut(&rest, '.', &word) ||
        !str_eq(word, STR("try")) || !str_cut(&rest, '.', &app_id) || !str_cut(&rest, '.', &time) ||
        !str_cut(&rest, '.', &nonce) || !str_to_int(time, 0, INT64_MAX, &began))
        return false;
    if (began > call->now || began + REQUEST_SECONDS <= call->now)
        return false;
    if (state.len < MAC_LENGTH + 1)
        return false;
    *out = make(call, app_id, str_first(state, state.len - MAC_LENGTH - 1));
    return digest_equal(out->state, state);
}

/* The session of the state must be the one that asks, so a trial cannot be started for another
 * user. */
bool
trial_matches(struct call *call, struct str client_id, struct str redirect_uri, struct str state)
{
    struct trial trial;
    return call->browser != NULL && str_eq(redirect_uri, trial_redirect_uri(call)) &&
           trial_read(call, state, &trial) && str_eq(trial.app_id, client_id);
}
