/* settings_load.h - reads the settings from file, environment, and command line.
 *
 * Results are allocated from `mem`. Any thread may call, but only at startup and on a reload: files
 * and environment are read. */
#ifndef CONFIG_SETTINGS_LOAD_H
#define CONFIG_SETTINGS_LOAD_H

#include "config/settings.h"

/* A setting from the command line. If a name is given twice, the last one is used. */
struct setting_flag {
    struct str name;
    struct str value;
};

/* Reads file and variables, then the flags, and checks all of it. On failure `why` is one line that
 * names the setting and where it came from. Strings are allocated in the arena. */
enum err settings_load(struct arena *mem, const struct setting_flag *flags, size_t count,
                       struct settings *out, struct why *why);

/* One entry of a settings file: `key = value`, with blank lines and # comments skipped. Returns
 * false at the end. A line that is neither has an absent name. */
bool settings_next_line(struct str *rest, struct str *name, struct str *value, size_t *line);

#endif
