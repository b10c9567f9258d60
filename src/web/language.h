/* language.h - the languages the pages speak: one for each catalogue in pages/.
 *
 * English is the first, and the one for whoever asks for none that is there. Every other catalogue
 * has the keys that English has. Loaded at start, then shared. */
#ifndef WEB_LANGUAGE_H
#define WEB_LANGUAGE_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct template_set;
struct catalog;

struct language {
    struct str tag; /* "en": its file's name */
    struct catalog *catalog;
    struct template_set *pages;
};

struct languages {
    struct language *list;
    size_t count;
};

/* All catalogues and all pages in each of them, so that a broken one cannot wait for its first
 * reader. `why` names file, line and problem. */
enum err languages_load(struct arena *mem, struct languages *out, struct why *why);
void languages_free(struct languages *languages);

/* By Accept-Language (RFC 9110 §12.5.4); "pt-BR" is content with "pt". */
const struct language *language_pick(const struct languages *languages, struct str accept);

#endif
