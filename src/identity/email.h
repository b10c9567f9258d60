/* email.h - the email address of a user, and the email that the service sends.
 *
 * An address belongs to a user only after the user opened a link that was sent to it, signed in to
 * the account that asked for it. Until then it is not unique, is not accepted at sign-in, and is
 * not shown to apps. Each function is one transaction. Results are allocated from `mem`. Any thread
 * may call these functions. */
#ifndef IDENTITY_EMAIL_H
#define IDENTITY_EMAIL_H

#include "base/err.h"
#include "model/mail.h"
#include "model/user.h"

struct arena;
struct db;
struct secret;

#define EMAIL_LINK_SECONDS (24 * 3600)

/* Message keys of an email: subject, text before the link, text after it. */
#define EMAIL_TEXTS 3
const char *email_text_key(enum mail_kind kind, size_t text);

/* Puts an email into the outbox; `mail` has no id yet. */
enum err email_queue(struct db *db, struct arena *mem, const struct mail *mail);

/* Stores the address to confirm and, if `send`, queues the email with the link. An absent address
 * removes the confirmed one, too. */
enum err email_change(struct db *db, struct arena *mem, struct str user_id, struct str address,
                      bool send, int64_t now);

/* The link for the email that email_change() queued. */
enum err email_make_link(struct db *db, struct arena *mem, struct str user_id, struct str address,
                         int64_t now, const struct secret **out);

/* The address that a link confirms for this user, without using the link. ERR_NOT_FOUND: the link
 * was used, has expired, belongs to another user, or the user has chosen another address since. */
enum err email_find_link(struct db *db, struct arena *mem, struct str user_id, struct str link,
                         int64_t now, struct str *address);

/* Makes the address the user's, and sends a notice to the previous one if `send`. ERR_NOT_FOUND as
 * above. ERR_TAKEN: another account has confirmed the address. */
enum err email_confirm(struct db *db, struct arena *mem, struct str user_id, struct str link,
                       bool send, int64_t now);

#endif
