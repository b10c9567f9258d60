/* connections.h - lists, limits, and ends a user's connections to apps.
 *
 * A connection is a valid grant together with its app. Each function is one transaction, and its
 * changes apply to the app's existing tokens at commit. ERR_NOT_FOUND: the user has no valid grant
 * for this app. Results are allocated from `mem`. Any thread may call these functions. */
#ifndef FLOW_CONNECTIONS_H
#define FLOW_CONNECTIONS_H

#include "base/err.h"
#include "model/app.h"
#include "model/grant.h"

struct arena;
struct db;

struct connection {
    struct grant grant;
    struct app app;
};

/* Newest first. */
enum err connections_list(struct db *db, struct arena *mem, struct str user_id, int64_t now,
                          struct connection **out, size_t *count);

enum err connection_find(struct db *db, struct arena *mem, struct str user_id, struct str app_id,
                         int64_t now, struct connection *out);

/* Removes all scopes that are not in `keep`, and the sensitive facts of all domains that are not in
 * `keep_sensitive`; without any scope left, the connection ends. Scopes that the grant does not
 * hold are ignored: only consent adds to it. */
enum err connection_narrow(struct db *db, struct arena *mem, struct str user_id, struct str app_id,
                           scopes keep, scopes keep_sensitive, int64_t now, struct connection *out);

/* expires_at NEVER_EXPIRES: until the user disconnects the app. */
enum err connection_set_end(struct db *db, struct arena *mem, struct str user_id, struct str app_id,
                            int64_t expires_at, int64_t now, struct connection *out);

/* Whether what the app writes waits for the user's confirmation. Facts that wait already stay. */
enum err connection_set_writes_wait(struct db *db, struct arena *mem, struct str user_id,
                                    struct str app_id, bool waits, int64_t now,
                                    struct connection *out);

/* The app does not see these facts anymore; ids that are not the user's are ignored. ERR_TOO_LARGE:
 * they would be more than WITHHELD_MAX. */
enum err connection_withhold(struct db *db, struct arena *mem, struct str user_id,
                             struct str app_id, const struct str *atom_ids, size_t count,
                             int64_t now, struct connection *out);

/* The app sees a withheld fact again. `line` is withheld_fact.line. */
enum err connection_share(struct db *db, struct arena *mem, struct str user_id, struct str app_id,
                          struct str line, int64_t now, struct connection *out);

enum err connection_end(struct db *db, struct arena *mem, struct str user_id, struct str app_id,
                        int64_t now, struct connection *out);

#endif
