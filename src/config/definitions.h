/* definitions.h - loads the domain definitions.
 *
 * Seven are compiled in; the setting `domains-off` leaves some of them out. Files in a folder (the
 * setting `domains`) add domains or replace built-in ones, also those that are left out. The result
 * is allocated in the arena, which must outlive every use of the domains. It is not in use before
 * scopes_setup() (model/scope.h). Any thread may call this: a reload loads definitions while the
 * service runs with others. */
#ifndef CONFIG_DEFINITIONS_H
#define CONFIG_DEFINITIONS_H

#include "base/err.h"

struct arena;
struct domains;

/* `folder` may be NULL, and so may `off`, the names of built-in domains to leave out, separated by
 * spaces. On failure `why` names the file, the position in it, and the problem. */
enum err definitions_load(struct arena *mem, const char *folder, const char *off,
                          struct domains *out, struct why *why);

#endif
