/* passkey_form.c - the fields are strings as the browser sent them; passkey/ checks them. */
#include "page/passkey_form.h"

#include "dispatch/browser_session.h"
#include "template/template.h"
#include "web/call.h"
#include "web/state.h"

/* The challenge is bound to this browser by a cookie, so a response cannot be used elsewhere. */
struct passkey_response
passkey_form_read(struct call *call, enum challenge_purpose purpose, struct str user_id)
{
    return (struct passkey_response){
        .scope = { purpose, user_id, browser_session_challenges(call) },
        .auth_url = call->web->settings.auth_url,
        .client_data = call_text(call, PASSKEY_CLIENT_DATA),
        .auth_data = call_text(call, PASSKEY_AUTH_DATA),
        .credential_id = call_text(call, PASSKEY_CREDENTIAL),
        .signature = call_text(call, PASSKEY_SIGNATURE),
        .user_handle = call_text(call, PASSKEY_USER_HANDLE),
        .now = call->now,
    };
}

bool
passkey_form_put(struct call *call, struct values *values)
{
    bool offered = str_present(passkeys_rp_id(call->mem, call->web->settings.auth_url));
    values_flag(values, "passkeys", offered);
    return offered;
}
