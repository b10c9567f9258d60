/* signup_pages.c - sign-up. A rejected form is shown again with its input, except the password. */
#include "crypt/password.h"
#include "dispatch/browser_session.h"
#include "flow/accounts.h"
#include "oauth/oauth_routes.h"
#include "text/template.h"
#include "web/call.h"
#include "web/message.h"
#include "web/page.h"
#include "web/response.h"
#include "web/state.h"

enum { NEXT, USERNAME, EMAIL, NAME, PASSWORD };

/* Looser than the rules of account_make(), whose error messages are better. */
static const struct field signup_fields[] = {
    [NEXT] = { "next", FIELD_TEXT, FIELD_IN_FORM, .max = 8 * 1024 },
    [USERNAME] = { "username", FIELD_LINE, FIELD_IN_FORM, .max = 1000 },
    [EMAIL] = { "email", FIELD_LINE, FIELD_IN_FORM, .max = 1000 },
    [NAME] = { "name", FIELD_LINE, FIELD_IN_FORM, .max = 1000 },
    [PASSWORD] = { "password", FIELD_TEXT, FIELD_IN_FORM, .max = 4 * PASSWORD_BYTES_MAX },
};

static const struct field arrival_fields[] = {
    /* `next`: usually an authorization request */
    [NEXT] = { "next", FIELD_TEXT, FIELD_IN_QUERY, .max = 8 * 1024 },
};

static enum err
send_closed(struct call *call)
{
    return page_send(call, 403, "signup_closed", NULL);
}

/* One field as the template knows it: username, username_problem, username_invalid. */
static void
put_field(struct call *call, struct values *values, const char *name, struct str value,
          const char *problem)
{
    const char *invalid = str_format(call->mem, "%s_invalid", name).ptr;
    const char *message = str_format(call->mem, "%s_problem", name).ptr;
    values_text(values, name, value);
    values_text(values, message, message_sentence(call, str_of(problem)));
    values_text(values, invalid, problem == NULL ? STR("false") : STR("true"));
}

static struct values *
form_values(struct call *call, const struct account_problems *problems)
{
    struct values *values = values_new(call->mem);
    put_field(call, values, "username", call_text(call, USERNAME), problems->username);
    put_field(call, values, "email", call_text(call, EMAIL), problems->email);
    put_field(call, values, "name", call_text(call, NAME), problems->name);
    put_field(call, values, "password", STR_NONE, problems->password);
    values_text(values, "next", call_text(call, NEXT));
    return values;
}

static enum err
get_signup(struct call *call)
{
    if (!call->web->settings.registration_open)
        return send_closed(call);
    return page_send(call, 200, "signup", form_values(call, &(struct account_problems){ 0 }));
}

static enum err
show_problems(struct call *call, const struct account_problems *problems)
{
    struct values *values = form_values(call, problems);
    values_flag(values, "refused", true);
    return page_send(call, 400, "signup", values);
}

static enum err
show_unavailable(struct call *call)
{
    struct values *values = form_values(call, &(struct account_problems){ 0 });
    values_flag(values, "unavailable", true);
    enum err err = page_send(call, 503, "signup", values);
    if (err == ERR_NONE)
        response_retry_later(call);
    return err;
}

static enum err
post_signup(struct call *call)
{
    if (!call->web->settings.registration_open)
        return send_closed(call);
    /* Empty, not absent: an absent password would create an account that cannot sign in. */
    struct str password = call_text(call, PASSWORD);
    struct account_params params = {
        .username = call_text(call, USERNAME),
        .email = call_text(call, EMAIL),
        .name = call_text(call, NAME),
        .password = str_present(password) ? password : STR(""),
    };
    struct account_problems problems = { 0 };
    struct user user;
    enum err err = account_make(call->db, call->mem, &params, call->now, &user, &problems);
    if (err == ERR_INVALID || err == ERR_TAKEN)
        return show_problems(call, &problems);
    if (err == ERR_UNAVAILABLE)
        return show_unavailable(call);
    if (err == ERR_NONE)
        response_redirect(
            call, str_c(call->mem, return_path_via(call, "/signup/done", call_text(call, NEXT))));
    return err;
}

static enum err
get_done(struct call *call)
{
    struct values *values = values_new(call->mem);
    values_text(values, "signin", return_path_via(call, "/signin", call_text(call, NEXT)));
    return page_send(call, 200, "signup_done", values);
}

const struct route signup_routes[] = {
    { GET, "/signup", get_signup, CALLER_ANYONE, .summary = "Shows the sign-up form.", .page = true,
      ROUTE_FIELDS(arrival_fields) },
    { POST, "/signup", post_signup, CALLER_ANYONE, .summary = "Creates an account.", .page = true,
      ROUTE_FIELDS(signup_fields), .body = BODY_FORM, .body_max = 16 * KIB, .creates = true,
      .blocks = true, .hashes = true },
    { GET, "/signup/done", get_done, CALLER_ANYONE,
      .summary = "Confirms that the account was created.", .page = true,
      ROUTE_FIELDS(arrival_fields) },
    { 0 },
};
