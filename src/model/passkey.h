/* passkey.h - a passkey of a user: the public key of an authenticator (WebAuthn). Only a type. The
 * code that creates a value owns its strings. Any thread may use its own values. */
#ifndef MODEL_PASSKEY_H
#define MODEL_PASSKEY_H

#include "base/str.h"

#define PASSKEYS_PER_USER_MAX 20

struct passkey {
    struct str id; /* pky_…, for pages */
    struct str user_id;
    struct str name;          /* as the user calls it */
    struct str credential_id; /* base64url */
    int64_t algorithm;        /* COSE number */
    struct str public_key;    /* base64url */
    int64_t sign_count;
    int64_t created_at;
    int64_t used_at; /* 0: never */
};

#endif
