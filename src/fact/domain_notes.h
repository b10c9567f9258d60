/* domain_notes.h - likely mistakes among the facts of a domain: a favorite that the user is
 * allergic to, and a value that differs in a letter or two from a known one.
 *
 * Notes only point something out; no value is rejected or changed because of one. Pure: no I/O, and
 * results are allocated from `mem`. The work is bounded, however many facts there are: some
 * mistakes then stay unnoticed. Any thread may call it. */
#ifndef FACT_DOMAIN_NOTES_H
#define FACT_DOMAIN_NOTES_H

#include "base/str.h"

struct arena;
struct domain;
struct member;
struct sourced_atom;

/* A value that looks mistyped is pointed out for this long after it was written. */
#define DOMAIN_NOTE_SECONDS (7 * 86400)

struct domain_note {
    const struct sourced_atom *fact;
    const struct member *against; /* has the opposite; NULL: the fact is probably mistyped */
    struct str instead;           /* the value of `against`, or the likely value */
};

struct domain_notes {
    struct domain_note *list;
    size_t count;
};

/* `facts` are those of the domain, oldest first, whatever their status. */
struct domain_notes domain_notes_make(struct arena *mem, const struct domain *domain,
                                      const struct sourced_atom *facts, size_t count, int64_t now);

#endif
