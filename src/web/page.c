/* page.c - renders a template into the response, with the headers that protect pages.
 *
 * The policy allows no inline script or style and no frame, and forms only to this site. Pages that
 * need more call page_allow_…() after page_send(), which has set the default. */
#include "web/page.h"

#include "template/template.h"
#include "web/assets.h"
#include "web/browser_cookie.h"
#include "web/call.h"
#include "web/language.h"
#include "web/message.h"
#include "web/response.h"
#include "web/state.h"

#define PAGE_OUT_MAX ((size_t)16 * 1024 * 1024)
#define RETURN_MAX 2000 /* bytes of a path to return to */

/* Read from every catalog, for the choice of a language. */
MESSAGE(name_of_language, "page.language");

#define CONTENT_SECURITY                                                        \
    "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; " \
    "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"

/* Headers that every page has. Pages can show data of the user, so they are never cached (no-store)
 * and never framed. */
static void
begin_page(struct call *call, int status)
{
    response_begin(call, status, "text/html; charset=utf-8");
    response_add_header(call, "Content-Language", message_language(call)->tag.ptr);
    /* For caches that keep a page in spite of no-store. */
    response_add_header(call, "Vary", "Accept-Language, Cookie");
    response_add_header(call, "Content-Security-Policy", CONTENT_SECURITY);
    response_add_header(call, "X-Frame-Options", "DENY");
    /* Under this policy a browser sends "Origin: null" with our own forms too (Fetch, "append a
     * request Origin header"), which guard.c must refuse. pages/head.html therefore narrows the
     * document's policy to same-origin: no other site learns anything either way. */
    response_add_header(call, "Referrer-Policy", "no-referrer");
    response_add_header(call, "Cross-Origin-Opener-Policy", "same-origin");
    response_add_header(
        call, "Permissions-Policy",
        "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()");
}

/* ---- the footer: languages and colors ---- */

/* Where the choice of a language or theme returns to: this page, if GET shows it. */
static struct str
path_of_page(const struct call *call)
{
    struct str target = call->exchange->request.target;
    struct str path = str_first(target, str_index(target, '?'));
    if (call->route != NULL && call->route->method != GET)
        return call->at.endpoint->rows[GET] == NULL ? STR("/") : path;
    return target.len <= RETURN_MAX ? target : path;
}

/* With one language there is nothing to choose. */
static void
put_languages(struct call *call, struct values *values)
{
    const struct languages *languages = &call->web->languages;
    for (size_t i = 0; languages->count > 1 && i < languages->count; i++) {
        const struct language *language = &languages->list[i];
        struct values *item = values_item(values, "languages");
        values_text(item, "language_tag", language->tag);
        values_text(item, "language_name",
                    catalog_find(language->catalog, str_of(name_of_language)));
        values_text(item, "language_chosen",
                    language == message_language(call) ? STR("true") : STR("false"));
    }
    values_flag(values, "several_languages", languages->count > 1);
}

/* Without a choice, the theme of the system applies. */
static void
put_theme(struct call *call, struct values *values)
{
    struct str theme = browser_cookie(call, THEME_COOKIE);
    bool dark = str_eq_c(theme, "dark"), light = str_eq_c(theme, "light");
    const struct str yes = STR("true"), no = STR("false");
    values_text(values, "color_scheme", dark || light ? theme : STR("light dark"));
    if (!light)
        values_text(values, "dark_media",
                    dark ? STR("screen") : STR("screen and (prefers-color-scheme: dark)"));
    values_text(values, "theme_system", dark || light ? no : yes);
    values_text(values, "theme_light", light ? yes : no);
    values_text(values, "theme_dark", dark ? yes : no);
}

/* The values of every page are added here, so that templates can include pages/head.html and
 * foot.html. */
enum err
page_send(struct call *call, int status, const char *page, struct values *values)
{
    struct buf out = buf_in(call->mem, PAGE_OUT_MAX);
    if (values == NULL)
        values = values_new(call->mem);
    values_text(values, "release", assets_release(call->web->assets));
    values_text(values, "form_token", call->form_token);
    values_text(values, "this_page", path_of_page(call));
    values_text(values, "auth_url", call->web->settings.auth_url);
    values_text(values, "source_url", call->web->settings.source_url);
    put_languages(call, values);
    put_theme(call, values);
    if (str_present(call->username))
        values_text(values, "signed_in", call->username);
    enum err err = template_render(message_language(call)->pages, page, values, &out);
    if (err != ERR_NONE || out.overflow)
        return ERR_INTERNAL;
    begin_page(call, status);
    call->exchange->response.body = buf_str(&out);
    return ERR_NONE;
}

void
page_allow_form_action(struct call *call, struct str origin)
{
    response_header(
        call, "Content-Security-Policy",
        str_format(call->mem, CONTENT_SECURITY " %.*s; connect-src 'self'", STR_ARG(origin)).ptr);
}

void
page_allow_connect(struct call *call)
{
    response_header(call, "Content-Security-Policy", CONTENT_SECURITY "; connect-src 'self'");
}
