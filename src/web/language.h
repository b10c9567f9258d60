/* language.h - loads the languages of the pages: one for each message catalog in pages/.
 *
 * English is first and the default. Every other catalog must have the same keys as English, which
 * the build checks (tools/strings) and the start again. Loaded at startup, then shared between
 * threads and read-only. */
#ifndef WEB_LANGUAGE_H
#define WEB_LANGUAGE_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct template_set;
struct catalog;

struct language {
    struct str tag; /* "en", from the file name */
    struct catalog *catalog;
    struct template_set *pages;
};

struct languages {
    struct language *list;
    size_t count;
    const struct catalog **catalogs; /* the same, for catalog_pick() */
};

/* Loads all catalogs and parses all pages in each language, so that an error is found at startup.
 * On failure `why` names the file, the line, and the problem. */
enum err languages_load(struct arena *mem, struct languages *out, struct why *why);
void languages_free(struct languages *languages);

/* By a language tag: "pt-BR" also finds "pt". NULL: none. */
const struct language *language_find(const struct languages *languages, struct str tag);

/* By Accept-Language (RFC 9110 §12.5.4). NULL: it names no language that there is. */
const struct language *language_pick(const struct languages *languages, struct str accept);

#endif
