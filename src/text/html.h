/* html.h - text made safe for a place in an HTML page. */
#ifndef TEXT_HTML_H
#define TEXT_HTML_H

#include "base/buf.h"

/* & < > " ' as references: right for text and for a quoted attribute's value. Bytes that are not
 * UTF-8, and control characters HTML does not allow, come out as U+FFFD. */
void html_escape(struct buf *out, struct str text);

#endif
