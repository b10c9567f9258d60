/* url.h - percent-encoding and checks of URLs.
 *
 * Strict: a malformed %-escape, a NUL, or invalid UTF-8 after decoding is an error. Safe from any
 * thread; results are allocated from the arena. */
#ifndef TEXT_URL_H
#define TEXT_URL_H

#include "base/buf.h"

/* Decodes %-escapes, and '+' as a space if asked. False if malformed, %00, or invalid UTF-8. */
bool url_decode(struct arena *mem, struct str in, bool plus_is_space, struct str *out);

/* The byte that the %-escape at the start of the text encodes, or -1. */
int url_escaped_byte(struct str text);

/* RFC 3986 section 2.3: characters that never need an escape. */
bool url_is_unreserved(char c);

/* Encodes all other characters as %XX. */
void url_encode(struct buf *out, struct str in);

/* "https://host:port" and nothing more, as a browser would write it in an Origin header: lower
 * case, scheme http or https, a host, no user info, no path, query or fragment, no port that the
 * scheme implies. NULL if valid, else the problem, as the end of a sentence ("must start with …").
 */
const char *url_origin_problem(struct str url);

bool url_is_https(struct str url);

#endif
