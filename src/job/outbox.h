/* outbox.h - the thread that sends the email in the outbox.
 *
 * Every email is sent at least once: it is deleted after the mail server has accepted it. A failed
 * try is repeated after a minute, then after longer pauses, for three days. Requests never wait for
 * the mail server. Logs contain neither addresses nor links. */
#ifndef JOB_OUTBOX_H
#define JOB_OUTBOX_H

#include "base/str.h"
#include "net/smtp.h"

struct catalog;
struct db;
struct outbox;

struct outbox_settings {
    struct db *db;
    const struct catalog *const *catalogs; /* see catalog_pick(); must outlive the thread */
    struct str auth_url;
    struct smtp_settings smtp;
};

/* NULL, after a warning in the log, if the thread cannot be started. */
struct outbox *outbox_start(const struct outbox_settings *settings);
void outbox_stop(struct outbox *outbox); /* ends a try that runs. NULL is allowed */

#endif
