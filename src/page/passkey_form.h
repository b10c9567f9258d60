/* passkey_form.h - the fields in which pages/passkey.js sends the response of a passkey.
 *
 * A route lists PASSKEY_FIELDS first and its own fields after them. Results are in the request's
 * arena. Call from the thread that handles the request. */
#ifndef PAGE_PASSKEY_FORM_H
#define PAGE_PASSKEY_FORM_H

#include "identity/passkeys.h"
#include "passkey/auth_data.h"
#include "passkey/client_data.h"
#include "text/base64url.h"
#include "web/field.h"

struct call;
struct values;

enum {
    PASSKEY_CREDENTIAL,
    PASSKEY_CLIENT_DATA,
    PASSKEY_AUTH_DATA,
    PASSKEY_SIGNATURE,
    PASSKEY_USER_HANDLE,
    PASSKEY_OWN_FIELDS /* the first of the route's own */
};

#define PASSKEY_FIELD(name, bytes)                                      \
    {                                                                   \
        name, FIELD_LINE, FIELD_IN_FORM, .max = BASE64URL_LENGTH(bytes) \
    }

#define PASSKEY_FIELDS                                                     \
    [PASSKEY_CREDENTIAL] = PASSKEY_FIELD("credential", CREDENTIAL_ID_MAX), \
    [PASSKEY_CLIENT_DATA] = PASSKEY_FIELD("client_data", CLIENT_DATA_MAX), \
    [PASSKEY_AUTH_DATA] = PASSKEY_FIELD("auth_data", AUTH_DATA_MAX),       \
    [PASSKEY_SIGNATURE] = PASSKEY_FIELD("signature", 1024),                \
    [PASSKEY_USER_HANDLE] = PASSKEY_FIELD("user_handle", 64)

#define PASSKEY_BODY_MAX (32 * KIB)

/* The answer in the form of this request; user_id absent: see struct challenge_scope. */
struct passkey_response passkey_form_read(struct call *call, enum challenge_purpose purpose,
                                          struct str user_id);

/* Sets the flag `passkeys`, if browsers offer passkeys on this site: the page loads the script.
 * Call page_allow_connect() after sending such a page. */
bool passkey_form_put(struct call *call, struct values *values);

#endif
