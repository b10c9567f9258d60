/* definitions.h - loads the domain definitions.
 *
 * Four are compiled in; files in a folder (the setting `domains`) add domains or replace built-in
 * ones. Call once, before the first thread starts. The result is allocated in the arena, which must
 * outlive every use of domains and scopes. */
#ifndef CONFIG_DEFINITIONS_H
#define CONFIG_DEFINITIONS_H

#include "base/err.h"

struct arena;
struct domains;

/* `folder` may be NULL. On failure `why` names the file, the position in it, and the problem. */
enum err definitions_load(struct arena *mem, const char *folder, struct domains *out,
                          struct why *why);

#endif
