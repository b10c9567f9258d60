/* article.h - the indefinite article of a text. Pure; any thread may call it. */
#ifndef VALUE_ARTICLE_H
#define VALUE_ARTICLE_H

#include "base/str.h"

/* "a" or "an". English goes by sound and not by letter: "an hour", "a university", "an SRE", "a UX
 * designer". Correct for nearly all words, and never worse than deciding by the first letter. */
const char *article_of(struct str text);

#endif
