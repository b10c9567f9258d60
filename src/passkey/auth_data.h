/* auth_data.h - reads authenticator data (WebAuthn section 6.1): 32 bytes hash of the RP ID, a byte
 * of flags, the signature counter, and for a new passkey its id and public key.
 *
 * Safe from any thread. */
#ifndef PASSKEY_AUTH_DATA_H
#define PASSKEY_AUTH_DATA_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

#define AUTH_DATA_MAX 4096     /* bytes; a new RSA key needs about 500 */
#define CREDENTIAL_ID_MAX 1023 /* bytes; the limit of WebAuthn */

struct auth_data {
    struct str rp_id_hash;
    bool user_present;
    bool user_verified;
    bool has_extensions;
    uint32_t counter;         /* 0: the authenticator does not count */
    struct str credential_id; /* of a new passkey; else absent */
    struct str key;           /* its public key in COSE format, and extensions; else absent */
};

/* The texts point into `bytes`. ERR_INVALID: too short, too long, bytes left over, or a key or
 * extensions that are not CBOR with definite lengths. */
enum err auth_data_read(struct str bytes, struct auth_data *out);

#endif
