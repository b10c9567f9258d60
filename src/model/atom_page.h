/* atom_page.h - one page of what is known about a person, newest first, from the sheets it is kept
 * on. Every line is looked at, since all are counted and any may be among the newest; only those of
 * the page are read. Pure. */
#ifndef MODEL_ATOM_PAGE_H
#define MODEL_ATOM_PAGE_H

#include "model/atom.h"

struct atom_list {
    struct str domain;
    struct str text; /* see atom_list.h */
};

struct atom_query {
    bool (*may_read)(struct str domain, void *context); /* whether a domain may be read */
    void *context;
    unsigned statuses; /* those asked for, as bits: 1 << ATOM_ACTIVE */
    struct str asker;  /* the app that asks: others' atoms are visible to it only if active */
    size_t offset;     /* how many of the newest are left out */
    size_t limit;
};

struct atom_page {
    struct atom *atoms; /* newest first; they point into the sheets */
    size_t count;
    size_t total; /* of those that were asked for and are visible, on every page */
};

/* False: one of them is no sheet. */
bool atom_page_read(struct arena *mem, const struct atom_list *lists, size_t list_count,
                    const struct atom_query *query, struct atom_page *out);

#endif
