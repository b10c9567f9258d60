/* draft.h - a document that a person has looked at and not yet imported.
 *
 * One a person, for half an hour: whoever confirms confirms what was shown. It is gone with the
 * import, with the next document, with its time and with the account. */
#ifndef FLOW_DRAFT_H
#define FLOW_DRAFT_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct db;

#define DRAFT_SECONDS ((int64_t)30 * 60)

enum err draft_keep(struct db *db, struct arena *mem, struct str user_id, struct str document,
                    int64_t now, struct str *id);

/* ERR_NOT_FOUND: another's, replaced, or too old. */
enum err draft_find(struct db *db, struct arena *mem, struct str user_id, struct str id,
                    int64_t now, struct str *document);

enum err draft_forget(struct db *db, struct arena *mem, struct str user_id);

#endif
