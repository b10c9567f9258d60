/* pkce.c - only S256 (RFC 7636 §4.2): with "plain", the verifier would be in the authorization
 * request. */
#include "model/pkce.h"

#include "crypt/digest.h"
#include "text/base64url.h"
#include "text/url.h"

#define CHALLENGE_LENGTH DIGEST_TEXT_LENGTH
#define VERIFIER_MIN 43
#define VERIFIER_MAX 128

/* A SHA-256 digest has exactly 43 base64url characters. */
bool
pkce_challenge_valid(struct str challenge)
{
    /* SHA-256 of the empty string: sent by clients that forgot to create a verifier. */
    static const struct str of_empty = STR("47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU");
    return challenge.len == CHALLENGE_LENGTH && base64url_only(challenge) &&
           !str_eq(challenge, of_empty);
}

/* RFC 7636 §4.1. */
bool
pkce_verifier_valid(struct str verifier)
{
    if (verifier.len < VERIFIER_MIN || verifier.len > VERIFIER_MAX)
        return false;
    for (size_t i = 0; i < verifier.len; i++)
        if (!url_is_unreserved(verifier.ptr[i]))
            return false;
    return true;
}

/* Compared in constant time, as other secrets. */
bool
pkce_proves(struct arena *mem, struct str verifier, struct str challenge)
{
    return pkce_verifier_valid(verifier) && digest_equal(digest_text(mem, verifier), challenge);
}
