/* userinfo_api.c - GET /oauth/userinfo, for tokens with profile:read. */
#include "flow/accounts.h"
#include "identity/picture.h"
#include "model/grant.h"
#include "oauth/oauth_routes.h"
#include "web/call.h"
#include "web/response.h"
#include "web/state.h"

/* OpenID Connect Core §5.3 and the standard claims of §5.1. A confirmed address only, so
 * email_verified is true whenever there is one. */
static enum err
get_userinfo(struct call *call)
{
    struct user user;
    enum err err = account_find(call->db, call->mem, call->access->user_id, &user);
    if (err != ERR_NONE)
        return err == ERR_NOT_FOUND ? ERR_UNAUTHENTICATED : err;
    struct json *out = response_json(call, 200);
    json_open_object(out);
    json_put_str(out, "sub", user.id);
    json_put_str(out, "preferred_username", user.username);
    json_put_str(out, "name", user.name);
    json_put_str(out, "email", user.email);
    json_put_bool(out, "email_verified", str_present(user.email));
    if (str_present(user.language))
        json_put_str(out, "locale", user.language);
    if (str_present(user.time_zone))
        json_put_str(out, "zoneinfo", user.time_zone);
    if (str_present(user.picture))
        json_put_str(out, "picture",
                     str_format(call->mem, "%.*s%.*s", STR_ARG(call->web->settings.auth_url),
                                STR_ARG(picture_path(call->mem, &user))));
    json_put_int(out, "updated_at", user.updated_at);
    json_close_object(out);
    response_header(call, "Vary", "Authorization");
    call_record_no_facts(call);
    return ERR_NONE;
}

const struct route userinfo_routes[] = {
    { GET, "/oauth/userinfo", get_userinfo, CALLER_TOKEN, .summary = "Returns the user's profile.",
      .scope = SCOPE_PROFILE_READ, .activity = ACTIVITY_PROFILE, .cached_by = CACHE_ACCOUNT,
      .cors = true },
    { 0 },
};
