/* pager.h - splits a long list into pages with links.
 *
 * Items are added in order with their approximate size in HTML. A page ends at its maximum number
 * of items or bytes, whichever comes first, so that every page stays small:
 *
 *     struct pager pager = pager_for(wanted, 100, 20000);
 *     for (each item)
 *         pager_add(&pager, bytes);
 *     pager_settle(&pager);
 *     for (each item, by its number)
 *         if (pager_shows(&pager, number)) …
 *
 * A page number past the end shows the last page, because removing items may shorten the list. The
 * caller owns the pager, and one thread uses it. */
#ifndef PAGE_PAGER_H
#define PAGE_PAGER_H

#include "base/str.h"

struct arena;
struct call;
struct values;

#define PAGER_PAGES_MAX 100000 /* highest page number in a request */

/* The query parameter with the page number. */
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
    size_t bytes;       /* … and the bytes on that page */
    size_t first, last; /* items on the shown page: [first, last) */
};

struct pager pager_for(int64_t wanted, size_t items_max, size_t bytes_max);
void pager_add(struct pager *pager, size_t bytes);
void pager_settle(struct pager *pager);
bool pager_shows(const struct pager *pager, size_t number);

/* The values of pages/pager.html, if there is more than one page. `address` is a trusted URL to
 * which the page number is appended, followed by `anchor`: "#wrote", or "". */
void pager_put(struct call *call, struct values *values, const struct pager *pager,
               struct str address, const char *anchor);

/* The size of a text as escaped HTML. */
size_t pager_bytes(struct arena *mem, struct str text);

#endif
