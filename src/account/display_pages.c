/* display_pages.c - language and colors of the pages, chosen in the footer: POST /display.
 *
 * Both are stored in cookies of the browser; the language also in the profile of a signed-in user,
 * for other browsers and for email. */
#include "account/account_routes.h"
#include "dispatch/browser_session.h"
#include "identity/profile.h"
#include "web/browser_cookie.h"
#include "web/call.h"
#include "web/error.h"
#include "web/language.h"
#include "web/message.h"
#include "web/page.h"
#include "web/response.h"
#include "web/state.h"

#define YEAR_SECONDS (365 * 24 * 3600)

enum { LANGUAGE, THEME, TO };

static const struct field display_fields[] = {
    [LANGUAGE] = { "language", FIELD_LINE, FIELD_IN_FORM, .max = 100 },
    [THEME] = { "theme", FIELD_LINE, FIELD_IN_FORM, .max = 100 },
    [TO] = { "to", FIELD_TEXT, FIELD_IN_FORM, .max = 8 * 1024 },
};

/* A profile that has a variant of the language, such as "de-AT", keeps it. */
static enum err
store_language(struct call *call, const struct language *language)
{
    const struct user *before = &call->browser->user;
    struct profile_params params = { .language = language->tag, .now = call->now };
    struct profile_problems problems;
    struct user user;
    if (language_find(&call->web->languages, before->language) == language)
        return ERR_NONE;
    return profile_change(call->db, call->mem, before->id, &params, &user, &problems);
}

/* Works without a session. The choice is kept in cookies, and for signed-in users the language also
 * in the profile, since email is sent in it. */
static enum err
post_display(struct call *call)
{
    struct str tag = call_text(call, LANGUAGE), theme = call_text(call, THEME);
    struct str to = call_text(call, TO);
    const struct language *language = language_find(&call->web->languages, tag);
    bool dark = str_eq_c(theme, "dark"), light = str_eq_c(theme, "light");
    bool automatic = str_eq_c(theme, "system");
    bool chosen = str_present(tag) || str_present(theme);
    if (!chosen || (str_present(tag) && language == NULL) ||
        (str_present(theme) && !dark && !light && !automatic))
        return ERR_INVALID;
    if (call->browser != NULL && language != NULL) {
        /* CALLER_ANYONE: dispatch has not checked the form token. A cookie alone is harmless, but
         * the profile must not be changed by a form of another site. */
        if (!browser_session_form_ok(call)) {
            error_send(call, 403, STR(FORM_EXPIRED));
            return ERR_NONE;
        }
        enum err err = store_language(call, language);
        if (err != ERR_NONE)
            return err;
    }
    response_redirect(call, return_path_ok(to) ? str_c(call->mem, to) : "/");
    if (language != NULL)
        browser_cookie_set(call, LANGUAGE_COOKIE, language->tag, YEAR_SECONDS, COOKIE_LAX);
    if (str_present(theme))
        browser_cookie_set(call, THEME_COOKIE, automatic ? STR("") : theme,
                           automatic ? 0 : YEAR_SECONDS, COOKIE_LAX);
    return ERR_NONE;
}

const struct route display_routes[] = {
    { POST, "/display", post_display, CALLER_ANYONE,
      .summary = "Chooses the language and colors of the pages.", .page = true,
      ROUTE_FIELDS(display_fields), .body = BODY_FORM, .body_max = 16 * KIB, .blocks = true },
    { 0 },
};
