/* logos.h - stores and reads the logos of apps. Results are allocated from `mem`. Any thread may
 * call these functions. */
#ifndef FLOW_LOGOS_H
#define FLOW_LOGOS_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct db;

/* ERR_INVALID: *problem is a sentence for the developer. */
enum err logo_set(struct db *db, struct arena *mem, struct str app_id, struct str file,
                  const char **problem);

enum err logo_remove(struct db *db, struct arena *mem, struct str app_id);

/* The image as PNG. ERR_NOT_FOUND if the app has no logo with this mark. */
enum err logo_find(struct db *db, struct arena *mem, struct str app_id, struct str mark,
                   struct str *png);

#endif
