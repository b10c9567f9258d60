/* script.h - a script as it is sent: what it does, without what is only there for its reader. */
#ifndef TEXT_SCRIPT_H
#define TEXT_SCRIPT_H

#include "base/str.h"

struct arena;

/* Without lines that are empty or a comment, and without the blanks that lines begin with. For
 * scripts of our own, which have no text that goes over more than one line. */
struct str script_squeeze(struct arena *mem, struct str script);

#endif
