/* view.h - which of a user's atoms an app sees.
 *
 * Users withhold single facts from an app. A withheld fact does not exist for that app: every read
 * on behalf of an app takes a view, and what the view does not show is removed before anything is
 * counted, composed, or compared. A fact is identified by domain, member, and key, so it stays
 * withheld if it is deleted and stated again.
 *
 * Sensitive facts are withheld as well, unless the user shares those of the domain with the app:
 * facts of members that the definition marks as sensitive, and statements about health or something
 * else that is personal (personal.h).
 *
 * Withheld facts are stored with the grant as one text: a digest of the rest, then one line per
 * fact, its domain, member, and key separated by tabs. The empty text withholds nothing.
 *
 * Pure; results are allocated from `mem`. Any thread may call it. */
#ifndef MODEL_VIEW_H
#define MODEL_VIEW_H

#include "model/atom.h"
#include "model/scope.h"

struct domain;
struct member;

#define WITHHELD_MAX 200                       /* facts per grant … */
#define WITHHELD_BYTES_MAX ((size_t)32 * 1024) /* … and their text */

struct arena;

struct view {
    struct str user_id;
    struct str app_id;             /* absent: the user, who sees everything */
    const struct domains *domains; /* may be NULL for the user */
    struct str withheld;
    scopes sensitive; /* domains whose sensitive facts an app sees */
};

/* Whether the fact is sensitive. `key` is the atom's. */
bool view_is_sensitive(const struct domain *domain, const struct member *member, struct str key);

/* Whether the domain is one in which users write about their health: the consent page then has a
 * box for sensitive statements. See statement_concern(). */
bool view_has_sensitive_statements(const struct domain *domain);

/* Whether the user can share sensitive facts of the domain. */
bool view_has_sensitive(const struct domain *domain);

/* The view of the user and of operators: everything. */
struct view view_whole(struct str user_id);

/* False: the view shows every atom of the domain, so what was prepared for all apps can be used. */
bool view_limits(const struct view *view, struct str domain);

bool view_withholds(const struct view *view, struct str domain, struct str member, struct str key);
bool view_shows(const struct view *view, const struct atom *atom);

/* Removes the atoms that the view does not show, and returns the number of the others. */
size_t view_filter(const struct view *view, struct atom *atoms, size_t count);

/* ---- withheld facts ---- */

struct withheld_fact {
    struct str domain, member, key;
    struct str line; /* identifies it */
};

/* The next fact of `withheld`, from *at on, which starts as 0. False: none is left. */
bool view_next(struct str withheld, size_t *at, struct withheld_fact *out);

/* The digest, which is equal only for equal texts. Empty: nothing is withheld. */
struct str view_digest(struct str withheld);

/* With one more fact. Absent: WITHHELD_MAX or WITHHELD_BYTES_MAX would be exceeded. */
struct str view_withhold(struct arena *mem, struct str withheld, const struct atom *atom);

/* Without the fact of this line. */
struct str view_share(struct arena *mem, struct str withheld, struct str line);

#endif
