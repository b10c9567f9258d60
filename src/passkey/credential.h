/* credential.h - checks what a browser sends for a passkey: a new public key, or a signature.
 *
 * Everything that WebAuthn lets a server check is checked here, except the challenge, which the
 * caller compares (identity/challenge.h). Attestation is not used: any authenticator is accepted.
 * Uses libfido2. Safe from any thread. */
#ifndef PASSKEY_CREDENTIAL_H
#define PASSKEY_CREDENTIAL_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct arena;

/* COSE algorithm numbers. */
enum credential_algorithm {
    CREDENTIAL_ES256 = -7,
    CREDENTIAL_EDDSA = -8,
    CREDENTIAL_RS256 = -257,
};

/* Where a response must come from. */
struct credential_site {
    struct str rp_id;  /* a host name */
    struct str origin; /* https://accounts.example.org */
};

struct credential {
    struct str id;     /* bytes */
    int64_t algorithm; /* enum credential_algorithm */
    struct str key;    /* bytes, in the format of libfido2 */
    uint32_t counter;
};

/* As the browser sends them, decoded from base64url. */
struct credential_response {
    struct str client_data; /* JSON */
    struct str auth_data;
    struct str signature; /* absent for a new passkey */
};

/* The challenge that a response claims to answer; absent: the response is malformed. */
struct str credential_challenge(struct arena *mem, struct str client_data);

/* Reads a new passkey. ERR_INVALID: wrong origin, RP ID, or type, no user verification, an unknown
 * algorithm, or malformed. The texts of *out are copies. */
enum err credential_read(struct arena *mem, const struct credential_site *site,
                         const struct credential_response *response, struct credential *out);

/* Verifies a signature with the key of `credential`. ERR_INVALID: as above, or the signature is
 * wrong, or *copied: the counter has not increased, so a copy of the passkey was used before. It
 * may stay 0. *counter is the new value. */
enum err credential_verify(struct arena *mem, const struct credential_site *site,
                           const struct credential *credential,
                           const struct credential_response *response, uint32_t *counter,
                           bool *copied);

#endif
