/* connections.h - the apps a person is connected to: seen, narrowed, given an end, ended.
 *
 * A connection is a grant that lives, with its app. Whatever is taken away here is taken from the
 * app's living tokens with the same commit. One transaction each; an app the person has no living
 * grant for is ERR_NOT_FOUND. */
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

/* It keeps those of its scopes that are in `keep`; with none of them left it ends. Scopes that it
 * does not hold are not given: only an app's own request leads to more. */
enum err connection_narrow(struct db *db, struct arena *mem, struct str user_id, struct str app_id,
                           scopes keep, int64_t now, struct connection *out);

/* NEVER_ENDS: until the person says stop. */
enum err connection_set_end(struct db *db, struct arena *mem, struct str user_id, struct str app_id,
                            int64_t ends_at, int64_t now, struct connection *out);

enum err connection_end(struct db *db, struct arena *mem, struct str user_id, struct str app_id,
                        int64_t now, struct connection *out);

#endif
