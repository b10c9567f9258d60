/* confirm.h - asks users to authenticate again before a sensitive change.
 *
 * A password or a passkey, also at sign-in, counts for CONFIRMED_SECONDS in its session. After
 * that, pages show a link to /account/confirm in place of their sensitive forms. Results are in the
 * request's arena. Call from the thread that handles the request. */
#ifndef ACCOUNT_CONFIRM_H
#define ACCOUNT_CONFIRM_H

#include "base/err.h"
#include "base/str.h"

struct call;
struct values;

/* Whether the user has confirmed recently, for a form's handler. False: it has sent the response,
 * which leads to the confirm page and from there back to the page `here`. */
bool confirm_require(struct call *call, const char *here);

/* Sets `just_confirmed`, and `confirm_url`, which leads back to the page `here`. */
void confirm_put(struct call *call, struct values *values, const char *here);

/* "Wait 3 minutes", for forms that limit their attempts. */
struct str confirm_wait(struct call *call, int64_t seconds);

#endif
