/* registration.h - clients that register themselves (RFC 7591).
 *
 * A public client that registers again gets the same id and no new row, because some clients
 * register at every start. A client without a grant is deleted after a week, and the oldest of them
 * beyond REGISTRATIONS_MAX at once. Results are allocated from `mem`. Any thread may call these
 * functions. */
#ifndef CLIENT_REGISTRATION_H
#define CLIENT_REGISTRATION_H

#include "base/err.h"
#include "client/client_metadata.h"
#include "model/app.h"

struct db;
struct db_tx;
struct secret;

#define REGISTRATIONS_MAX 20000 /* without a grant */

struct registration_params {
    struct str document; /* the body of the request */
    struct str schemes;  /* for redirect_uri_problem() */
    struct str hosts;    /* that redirect URIs may have, see host_list.h; absent: any */
    int64_t now;
};

/* One transaction. *secret is NULL for a public client. ERR_INVALID: *problem says why. */
enum err registration_add(struct db *db, struct arena *mem,
                          const struct registration_params *params,
                          struct client_metadata *metadata, struct app *out,
                          const struct secret **secret, struct client_problem *problem);

/* Adds the row of a client that no user has connected yet, and deletes the oldest such rows beyond
 * the limit. *app is what is stored, if another transaction has added it. */
enum err registration_store(struct db_tx *tx, struct arena *mem, struct app *app, int64_t now);

#endif
