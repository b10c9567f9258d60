/* help_text.h - wraps help texts to the width of a terminal. */
#ifndef APP_HELP_TEXT_H
#define APP_HELP_TEXT_H

struct buf;

/* Appends the text in lines of at most 90 columns, each indented by `indent` spaces. */
void help_text_wrap(struct buf *out, int indent, const char *text);

#endif
