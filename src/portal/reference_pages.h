/* reference_pages.h - renders the pages of the API reference at startup.
 *
 * The pages are allocated in the web's arena, one set per language; afterwards they are read-only
 * and used from any thread. */
#ifndef PORTAL_REFERENCE_PAGES_H
#define PORTAL_REFERENCE_PAGES_H

#include "base/err.h"

struct web;

/* Renders web->openapi into web->reference. Call once, before the first request. */
enum err reference_pages_make(struct web *web, struct why *why);

#endif
