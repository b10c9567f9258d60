/* help_text.h - the formats of help, and texts wrapped to the width of a terminal. Text is appended
 * to the caller's buffer. Any thread may call these functions. */
#ifndef CONFIG_HELP_TEXT_H
#define CONFIG_HELP_TEXT_H

#include "base/str.h"

struct buf;

enum help_format {
    HELP_TEXT,
    HELP_MARKDOWN,
    HELP_MAN,  /* the source of a manual page, for man(1) */
    HELP_FILE, /* settings only: a settings file with every setting commented out */
};

/* Appends the text in lines of at most 90 columns, each after `margin`. */
void help_text_wrap(struct buf *out, const char *margin, const char *text);

/* Appends the text with the characters escaped that have a meaning in a manual page's source. */
void help_text_man(struct buf *out, struct str text);

/* The title line and the NAME section of a manual page. */
void help_text_man_start(struct buf *out, const char *name, int section, const char *summary);

#endif
