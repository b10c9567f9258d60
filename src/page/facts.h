/* facts.h - facts about a person, in words a person reads.
 *
 * "favorite_artists" is "Favorite artists", a value of a closed vocabulary has its label, true is
 * "yes", an app is its name. Nothing here is the API's; what it shows is what the API serves. */
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

/* What is known about who asks. Domain absent: all. */
enum err facts_load(struct call *call, struct str domain, struct facts *out);

const struct sourced_atom *facts_find(const struct facts *facts, struct str atom_id);

/* "Favorite artists". */
struct str facts_label(struct call *call, struct str name);

/* The same of a member, as its definition has it. */
struct str facts_member_label(struct call *call, const struct member *member);

/* The value as it is shown; `json` is as the store has it. */
struct str facts_value(struct call *call, const struct member *member, struct str json);

/* The same, no longer than a chip should be: what does not fit ends in an ellipsis. Its bytes as
 * HTML are at most FACTS_SHORT_MAX, whatever it is made of. */
#define FACTS_SHORT_MAX 96
struct str facts_short(struct call *call, struct str shown);

/* Whether a search for `wanted`, folded, finds it: by value, kind or area. Absent finds all. */
bool facts_match(struct call *call, const struct atom *atom, struct str wanted);

/* "you", an app's name, or that the app is gone. */
struct str facts_source(struct call *call, struct facts *facts, struct str source);

/* The values of one fact: id, value, brief, label, domain, title, source, when, status flags. */
void facts_put(struct call *call, struct facts *facts, struct values *item,
               const struct sourced_atom *fact);

/* Why a held fact waits: "why", in a sentence, that it reads like something else or would replace
 * what the person or an app said; "suspicious" if the former, so that a page offers to reject it
 * first. `facts` has at least the fact's domain. */
void facts_put_why(struct call *call, struct facts *facts, struct values *item,
                   const struct atom *held);

#endif
