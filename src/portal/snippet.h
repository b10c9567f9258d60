/* snippet.h - code examples from pages/ with the developer's values filled in.
 *
 * Each file is a valid program in its language, so that tests can check its syntax. {{name}} is
 * replaced by a value, escaped for the quotes around it: single ones in a .sh file, double ones
 * elsewhere. A line that ends with the comment {{confidential}} or {{hints}} is kept only if that
 * member of struct snippet is true. Any thread may call it. */
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
