/* confirm.c - the time of the last confirmation is in the session, so a confirmation holds for one
 * browser and ends with its session. It is compared with the time of each request; nothing has to
 * expire. */
#include "account/confirm.h"

#include "dispatch/browser_session.h"
#include "template/template.h"
#include "web/call.h"
#include "web/flash.h"
#include "web/message.h"

#define CONFIRM "/account/confirm"

/* In whole minutes, rounded up: the page never shows 0 minutes. */
struct str
confirm_wait(struct call *call, int64_t seconds)
{
    return message_count(call, KEY("signin.wait.one"), KEY("signin.wait.other"),
                         (seconds + 59) / 60);
}

/* A time in the future is from before the clock was set back. */
static bool
is_recent(const struct call *call)
{
    int64_t age = call->now - call->browser->session.confirmed_at;
    return age >= 0 && age < CONFIRMED_SECONDS;
}

/* The form is not repeated after the confirmation: the user returns to the page and sends it
 * again. */
bool
confirm_require(struct call *call, const char *here)
{
    if (is_recent(call))
        return true;
    struct str path = return_path_via(call, CONFIRM, str_of(here));
    flash_redirect(call, str_c(call->mem, path),
                   &(struct flash){ .key = KEY("flash.confirm_first") });
    return false;
}

/* The page shows before a form is sent whether it will ask for a confirmation. */
void
confirm_put(struct call *call, struct values *values, const char *here)
{
    values_flag(values, "just_confirmed", is_recent(call));
    values_text(values, "confirm_url", return_path_via(call, CONFIRM, str_of(here)));
}
