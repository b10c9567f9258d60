/* atom_page.h - reads one page of a user's atoms, newest first, from the atom lists of all domains.
 *
 * Every line is scanned, because all are counted and any may be among the newest; only the lines of
 * the page are decoded. Pure; results are allocated from `mem`. Any thread may call it. */
#ifndef MODEL_ATOM_PAGE_H
#define MODEL_ATOM_PAGE_H

#include "model/view.h"

struct atom_list {
    struct str domain;
    struct str text; /* see atom_list.h */
};

struct atom_query {
    bool (*may_read)(struct str domain, void *context); /* whether a domain may be read */
    void *context;
    unsigned statuses;       /* wanted statuses as bits: 1 << ATOM_ACTIVE */
    const struct view *view; /* whose caller makes the request, and what it shows */
    size_t offset;           /* number of newest atoms to skip */
    size_t limit;
};

struct atom_page {
    struct atom *atoms; /* newest first; they point into the lists */
    size_t count;
    size_t total; /* wanted and visible atoms on all pages */
};

/* False: one of the lists is invalid. */
bool atom_page_read(struct arena *mem, const struct atom_list *lists, size_t list_count,
                    const struct atom_query *query, struct atom_page *out);

#endif
