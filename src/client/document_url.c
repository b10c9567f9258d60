/* document_url.c - one spelling per URL: a host in lower case, no default port, no empty or dotted
 * segment, no escaped dot or slash, no query. Two spellings would be two apps. */
#include "client/document_url.h"

#include "model/host_list.h"
#include "text/url.h"

#include <string.h>

static const struct str scheme = STR("https://");

static struct str
authority_of(struct str url)
{
    struct str rest = str_from(url, scheme.len);
    return str_first(rest, str_index(rest, '/'));
}

struct str
document_url_host(struct str url)
{
    struct str authority = authority_of(url);
    return str_first(authority, str_index(authority, ':'));
}

/* The port that the scheme implies is a second way to write the same URL. */
static bool
port_valid(struct str authority)
{
    int64_t port;
    size_t colon = str_index(authority, ':');
    struct str text = str_from(authority, colon + 1);
    if (colon == authority.len)
        return true;
    return str_to_int(text, 1, 65535, &port) && text.ptr[0] != '0' && port != 443;
}

/* The characters of RFC 3986 §3.3, with complete escapes. */
static bool
segment_valid(struct str segment)
{
    for (size_t i = 0; i < segment.len; i++) {
        char c = segment.ptr[i];
        if (c == '%') {
            int byte = url_escaped_byte(str_from(segment, i));
            if (byte <= 0x20 || byte == 0x7f || byte == '.' || byte == '/' || byte == '\\')
                return false;
        } else if (!url_is_unreserved(c) && (c == '\0' || strchr("!$&'()*+,;=:@", c) == NULL))
            return false;
    }
    return segment.len > 0 && !str_eq_c(segment, ".") && !str_eq_c(segment, "..");
}

/* The rules of the draft for client ID metadata documents, and stricter ones: every document has
 * exactly one spelling of its URL, because the URL is the client_id. */
const char *
document_url_problem(struct str url)
{
    if (!str_starts(url, scheme))
        return "client_id must start with https://.";
    if (url.len > DOCUMENT_URL_MAX)
        return "client_id can have at most 512 bytes.";
    struct str authority = authority_of(url);
    struct str path = str_from(url, scheme.len + authority.len);
    if (!host_name_valid(document_url_host(url)) || !port_valid(authority))
        return "client_id needs a host name in lower case, not an IP address, without a user name; "
               "a port is allowed if it is not 443.";
    if (path.len < 2)
        return "client_id needs a path, such as https://app.example/client.json.";
    struct str rest = str_from(path, 1), segment;
    while (str_cut(&rest, '/', &segment))
        if (!segment_valid(segment))
            return "client_id cannot have a query, a fragment, or an empty segment, and its path "
                   "cannot contain ., .., or escaped dots and slashes.";
    return NULL;
}
