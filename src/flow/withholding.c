/* withholding.c - facts that the user does not share with one app are lines in the app's grant. A
 * line describes its fact, so it keeps working when the fact is deleted and stated again. */
#include "flow/withholding.h"

#include "model/view.h"
#include "store/atom_store.h"

static bool
is_listed(const struct withholding *params, struct str atom_id)
{
    for (size_t i = 0; i < params->count; i++)
        if (str_eq(params->atom_ids[i], atom_id))
            return true;
    return false;
}

/* The limit keeps a form with many ids from reading and comparing for long. An id that is not the
 * user's is skipped, as ids come from a form. view_withhold() keeps its lines sorted, and is absent
 * if they do not fit. */
enum err
withholding_add(struct db_tx *tx, struct arena *mem, const struct withholding *params,
                struct str *withheld)
{
    struct atom *atoms = NULL;
    size_t count = 0;
    if (params->count == 0)
        return ERR_NONE;
    if (params->count > WITHHELD_MAX)
        return ERR_TOO_LARGE;
    enum err err = atom_store_list(tx, mem, params->user_id, STR_NONE, STR_NONE, &atoms, &count);
    for (size_t i = 0; i < count && !err; i++) {
        if (!is_listed(params, atoms[i].id))
            continue;
        *withheld = view_withhold(mem, *withheld, &atoms[i]);
        err = str_present(*withheld) ? ERR_NONE : ERR_TOO_LARGE;
    }
    return err;
}
