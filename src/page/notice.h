/* notice.h - sends users email about events of their account.
 *
 * Best effort: the event has already been committed, so a notice that cannot be queued is only
 * logged. Does nothing without email, and for users without a confirmed address. Call from the
 * thread that handles the request. */
#ifndef PAGE_NOTICE_H
#define PAGE_NOTICE_H

#include "model/mail.h"

struct call;
struct user;

/* `detail`: see enum mail_kind; may be absent. */
void notice_send(struct call *call, const struct user *user, enum mail_kind kind,
                 struct str detail);

/* "Firefox on Linux, 203.0.113.7", of this request, for MAIL_SIGN_IN. */
struct str notice_device(struct call *call);

#endif
