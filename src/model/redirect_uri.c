/* redirect_uri.c - what may be registered as a redirect URI, and when a requested one matches it.
 *
 * A code is sent to this URI, so that two readers must never understand it differently: this file,
 * the browser, and the app. Therefore everything that a browser would rewrite is rejected at
 * registration (upper case in the host, dot segments, other spellings of an IPv4 address, user
 * info), and a request must match the registered text byte by byte. The only exception is the port
 * of a loopback URI (RFC 8252 §7.3), which a native app chooses when it runs. */
#include "model/redirect_uri.h"

#include "base/ascii.h"
#include "base/buf.h"
#include "text/url.h"

#include <string.h>

struct parts {
    struct str scheme;
    struct str authority; /* absent: the URI has none, and so neither host nor port */
    struct str host;      /* with brackets, if it has them */
    struct str port;      /* absent: none */
    struct str rest;      /* path and query */
};

/* The characters that RFC 3986 allows unescaped, except * and #. */
static bool
is_uri_char(char c)
{
    return ascii_is_alphanumeric(c) || (c != '\0' && strchr("-._~:/?[]@!$&'()+,;=%", c) != NULL);
}

/* The characters of RFC 3986; each % must begin an escape, or programs would read the URI
 * differently. */
static bool
only_uri_chars(struct str uri)
{
    for (size_t i = 0; i < uri.len; i++) {
        if (!is_uri_char(uri.ptr[i]))
            return false;
        if (uri.ptr[i] == '%' &&
            (i + 2 >= uri.len || !ascii_is_hex(uri.ptr[i + 1]) || !ascii_is_hex(uri.ptr[i + 2])))
            return false;
    }
    return true;
}

/* Length up to the colon before the port. Anything but a colon after a bracket counts as part of
 * the host, which makes it invalid: "[::1]@80" is not loopback, but user "[::1]" at host 80. */
static size_t
host_length(struct str authority)
{
    if (authority.len == 0 || authority.ptr[0] != '[')
        return str_index(authority, ':');
    size_t end = str_index(authority, ']') + 1;
    return end < authority.len && authority.ptr[end] == ':' ? end : authority.len;
}

/* For any text, also an invalid one: `asked` is untrusted. Absent parts compare as empty. */
static struct parts
split(struct str uri)
{
    struct parts parts = { .scheme = str_first(uri, str_index(uri, ':')) };
    struct str rest = str_from(uri, parts.scheme.len + 1);
    if (str_starts(rest, STR("//"))) {
        rest = str_from(rest, 2);
        size_t end = 0;
        while (end < rest.len && rest.ptr[end] != '/' && rest.ptr[end] != '?')
            end++;
        parts.authority = str_first(rest, end);
        rest = str_from(rest, end);
        size_t host_end = host_length(parts.authority);
        parts.host = str_first(parts.authority, host_end);
        if (host_end < parts.authority.len)
            parts.port = str_from(parts.authority, host_end + 1);
    }
    parts.rest = rest;
    return parts;
}

/* Exactly these spellings: 127.1 or LOCALHOST would have to be compared as browsers read them. */
static bool
is_loopback(struct str host)
{
    return str_eq(host, STR("127.0.0.1")) || str_eq(host, STR("[::1]")) ||
           str_eq(host, STR("localhost"));
}

static bool
is_http(const struct parts *parts)
{
    return str_eq(parts->scheme, STR("http"));
}

static bool
is_private_use(const struct parts *parts)
{
    return !is_http(parts) && !str_eq(parts->scheme, STR("https"));
}

/* Requires lowercase, because schemes are compared byte by byte. */
static bool
scheme_valid(struct str scheme)
{
    if (scheme.len == 0 || scheme.ptr[0] < 'a' || scheme.ptr[0] > 'z')
        return false;
    for (size_t i = 0; i < scheme.len; i++) {
        char c = scheme.ptr[i];
        if (!(ascii_is_lower(c) || ascii_is_digit(c) || c == '.' || c == '-' || c == '+'))
            return false;
    }
    return true;
}

/* The operator allows schemes for native apps (RFC 8252 §7.1). Those that browsers handle
 * themselves can never be allowed: a redirect to javascript: would run code of the app on a page of
 * this service. */
const char *
redirect_schemes_problem(const char *schemes)
{
    /* Schemes that browsers handle themselves, or that run code. */
    static const char never[] = "http https ws wss ftp javascript data vbscript file blob about "
                                "mailto intent filesystem view-source chrome";
    struct str rest = str_of(schemes), scheme;
    while (str_cut(&rest, ' ', &scheme)) {
        if (!scheme_valid(scheme))
            return "must be lowercase URI schemes, separated by single spaces";
        if (str_has_word(str_of(never), scheme))
            return "contains a scheme that is not for private use, such as http or javascript";
    }
    return NULL;
}

/* As browsers read the labels of an IPv4 address: decimal, octal, or hexadecimal. */
static bool
is_number(struct str label)
{
    if (label.len == 0 || label.ptr[0] < '0' || label.ptr[0] > '9')
        return false;
    bool hex = str_starts(label, STR("0x"));
    for (size_t i = hex ? 2 : 0; i < label.len; i++)
        if (hex ? !ascii_is_hex(label.ptr[i]) : label.ptr[i] < '0' || label.ptr[i] > '9')
            return false;
    return true;
}

/* Browsers read a host whose last label is a number as an IPv4 address: 2130706433 and 0x7f.1 are
 * 127.0.0.1. Only its plain form is accepted. */
static bool
number_valid(struct str host)
{
    struct str label = STR(""), rest = host;
    int64_t value;
    size_t count = 0, plain = 0;
    while (str_cut(&rest, '.', &label)) {
        count++;
        plain += str_to_int(label, 0, 255, &value) && (label.len == 1 || label.ptr[0] != '0');
    }
    return !is_number(label) || (count == 4 && plain == 4);
}

/* A name, an IPv4 address, or an IPv6 address in brackets. Upper case is refused, since registered
 * URIs are compared character by character. */
static bool
host_valid(struct str host)
{
    if (host.len == 0)
        return false;
    if (host.ptr[0] == '[') {
        for (size_t i = 1; i + 1 < host.len; i++)
            if (!ascii_is_hex(host.ptr[i]) && host.ptr[i] != ':' && host.ptr[i] != '.')
                return false;
        return host.len > 3 && host.ptr[host.len - 1] == ']';
    }
    for (size_t i = 0; i < host.len; i++) {
        char c = host.ptr[i];
        if (!(ascii_is_lower(c) || ascii_is_digit(c) || c == '-' || c == '.'))
            return false;
        if (c == '.' && (i == 0 || i + 1 == host.len || host.ptr[i + 1] == '.'))
            return false;
    }
    return number_valid(host);
}

static bool
port_valid(struct str port)
{
    int64_t number;
    return !str_present(port) || str_to_int(port, 1, 65535, &number);
}

/* Browsers remove these segments, also if the dots are percent-encoded, so they would go to another
 * URI than the registered one. */
static bool
has_dot_segments(struct str rest)
{
    struct str path = str_first(rest, str_index(rest, '?')), segment;
    while (str_cut(&path, '/', &segment)) {
        if (str_eq(segment, STR(".")) || str_eq(segment, STR("..")))
            return true;
        for (size_t i = 0; i + 2 < segment.len; i++)
            if (segment.ptr[i] == '%' && segment.ptr[i + 1] == '2' &&
                (segment.ptr[i + 2] == 'e' || segment.ptr[i + 2] == 'E'))
                return true;
    }
    return false;
}

/* Parameters of the response: the app could read a registered value instead of the real one. */
static bool
has_reserved_parameter(struct str rest)
{
    static const char *const reserved[] = { "code", "state", "iss", "error", "error_description" };
    struct str query = str_from(rest, str_index(rest, '?') + 1), pair;
    while (str_index(rest, '?') < rest.len && str_cut(&query, '&', &pair)) {
        struct str raw = str_first(pair, str_index(pair, '='));
        char decoded[REDIRECT_URI_MAX];
        struct str name = { decoded, 0 };
        while (raw.len > 0) { /* the app's parser decodes names, so ?%63ode= is code too */
            int byte = raw.ptr[0] == '%' ? url_escaped_byte(raw) : (unsigned char)raw.ptr[0];
            decoded[name.len++] = (char)byte;
            raw = str_from(raw, raw.ptr[0] == '%' ? 3 : 1);
        }
        for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
            if (str_eq_c(name, reserved[i]))
                return true;
    }
    return false;
}

/* The order is that of the sentences: the first problem is the one that the developer should read.
 */
const char *
redirect_uri_problem(struct str uri, struct str schemes)
{
    if (uri.len == 0)
        return "A redirect URI is missing. Enter the address to which users return.";
    if (uri.len > REDIRECT_URI_MAX)
        return "A redirect URI can have at most 512 characters.";
    if (str_index(uri, '#') < uri.len)
        return "A redirect URI cannot have a fragment. Remove # and everything after it.";
    if (str_index(uri, '*') < uri.len)
        return "Redirect URIs are compared exactly. Register each one instead of using *.";
    if (!only_uri_chars(uri))
        return "A redirect URI can contain only URI characters. Percent-encode others as %XX.";
    if (str_index(uri, ':') == uri.len)
        return "A redirect URI must be absolute, such as https://app.example/callback.";
    struct parts parts = split(uri);
    if (has_reserved_parameter(parts.rest))
        return "A redirect URI's query cannot contain code, state, iss, error, or "
               "error_description. The response adds them.";
    if (str_index(parts.authority, '@') < parts.authority.len)
        return "A redirect URI cannot contain a username or password.";
    if (has_dot_segments(parts.rest))
        return "A redirect URI cannot have . or .. in its path.";
    bool has_dot = str_index(parts.scheme, '.') < parts.scheme.len;
    /* A private-use scheme with a dot is a reversed domain name (RFC 8252 §7.1): others may belong
     * to any program on the device. */
    if (scheme_valid(parts.scheme) && (has_dot || str_has_word(schemes, parts.scheme)))
        return NULL;
    bool https = str_eq(parts.scheme, STR("https"));
    if (!https && !is_http(&parts))
        return "A redirect URI must start with https:// or with a private-use scheme that contains "
               "a dot, such as com.example.app:/done.";
    if (!host_valid(parts.host) || !port_valid(parts.port))
        return "A redirect URI needs a lowercase host and may have a port, as in "
               "https://app.example:8443/callback.";
    if (!https && !is_loopback(parts.host))
        return "A redirect URI with http:// must have a loopback host (127.0.0.1, [::1], or "
               "localhost). Use https:// instead.";
    return NULL;
}

/* The path and query of an http URI: an empty path is the same as a slash (RFC 3986 §6.2.3). */
static bool
rest_matches(struct str a, struct str b)
{
    bool a_slash = a.len > 0 && a.ptr[0] == '/', b_slash = b.len > 0 && b.ptr[0] == '/';
    return str_eq(a_slash ? str_from(a, 1) : a, b_slash ? str_from(b, 1) : b);
}

/* `asked` is checked for its characters before it is split: it is sent back in a Location header.
 */
bool
redirect_uri_matches(struct str registered, struct str asked)
{
    if (str_eq(registered, asked))
        return true;
    struct parts ours = split(registered);
    if (!is_http(&ours) || !is_loopback(ours.host) || !only_uri_chars(asked))
        return false;
    struct parts theirs = split(asked);
    return str_eq(ours.scheme, theirs.scheme) && str_eq(ours.host, theirs.host) &&
           rest_matches(ours.rest, theirs.rest) && port_valid(theirs.port);
}

/* Native apps listen on a port that they do not know in advance (RFC 8252 §7.3), so the port of a
 * loopback URI does not count when URIs are compared. */
struct str
redirect_uri_without_port(struct arena *mem, struct str uri)
{
    struct parts parts = split(uri);
    if (!is_http(&parts) || !is_loopback(parts.host))
        return uri;
    bool slash = parts.rest.len > 0 && parts.rest.ptr[0] == '/';
    return str_format(mem, "http://%.*s%s%.*s", STR_ARG(parts.host), slash ? "" : "/",
                      STR_ARG(parts.rest));
}

/* The most frequent mistake of developers. */
static bool
differs_by_slash(struct str a, struct str b)
{
    struct str longer = a.len > b.len ? a : b, shorter = a.len > b.len ? b : a;
    return longer.len == shorter.len + 1 && longer.ptr[shorter.len] == '/' &&
           str_eq(str_first(longer, shorter.len), shorter);
}

static struct str
path_of(const struct parts *parts)
{
    return str_first(parts->rest, str_index(parts->rest, '?'));
}

/* The first row that applies explains the difference best, so the order matters: *distance is
 * smaller for URIs that differ less. Only for developers; the comparison itself is exact. */
const char *
redirect_uri_difference(struct str registered, struct str asked, int *distance)
{
    struct parts ours = split(registered), theirs = split(asked);
    bool scheme = str_eq(ours.scheme, theirs.scheme), host = str_eq(ours.host, theirs.host);
    bool path = str_eq(path_of(&ours), path_of(&theirs)), rest = str_eq(ours.rest, theirs.rest);
    bool port = str_eq(ours.port, theirs.port);
    const struct {
        bool holds;
        const char *sentence;
    } differences[] = {
        { asked.len == 0, "redirect_uri is missing." },
        { differs_by_slash(registered, asked),
          "redirect_uri differs from the registered one by a trailing slash." },
        { str_eq_nocase(registered, asked),
          "redirect_uri differs from the registered one in letter case." },
        { host && rest && !scheme, "redirect_uri differs from the registered one in its scheme." },
        { scheme && host && rest && !port,
          "redirect_uri differs from the registered one in its port." },
        { scheme && host && port && path,
          "redirect_uri differs from the registered one in its query." },
        { str_index(asked, '#') < asked.len,
          "redirect_uri has a fragment. Remove # and everything after it." },
        { str_index(asked, ':') == asked.len,
          "redirect_uri is not an absolute URI. It may be encoded twice." },
        { scheme && host, "redirect_uri differs from the registered one in its path." },
        { scheme && path, "redirect_uri differs from the registered one in its host." },
        { true, "redirect_uri is not registered for this app." },
    };
    size_t i = 0;
    while (!differences[i].holds)
        i++;
    *distance = (int)i;
    return differences[i].sentence;
}

struct str
redirect_uri_host(struct str uri)
{
    struct parts parts = split(uri);
    return str_eq(parts.scheme, STR("https")) ? parts.host : STR("localhost");
}

/* For the consent page: where the user will be sent. Only the host is shown, because users judge a
 * URL by it, and a path could pretend another one. */
struct str
redirect_uri_display(struct arena *mem, struct str uri)
{
    struct parts parts = split(uri);
    if (is_private_use(&parts))
        return str_format(mem, "the app %.*s on this device", STR_ARG(parts.scheme));
    if (is_loopback(parts.host))
        return STR("an app on this device");
    return str_copy(mem, parts.host);
}

/* For form-action of the page's Content-Security-Policy: browsers apply it to the redirect after
 * the form was sent. */
struct str
redirect_uri_origin(struct arena *mem, struct str uri)
{
    struct parts parts = split(uri);
    /* CSP has no syntax for IPv6 hosts: browsers ignore such a source and block the redirect. */
    bool in_brackets = parts.host.len > 0 && parts.host.ptr[0] == '[';
    if (is_private_use(&parts) || in_brackets)
        return str_format(mem, "%.*s:", STR_ARG(parts.scheme));
    return str_format(mem, "%.*s://%.*s%s%.*s", STR_ARG(parts.scheme), STR_ARG(parts.host),
                      str_present(parts.port) ? ":" : "", STR_ARG(parts.port));
}

/* The query of a registered URI stays as it is (RFC 6749 §3.1.2). */
struct str
redirect_uri_add(struct arena *mem, struct str uri, const char *name, struct str value)
{
    struct buf out = buf_in(mem, 64 * 1024);
    size_t question = str_index(uri, '?');
    buf_add(&out, uri);
    if (question == uri.len)
        buf_add_char(&out, '?');
    else if (question + 1 < uri.len)
        buf_add_char(&out, '&');
    buf_add_c(&out, name);
    buf_add_char(&out, '=');
    url_encode(&out, value);
    return str_copy(mem, buf_str(&out));
}
