/* corrections.h - users remove, suppress, restore, and edit their atoms, and decide on what apps
 * propose.
 *
 * Users add atoms with preferences_write() and SOURCE_USER. Each function is one transaction.
 * Suppressing, restoring, or confirming an atom twice succeeds and changes nothing. ERR_NOT_FOUND:
 * the user has no such atom, or its domain has no definition. Changes by the user can be undone
 * (undo.h), except corrections_remove_app(), which also discards the pending undo.
 *
 * An atom that the user states or accepts is by_user and has SOURCE_USER among its sources. Results
 * are allocated from `mem`. Any thread may call these functions. */
#ifndef PREFERENCE_CORRECTIONS_H
#define PREFERENCE_CORRECTIONS_H

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
    struct atom atom;         /* after the change; a removed atom as it was */
    struct atom ended;        /* the previous value of a single-valued member; no id: none */
    struct str undo;          /* id for undo_run(); absent: nothing changed */
    enum atom_review decided; /* by corrections_decide() */
};

/* Deletes the atom, whatever its status. An app may write it again. */
enum err corrections_remove(struct db *db, struct arena *mem, const struct correction *params,
                            struct corrected *out);

/* Suppresses the atom: no app can write it again. Also rejects a held write. */
enum err corrections_suppress(struct db *db, struct arena *mem, const struct correction *params,
                              struct str reason, struct corrected *out);

/* Makes a suppressed atom active again; in a single-valued member it replaces the current value.
 * The user becomes a source if it replaces a value, if no source is left, if an app suppressed it,
 * or if an app's write of it would be held. ERR_NOT_FOUND for a held atom. */
enum err corrections_restore(struct db *db, struct arena *mem, const struct correction *params,
                             struct corrected *out);

/* The user's answer to what atom_review() reports. Confirming makes the app's change final: a held
 * fact becomes active, with the user as a source, and replaces the current value of a single-valued
 * member; an atom proposed for removal is suppressed, and the user no longer states an
 * atom that an app suppressed. Declining suppresses the held fact, discards the proposal, or
 * restores the atom. out->decided is REVIEW_NONE if there was nothing to decide anymore. */
enum err corrections_decide(struct db *db, struct arena *mem, const struct correction *params,
                            bool confirm, struct corrected *out);

/* The same for all held facts and proposed removals of a user, in one transaction that cannot be
 * undone. Confirming leaves out what needs a decision of its own: suspicious values, and removals
 * of facts that are relevant to safety. *count is how many were decided. */
enum err corrections_decide_all(struct db *db, struct arena *mem, struct str user_id,
                                const struct domains *domains, bool confirm, int64_t now,
                                size_t *count);

/* Replaces an active atom's value or its spelling; the user is the source of the new atom. The old
 * atom is deleted; if an app wrote it to a list, it is suppressed as not_accurate instead, so that
 * the app cannot write it again. ERR_INVALID: *problem is the end of a sentence ("is empty"). */
enum err corrections_edit(struct db *db, struct arena *mem, const struct correction *params,
                          const struct json_value *value, struct corrected *out,
                          const char **problem);

/* Removes one app from the sources of all atoms, and discards its proposed removals. Active and
 * held atoms without another source are deleted. Suppressed atoms stay, so that no app can write
 * them again. */
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
    int64_t withdrawn;  /* proposed removals */
};

enum err corrections_remove_app(struct db *db, struct arena *mem, const struct app_removal *params,
                                struct app_removed *out);

/* All atoms, whatever their status, oldest first, with their sources and times. domain absent: all
 * domains, including those without a definition. */
enum err corrections_list(struct db *db, struct arena *mem, struct str user_id, struct str domain,
                          struct sourced_atom **out, size_t *count);

/* An app reports that an atom in its allowed domains is wrong. The atom is suppressed at once, or
 * this is proposed to the user and changes nothing until the user confirms it. It is proposed if
 *   - the atom is active, the user stated it, and its member is relevant to safety, or
 *   - the atom is active, its member is relevant to safety, and `guards_safety` is set, or
 *   - the grant's writes wait, and the atom is active with another source than the app. */
struct app_suppression {
    struct str user_id;
    struct str atom_id;
    struct str reason;
    struct str app_id;
    const struct domains *domains;
    bool (*may_touch)(const struct domain *domain, void *context); /* the app's allowed domains */
    void *context;
    bool guards_safety; /* the caller is a model, which an injected prompt may control */
    int64_t now;
};

/* Idempotent. *out is active if the removal was proposed. ERR_NOT_FOUND: no such atom, or the app
 * may not see it. ERR_TOO_LARGE: WAITING_PER_APP_MAX changes of the app wait already. */
enum err corrections_suppress_by_app(struct db *db, struct arena *mem,
                                     const struct app_suppression *params, struct atom *out);

/* The app withdraws a change of its own that waits: discards its proposal, or removes it from the
 * sources of a held fact, which is deleted without another one. `reason` is not used.
 * ERR_NOT_FOUND: no change of the app waits there. */
enum err corrections_withdraw(struct db *db, struct arena *mem,
                              const struct app_suppression *params);

#endif
