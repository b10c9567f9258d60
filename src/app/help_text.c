#include "app/help_text.h"

#include "base/buf.h"

#define WIDTH 90

/* Counts code points, which approximates the columns of a terminal. */
static size_t
columns(struct str word)
{
    size_t count = 0;
    for (size_t i = 0; i < word.len; i++)
        count += ((unsigned char)word.ptr[i] & 0xc0) != 0x80;
    return count;
}

void
help_text_wrap(struct buf *out, int indent, const char *text)
{
    struct str rest = str_of(text), word;
    size_t at = 0;
    while (str_cut(&rest, ' ', &word)) {
        if (at > 0 && at + 1 + columns(word) > WIDTH) {
            buf_add_char(out, '\n');
            at = 0;
        }
        if (at == 0) {
            buf_add_format(out, "%*s", indent, "");
            at = (size_t)indent;
        } else {
            buf_add_char(out, ' ');
            at++;
        }
        buf_add(out, word);
        at += columns(word);
    }
    buf_add_char(out, '\n');
}
