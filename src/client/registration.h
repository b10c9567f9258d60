/* registration.h - clients that register themselves (RFC 7591).
 *
 * A public client that registers again gets the same id and no new row, because some clients
 * register at every start. A client without a grant is deleted after a week, and the oldest of them
 * beyond REGISTRATIONS_MAX at once. */
#ifndef CLIENT_REGISTRATION_H
#define CLIENT_REGISTRATION_H

#include "base/err.h"
#include "client/client_metadata.h"
#include "model/app.h"

struct db;
struct secret;

#define REGISTRATIONS_MAX 20000 /* without a grant */

/* One transaction. *secret is NULL for a public client. ERR_INVALID: *problem says why. */
enum err registration_add(struct db *db, struct arena *mem, struct str document, struct str schemes,
                          int64_t now, struct client_metadata *metadata, struct app *out,
                          const struct secret **secret, struct client_problem *problem);

#endif
