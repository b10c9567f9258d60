/* outbox_message.h - writes the email for an entry of the outbox, when it is sent. Results are
 * allocated from `mem`. Any thread may call it. */
#ifndef JOB_OUTBOX_MESSAGE_H
#define JOB_OUTBOX_MESSAGE_H

#include "base/err.h"
#include "model/mail.h"

struct arena;
struct catalog;
struct db;

struct message_params {
    struct db *db;
    const struct catalog *const *catalogs; /* of the texts, see catalog_pick() */
    struct str auth_url;                   /* links begin with it */
    struct str from;
    int64_t now;
};

/* In the language of the user. Makes the link if the email has one. *to is the recipient.
 * ERR_NOT_FOUND: there is nothing to send, because no account has the address, or the user chose
 * another one. */
enum err outbox_message(struct arena *mem, const struct message_params *params,
                        const struct mail *mail, struct str *to, struct str *message);

#endif
