/* reference_pages.h - the pages of the API reference, rendered by the first request for one of
 * them.
 *
 * They are allocated in the web's arena, which no other code uses after the start, one set per
 * language; once rendered, they are read-only. Requests may come from any thread. */
#ifndef PORTAL_REFERENCE_PAGES_H
#define PORTAL_REFERENCE_PAGES_H

#include "base/err.h"

struct web;

/* Sets web->reference. Call once, before the first request. */
void reference_pages_start(struct web *web);

#endif
