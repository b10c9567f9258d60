/* confine.h - which files the sandbox of the service allows: those that the settings name, and what
 * libraries need. Call from the main thread, before other threads exist. */
#ifndef APP_CONFINE_H
#define APP_CONFINE_H

#include "base/err.h"

struct arena;
struct sandbox;
struct settings;

/* Collects the paths of the settings, allocated in the arena, enters the sandbox, and logs what is
 * in effect. `leave` is a folder that is deleted at the end; NULL: none. Does nothing if the
 * settings turn the sandbox off. */
void confine_process(struct arena *mem, const struct settings *settings, const char *leave,
                     struct sandbox *out);

/* The rules stay those of the first start. ERR_INVALID: the settings name a file that the rules do
 * not cover. */
enum err confine_check(const struct sandbox *sandbox, const struct settings *settings,
                       struct why *why);

#endif
