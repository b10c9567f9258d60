/* recovery_store.h - recovery codes and one-time links. Both are stored as hashes. Results are
 * allocated from `mem`. Call from the thread that runs the transaction. */
#ifndef CREDENTIAL_RECOVERY_STORE_H
#define CREDENTIAL_RECOVERY_STORE_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct db_tx;

enum err recovery_store_add_code(struct db_tx *tx, struct arena *mem, struct str user_id,
                                 struct str code_hash);

/* Deletes the code. ERR_NOT_FOUND: the user has no such code. */
enum err recovery_store_take_code(struct db_tx *tx, struct arena *mem, struct str user_id,
                                  struct str code_hash);

enum err recovery_store_count_codes(struct db_tx *tx, struct arena *mem, struct str user_id,
                                    int64_t *out);
enum err recovery_store_end_codes(struct db_tx *tx, struct arena *mem, struct str user_id);

/* A code of any user. */
struct recovery_code {
    struct str user_id, hash;
};

/* The codes of all users after `after`, by user and hash in the order of bytes (on SQLite). */
enum err recovery_store_list_codes(struct db_tx *tx, struct arena *mem,
                                   const struct recovery_code *after, int64_t limit,
                                   struct recovery_code **out, size_t *count);

/* Deletes the codes of all users. */
enum err recovery_store_end_all_codes(struct db_tx *tx, struct arena *mem);

enum link_purpose { LINK_RESET, LINK_VERIFY };

struct one_time_link {
    struct str hash;
    struct str user_id;
    enum link_purpose purpose;
    struct str address; /* LINK_VERIFY: the address to confirm; else absent */
    int64_t expires_at;
};

enum err recovery_store_add_link(struct db_tx *tx, struct arena *mem,
                                 const struct one_time_link *link);

/* Finds a link; taking it also deletes it. ERR_NOT_FOUND: it does not exist, was used, has expired,
 * or has another purpose. */
enum err recovery_store_find_link(struct db_tx *tx, struct arena *mem, struct str hash,
                                  enum link_purpose purpose, int64_t now,
                                  struct one_time_link *out);
enum err recovery_store_take_link(struct db_tx *tx, struct arena *mem, struct str hash,
                                  enum link_purpose purpose, int64_t now,
                                  struct one_time_link *out);

/* Deletes the user's links with this purpose. */
enum err recovery_store_end_links(struct db_tx *tx, struct arena *mem, struct str user_id,
                                  enum link_purpose purpose);

/* Deletes all codes and links of the user. */
enum err recovery_store_end_user(struct db_tx *tx, struct arena *mem, struct str user_id);

/* Deletes at most `limit` expired links and sets `removed` to their number. */
enum err recovery_store_delete_expired(struct db_tx *tx, struct arena *mem, int64_t now,
                                       int64_t limit, size_t *removed);

#endif
