/* snippet.h - code examples with the developer's values filled in: files of pages/.
 *
 * The files are whole programs that their own languages can read, so that they can be checked as
 * such. In them {{name}} stands for a value, and a line whose end is a comment of one of these
 * marks is there only where it holds: {{confidential}}, {{hints}}. Values stand between quotes: in
 * a .sh file single ones, elsewhere double ones; what would end them is escaped. */
#ifndef PORTAL_SNIPPET_H
#define PORTAL_SNIPPET_H

#include "base/str.h"

struct arena;

struct snippet {
    struct str base_url;
    struct str auth_url;
    struct str client_id;
    struct str redirect_uri;
    struct str scope;
    struct str api_path; /* path of the first API call */
    bool confidential;
    bool hints; /* api_path gives hints */
};

/* `file` must be a file in pages/. The result is in the arena. */
struct str snippet_fill(struct arena *mem, const char *file, const struct snippet *snippet);

#endif
