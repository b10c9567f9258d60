/* security_view.h - the page /account/security: sessions, passkeys, password, recovery codes. Call
 * from the thread that handles the request. */
#ifndef ACCOUNT_SECURITY_VIEW_H
#define ACCOUNT_SECURITY_VIEW_H

#include "base/err.h"
#include "base/str.h"

struct call;

#define SECURITY_PAGE "/account/security"

/* The problem of each field of the form that was sent; absent: none. */
struct security_problems {
    struct str new_password;
    struct str remove_password;
    struct str passkey;
};

enum err security_view(struct call *call, int status, const struct security_problems *problems);

#endif
