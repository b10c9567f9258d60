/* css.h - a stylesheet as it is sent: what it says, without what is only there for its reader. */
#ifndef TEXT_CSS_H
#define TEXT_CSS_H

#include "base/str.h"

struct arena;

/* Without comments and without blanks that mean nothing. Blanks between selectors, around the
 * operators of calc() and inside strings mean something and stay. For stylesheets of our own: it
 * does not repair, and an unfinished comment or string ends the sheet. */
struct str css_squeeze(struct arena *mem, struct str css);

#endif
