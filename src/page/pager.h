/* pager.h - a list that is longer than a page, with ordinary links to the rest.
 *
 * Items are counted in their order, each with about the bytes it takes on a page. A page ends where
 * it has enough of either, so that long values make short pages and every page stays light:
 *
 *     struct pager pager = pager_for(wanted, 100, 20000);
 *     for (each item)
 *         pager_add(&pager, bytes);
 *     pager_settle(&pager);
 *     for (each item, by its number)
 *         if (pager_shows(&pager, number)) …
 *
 * A page past the last is the last one: what was removed there must not leave one nowhere. */
#ifndef PAGE_PAGER_H
#define PAGE_PAGER_H

#include "base/str.h"

struct arena;
struct call;
struct values;

#define PAGER_PAGES_MAX 100000 /* what a request may ask for */

/* The field by which pages are asked for. */
#define PAGER_FIELD                                                                            \
    {                                                                                          \
        "page", FIELD_INTEGER, FIELD_IN_QUERY, .min = 1, .max = PAGER_PAGES_MAX, .fallback = 1 \
    }

struct pager {
    size_t wanted; /* from 1 */
    size_t items_max, bytes_max;
    size_t count;       /* of all items */
    size_t pages;       /* so far */
    size_t start;       /* number of the first item on the last page so far … */
    size_t bytes;       /* … and what that page has */
    size_t first, last; /* items on the page that is shown: from the first, up to before the last */
};

struct pager pager_for(int64_t wanted, size_t items_max, size_t bytes_max);
void pager_add(struct pager *pager, size_t bytes);
void pager_settle(struct pager *pager);
bool pager_shows(const struct pager *pager, size_t number);

/* The values of pages/pager.html, if there is more than one page. `address` is ours and ends where
 * the number of a page belongs; `anchor` is behind it: "#wrote", or "". */
void pager_put(struct call *call, struct values *values, const struct pager *pager,
               struct str address, const char *anchor);

/* What a text takes on a page. */
size_t pager_bytes(struct arena *mem, struct str text);

#endif
