/* html.c - escapes for text and for attributes in quotation marks alike, so a value is safe in
 * both. */
#include "text/html.h"

#include "text/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd"

/* The escape of an ASCII character; NULL: none needed. */
static const char *
reference(unsigned char byte)
{
    switch (byte) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    case '\t':
    case '\n':
    case '\f':
    case '\r':
        return NULL;
    default:
        return byte < 0x20 || byte == 0x7f ? REPLACEMENT : NULL;
    }
}

/* The number of leading bytes that need no escape. */
static size_t
plain_prefix(struct str text)
{
    size_t i = 0;
    while (i < text.len) {
        unsigned char byte = (unsigned char)text.ptr[i];
        if (byte >= 0x80) {
            struct str rest = str_from(text, i);
            int32_t point = utf8_next(&rest);
            if (point < 0xa0) /* not UTF-8, or a control character */
                return i;
            i = text.len - rest.len;
        } else if (reference(byte) != NULL) {
            return i;
        } else {
            i++;
        }
    }
    return i;
}

/* Also bytes that are not UTF-8, and characters that HTML does not allow: each becomes a
 * replacement, so that the result is valid whatever was stored. */
void
html_escape(struct buf *out, struct str text)
{
    for (;;) {
        size_t run = plain_prefix(text);
        buf_add(out, str_first(text, run));
        text = str_from(text, run);
        if (text.len == 0)
            return;
        const char *instead = reference((unsigned char)text.ptr[0]);
        buf_add_c(out, instead != NULL ? instead : REPLACEMENT);
        if (utf8_next(&text) < 0)
            text = str_from(text, 1); /* each invalid byte separately */
    }
}
