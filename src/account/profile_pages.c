/* profile_pages.c - username, name, language, time zone, email address, and picture:
 * /account/profile.
 *
 * Profile, email address, and picture have a form each. A rejected form is shown again with its
 * input, and the others with what is stored (form_of()). */
#include "account/account_routes.h"
#include "account/confirm.h"
#include "dispatch/browser_session.h"
#include "dispatch/throttle.h"
#include "identity/email.h"
#include "identity/picture.h"
#include "identity/profile.h"
#include "page/account_page.h"
#include "text/multipart.h"
#include "template/template.h"
#include "web/call.h"
#include "web/flash.h"
#include "web/message.h"
#include "web/response.h"
#include "web/state.h"

#define HERE "/account/profile"
#define UPLOAD_MAX ((size_t)256 * KIB) /* a larger file gets the sentence about its size, too */
#define FORM_OVERHEAD ((size_t)4 * KIB)

enum { USERNAME, NAME, LANGUAGE, TIME_ZONE };

/* Looser than the rules of profile_change(), whose error messages are better. */
static const struct field profile_fields[] = {
    [USERNAME] = { "username", FIELD_LINE, FIELD_IN_FORM, .max = 1000 },
    [NAME] = { "name", FIELD_LINE, FIELD_IN_FORM, .max = 1000 },
    [LANGUAGE] = { "language", FIELD_LINE, FIELD_IN_FORM, .max = 100 },
    [TIME_ZONE] = { "time_zone", FIELD_LINE, FIELD_IN_FORM, .max = 100 },
};

enum { EMAIL };

static const struct field email_fields[] = {
    [EMAIL] = { "email", FIELD_LINE, FIELD_IN_FORM, .max = 1000 },
};

/* The values of the form as they are shown, and the problem of each field. */
struct form {
    struct str username, name, language, time_zone, email;
    struct profile_problems problems;
    struct str email_problem;
    const char *picture_problem;
};

/* An address that waits for its confirmation is shown in place of the confirmed one, since it is
 * what the user typed last. */
static struct form
form_of(const struct user *user)
{
    struct str email = str_present(user->new_email) ? user->new_email : user->email;
    return (struct form){ .username = user->username,
                          .name = user->name,
                          .language = user->language,
                          .time_zone = user->time_zone,
                          .email = email };
}

static void
put_field(struct call *call, struct values *values, const char *name, struct str value,
          const char *problem)
{
    account_put_field(call, values, name, value, message_sentence(call, str_of(problem)));
}

/* The form shows what was typed, also after an error. */
static enum err
show(struct call *call, int status, const struct form *form)
{
    const struct user *user = &call->browser->user;
    struct values *values = values_new(call->mem);
    put_field(call, values, "username", form->username, form->problems.username);
    put_field(call, values, "name", form->name, form->problems.name);
    put_field(call, values, "language", form->language, form->problems.language);
    put_field(call, values, "time_zone", form->time_zone, form->problems.time_zone);
    account_put_field(call, values, "email", form->email, form->email_problem);
    put_field(call, values, "picture", picture_path(call->mem, user), form->picture_problem);
    confirm_put(call, values, HERE);
    values_text(values, "confirmed", user->email);
    values_text(values, "unconfirmed", user->new_email);
    values_flag(values, "sends_mail", call->web->settings.sends_mail);
    values_flag(values, "refused", status != 200);
    return account_page(call, status, "account_profile", "profile", values);
}

static enum err
get_profile(struct call *call)
{
    struct form form = form_of(&call->browser->user);
    return show(call, 200, &form);
}

/* An absent field is empty: the form always sends all of them. */
static struct str
typed(struct call *call, size_t field)
{
    struct str text = call_text(call, field);
    return str_present(text) ? text : STR("");
}

/* All problems are shown at once, each beside its field. */
static enum err
post_profile(struct call *call)
{
    struct form form = form_of(&call->browser->user);
    struct profile_params params = {
        .username = form.username = typed(call, USERNAME),
        .name = form.name = typed(call, NAME),
        .language = form.language = typed(call, LANGUAGE),
        .time_zone = form.time_zone = typed(call, TIME_ZONE),
        .now = call->now,
    };
    struct user user;
    enum err err =
        profile_change(call->db, call->mem, call->browser->user.id, &params, &user, &form.problems);
    if (err == ERR_INVALID || err == ERR_TAKEN)
        return show(call, 400, &form);
    struct flash flash = { .key = KEY("flash.profile_saved") };
    if (err == ERR_NONE)
        flash_redirect(call, HERE, &flash);
    return err;
}

/* The address is used only after it is confirmed; until then the previous one stays. */
static enum err
post_email(struct call *call)
{
    if (!confirm_require(call, HERE))
        return ERR_NONE;
    struct form form = form_of(&call->browser->user);
    struct str address = str_trim(typed(call, EMAIL));
    const char *problem = address.len == 0 ? NULL : user_email_problem(address);
    form.email = address;
    form.email_problem = message_sentence(call, str_of(problem));
    if (problem != NULL)
        return show(call, 400, &form);
    bool send = call->web->settings.sends_mail && address.len > 0;
    /* Limited per user and per address, so that a user cannot flood the owner of an address with
     * email. */
    int64_t wait = send ? throttle_take_both(call->web->mails, call->browser->user.id,
                                             user_fold_email(call->mem, address))
                        : 0;
    if (wait != 0) {
        form.email_problem =
            message_count(call, KEY("forgot.wait.one"), KEY("forgot.wait.other"), (wait + 59) / 60);
        return show(call, 429, &form);
    }
    enum err err = email_change(call->db, call->mem, call->browser->user.id,
                                address.len == 0 ? STR_NONE : address, send, call->now);
    if (err)
        return err;
    struct flash flash = { .key = send ? KEY("flash.email_sent") : KEY("flash.profile_saved") };
    flash_redirect(call, HERE, &flash);
    return ERR_NONE;
}

/* ---- picture ---- */

/* The file comes as multipart/form-data; an absent one is empty. */
static enum err
post_picture(struct call *call)
{
    struct multipart parts;
    struct form form = form_of(&call->browser->user);
    struct str file = STR("");
    form.picture_problem = "Choose a file.";
    if (browser_session_read_parts(call, &parts) == ERR_NONE)
        file = multipart_find(&parts, "file");
    enum err err = file.len == 0 ? ERR_INVALID
                                 : picture_set(call->db, call->mem, call->browser->user.id, file,
                                               call->now, &form.picture_problem);
    if (err == ERR_INVALID)
        return show(call, 400, &form);
    if (err == ERR_NONE)
        flash_redirect(call, HERE, &(struct flash){ .key = KEY("flash.profile_saved") });
    return err;
}

static enum err
post_picture_remove(struct call *call)
{
    enum err err = picture_remove(call->db, call->mem, call->browser->user.id, call->now);
    if (err == ERR_NONE)
        flash_redirect(call, HERE, &(struct flash){ .key = KEY("flash.profile_saved") });
    return err;
}

/* The type is fixed and browsers may not guess another one. The path changes with the image. A
 * removed picture must not stay in shared caches, so only browsers keep it, for a day. */
static enum err
get_picture(struct call *call)
{
    struct str png;
    enum err err = picture_find(call->db, call->mem, call_param(call, 0), &png);
    if (err != ERR_NONE)
        return err;
    response_bytes(call, 200, "image/png", png);
    response_header(call, "Cache-Control", "private, max-age=86400");
    response_header(call, "Content-Security-Policy",
                    "default-src 'none'; sandbox; frame-ancestors 'none'");
    response_header(call, "Cross-Origin-Resource-Policy", "cross-origin"); /* apps show it */
    return ERR_NONE;
}

const struct route account_profile_routes[] = {
    { GET, HERE, get_profile, CALLER_USER, .summary = "Shows the profile.", .page = true },
    { POST, HERE, post_profile, CALLER_USER, .summary = "Changes the profile.", .page = true,
      ROUTE_FIELDS(profile_fields), .body = BODY_FORM, .body_max = 16 * KIB, .blocks = true },
    { POST, HERE "/email", post_email, CALLER_USER, .summary = "Changes the email address.",
      .page = true, ROUTE_FIELDS(email_fields), .body = BODY_FORM, .body_max = 16 * KIB,
      .blocks = true },
    { POST, HERE "/picture", post_picture, CALLER_USER, .summary = "Stores the user's picture.",
      .page = true, .body = BODY_FILE, .body_max = UPLOAD_MAX + FORM_OVERHEAD, .blocks = true },
    { POST, HERE "/picture/remove", post_picture_remove, CALLER_USER,
      .summary = "Removes the user's picture.", .page = true, .body = BODY_FORM,
      .body_max = 4 * KIB, .blocks = true },
    { GET, "/pictures/{picture}", get_picture, CALLER_ANYONE,
      .summary = "Returns the picture of a user.", .page = true },
    { 0 },
};
