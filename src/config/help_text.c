/* help_text.c - wraps help to a terminal's width and escapes it for roff. */
#include "config/help_text.h"

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

/* A word that is longer than a line has a line of its own. */
void
help_text_wrap(struct buf *out, const char *margin, const char *text)
{
    struct str rest = str_of(text), word;
    size_t at = 0;
    while (str_cut(&rest, ' ', &word)) {
        if (at > 0 && at + 1 + columns(word) > WIDTH) {
            buf_add_char(out, '\n');
            at = 0;
        }
        if (at == 0) {
            buf_add_c(out, margin);
            at = columns(str_of(margin));
        } else {
            buf_add_char(out, ' ');
            at++;
        }
        buf_add(out, word);
        at += columns(word);
    }
    buf_add_char(out, '\n');
}

/* A dot or an apostrophe at the start of a line would be a request, and a bare '-' a hyphen. */
void
help_text_man(struct buf *out, struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool line_start = i == 0 || text.ptr[i - 1] == '\n';
        if (line_start && (c == '.' || c == '\''))
            buf_add_c(out, "\\&"); /* not a request */
        if (c == '\\')
            buf_add_c(out, "\\e");
        else if (c == '-')
            buf_add_c(out, "\\-");
        else
            buf_add_char(out, c);
    }
}

void
help_text_man_start(struct buf *out, const char *name, int section, const char *summary)
{
    buf_add_format(out, ".TH %s %d \"\" \"penchant %s\"\n.SH NAME\n%s \\- %s\n", name, section,
                   PENCHANT_VERSION, name, summary);
}
