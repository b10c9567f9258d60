/* authorization_header.c - the schemes Bearer (RFC 6750 §2.1) and Basic (RFC 7617). */
#include "dispatch/authorization_header.h"

#include "text/base64url.h"
#include "text/url.h"

/* The scheme is case-insensitive (RFC 9110 §11.1). Absent: no Bearer token was sent. */
struct str
authorization_header_bearer(struct str header)
{
    struct str scheme = str_first(header, str_index(header, ' '));
    if (!str_eq_nocase(scheme, STR("Bearer")))
        return STR_NONE;
    struct str token = str_from(header, scheme.len + 1);
    /* Present but never valid: the client gets invalid_token, not "send a token". */
    return base64url_only(token) ? token : STR("");
}

/* False: another scheme, or malformed. Both are then treated as if no credentials had been sent in
 * the header. */
bool
authorization_header_basic(struct arena *mem, struct str header, struct str *id, struct str *secret)
{
    struct str scheme = str_first(header, str_index(header, ' '));
    struct str pair = base64_decode(mem, str_from(header, scheme.len + 1));
    if (!str_eq_nocase(scheme, STR("Basic")) || !str_present(pair))
        return false;
    size_t colon = str_index(pair, ':');
    /* RFC 6749 §2.3.1: the id and the secret are each form-encoded. */
    return colon < pair.len && url_decode(mem, str_first(pair, colon), true, id) &&
           url_decode(mem, str_from(pair, colon + 1), true, secret);
}
