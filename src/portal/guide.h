/* guide.h - the guide to the first API call: one source for the portal's page and docs/GUIDE.md.
 *
 * The steps have their texts in the message catalog and their code in pages/guide.sh, which can be
 * pasted into a shell from top to bottom. Safe from any thread. */
#ifndef PORTAL_GUIDE_H
#define PORTAL_GUIDE_H

#include "base/str.h"

struct arena;
struct buf;
struct catalog;
struct snippet;

#define GUIDE_STEPS 8

struct guide_step {
    const char *name;         /* of the code in guide.sh */
    const char *title, *text; /* keys */
    struct str code;
};

/* The steps in order, with the addresses of `snippet` in their code. */
void guide_read(struct arena *mem, const struct snippet *snippet,
                struct guide_step out[GUIDE_STEPS]);

/* As Markdown, without a title, and after the steps the same as programs with libraries. */
void guide_write(struct buf *out, struct arena *mem, const struct catalog *catalog,
                 const struct snippet *snippet);

#endif
