/* token_store.h - families, codes and tokens as rows. Only hashes of secrets are here.
 *
 * A family lives while its row is there, its end is not reached, its grant is there and lives, and
 * neither its app nor its user was disabled since it began. Single use is one conditional
 * statement, so that of many at once exactly one succeeds. */
#ifndef STORE_TOKEN_STORE_H
#define STORE_TOKEN_STORE_H

#include "base/err.h"
#include "model/grant.h"

struct arena;
struct db_tx;

/* Past the most a grant may have, the oldest end. */
enum err family_store_add(struct db_tx *tx, struct arena *mem, const struct family *family);

/* One that lives now, and what its grant allows now. ERR_NOT_FOUND otherwise. */
enum err family_store_find(struct db_tx *tx, struct arena *mem, struct str id, int64_t now,
                           struct family *out, scopes *granted);
enum err family_store_put_end(struct db_tx *tx, struct arena *mem, struct str id, int64_t ends_at);

/* With everything that came of it, whose rows are cleaned when their time is over. No error if it
 * is over already. */
enum err family_store_end(struct db_tx *tx, struct arena *mem, struct str id);
enum err family_store_end_user(struct db_tx *tx, struct arena *mem, struct str user_id);

enum err code_store_add(struct db_tx *tx, struct arena *mem, const struct auth_code *code);

/* Redeemed or late ones, too: the caller judges. ERR_NOT_FOUND if there is none. */
enum err code_store_find(struct db_tx *tx, struct arena *mem, struct str hash,
                         struct auth_code *out);

/* ERR_NOT_FOUND if it was redeemed already, or too late. */
enum err code_store_redeem(struct db_tx *tx, struct arena *mem, struct str hash, int64_t now);

struct access_token {
    struct str hash;
    struct str family_id;
    scopes scopes;
    int64_t created_at;
    int64_t ends_at;
};

enum err access_store_add(struct db_tx *tx, struct arena *mem, const struct access_token *token);

/* A token that may be used now. ERR_NOT_FOUND otherwise. */
enum err access_store_find(struct db_tx *tx, struct arena *mem, struct str hash, int64_t now,
                           struct access *out);

/* The app of a token that was issued, live or not, and when it ends. ERR_NOT_FOUND: none, or
 * forgotten: an hour behind its end. */
enum err access_store_find_app(struct db_tx *tx, struct arena *mem, struct str hash,
                               struct str *app_id, int64_t *ends_at);
enum err access_store_end(struct db_tx *tx, struct arena *mem, struct str hash);

enum err refresh_store_add(struct db_tx *tx, struct arena *mem, struct str hash,
                           struct str family_id, int64_t now);

/* One whose idle life is not over; used ones, too. ERR_NOT_FOUND otherwise. */
enum err refresh_store_find(struct db_tx *tx, struct arena *mem, struct str hash, int64_t now,
                            struct refresh_token *out);

/* The first use, and a retry of one that was used. ERR_NOT_FOUND: somebody else was quicker. */
enum err refresh_store_use(struct db_tx *tx, struct arena *mem, struct str hash, int64_t now);
enum err refresh_store_reuse(struct db_tx *tx, struct arena *mem, struct str hash);

/* Removes at most so many rows of what ended before now; *removed says how many. */
enum err token_store_clean(struct db_tx *tx, struct arena *mem, int64_t now, int64_t limit,
                           size_t *removed);

#endif
