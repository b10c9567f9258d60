/* client_data.h - reads the client data of a passkey response (WebAuthn section 5.8.1).
 *
 * A browser writes it as JSON, and the authenticator signs its hash: what the response is for, the
 * challenge that it answers, and the origin of the page. Safe from any thread. */
#ifndef PASSKEY_CLIENT_DATA_H
#define PASSKEY_CLIENT_DATA_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

struct arena;

#define CLIENT_DATA_MAX 4096 /* bytes; browsers send about 150 */

struct client_data {
    struct str type;      /* "webauthn.create" or "webauthn.get" */
    struct str challenge; /* base64url */
    struct str origin;
    bool cross_origin; /* the page was in a frame of another site */
};

/* The texts point into `json` or the arena. ERR_INVALID: not JSON, or a member is missing or has
 * the wrong type. */
enum err client_data_read(struct arena *mem, struct str json, struct client_data *out);

#endif
