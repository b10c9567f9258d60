/* withholding.h - adds facts to those that an app must not see (model/view.h). Results are
 * allocated from `mem`. Call from the thread that runs the transaction. */
#ifndef FLOW_WITHHOLDING_H
#define FLOW_WITHHOLDING_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct db_tx;

struct withholding {
    struct str user_id;
    const struct str *atom_ids; /* ids that are not the user's are ignored */
    size_t count;
};

/* Adds the facts to *withheld. ERR_TOO_LARGE: these would be more than a grant can have. */
enum err withholding_add(struct db_tx *tx, struct arena *mem, const struct withholding *params,
                         struct str *withheld);

#endif
