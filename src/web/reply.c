#include "web/reply.h"

#include "crypt/digest.h"
#include "http/server.h"
#include "text/json_write.h"
#include "text/template.h"
#include "web/accept.h"
#include "web/asset_pages.h"
#include "web/call.h"
#include "web/hot.h"
#include "web/say.h"
#include "web/state.h"
#include "web/usage_call.h"
#include "web/visitor.h"

#include <strings.h>

#define BODY_OUT_MAX ((size_t)16 * 1024 * 1024)
#define PAGE_OUT_MAX ((size_t)16 * 1024 * 1024)

#define CONTENT_SECURITY                                                        \
    "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; " \
    "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"

#define RETRY_AFTER_SECONDS "5"

/* ---- the frame of every answer ---- */

static void
header(struct call *call, const char *name, const char *value)
{
    http_response_header(&call->exchange->response, name, value);
}

static void
begin(struct call *call, int status, const char *type)
{
    struct http_response *response = &call->exchange->response;
    response->status = status;
    response->body = STR("");
    response->header_count = 0;
    call->writing = call->conditional = false;

    if (type != NULL)
        header(call, "Content-Type", type);
    header(call, "X-Content-Type-Options", "nosniff");
    header(call, "Cache-Control", "no-store");
    if (call->web->https)
        header(call, "Strict-Transport-Security", "max-age=31536000");
    if (call->at.place != NULL && call->at.place->cors) {
        header(call, "Access-Control-Allow-Origin", "*");
        header(call, "Access-Control-Expose-Headers",
               "ETag, Retry-After, WWW-Authenticate, X-Request-Id");
    }
}

static void
begin_page(struct call *call, int status)
{
    begin(call, status, "text/html; charset=utf-8");
    header(call, "Content-Language", say_language(call)->tag.ptr);
    header(call, "Content-Security-Policy", CONTENT_SECURITY);
    header(call, "X-Frame-Options", "DENY");
    /* Under this policy a browser sends "Origin: null" with our own forms too (Fetch, "append a
     * request Origin header"), which guard.c must refuse. pages/head.html therefore narrows the
     * document's policy to same-origin: no other site learns anything either way. */
    header(call, "Referrer-Policy", "no-referrer");
    header(call, "Cross-Origin-Opener-Policy", "same-origin");
    header(call, "Permissions-Policy",
           "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()");
}

void
reply_header(struct call *call, const char *name, const char *value)
{
    struct http_response *response = &call->exchange->response;
    size_t kept = 0;
    for (size_t i = 0; i < response->header_count; i++)
        if (strcasecmp(response->headers[i].name, name) != 0)
            response->headers[kept++] = response->headers[i];
    response->header_count = kept;
    header(call, name, value);
}

void
reply_retry_later(struct call *call)
{
    reply_header(call, "Retry-After", RETRY_AFTER_SECONDS);
}

/* ---- what went well ---- */

struct json *
reply_json(struct call *call, int status)
{
    begin(call, status, "application/json");
    call->out = buf_in(call->mem, BODY_OUT_MAX);
    call->json = json_into(&call->out);
    call->writing = true;
    return &call->json;
}

enum err
reply_page(struct call *call, int status, const char *page, struct values *values)
{
    struct buf out = buf_in(call->mem, PAGE_OUT_MAX);
    if (values == NULL)
        values = values_new(call->mem);
    values_text(values, "release", assets_release(call->web->assets));
    values_text(values, "form_token", visitor_form_token(call));
    if (call->visitor != NULL)
        values_text(values, "signed_in", call->visitor->user.username);
    enum err err = template_render(say_language(call)->pages, page, values, &out);
    if (err != ERR_NONE || out.overflow)
        return ERR_INTERNAL;
    begin_page(call, status);
    call->exchange->response.body = buf_str(&out);
    return ERR_NONE;
}

void
reply_form_action(struct call *call, struct str origin)
{
    reply_header(
        call, "Content-Security-Policy",
        str_format(call->mem, CONTENT_SECURITY " %.*s; connect-src 'self'", STR_ARG(origin)).ptr);
}

void
reply_connect(struct call *call)
{
    reply_header(call, "Content-Security-Policy", CONTENT_SECURITY "; connect-src 'self'");
}

void
reply_redirect(struct call *call, const char *path)
{
    begin(call, 303, NULL);
    header(call, "Referrer-Policy", "no-referrer");
    header(call, "Location", path);
}

void
reply_bytes(struct call *call, int status, const char *type, struct str bytes)
{
    begin(call, status, type);
    call->exchange->response.body = bytes;
}

void
reply_options(struct call *call)
{
    const struct place *place = call->at.place;
    begin(call, 204, NULL);
    header(call, "Allow", place->allow);
    if (place->cors) {
        header(call, "Access-Control-Allow-Methods", place->methods);
        header(call, "Access-Control-Allow-Headers", "Authorization, Content-Type, If-None-Match");
        header(call, "Access-Control-Max-Age", "86400");
    }
}

void
reply_conditional(struct call *call)
{
    call->conditional = true;
    reply_header(call, "Cache-Control", "private, no-cache");
    reply_header(call, "Vary", "Authorization");
}

/* RFC 9110 §13.1.2: a list of tags, or "*"; compared weakly. */
static bool
has_tag(struct str list, struct str tag)
{
    struct str one;
    while (str_cut(&list, ',', &one)) {
        one = str_trim(one);
        if (str_starts(one, STR("W/")))
            one = str_from(one, 2);
        if (str_eq(one, tag) || str_eq(one, STR("*")))
            return true;
    }
    return false;
}

void
reply_file(struct call *call, const char *type, const char *tag, struct str bytes)
{
    if (has_tag(http_header(&call->exchange->request, "If-None-Match"), str_of(tag)))
        reply_bytes(call, 304, NULL, STR(""));
    else
        reply_bytes(call, 200, type, bytes);
    header(call, "ETag", tag);
}

static struct str
make_tag(struct call *call)
{
    char tag[DIGEST_SHORT_LENGTH + 2] = { '"', [DIGEST_SHORT_LENGTH + 1] = '"' };
    digest_short(call->exchange->response.body, tag + 1);
    return str_copy(call->mem, (struct str){ tag, sizeof tag });
}

static void
put_tag(struct call *call, struct str tag)
{
    struct http_response *response = &call->exchange->response;
    header(call, "ETag", str_c(call->mem, tag));
    if (has_tag(http_header(&call->exchange->request, "If-None-Match"), tag)) {
        response->status = 304;
        response->body = STR("");
    }
}

void
reply_finish(struct call *call)
{
    if (!call->writing)
        return;
    call->writing = false;
    if (call->out.overflow) {
        reply_err(call, ERR_INTERNAL);
        return;
    }
    struct http_response *response = &call->exchange->response;
    response->body = buf_str(&call->out);
    if (response->status != 200)
        return;
    struct str tag = call->conditional ? make_tag(call) : STR_NONE;
    if (call->keep)
        hot_keep(call, tag, response->body);
    if (call->conditional)
        put_tag(call, tag);
}

void
reply_kept(struct call *call, struct str tag, struct str body)
{
    begin(call, 200, "application/json");
    call->exchange->response.body = body;
    if (str_present(tag) && tag.len > 0) {
        reply_conditional(call);
        put_tag(call, tag);
    } else if (call->route->who == WHO_TOKEN) {
        reply_header(call, "Vary", "Authorization");
    } else {
        reply_header(call, "Pragma", "no-cache");
    }
}

/* ---- what did not ---- */

WORD(invalid_request, "error.invalid_request");
WORD(invalid_token, "error.invalid_token");
WORD(access_denied, "error.access_denied");
WORD(not_found, "error.not_found");
WORD(method_not_allowed, "error.method_not_allowed");
WORD(payload_too_large, "error.payload_too_large");
WORD(uri_too_long, "error.uri_too_long");
WORD(unsupported_media_type, "error.unsupported_media_type");
WORD(expectation_failed, "error.expectation_failed");
WORD(rate_limited, "error.rate_limited");
WORD(request_header_fields_too_large, "error.request_header_fields_too_large");
WORD(temporarily_unavailable, "error.temporarily_unavailable");
WORD(server_error, "error.server_error");

/* What programs call an error, and what a page says above its sentence. */
struct error_kind {
    int status;
    const char *name;
    const char *headline;
};

static const struct error_kind *
error_kind(int status)
{
    static const struct error_kind kinds[] = {
        { 400, "invalid_request", invalid_request },
        { 401, "invalid_token", invalid_token },
        { 403, "access_denied", access_denied },
        { 404, "not_found", not_found },
        { 405, "method_not_allowed", method_not_allowed },
        { 413, "payload_too_large", payload_too_large },
        { 414, "uri_too_long", uri_too_long },
        { 415, "unsupported_media_type", unsupported_media_type },
        { 417, "expectation_failed", expectation_failed },
        { 429, "rate_limited", rate_limited },
        { 431, "request_header_fields_too_large", request_header_fields_too_large },
        { 503, "temporarily_unavailable", temporarily_unavailable },
    };
    static const struct error_kind ours = { 500, "server_error", server_error };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].status == status)
            return &kinds[i];
    return &ours;
}

void
reply_detail(struct call *call, struct str at, struct str problem)
{
    if (call->detail_count < CALL_DETAILS_MAX)
        call->details[call->detail_count++] = (struct call_detail){ at, problem };
}

enum err
reply_error_page(struct call *call, int status, struct str sentence)
{
    struct values *values = values_new(call->mem);
    values_text(values, "headline", say(call, error_kind(status)->headline));
    values_text(values, "sentence", say_sentence(call, sentence));
    values_text(values, "status", str_format(call->mem, "%d", status));
    values_text(values, "request", call->exchange->request.id);
    for (size_t i = 0; i < call->detail_count; i++) {
        struct values *detail = values_item(values, "details");
        values_text(detail, "at", call->details[i].at);
        values_text(detail, "problem", say_sentence(call, call->details[i].problem));
    }
    return reply_page(call, status, "error", values);
}

static void
error_json(struct call *call, int status, const char *error, struct str sentence)
{
    usage_answered(call, error, sentence);
    struct json *json = reply_json(call, status);
    json_open_object(json);
    json_put_str(json, "error", str_of(error));
    json_put_str(json, "error_description", sentence);
    if (call->detail_count > 0) {
        json_key(json, "details");
        json_open_array(json);
        for (size_t i = 0; i < call->detail_count; i++) {
            json_open_object(json);
            json_put_str(json, "at", call->details[i].at);
            json_put_str(json, "problem", call->details[i].problem);
            json_close_object(json);
        }
        json_close_array(json);
    }
    json_close_object(json);
    reply_finish(call);
}

/* Programs get the one shape everywhere; whoever asks with a browser for a page, or for something
 * that is nowhere, gets it as a page. */
void
reply_error(struct call *call, int status, struct str sentence)
{
    bool for_people = (call->at.place == NULL || call->at.place->page) &&
                      accept_prefers_page(http_header(&call->exchange->request, "Accept"));
    if (!for_people || reply_error_page(call, status, sentence) != ERR_NONE)
        error_json(call, status, error_kind(status)->name, sentence);
    if (status == 503 || status == 429)
        reply_retry_later(call);
    if (status == 401)
        header(call, "WWW-Authenticate", "Bearer");
}

void
reply_oauth_error(struct call *call, int status, const char *error, struct str sentence)
{
    error_json(call, status, error, sentence);
    header(call, "Pragma", "no-cache");
}

void
reply_method_not_allowed(struct call *call)
{
    reply_error(call, 405,
                str_format(call->mem, "This address does not answer to that method. It takes %s.",
                           call->at.place->allow));
    header(call, "Allow", call->at.place->allow);
}

void
reply_err(struct call *call, enum err err)
{
    static const struct {
        int status;
        const char *sentence;
    } answers[] = {
        [ERR_INVALID] = { 400, "The request is not valid. Check its parameters and try again." },
        [ERR_UNAUTHENTICATED] = { 401, "Sign in, or send an access token that is still valid." },
        [ERR_FORBIDDEN] = { 403, "You may not do this." },
        [ERR_NOT_FOUND] = { 404, "There is nothing at this address. Check its spelling." },
        [ERR_TAKEN] = { 400, "This name is taken. Choose another one." },
        [ERR_TOO_LARGE] = { 413, "This is more than the service takes at once. Send less." },
        [ERR_RATE] = { 429, "Too many requests. Wait a moment, then try again." },
        [ERR_UNAVAILABLE] = { 503, "The service cannot do this right now, and nothing was "
                                   "changed. Try again in a few seconds." },
        [ERR_INTERNAL] = { 500, "Something went wrong on our side. Try again; if it stays, report "
                                "the request's number." },
    };
    if (err == ERR_NONE || (size_t)err >= sizeof answers / sizeof *answers)
        err = ERR_INTERNAL;
    if (call->detail_count > 0) {
        /* What varies from one request to the next is no kind of mistake of its own. */
        call->refusal.reason = str_of(answers[err].sentence);
        call->refusal.detail = str_format(call->mem, "%.*s %.*s", STR_ARG(call->details[0].at),
                                          STR_ARG(call->details[0].problem));
    }
    const char *otherwise = answers[err].sentence;
    if (err == ERR_NOT_FOUND && call->route != NULL && call->route->who == WHO_PERSON)
        otherwise =
            "This is not here any more, or never was. Perhaps it was removed in another tab.";
    /* The first detail is told in the sentence, for whoever reads only that. */
    struct str sentence = call->detail_count == 0
                              ? str_of(otherwise)
                              : str_format(call->mem, "%.*s %.*s", STR_ARG(call->details[0].at),
                                           STR_ARG(call->details[0].problem));
    reply_error(call, answers[err].status, sentence);
}
