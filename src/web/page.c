#include "web/page.h"

#include "text/template.h"
#include "web/assets.h"
#include "web/call.h"
#include "web/message.h"
#include "web/response.h"
#include "web/state.h"

#define PAGE_OUT_MAX ((size_t)16 * 1024 * 1024)

#define CONTENT_SECURITY                                                        \
    "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; " \
    "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"

static void
begin_page(struct call *call, int status)
{
    response_begin(call, status, "text/html; charset=utf-8");
    response_add_header(call, "Content-Language", message_language(call)->tag.ptr);
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

enum err
page_send(struct call *call, int status, const char *page, struct values *values)
{
    struct buf out = buf_in(call->mem, PAGE_OUT_MAX);
    if (values == NULL)
        values = values_new(call->mem);
    values_text(values, "release", assets_release(call->web->assets));
    values_text(values, "form_token", call->form_token);
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
