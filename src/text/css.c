#include "text/css.h"

#include "base/buf.h"

#include <string.h>

static bool
is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
}

/* How much of the text is blanks and comments. */
static size_t
nothing_at(struct str css)
{
    size_t at = 0;
    for (;;) {
        struct str rest = str_from(css, at);
        if (rest.len > 0 && is_blank(rest.ptr[0])) {
            at++;
        } else if (str_starts(rest, STR("/*"))) {
            for (at += 2; at < css.len && !str_starts(str_from(css, at), STR("*/")); at++)
                ;
            at = at + 2 < css.len ? at + 2 : css.len;
        } else {
            return at;
        }
    }
}

/* How long the string is that begins here, with its quotes. */
static size_t
quoted_at(struct str css)
{
    size_t at = 1;
    while (at < css.len && css.ptr[at] != css.ptr[0])
        at += css.ptr[at] == '\\' ? 2 : 1;
    return at < css.len ? at + 1 : css.len;
}

struct str
css_squeeze(struct arena *mem, struct str css)
{
    struct buf out = buf_in(mem, css.len + 1);
    for (size_t at = 0; at < css.len;) {
        char last = out.len == 0 ? ';' : out.ptr[out.len - 1];
        char c = css.ptr[at];
        size_t nothing = nothing_at(str_from(css, at));
        if (nothing > 0) {
            at += nothing;
            bool needed = at < css.len && strchr("{};,:", last) == NULL &&
                          strchr("{};,", css.ptr[at]) == NULL;
            buf_add_c(&out, needed ? " " : "");
        } else if (c == '"' || c == '\'') {
            size_t len = quoted_at(str_from(css, at));
            buf_add(&out, str_first(str_from(css, at), len));
            at += len;
        } else {
            out.len -=
                c == '}' && last == ';' && out.len > 0; /* the last declaration needs no end */
            buf_add_char(&out, c);
            at++;
        }
    }
    return buf_str(&out);
}
