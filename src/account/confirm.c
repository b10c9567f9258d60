#include "account/confirm.h"

#include "dispatch/browser_session.h"
#include "dispatch/throttle.h"
#include "identity/security.h"
#include "web/call.h"
#include "web/message.h"
#include "web/state.h"

struct str
confirm_wait(struct call *call, int64_t seconds)
{
    return message_count(call, KEY("signin.wait.one"), KEY("signin.wait.other"),
                         (seconds + 59) / 60);
}

enum err
confirm_password(struct call *call, struct str password, int *status, struct str *problem)
{
    struct throttle *failures = call->web->sign_in_failures;
    struct str budget = call->browser->session.hash;
    int64_t wait = throttle_take(failures, budget);
    if (wait != 0) {
        *status = 429;
        *problem = confirm_wait(call, wait);
        return ERR_UNAUTHENTICATED;
    }
    enum err err = security_check_password(call->db, call->mem, call->browser->user.id,
                                           str_present(password) ? password : STR(""));
    if (err != ERR_UNAUTHENTICATED)
        throttle_return(failures, budget);
    *status = 400;
    *problem = message(call, KEY("security.password.wrong"));
    return err;
}
