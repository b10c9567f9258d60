/* path.c - one spelling per path. A proxy in front that normalizes paths differently could
 * otherwise let a request pass a rule for another path. So encoded slashes and dots, empty
 * segments, and encodings of characters that need none are rejected rather than decoded. */
#include "web/path.h"

#include "text/url.h"

#include <string.h>

/* Characters allowed unescaped in a segment: RFC 3986's pchar without ';', which some proxies treat
 * as the start of a parameter. */
static bool
plain(char c)
{
    return url_is_unreserved(c) || (c != '\0' && strchr("!$&'()*+,=:@", c) != NULL);
}

/* Whether the text begins with an allowed escape. */
static bool
escape_ok(struct str at)
{
    int byte = url_escaped_byte(at);
    return byte >= 0x20 && byte != 0x7f && byte != '/' && byte != '\\' &&
           !url_is_unreserved((char)byte);
}

/* "." and ".." are refused rather than resolved: a proxy in front may resolve them differently. */
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
        } else if (!plain(segment.ptr[i])) {
            return false;
        }
    }
    return true;
}

/* Every resource has one spelling of its path, so that checks by path cannot be avoided. */
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
