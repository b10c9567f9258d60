/* url.h - addresses, taken apart and put together.
 *
 * Nothing here guesses: a %-escape that is not two hex digits, a NUL, or a byte sequence that is
 * not UTF-8 after decoding is a refusal. */
#ifndef TEXT_URL_H
#define TEXT_URL_H

#include "base/buf.h"

/* Decodes %-escapes (and '+' as a space where asked). False if malformed, with %00, or not UTF-8.
 */
bool url_decode(struct arena *mem, struct str in, bool plus_is_space, struct str *out);

/* What the %-escape at the front of a text stands for; -1: there is none. */
int url_escaped_byte(struct str text);

/* RFC 3986 §2.3: what needs no escape anywhere. */
bool url_is_unreserved(char c);

/* All but these as %XX. */
void url_encode(struct buf *out, struct str in);

/* "https://host:port" and nothing more, as a browser would write it in an Origin header: lower
 * case, scheme http or https, a host, no user info, no path, query or fragment, no port that the
 * scheme implies. NULL if fine, else what is wrong, as the end of a sentence ("must start with …").
 */
const char *url_origin_problem(struct str url);

bool url_is_https(struct str url);

#endif
