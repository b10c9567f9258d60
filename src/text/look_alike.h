/* look_alike.h - letters of other scripts that are taken for Latin ones. */
#ifndef TEXT_LOOK_ALIKE_H
#define TEXT_LOOK_ALIKE_H

#include "base/str.h"

struct arena;

/* Each letter and sign that looks like an ASCII one as that one. The text is what utf8_plain()
 * made, so its letters are small. Only for guessing what a text is meant to look like: a word of
 * another script comes out as nonsense. */
struct str look_alike_latin(struct arena *mem, struct str plain);

#endif
