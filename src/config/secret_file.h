/* secret_file.h - settings whose value is in a file of its own, so that it appears neither in the
 * settings file nor in the environment. Safe from any thread. */
#ifndef CONFIG_SECRET_FILE_H
#define CONFIG_SECRET_FILE_H

#include "base/err.h"

struct arena;

/* The path of a name in a setting: a name without a slash is a file of the folder that systemd
 * passes with LoadCredential= or SetCredential=, if it passes one. */
const char *secret_file_path(struct arena *mem, const char *name);

/* The first line of the file, in the arena. `setting` is for messages. ERR_INVALID: it cannot be
 * read, is empty, has more than one line, or every user of the machine can read it. */
enum err secret_file_read(struct arena *mem, const char *setting, const char *path,
                          const char **out, struct why *why);

#endif
