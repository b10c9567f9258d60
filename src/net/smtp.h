/* smtp.h - hands an email to a mail server, or appends it to a file.
 *
 * The URL is smtps://HOST[:PORT] (TLS from the start), smtp://HOST[:PORT] (STARTTLS, which is
 * required unless HOST is this machine), or file:PATH. Certificates are always verified. Blocks for
 * up to a minute; `stop` can end it earlier. Safe from any thread. */
#ifndef NET_SMTP_H
#define NET_SMTP_H

#include "base/err.h"
#include "base/str.h"

struct smtp_settings {
    const char *url;
    const char *from;     /* the sender's address */
    const char *user;     /* NULL: no authentication */
    const char *password; /* NULL: empty */
    const char *ca_file;  /* PEM file with trusted certificates; NULL: those of the system */
};

/* NULL if the URL is valid, else the problem, as the end of a sentence. */
const char *smtp_url_problem(const char *url);

/* Connects, greets, and authenticates, without sending anything. For a file: whether it can be
 * written. */
enum err smtp_check(const struct smtp_settings *settings, struct why *why);

enum smtp_result {
    SMTP_SENT,
    SMTP_RETRY,  /* not sent, or unknown: try again later */
    SMTP_REFUSED /* the server will never take it */
};

/* `why` never contains the message or the password. `stop` is asked about once a second. */
enum smtp_result smtp_send(const struct smtp_settings *settings, struct str to, struct str message,
                           bool (*stop)(void *context), void *context, struct why *why);

#endif
