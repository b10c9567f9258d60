/* draft.h - stores an uploaded document between its preview and its import.
 *
 * Confirming imports exactly the document that was previewed. One draft per user; it is deleted by
 * the import, by the next upload, after DRAFT_SECONDS, and with the account. Results are allocated
 * from `mem`. Any thread may call these functions. */
#ifndef TRANSFER_DRAFT_H
#define TRANSFER_DRAFT_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct db;

#define DRAFT_SECONDS ((int64_t)30 * 60)

enum err draft_keep(struct db *db, struct arena *mem, struct str user_id, struct str document,
                    int64_t now, struct str *id);

/* ERR_NOT_FOUND: another user's, replaced, or expired. */
enum err draft_find(struct db *db, struct arena *mem, struct str user_id, struct str id,
                    int64_t now, struct str *document);

enum err draft_forget(struct db *db, struct arena *mem, struct str user_id);

#endif
