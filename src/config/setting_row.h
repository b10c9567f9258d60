/* setting_row.h - one setting, for settings.c and settings_load.c. The table is constant; any
 * thread may read it. */
#ifndef CONFIG_SETTING_ROW_H
#define CONFIG_SETTING_ROW_H

#include "base/str.h"

struct arena;

enum setting_kind { SETTING_TEXT, SETTING_NUMBER, SETTING_CHOICE };

struct setting_row {
    const char *name;
    enum setting_kind kind;
    const char *fallback; /* NULL: not set */
    size_t offset;        /* into struct settings: a const char *, an int64_t, a bool or an enum */
    int64_t min, max;
    const char *choices[5];                   /* the index is the value */
    size_t width;                             /* of a choice's member */
    const char *(*problem)(const char *text); /* NULL, or the end of a sentence */
    const char *summary;
    const char *default_text; /* for help, if the default is computed */
    bool secret;              /* not accepted as a flag */
    bool repeats;             /* further values are added after a space */
};

extern const struct setting_row setting_rows[];
extern const size_t setting_row_count;

/* "text or json"; "silent, error, warn, info, or debug". Empty for other kinds. In the arena. */
struct str setting_choices(struct arena *mem, const struct setting_row *row);

/* "base-url" is PENCHANT_BASE_URL. In the arena. */
const char *setting_variable(struct arena *mem, const char *name);

/* NULL: unknown, or "config", which has no row. */
const struct setting_row *setting_row_find(struct str name);

#endif
