/* article.h - "a" or "an".
 *
 * English goes by sound and not by letter: "an hour", "a university", "an SRE", "a UX designer".
 * What is here is right for nearly all words that people put behind it, and never worse than
 * going by the letter. Pure. */
#ifndef HINT_ARTICLE_H
#define HINT_ARTICLE_H

#include "base/str.h"

const char *article_for(struct str text);

#endif
