#include "model/pkce.h"

#include "crypt/digest.h"

#define CHALLENGE_LENGTH 43
#define VERIFIER_MIN 43
#define VERIFIER_MAX 128

static bool
is_base64url(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
}

bool
pkce_challenge_fine(struct str challenge)
{
    /* SHA-256 of nothing: a client whose verifier is empty protects nothing. */
    static const struct str of_nothing = STR("47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU");
    if (challenge.len != CHALLENGE_LENGTH || str_eq(challenge, of_nothing))
        return false;
    for (size_t i = 0; i < challenge.len; i++)
        if (!is_base64url(challenge.ptr[i]))
            return false;
    return true;
}

bool
pkce_verifier_fine(struct str verifier)
{
    if (verifier.len < VERIFIER_MIN || verifier.len > VERIFIER_MAX)
        return false;
    for (size_t i = 0; i < verifier.len; i++) {
        char c = verifier.ptr[i];
        if (!is_base64url(c) && c != '.' && c != '~')
            return false;
    }
    return true;
}

bool
pkce_proves(struct arena *mem, struct str verifier, struct str challenge)
{
    return pkce_verifier_fine(verifier) && digest_equal(digest_text(mem, verifier), challenge);
}
