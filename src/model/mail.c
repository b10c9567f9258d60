/* mail.c - the kinds of email, and when a failed one is sent again: the pauses double up to a
 * limit. */
#include "model/mail.h"

#define FIRST_RETRY 60
#define LAST_RETRY 3600

static const char *const names[MAIL_KINDS] = {
    [MAIL_RESET] = "reset",       [MAIL_VERIFY] = "verify", [MAIL_SIGN_IN] = "sign_in",
    [MAIL_PASSWORD] = "password", [MAIL_APP] = "app",       [MAIL_EMAIL_CHANGED] = "email_changed",
    [MAIL_PASSKEY] = "passkey",
};

const char *
mail_kind_name(enum mail_kind kind)
{
    return names[kind];
}

/* False: a kind that this version does not know. */
bool
mail_kind_read(struct str text, enum mail_kind *out)
{
    for (unsigned kind = 0; kind < MAIL_KINDS; kind++)
        if (str_eq_c(text, names[kind])) {
            *out = (enum mail_kind)kind;
            return true;
        }
    return false;
}

/* Doubles from a minute to an hour. */
int64_t
mail_retry_seconds(int64_t tries)
{
    int64_t seconds = FIRST_RETRY;
    while (tries-- > 0 && seconds < LAST_RETRY)
        seconds *= 2;
    return seconds < LAST_RETRY ? seconds : LAST_RETRY;
}
