/* help_text.h - sentences in lines that fit a terminal. */
#ifndef APP_HELP_TEXT_H
#define APP_HELP_TEXT_H

struct buf;

/* The text in lines of at most 90 columns, each behind so many blanks. */
void help_text_wrap(struct buf *out, int indent, const char *text);

#endif
