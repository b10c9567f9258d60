/* url.c - percent-encoding, and the form of an origin.
 *
 * Decoding is strict, so that no two readers see different values: a broken escape is an error, not
 * a literal percent sign, and %00 is an error, because C code would see a shorter text. */
#include "text/url.h"

#include "base/arena.h"
#include "base/ascii.h"
#include "text/utf8.h"

#include <arpa/inet.h>
#include <string.h>

#define HOST_MAX 253
#define LABEL_MAX 63

/* ---- escapes ---- */

/* -1: no hexadecimal digit. */
static int
hex_digit(char c)
{
    if (ascii_is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* -1: the text does not begin with an escape. */
int
url_escaped_byte(struct str text)
{
    if (text.len < 3 || text.ptr[0] != '%')
        return -1;
    int high = hex_digit(text.ptr[1]), low = hex_digit(text.ptr[2]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/* The number of leading bytes that need no escape. */
static size_t
plain_prefix(struct str in, bool plus_is_space)
{
    size_t i = 0;
    while (i < in.len && in.ptr[i] != '%' && in.ptr[i] != '\0' &&
           !(plus_is_space && in.ptr[i] == '+'))
        i++;
    return i;
}

/* *out is set even if the text is not valid UTF-8; then the result is false. */
bool
url_decode(struct arena *mem, struct str in, bool plus_is_space, struct str *out)
{
    char *text = arena_alloc(mem, in.len + 1);
    size_t length = 0;
    for (;;) {
        size_t run = plain_prefix(in, plus_is_space);
        if (run > 0)
            memcpy(text + length, in.ptr, run);
        length += run;
        in = str_from(in, run);
        if (in.len == 0)
            break;
        if (in.ptr[0] == '+') {
            text[length++] = ' ';
            in = str_from(in, 1);
            continue;
        }
        int byte = url_escaped_byte(in);
        if (byte <= 0)
            return false;
        text[length++] = (char)byte;
        in = str_from(in, 3);
    }
    *out = (struct str){ text, length };
    return utf8_valid(*out);
}

bool
url_is_unreserved(char c)
{
    return ascii_is_alphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

/* Everything but unreserved characters (RFC 3986 §2.3), so the result fits into any part of a
 * URL. */
void
url_encode(struct buf *out, struct str in)
{
    static const char hex[] = "0123456789ABCDEF";
    while (in.len > 0) {
        size_t run = 0;
        while (run < in.len && url_is_unreserved(in.ptr[run]))
            run++;
        buf_add(out, str_first(in, run));
        in = str_from(in, run);
        if (in.len == 0)
            return;
        unsigned char byte = (unsigned char)in.ptr[0];
        buf_add(out, (struct str){ (char[]){ '%', hex[byte >> 4], hex[byte & 15] }, 3 });
        in = str_from(in, 1);
    }
}

/* ---- origins ---- */

/* inet_pton() needs a NUL at the end. */
static bool
is_address(int family, struct str text)
{
    char copy[INET6_ADDRSTRLEN];
    unsigned char address[sizeof(struct in6_addr)];
    if (text.len >= sizeof copy || memchr(text.ptr, '\0', text.len) != NULL)
        return false;
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return inet_pton(family, copy, address) == 1;
}

/* Also with underscores, which names in private networks have. */
static bool
is_label(struct str label)
{
    if (label.len == 0 || label.len > LABEL_MAX || label.ptr[0] == '-' ||
        label.ptr[label.len - 1] == '-')
        return false;
    for (size_t i = 0; i < label.len; i++) {
        char c = label.ptr[i];
        if (!ascii_is_alphanumeric(c) && c != '-' && c != '_')
            return false;
    }
    return true;
}

/* Upper case is an error instead of being changed, because origins are compared as text. */
static const char *
host_problem(struct str host)
{
    static const char *const bad = "must name a host: a domain name, an IPv4 address, or an IPv6 "
                                   "address in square brackets";
    for (size_t i = 0; i < host.len; i++)
        if (ascii_is_upper(host.ptr[i]))
            return "must be written in lower case";
    if (host.len == 0 || host.len > HOST_MAX)
        return bad;
    if (host.ptr[0] == '[')
        return host.len > 2 && host.ptr[host.len - 1] == ']' &&
                       is_address(AF_INET6, (struct str){ host.ptr + 1, host.len - 2 })
                   ? NULL
                   : bad;
    struct str rest = host, label = STR_NONE;
    while (str_cut(&rest, '.', &label))
        if (!is_label(label))
            return bad;
    /* Browsers read a name whose last label starts with a digit as an IPv4 address. */
    return ascii_is_digit(label.ptr[0]) && !is_address(AF_INET, host) ? bad : NULL;
}

/* Checks what follows the host: nothing, or a colon and a port. */
static const char *
port_problem(struct str after_host, bool https)
{
    int64_t port;
    if (after_host.len == 0)
        return NULL;
    if (!str_to_int(str_from(after_host, 1), 1, 65535, &port))
        return "must have a port from 1 to 65535, or none";
    /* Browsers omit the default port in Origin headers, so it would never match. */
    if (port == (https ? 443 : 80))
        return "must leave out the port that its scheme implies";
    return NULL;
}

/* Accepts exactly the form in which browsers send an origin, so that texts can be compared. */
const char *
url_origin_problem(struct str url)
{
    bool https = url_is_https(url);
    if (!https && !str_starts(url, STR("http://")))
        return "must start with https:// or http://";
    struct str rest = str_from(url, https ? 8 : 7);
    if (str_index(rest, '@') < rest.len)
        return "must not contain a username or password";
    for (const char *end = "/?#\\"; *end != '\0'; end++)
        if (str_index(rest, *end) < rest.len)
            return "must end after the host and port: no slash, path, query or fragment";
    bool brackets = rest.len > 0 && rest.ptr[0] == '[';
    size_t host_end = brackets ? str_index(rest, ']') + 1 : str_index(rest, ':');
    const char *problem = host_problem(str_first(rest, host_end));
    if (problem != NULL)
        return problem;
    struct str after = str_from(rest, host_end);
    if (after.len > 0 && after.ptr[0] != ':')
        return "must end after the host and port: no slash, path, query or fragment";
    return port_problem(after, https);
}

bool
url_is_https(struct str url)
{
    return str_starts(url, STR("https://"));
}
