/* facts.h - a user's facts as readable text for pages.
 *
 * "favorite_artists" is "Favorite artists", a value of a closed vocabulary has its label, true is
 * "yes", an app is shown by its name. Results are allocated in the request's arena. Call from the
 * thread that handles the request. */
#ifndef PAGE_FACTS_H
#define PAGE_FACTS_H

#include "base/err.h"
#include "domain/domain.h"
#include "store/atom_store.h"

struct call;
struct values;

struct facts {
    struct sourced_atom *list; /* oldest first, whatever their status */
    size_t count;
    struct source_name *names;
};

/* Loads the signed-in user's facts. An absent domain loads all. */
enum err facts_load(struct call *call, struct str domain, struct facts *out);

const struct sourced_atom *facts_find(const struct facts *facts, struct str atom_id);

/* "Favorite artists". */
struct str facts_label(struct call *call, struct str name);

/* The member's title, or its name as a label. */
struct str facts_member_label(struct call *call, const struct member *member);

/* The value as text; `json` is the stored value. */
struct str facts_value(struct call *call, const struct member *member, struct str json);

/* The same, cut with an ellipsis to at most FACTS_SHORT_MAX bytes of escaped HTML. */
#define FACTS_SHORT_MAX 96
struct str facts_short(struct call *call, struct str shown);

/* Whether a search for `wanted` (case-folded) matches the value, label, or domain. Absent matches
 * all. */
bool facts_match(struct call *call, const struct atom *atom, struct str wanted);

/* "you", the app's name, or a text for a deleted app. */
struct str facts_source(struct call *call, struct facts *facts, struct str source);

/* The values of one fact: id, value, brief, label, domain, title, source, when, status flags; "by"
 * is the source if it is not the user, cut to FACTS_NAME_MAX bytes of escaped HTML. */
#define FACTS_NAME_MAX 40
void facts_put(struct call *call, struct facts *facts, struct values *item,
               const struct sourced_atom *fact);

/* The reasons for which a fact can be marked as wrong: name and text. NULL after the last. */
const char *facts_reason_name(size_t i);
struct str facts_reason(struct call *call, struct str name);

/* Puts what the user has to decide (atom_review()): one of the flags "held", "removal" and
 * "removed"; "by", the app that proposed the removal or made it; and "why". A held fact looks like
 * something else, or would replace a value from the user or an app; in the first case "suspicious"
 * is set, so that the page offers to reject it first. A removal has its reason. `facts` must
 * include the fact's domain. */
void facts_put_review(struct call *call, struct facts *facts, struct values *item,
                      const struct atom *atom);

#endif
