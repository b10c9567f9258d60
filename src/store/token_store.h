/* token_store.h - families, codes and tokens as rows. Only hashes of secrets are here.
 *
 * A family lives while its row is there, its end is not reached, its grant is there and lives, and
 * neither its app nor its user was disabled since it began. Single use is one conditional
 * statement, so that of many at once exactly one succeeds.
 *
 * An access token is asked for with every request, so its row has what family and grant said when
 * it was made, and the person's seal of that moment (user_store.h). While the person's head has the
 * same, nothing has ended since, and the two rows and the app's are all that is looked at.
 * Otherwise the family, the grant and the account are asked. */
#ifndef STORE_TOKEN_STORE_H
#define STORE_TOKEN_STORE_H

#include "base/err.h"
#include "model/grant.h"

struct arena;
struct db_tx;

/* Past the most a grant may have, the oldest end. */
enum err family_store_add(struct db_tx *tx, struct arena *mem, const struct family *family);

/* One that lives now, and what its grant allows now, all of one moment. */
struct live_family {
    struct family family;
    scopes granted;
    int64_t granted_until;
    int64_t user_row_key;
    int64_t auth_version;
};

/* ERR_NOT_FOUND if there is none that lives. */
enum err family_store_find(struct db_tx *tx, struct arena *mem, struct str id, int64_t now,
                           struct live_family *out);
enum err family_store_put_end(struct db_tx *tx, struct arena *mem, struct str id, int64_t ends_at);

/* With everything that came of it, whose rows are cleaned when their time is over. No error if it
 * is over already. */
enum err family_store_end(struct db_tx *tx, struct arena *mem, struct str id);
enum err family_store_end_user(struct db_tx *tx, struct arena *mem, struct str user_id);

enum err code_store_add(struct db_tx *tx, struct arena *mem, const struct auth_code *code);

/* Redeemed or late ones, too: the login judges. ERR_NOT_FOUND if there is none. */
enum err code_store_find(struct db_tx *tx, struct arena *mem, struct str hash,
                         struct auth_code *out);

/* ERR_NOT_FOUND if it was redeemed already, or too late. */
enum err code_store_redeem(struct db_tx *tx, struct arena *mem, struct str hash, int64_t now);

struct access_token {
    struct str hash;
    scopes scopes;
    int64_t created_at;
    int64_t ends_at;
};

/* Its family is as it was found in this transaction. ERR_UNAVAILABLE: try again with another. */
enum err access_store_add(struct db_tx *tx, struct arena *mem, const struct access_token *token,
                          const struct live_family *of);

/* A token that may be used now. ERR_NOT_FOUND otherwise. Where `cards` is not NULL, with the cards
 * of the person's head (see record_store_split()), which is read anyway; absent: there are none, or
 * it takes another look. */
enum err access_store_find(struct db_tx *tx, struct arena *mem, struct str hash, int64_t now,
                           struct access *out, struct str *hint_sets);

/* The app of a token that was issued, live or not, and when it ends. ERR_NOT_FOUND: none, or
 * forgotten: an hour behind its end. */
enum err access_store_find_app(struct db_tx *tx, struct arena *mem, struct str hash,
                               struct str *app_id, int64_t *ends_at);
enum err access_store_end(struct db_tx *tx, struct arena *mem, struct str hash);

/* ERR_UNAVAILABLE: try again with another. */
enum err refresh_store_add(struct db_tx *tx, struct arena *mem, struct str hash,
                           struct str family_id, int64_t now);

/* One whose idle life is not over; used ones, too. ERR_NOT_FOUND otherwise. */
enum err refresh_store_find(struct db_tx *tx, struct arena *mem, struct str hash, int64_t now,
                            struct refresh_token *out);

/* The first use, and a retry of one that was used. ERR_NOT_FOUND: somebody else was quicker. */
enum err refresh_store_use(struct db_tx *tx, struct arena *mem, struct str hash, int64_t now);
enum err refresh_store_reuse(struct db_tx *tx, struct arena *mem, struct str hash);

/* Removes at most so many rows of what ended before now; *removed says how many. */
enum err token_store_delete_expired(struct db_tx *tx, struct arena *mem, int64_t now, int64_t limit,
                                    size_t *removed);

#endif
