/* confirm.h - asks for the user's password again before a sensitive change. */
#ifndef ACCOUNT_CONFIRM_H
#define ACCOUNT_CONFIRM_H

#include "base/err.h"
#include "base/str.h"

struct call;

/* ERR_NONE: the password is right. ERR_UNAUTHENTICATED: show the form again with this status and
 * *problem at the password's field. Failures are limited per session. Blocks (hashing). */
enum err confirm_password(struct call *call, struct str password, int *status, struct str *problem);

/* "Wait 3 minutes", for forms that limit their attempts. */
struct str confirm_wait(struct call *call, int64_t seconds);

#endif
