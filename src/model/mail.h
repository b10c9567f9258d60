/* mail.h - an email that waits in the outbox. Pure; any thread may call them. */
#ifndef MODEL_MAIL_H
#define MODEL_MAIL_H

#include "base/str.h"

enum mail_kind {
    MAIL_RESET,         /* a link that sets a new password */
    MAIL_VERIFY,        /* a link that confirms the address */
    MAIL_SIGN_IN,       /* notice: signed in on a new device, named in `detail` */
    MAIL_PASSWORD,      /* notice: password changed */
    MAIL_APP,           /* notice: an app, named in `detail`, was connected */
    MAIL_EMAIL_CHANGED, /* notice to the previous address */
    MAIL_PASSKEY,       /* notice: a passkey, named in `detail`, was added */
    MAIL_KINDS
};

struct mail {
    struct str id; /* mail_… */
    enum mail_kind kind;
    struct str user_id; /* absent for MAIL_RESET: the address decides */
    struct str address;
    struct str detail; /* absent: none */
    int64_t tries;     /* so far */
    int64_t created_at;
};

const char *mail_kind_name(enum mail_kind kind);
bool mail_kind_read(struct str text, enum mail_kind *out);

/* Seconds from the start of a try to the next one: 1 minute, doubled each time, at most 1 hour. */
int64_t mail_retry_seconds(int64_t tries);

#define MAIL_GIVE_UP_SECONDS (3 * 24 * 3600) /* after it was queued */

#endif
