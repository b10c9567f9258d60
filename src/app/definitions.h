/* definitions.h - the definitions of domains that this process works with.
 *
 * Four are compiled in; a folder (the setting `domains`) may add more, or replace one of them as a
 * whole. Called once, before the first thread: the set and its texts live in the arena, which must
 * outlive every use of scopes. */
#ifndef APP_DEFINITIONS_H
#define APP_DEFINITIONS_H

#include "base/err.h"

struct arena;
struct domains;

/* `folder` may be NULL. On failure `why` is one line with file, place and problem. */
enum err definitions_load(struct arena *mem, const char *folder, struct domains *out,
                          struct why *why);

#endif
