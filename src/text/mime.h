/* mime.h - writes an email: headers, and the same content as plain text and as HTML.
 *
 * Header values cannot contain line breaks: control characters are replaced. The email is appended
 * to the caller's buffer. Any thread may call it. */
#ifndef TEXT_MIME_H
#define TEXT_MIME_H

#include "base/buf.h"

#define MIME_PARAGRAPHS_MAX 4

struct mime_message {
    struct str id; /* unique, for Message-ID */
    struct str from;
    struct str from_name;
    struct str to;
    struct str subject;
    struct str language; /* "en" */
    int64_t date;
    struct str link; /* after the first paragraph; absent: none */
    struct str paragraphs[MIME_PARAGRAPHS_MAX];
    size_t paragraph_count;
};

void mime_write(struct buf *out, const struct mime_message *message);

#endif
