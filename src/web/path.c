#include "web/path.h"

#include <string.h>

static bool
unreserved(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("-._~", c) != NULL);
}

/* What may stand in a segment as it is: RFC 3986's pchar without ';', whose only use in a path is
 * to hide a parameter from whoever looks at segments. */
static bool
plain(unsigned char c)
{
    return unreserved(c) || (c != '\0' && strchr("!$&'()*+,=:@", c) != NULL);
}

static int
hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* Whether an escape may stand at the front of this text. */
static bool
escape_ok(struct str at)
{
    if (at.len < 3)
        return false;
    int high = hex_digit(at.ptr[1]);
    int low = hex_digit(at.ptr[2]);
    if (high < 0 || low < 0)
        return false;
    unsigned char c = (unsigned char)(high * 16 + low);
    return c >= 0x20 && c != 0x7f && c != '/' && c != '\\' && !unreserved(c);
}

static bool
segment_ok(struct str segment)
{
    if (segment.len == 0 || str_eq_c(segment, ".") || str_eq_c(segment, ".."))
        return false;
    for (size_t i = 0; i < segment.len; i++) {
        if (segment.ptr[i] == '%') {
            if (!escape_ok(str_from(segment, i)))
                return false;
            i += 2;
        } else if (!plain((unsigned char)segment.ptr[i])) {
            return false;
        }
    }
    return true;
}

bool
path_is_canonical(struct str path)
{
    if (path.len == 0 || path.ptr[0] != '/')
        return false;
    if (path.len == 1)
        return true;
    struct str rest = str_from(path, 1);
    struct str segment;
    while (str_cut(&rest, '/', &segment))
        if (!segment_ok(segment))
            return false;
    return true;
}
