/* spelling.h - one form for the spellings of a word: American and British English, and letters with
 * and without marks.
 *
 * The results are compared and never shown, so a form may be no word: "devour" becomes "devor".
 * Only two words that differ in meaning must not become one.
 *
 * Pure; results are allocated from `mem` or are the given text. Any thread may call it. */
#ifndef READING_SPELLING_H
#define READING_SPELLING_H

#include "base/str.h"

struct arena;

/* Of a word in lowercase: "colour" and "color", "organise" and "organize", "centre" and "center",
 * "travelling" and "traveling", "dialogue" and "dialog". */
struct str spelling_fold(struct arena *mem, struct str word);

/* "café" and "cafe". Only Latin letters lose their marks, and none in Vietnamese, where a mark
 * makes another word. `text` is case-folded. */
struct str spelling_without_marks(struct arena *mem, struct str text);

#endif
