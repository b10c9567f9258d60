/* corrections.h - users remove, suppress, restore, accept, and edit their atoms.
 *
 * Users add atoms with preferences_write() and SOURCE_USER. Each function is one transaction.
 * Suppressing, restoring, or accepting an atom twice succeeds and changes nothing. ERR_NOT_FOUND:
 * the user has no such atom, or its domain has no definition. Changes by the user can be undone
 * (undo.h), except corrections_remove_app(), which also discards the pending undo.
 *
 * An atom that the user states or accepts is by_user and has SOURCE_USER among its sources. */
#ifndef FLOW_CORRECTIONS_H
#define FLOW_CORRECTIONS_H

#include "base/err.h"
#include "model/atom.h"
#include "store/atom_store.h"

struct arena;
struct db;
struct json_value;

/* Identifies one atom of one user. */
struct correction {
    struct str user_id;
    struct str atom_id;
    const struct domains *domains;
    int64_t now;
};

struct corrected {
    struct atom atom;  /* after the change; a removed atom as it was */
    struct atom ended; /* the previous value of a single-valued member; no id: none */
    struct str undo;   /* id for undo_run(); absent: nothing changed */
};

/* Deletes the atom, whatever its status. An app may write it again. */
enum err corrections_remove(struct db *db, struct arena *mem, const struct correction *params,
                            struct corrected *out);

/* Suppresses the atom: no app can write it again. Also rejects a held write. */
enum err corrections_suppress(struct db *db, struct arena *mem, const struct correction *params,
                              struct str reason, struct corrected *out);

/* Makes a suppressed atom active again; in a single-valued member it replaces the current value.
 * The user becomes a source if it replaces a value, if no source is left, or if an app's write of
 * it would be held. ERR_NOT_FOUND for a held atom. */
enum err corrections_lift(struct db *db, struct arena *mem, const struct correction *params,
                          struct corrected *out);

/* Makes a held write active, with the user as a source; in a single-valued member it replaces the
 * current value. ERR_NOT_FOUND for a suppressed atom. */
enum err corrections_accept(struct db *db, struct arena *mem, const struct correction *params,
                            struct corrected *out);

/* Replaces an active atom's value or its spelling; the user is the source of the new atom. The old
 * atom is deleted; if an app wrote it to a list, it is suppressed as not_accurate instead, so that
 * the app cannot write it again. ERR_INVALID: *problem is the end of a sentence ("is empty"). */
enum err corrections_edit(struct db *db, struct arena *mem, const struct correction *params,
                          const struct json_value *value, struct corrected *out,
                          const char **problem);

/* Removes one app from the sources of all atoms. Active and held atoms without another source are
 * deleted. Suppressed atoms stay, so that no app can write them again. */
struct app_removal {
    struct str user_id;
    struct str app_id;
    const struct domains *domains;
    int64_t now;
};

struct app_removed {
    int64_t removed;    /* had no other source */
    int64_t kept;       /* the user or another app is also a source */
    int64_t suppressed; /* not changed */
};

enum err corrections_remove_app(struct db *db, struct arena *mem, const struct app_removal *params,
                                struct app_removed *out);

/* All atoms, whatever their status, oldest first, with their sources and times. domain absent: all
 * domains, including those without a definition. */
enum err corrections_list(struct db *db, struct arena *mem, struct str user_id, struct str domain,
                          struct sourced_atom **out, size_t *count);

/* An app reports that an atom in its allowed domains is wrong. */
struct app_suppression {
    struct str user_id;
    struct str atom_id;
    struct str reason;
    struct str app_id;
    const struct domains *domains;
    bool (*may_touch)(const struct domain *domain, void *context); /* the app's allowed domains */
    void *context;
    int64_t now;
};

/* Idempotent. ERR_NOT_FOUND: no such atom, or the app may not see it. */
enum err corrections_suppress_by_app(struct db *db, struct arena *mem,
                                     const struct app_suppression *params, struct atom *out);

#endif
