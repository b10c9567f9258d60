/* corrections.h - what the person does about what is known of them.
 *
 * To state something is preferences_write() with SOURCE_USER. Each of these is one transaction, as
 * there. What is not this person's, and what is of a domain without definition, is ERR_NOT_FOUND.
 * Whatever is done already stays done: a second click is no failure. What changes something can be
 * undone; removing what an app wrote cannot, and ends what could be.
 *
 * What the person states or accepts is by_user, and SOURCE_USER is then one of its sources. */
#ifndef FLOW_CORRECTIONS_H
#define FLOW_CORRECTIONS_H

#include "base/err.h"
#include "model/atom.h"
#include "store/atom_store.h"

struct arena;
struct db;
struct json_value;

/* The one fact that is meant. */
struct correction {
    struct str user_id;
    struct str atom_id;
    const struct domains *domains;
    int64_t now;
};

struct corrected {
    struct atom atom;  /* as it is now; a removed one as it was */
    struct atom ended; /* what a single-valued member had until now; without an id: nothing */
    struct str undo;   /* by what it can be undone (undo.h); absent: nothing was changed */
};

/* Gone without a trace, whatever its status: an app may write it again. */
enum err corrections_remove(struct db *db, struct arena *mem, const struct correction *params,
                            struct corrected *out);

/* Wrong, for good: no app can write it again. Also how a held write is rejected. */
enum err corrections_suppress(struct db *db, struct arena *mem, const struct correction *params,
                              struct str reason, struct corrected *out);

/* Not wrong after all: a suppressed fact is active again, and takes the place of what a
 * single-valued member has now. If those who said it are gone, it is the person's own.
 * ERR_NOT_FOUND for a held one. */
enum err corrections_lift(struct db *db, struct arena *mem, const struct correction *params,
                          struct corrected *out);

/* A held write becomes active and the person's own, and takes the place of what a single-valued
 * member has now. ERR_NOT_FOUND for a suppressed one. */
enum err corrections_accept(struct db *db, struct arena *mem, const struct correction *params,
                            struct corrected *out);

/* Another value, or another spelling of the same, instead of an active one; it is the person's own.
 * What an app had said is suppressed as not_accurate, else it would come back; what only the person
 * had said goes. ERR_INVALID with *problem, the end of a sentence ("is empty"). */
enum err corrections_edit(struct db *db, struct arena *mem, const struct correction *params,
                          const struct json_value *value, struct corrected *out,
                          const char **problem);

/* What one app wrote. It is no longer a source of anything; what nobody else said goes, whether
 * active or held. Suppressed facts stay, so that they stay gone. */
struct app_removal {
    struct str user_id;
    struct str app_id;
    const struct domains *domains;
    int64_t now;
};

struct app_removed {
    int64_t removed;    /* nobody else had said it */
    int64_t kept;       /* the person or another app says it, too */
    int64_t suppressed; /* stay as they are */
};

enum err corrections_remove_app(struct db *db, struct arena *mem, const struct app_removal *params,
                                struct app_removed *out);

/* Everything there is, whatever its status, oldest first, each with who said so and when; domain
 * absent: all domains, also those without a definition. */
enum err corrections_list(struct db *db, struct arena *mem, struct str user_id, struct str domain,
                          struct sourced_atom **out, size_t *count);

/* An app's word that a fact is wrong, within its reach. */
struct app_suppression {
    struct str user_id;
    struct str atom_id;
    struct str reason;
    struct str app_id;
    const struct domains *domains;
    bool (*may_touch)(const struct domain *domain, void *context); /* the app's reach */
    void *context;
    int64_t now;
};

/* ERR_NOT_FOUND: not there, not in reach, or not this app's to see. Twice is the same as once. */
enum err corrections_suppress_by_app(struct db *db, struct arena *mem,
                                     const struct app_suppression *params, struct atom *out);

#endif
