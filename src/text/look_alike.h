/* look_alike.h - maps letters of other scripts to the Latin letters they look like. The result is
 * allocated from the arena. Any thread may call it. */
#ifndef TEXT_LOOK_ALIKE_H
#define TEXT_LOOK_ALIKE_H

#include "base/str.h"

struct arena;

/* Replaces each character that looks like an ASCII character by that character. The input must come
 * from utf8_match_key(), so its letters are lowercase. Only for detecting deception: real words of
 * other scripts become nonsense. */
struct str look_alike_latin(struct arena *mem, struct str plain);

#endif
