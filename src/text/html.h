/* html.h - escapes text for HTML. Output is appended to the caller's buffer. Any thread may call
 * it. */
#ifndef TEXT_HTML_H
#define TEXT_HTML_H

#include "base/buf.h"

/* Escapes & < > " ', for text and for quoted attribute values. Invalid UTF-8 and control characters
 * that HTML does not allow become U+FFFD. */
void html_escape(struct buf *out, struct str text);

#endif
