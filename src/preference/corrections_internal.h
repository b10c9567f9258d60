/* corrections_internal.h - one correction, for the files that implement corrections.h. The caller
 * owns the work; a transaction may run it on another thread, so it contains everything that it
 * needs. */
#ifndef PREFERENCE_CORRECTIONS_INTERNAL_H
#define PREFERENCE_CORRECTIONS_INTERNAL_H

#include "base/err.h"
#include "base/str.h"

struct app_suppression;
struct arena;
struct atom;
struct corrected;
struct correction;
struct db;
struct db_tx;
struct domain;
struct json_value;
struct member;
struct sourced_atom;
struct undo_state;

/* The second half is set before `change` is called. */
struct correction_work {
    struct arena *mem;
    const struct correction *params;
    struct str source; /* of the correction: SOURCE_USER or an app's id */
    const struct app_suppression *by_app;
    enum err (*change)(struct correction_work *work);
    struct str reason;
    bool confirm;
    const struct json_value *value;
    const char **problem;
    struct corrected *out;

    struct db_tx *tx;
    int64_t sequence;
    const struct domain *domain;
    const struct member *member; /* NULL: not in the definition anymore */
    struct sourced_atom *atoms;  /* of the domain; a new one is appended */
    size_t count;
    size_t at;           /* index of the atom to correct */
    bool changed;        /* the atoms must be saved */
    bool record_changed; /* the record must be rebuilt */
};

/* Finds the atom, calls `change`, and saves the result, in one transaction. */
enum err corrections_run(struct db *db, struct arena *mem, const struct correction *params,
                         struct correction_work *work);

/* For `change`: the atom was changed; it stays in the list. */
void corrections_mark_changed(struct correction_work *work, const struct atom *atom);

void corrections_delete_atom(struct correction_work *work, size_t at);

/* Ends a proposed removal, or the state of a suppressed atom. */
void corrections_clear(struct atom *atom);

/* Corrections for `change`; see the functions of corrections.h that they implement. */
enum err corrections_suppress_atom(struct correction_work *work);
enum err corrections_restore_atom(struct correction_work *work);

/* Makes a held atom active, with the user as a source. */
void corrections_accept_atom(struct correction_work *work);

/* ---- for corrections of many atoms ---- */

/* Reads the atoms of work->domain. */
enum err corrections_read_atoms(struct db_tx *tx, struct correction_work *work);

/* Sets work->at, or to the count of atoms if none has this id. */
void corrections_find_id(struct correction_work *work, struct str id);

/* Saves the atoms, the undo record, and the domain's record. `before` is NULL without undo. */
enum err corrections_save(struct db_tx *tx, struct correction_work *work,
                          const struct undo_state *before);

#endif
