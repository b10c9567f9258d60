/* app.c - what an app and its user do, with a temporary account: sign in, consent, exchange the
 * code, refresh, introspect, revoke, and connect to the MCP endpoint. */
#include "doctor/doctor.h"

#include "base/arena.h"
#include "base/buf.h"
#include "config/settings.h"
#include "crypt/digest.h"
#include "crypt/random.h"
#include "net/http_client.h"
#include "text/form.h"
#include "text/json_read.h"
#include "text/json_write.h"
#include "text/url.h"

#include <string.h>

#define FORM_MAX (16 * 1024)
#define SPOOFED "192.0.2.123" /* an address for documentation, which no client has */
#define FORM_TYPE "Content-Type: application/x-www-form-urlencoded"

/* address.c has found the service well before these checks run, so a failure here is probably the
 * proxy's. */
static const char report_proxy[] =
    "Let the proxy pass on the request and the response unchanged, with all headers and cookies.";

/* The OAuth flow as an app and its user go through it, with what each step has returned. */
struct visit {
    struct doctor_report *report;
    const struct doctor_target *target;
    struct str verifier;
    struct str code;
    struct str access_token, refresh_token;
};

/* name=value&…, from pairs that end with NULL. */
static struct str
form_of(struct arena *mem, const char *const *names, const struct str *values)
{
    struct buf out = buf_in(mem, FORM_MAX);
    for (size_t i = 0; names[i] != NULL; i++) {
        buf_add_format(&out, "%s%s=", i == 0 ? "" : "&", names[i]);
        url_encode(&out, values[i]);
    }
    return str_copy(mem, buf_str(&out));
}

#define FORM(mem, names, ...) \
    form_of(mem, (const char *const[]){ names, NULL }, (const struct str[]){ __VA_ARGS__ })
/* Makes one macro argument of several names. */
#define NAMES(...) __VA_ARGS__

/* Sends a request; a reply with another status than expected is a failed check. */
static bool
ask(struct visit *visit, const char *check, const struct http_call *call, int expected,
    struct http_reply *reply)
{
    struct why why = { 0 };
    if (http_client_send(visit->target->client, visit->report->mem, call, reply, &why)) {
        doctor_problem(visit->report, DOCTOR_FAIL, check, report_proxy, "%s %s: %s", call->method,
                       call->url, why.text);
        return false;
    }
    if (reply->status == expected)
        return true;
    doctor_problem(visit->report, DOCTOR_FAIL, check, report_proxy,
                   "%s %s has status %d instead of %d", call->method, call->url, reply->status,
                   expected);
    return false;
}

static const char *
url(const struct visit *visit, struct str origin, const char *path)
{
    return str_format(visit->report->mem, "%.*s%s", STR_ARG(origin), path).ptr;
}

/* A member of a reply's JSON object; absent if it is not a string. */
static struct str
member(const struct visit *visit, const struct http_reply *reply, const char *key)
{
    const struct json_value *object = NULL;
    if (json_read(visit->report->mem, reply->body, 16, &object, NULL))
        return STR_NONE;
    return json_text(object, key);
}

/* ---- the user ---- */

/* Sends a forged X-Forwarded-For as well, which check_forged_address() looks for. */
static bool
sign_in(struct visit *visit)
{
    const struct doctor_target *target = visit->target;
    struct arena *mem = visit->report->mem;
    struct http_reply reply;
    struct http_call call = {
        "POST",
        url(visit, target->auth_url, "/signin"),
        { FORM_TYPE, str_format(mem, "Origin: %.*s", STR_ARG(target->auth_url)).ptr,
          "X-Forwarded-For: " SPOOFED },
        FORM(mem, NAMES("username", "password"), target->username, target->password),
    };
    if (!ask(visit, "sign-in", &call, 303, &reply))
        return false;
    doctor_ok(visit->report, "sign-in", "a user can sign in");
    return true;
}

/* The service shows the user the address that it has seen. */
static void
check_forged_address(struct visit *visit)
{
    const struct doctor_target *target = visit->target;
    struct http_reply reply;
    struct http_call call = {
        "GET", url(visit, target->auth_url, "/account/security"), { 0 }, STR_NONE
    };
    if (target->settings->trusted_proxies == NULL ||
        http_client_send(target->client, visit->report->mem, &call, &reply, NULL) ||
        reply.status != 200) /* the next check reports the reason */
        return;
    if (str_find(reply.body, STR(SPOOFED)) < reply.body.len)
        doctor_problem(visit->report, DOCTOR_FAIL, "client address",
                       "Let the proxy set X-Forwarded-For itself instead of passing on what the "
                       "client sent; do not list addresses of clients in trusted-proxies.",
                       "a client can choose the address that limits are counted for");
    else
        doctor_ok(visit->report, "client address", "a client cannot forge it");
}

/* The value of a hidden field of a form. */
static struct str
hidden_field(struct arena *mem, struct str page, const char *name)
{
    struct str start = str_format(mem, "name=\"%s\" value=\"", name);
    struct str rest = str_from(page, str_find(page, start) + start.len);
    if (rest.len == 0)
        return STR("");
    return str_first(rest, str_index(rest, '"'));
}

/* prompt=consent: the consent page is shown even if a grant exists. */
static struct str
authorize_query(struct visit *visit)
{
    struct arena *mem = visit->report->mem;
    return FORM(mem,
                NAMES("response_type", "client_id", "redirect_uri", "scope", "state",
                      "code_challenge", "code_challenge_method", "prompt"),
                STR("code"), visit->target->client_id, STR(DOCTOR_REDIRECT_URI), STR(DOCTOR_SCOPES),
                STR("doctor"), digest_text(mem, visit->verifier), STR("S256"), STR("consent"));
}

/* Reads the code from the redirect, and checks where it leads and who sent it. */
static bool
take_redirect(struct visit *visit, const struct http_reply *reply)
{
    struct doctor_report *report = visit->report;
    struct str location = http_reply_header(reply, "Location");
    struct form query = { 0 };
    if (!str_starts(location, STR(DOCTOR_REDIRECT_URI "?")) ||
        form_read(report->mem, str_from(location, strlen(DOCTOR_REDIRECT_URI "?")), &query, NULL) ||
        !str_eq(form_find(&query, "state"), STR("doctor"))) {
        doctor_problem(report, DOCTOR_FAIL, "redirect", report_proxy,
                       "the user is sent to %.*s instead of the app", STR_ARG(location));
        return false;
    }
    /* RFC 9207 §2.4: the client compares it character by character. */
    struct str issuer = form_find(&query, "iss");
    if (!str_eq(issuer, visit->target->base_url)) {
        doctor_problem(report, DOCTOR_FAIL, "redirect", "Set base-url to the URL that clients use.",
                       "the redirect names the issuer %.*s", STR_ARG(issuer));
        return false;
    }
    visit->code = form_find(&query, "code");
    doctor_ok(report, "redirect", "the user returns to the app with a code");
    return true;
}

/* The form fields are those of the consent page, with its hidden ones. */
static bool
consent(struct visit *visit)
{
    const struct doctor_target *target = visit->target;
    struct arena *mem = visit->report->mem;
    struct str origin = str_format(mem, "Origin: %.*s", STR_ARG(target->auth_url));
    struct http_reply reply;
    struct http_call show = {
        "GET",
        url(visit, target->auth_url,
            str_format(mem, "/oauth/authorize?%s", authorize_query(visit).ptr).ptr),
        { 0 },
        STR_NONE
    };
    if (!ask(visit, "consent", &show, 200, &reply))
        return false;
    struct http_call allow = {
        "POST",
        url(visit, target->auth_url, "/oauth/consent"),
        { FORM_TYPE, origin.ptr },
        FORM(mem, NAMES("request", "form", "scope", "scope", "term", "decision"),
             hidden_field(mem, reply.body, "request"), hidden_field(mem, reply.body, "form"),
             STR("profile:read"), STR("agent_hints"), STR("30d"), STR("allow")),
    };
    return ask(visit, "consent", &allow, 303, &reply) && take_redirect(visit, &reply);
}

/* ---- the app ---- */

/* Replaces the tokens of an earlier response. */
static bool
take_tokens(struct visit *visit, const char *check, const struct http_call *call)
{
    struct http_reply reply;
    if (!ask(visit, check, call, 200, &reply))
        return false;
    visit->access_token = member(visit, &reply, "access_token");
    visit->refresh_token = member(visit, &reply, "refresh_token");
    if (str_present(visit->access_token) && str_present(visit->refresh_token))
        return true;
    doctor_problem(visit->report, DOCTOR_FAIL, check, report_proxy,
                   "the response contains no tokens");
    return false;
}

/* With the Origin of another site, as the script of an app sends it. */
static struct http_call
token_call(struct visit *visit, const char *path, struct str body)
{
    return (struct http_call){ "POST",
                               url(visit, visit->target->base_url, path),
                               { FORM_TYPE, "Origin: https://penchant-doctor.example" },
                               body };
}

/* The code, and then the refresh token of the response. */
static bool
exchange(struct visit *visit)
{
    const struct doctor_target *target = visit->target;
    struct http_call call =
        token_call(visit, "/oauth/token",
                   FORM(visit->report->mem,
                        NAMES("grant_type", "client_id", "client_secret", "code", "code_verifier",
                              "redirect_uri"),
                        STR("authorization_code"), target->client_id, target->client_secret,
                        visit->code, visit->verifier, STR(DOCTOR_REDIRECT_URI)));
    if (!take_tokens(visit, "token", &call))
        return false;
    doctor_ok(visit->report, "token", "the app gets tokens for the code");
    call = token_call(
        visit, "/oauth/token",
        FORM(visit->report->mem, NAMES("grant_type", "client_id", "client_secret", "refresh_token"),
             STR("refresh_token"), target->client_id, target->client_secret, visit->refresh_token));
    if (!take_tokens(visit, "refresh", &call))
        return false;
    doctor_ok(visit->report, "refresh", "the app gets new tokens");
    return true;
}

/* Whether introspection calls the token active. */
static bool
introspect(struct visit *visit, const char *check, bool *active)
{
    const struct doctor_target *target = visit->target;
    struct http_reply reply;
    struct http_call call =
        token_call(visit, "/oauth/introspect",
                   FORM(visit->report->mem, NAMES("client_id", "client_secret", "token"),
                        target->client_id, target->client_secret, visit->access_token));
    if (!ask(visit, check, &call, 200, &reply))
        return false;
    /* As the service writes it, without spaces. */
    *active = str_find(reply.body, STR("\"active\":true")) < reply.body.len;
    return true;
}

/* The first message of an MCP client. */
static struct str
initialize_message(struct arena *mem)
{
    struct buf out = buf_in(mem, FORM_MAX);
    struct json json = json_into(&out);
    json_open_object(&json);
    json_put_str(&json, "jsonrpc", STR("2.0"));
    json_put_int(&json, "id", 1);
    json_put_str(&json, "method", STR("initialize"));
    json_key_object(&json, "params");
    json_put_str(&json, "protocolVersion", STR("2025-06-18"));
    json_key_object(&json, "capabilities");
    json_close_object(&json);
    json_key_object(&json, "clientInfo");
    json_put_str(&json, "name", STR("penchant-doctor"));
    json_put_str(&json, "version", STR(PENCHANT_VERSION));
    json_close_object(&json);
    json_close_object(&json);
    json_close_object(&json);
    return str_copy(mem, buf_str(&out));
}

/* Any answer to `initialize` is enough: tools are not called. */
static void
check_mcp(struct visit *visit)
{
    const struct doctor_target *target = visit->target;
    struct arena *mem = visit->report->mem;
    struct http_reply reply;
    struct http_call call = {
        "POST",
        url(visit, target->base_url, "/mcp"),
        { "Content-Type: application/json", "Accept: application/json, text/event-stream",
          str_format(mem, "Authorization: Bearer %.*s", STR_ARG(visit->access_token)).ptr },
        initialize_message(mem),
    };
    if (!target->settings->mcp) {
        doctor_ok(visit->report, "MCP", "it is turned off");
        return;
    }
    if (!ask(visit, "MCP", &call, 200, &reply))
        return;
    if (str_find(reply.body, STR("\"serverInfo\"")) == reply.body.len)
        doctor_problem(visit->report, DOCTOR_FAIL, "MCP", report_proxy,
                       "%s does not answer initialize", call.url);
    else
        doctor_ok(visit->report, "MCP", "an assistant can connect to %s", call.url);
}

/* Finds proxies that cache responses of the token endpoints. */
static void
check_revocation(struct visit *visit)
{
    const struct doctor_target *target = visit->target;
    struct http_reply reply;
    bool active = true;
    struct http_call call =
        token_call(visit, "/oauth/revoke",
                   FORM(visit->report->mem, NAMES("client_id", "client_secret", "token"),
                        target->client_id, target->client_secret, visit->access_token));
    if (!ask(visit, "revocation", &call, 200, &reply) || !introspect(visit, "revocation", &active))
        return;
    if (active)
        doctor_problem(visit->report, DOCTOR_FAIL, "revocation",
                       "Let the proxy cache nothing below /oauth/.",
                       "a revoked token is still active");
    else
        doctor_ok(visit->report, "revocation", "a revoked token stops working at once");
}

/* The first step that fails ends the visit, because the next one needs its result. The caller
 * deletes the account. */
void
doctor_check_app(struct doctor_report *report, const struct doctor_target *target)
{
    struct visit visit = { .report = report, .target = target };
    bool active = false;
    /* RFC 7636 §4.1: at least 43 characters. */
    visit.verifier = str_format(report->mem, "%s%s", random_id(report->mem, "v").ptr,
                                random_id(report->mem, "v").ptr);
    if (!sign_in(&visit))
        return;
    check_forged_address(&visit);
    if (!consent(&visit) || !exchange(&visit) || !introspect(&visit, "introspection", &active))
        return;
    if (!active) {
        doctor_problem(report, DOCTOR_FAIL, "introspection",
                       "Let the proxy cache nothing below /oauth/.", "a new token is not active");
        return;
    }
    doctor_ok(report, "introspection", "the token is active");
    check_mcp(&visit);
    check_revocation(&visit);
}
