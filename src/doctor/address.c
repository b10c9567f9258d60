/* address.c - the base URL as clients reach it. */
#include "doctor/doctor.h"

#include "base/arena.h"
#include "base/clock.h"
#include "config/settings.h"
#include "http/probe.h"
#include "net/http_client.h"
#include "text/json_read.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DAY 86400
/* Seconds. Tokens and codes expire by the clock of the service: see check_clock(). */
#define CLOCK_WARN 5
#define CLOCK_FAIL 60
#define LOCAL_MS 3000
#define ORIGIN "https://penchant-doctor.example"

static const char *
url(struct doctor_report *report, struct str origin, const char *path)
{
    return str_format(report->mem, "%.*s%s", STR_ARG(origin), path).ptr;
}

/* Asks the listener itself, which distinguishes a wrong proxy from a service that is down. */
static void
check_listener(struct doctor_report *report, const struct doctor_target *target)
{
    const struct settings *settings = target->settings;
    struct probe probe = { .listen = settings->listen,
                           .tls = settings->tls_cert != NULL,
                           .host = STR("localhost"),
                           .path = "/healthz",
                           .deadline_ms = LOCAL_MS };
    struct why why = { 0 };
    int status = 0;
    if (probe_request(&probe, &status, &why))
        doctor_problem(report, DOCTOR_FAIL, "service",
                       "Start the service, or pass its settings to this command (--config).", "%s",
                       why.text);
    else
        doctor_ok(report, "service", "it answers on %s", settings->listen);
}

/* A URL of this machine is only a warning: it is right for a trial. */
static void
check_base_url(struct doctor_report *report, const struct doctor_target *target)
{
    struct str base = target->base_url;
    bool local = str_starts(base, STR("http://127.")) ||
                 str_starts(base, STR("http://localhost")) || str_starts(base, STR("http://[::1]"));
    if (local)
        doctor_problem(report, DOCTOR_WARN, "base-url", "Set base-url to the public https:// URL.",
                       "%.*s can be reached only from this machine", STR_ARG(base));
    else if (!str_starts(base, STR("https://")))
        doctor_problem(report, DOCTOR_FAIL, "base-url",
                       "Use TLS: set tls-cert and tls-key, or put a proxy in front.",
                       "passwords and tokens travel unencrypted to %.*s", STR_ARG(base));
    else
        doctor_ok(report, "base-url", "%.*s", STR_ARG(base));
}

/* Its chain was verified when the connection was made. */
static void
check_certificate(struct doctor_report *report, const struct http_reply *reply)
{
    if (reply->certificate_expires_at == 0)
        return;
    int64_t days = (reply->certificate_expires_at - (int64_t)time(NULL)) / DAY;
    if (days < 14)
        doctor_problem(report, DOCTOR_WARN, "certificate", "Renew it.", "it expires in %lld days",
                       (long long)days);
    else
        doctor_ok(report, "certificate", "its chain is trusted, and it expires in %lld days",
                  (long long)days);
}

/* By the Date header: accurate to a second and the time of the request. */
static void
check_clock(struct doctor_report *report, const struct http_reply *reply)
{
    struct str date = http_reply_header(reply, "Date");
    struct tm parts = { 0 };
    if (!str_present(date) ||
        strptime(str_c(report->mem, date), "%a, %d %b %Y %H:%M:%S GMT", &parts) == NULL)
        return;
    int64_t off = llabs((long long)(time(NULL) - timegm(&parts)));
    if (off > CLOCK_WARN)
        doctor_problem(report, off > CLOCK_FAIL ? DOCTOR_FAIL : DOCTOR_WARN, "clock",
                       "Synchronize the clocks of both machines (NTP).",
                       "the clock of the service and this one differ by %lld seconds",
                       (long long)off);
    else
        doctor_ok(report, "clock", "the service and this machine agree");
}

/* The issuer must equal the base URL character by character (RFC 8414 §3.3), or clients refuse the
 * metadata. */
static bool
check_metadata(struct doctor_report *report, const struct doctor_target *target)
{
    struct http_reply reply;
    struct why why = { 0 };
    const struct json_value *metadata = NULL;
    struct http_call call = { "GET",
                              url(report, target->base_url,
                                  "/.well-known/oauth-authorization-server"),
                              { "Origin: " ORIGIN },
                              STR_NONE };
    enum err err = http_client_send(target->client, report->mem, &call, &reply, &why);
    if (err || reply.status != 200 || json_read(report->mem, reply.body, 8, &metadata, &why)) {
        doctor_problem(report, DOCTOR_FAIL, "metadata",
                       "Let the proxy pass on every path, also /.well-known/.",
                       "%s has no metadata: %s (status %d)", call.url, why.text, reply.status);
        return false;
    }
    struct str issuer = json_text(metadata, "issuer");
    if (!str_eq(issuer, target->base_url)) {
        doctor_problem(report, DOCTOR_FAIL, "issuer",
                       "Set base-url to the URL that clients use, and restart the service.",
                       "the service at %.*s has the issuer %.*s", STR_ARG(target->base_url),
                       STR_ARG(issuer));
        return false;
    }
    doctor_ok(report, "issuer", "metadata names %.*s", STR_ARG(issuer));
    if (!str_present(http_reply_header(&reply, "Access-Control-Allow-Origin")))
        doctor_problem(report, DOCTOR_FAIL, "CORS",
                       "Let the proxy keep the headers that begin with Access-Control-.",
                       "scripts of other sites cannot read the metadata");
    else
        doctor_ok(report, "CORS", "scripts of other sites can read the metadata");
    return true;
}

/* Whether requests to the base URL pass another server first: it has another scheme or port than
 * the service listens on. */
static bool
is_behind_proxy(const struct doctor_target *target)
{
    const struct settings *settings = target->settings;
    const char *port = strrchr(settings->listen, ':');
    if (settings->base_url == NULL)
        return false;
    bool encrypted = str_starts(target->base_url, STR("https://"));
    return encrypted != (settings->tls_cert != NULL) ||
           (port != NULL && !str_ends(target->base_url, str_of(port)) &&
            strcmp(port, encrypted ? ":443" : ":80") != 0);
}

/* Limits count by address: without the client's own one, all users share those of the proxy. */
static void
check_proxy(struct doctor_report *report, const struct doctor_target *target)
{
    if (!is_behind_proxy(target))
        return;
    if (target->settings->trusted_proxies == NULL)
        doctor_problem(report, DOCTOR_WARN, "proxy",
                       "Set trusted-proxies to the address of the proxy, and let it set "
                       "X-Forwarded-For.",
                       "all users seem to come from the proxy's address, and share its limits");
    else
        doctor_ok(report, "proxy", "%s may name the client", target->settings->trusted_proxies);
}

/* Certificate and clock are read from the same response. */
static bool
check_ready(struct doctor_report *report, const struct doctor_target *target)
{
    struct http_reply reply;
    struct why why = { 0 };
    struct http_call call = { "GET", url(report, target->base_url, "/readyz"), { 0 }, STR_NONE };
    if (http_client_send(target->client, report->mem, &call, &reply, &why)) {
        doctor_problem(report, DOCTOR_FAIL, "reachable",
                       "Check the name, the firewall, the certificate, and the proxy.",
                       "%.*s does not answer: %s", STR_ARG(target->base_url), why.text);
        return false;
    }
    doctor_ok(report, "reachable", "%.*s answers", STR_ARG(target->base_url));
    check_certificate(report, &reply);
    check_clock(report, &reply);
    if (reply.status == 200) {
        doctor_ok(report, "store", "the service can use it");
        return true;
    }
    doctor_problem(report, DOCTOR_FAIL, "store",
                   "Read the log of the service; `penchant check` verifies the store.",
                   "the service is not ready (status %d): %.*s", reply.status,
                   STR_ARG(str_first(reply.body, 300)));
    return false;
}

/* Later checks need what earlier ones found: without an answer they would only repeat its
 * problem. */
bool
doctor_check_address(struct doctor_report *report, const struct doctor_target *target)
{
    check_listener(report, target);
    check_base_url(report, target);
    if (!check_ready(report, target))
        return false;
    check_proxy(report, target);
    return check_metadata(report, target);
}
