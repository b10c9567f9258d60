/* web.c - creates and frees the state that all requests share: settings, routers, limits, cache,
 * and languages.
 *
 * web_new() copies the texts of the settings, so the caller may free its own. Everything that can
 * fail comes before the thread of rate_share.c starts. web_free() first unregisters the metrics and
 * stops that thread, because both use what is freed after them. No request may be running. */
#include "dispatch/web.h"

#include "base/arena.h"
#include "base/cache.h"
#include "base/clock.h"
#include "base/metric.h"
#include "crypt/digest.h"
#include "dispatch/dispatch.h"
#include "dispatch/rate_share.h"
#include "dispatch/request_metrics.h"
#include "dispatch/throttle.h"
#include "store/tx.h"
#include "text/url.h"
#include "web/assets.h"
#include "web/router.h"
#include "web/state.h"

#define SIGN_IN_WINDOW_MS (15 * 60 * 1000)
#define CLIENT_WINDOW_MS (60 * 1000)
#define API_WINDOW_MS 1000
#define REFRESH_WINDOW_MS (60 * 1000)
#define CREATION_WINDOW_MS (60 * 60 * 1000)
#define DOCUMENT_WINDOW_MS (60 * 1000)
#define UNANSWERED_WINDOW_MS (24 * 60 * 60 * 1000)

/* Checks every row of the tables: a wrong one fails at startup. */
static enum err
open_site(struct web *web, struct site *site, const struct route *const *tables, struct why *why)
{
    site->web = web;
    enum err err = router_new(tables, &site->router, why);
    if (err == ERR_NONE)
        site->counts = counts_new(web->mem, site->router);
    return err;
}

static void
write_metrics(struct buf *page, void *context)
{
    const struct web *web = context;
    const struct counted counted[] = {
        { "main", web->public.router, web->public.counts },
        { "metrics", web->private.router, web->private.counts },
    };
    metrics_write_requests(page, counted, sizeof counted / sizeof *counted);
    metrics_write_cache(page, web->cache);
    metrics_write_process(page, web->started_at);
}

/* Its entity tag is made once, since the document changes only with a restart. */
static void
set_openapi(struct web *web, struct str document)
{
    struct arena *scratch = arena_new();
    web->openapi = str_copy(web->mem, document);
    web->openapi_tag = str_format(web->mem, "\"%.22s\"", digest_text(scratch, document).ptr).ptr;
    arena_free(scratch);
}

/* The strings that are set here are copied. What the settings point to (store, counters, documents)
 * must exist until web_free(). */
enum err
web_new(const struct web_settings *settings, struct web **out, struct why *why)
{
    struct arena *mem = arena_new();
    struct web *web = ARENA_NEW(mem, struct web);
    web->mem = mem;
    web->settings = *settings;
    web->settings.base_url = str_copy(web->mem, settings->base_url);
    web->settings.auth_url = str_copy(web->mem, settings->auth_url);
    web->settings.source_url = str_copy(web->mem, settings->source_url);
    web->settings.privacy_url = str_copy(web->mem, settings->privacy_url);
    web->settings.security_contact = str_copy(web->mem, settings->security_contact);
    web->settings.mcp_origins = str_copy(web->mem, settings->mcp_origins);
    web->settings.redirect_schemes = str_copy(web->mem, settings->redirect_schemes);
    web->settings.registration_hosts = str_copy(web->mem, settings->registration_hosts);
    web->started_at = clock_now();
    web->https = url_is_https(settings->base_url) || url_is_https(settings->auth_url);
    web->reads_block = store_reads_block(settings->db);
    web->cache_lags = store_versions_lag(settings->db);
    web->assets = assets_new(web->mem);
    web->sign_in_failures = throttle_new(web->mem, settings->rate_sign_in, SIGN_IN_WINDOW_MS);
    web->client_failures = throttle_new(web->mem, settings->rate_auth, CLIENT_WINDOW_MS);
    if (web->cache_lags) { /* other nodes may use the store */
        throttle_share(web->sign_in_failures, settings->db);
        throttle_share_failures(web->client_failures, settings->db, "client ");
    }
    web->cache = cache_new(settings->cache_bytes);
    web->api_calls = throttle_new(web->mem, settings->rate_api, API_WINDOW_MS);
    web->refreshes = throttle_new(web->mem, settings->rate_refresh, REFRESH_WINDOW_MS);
    web->registrations = throttle_new(web->mem, settings->rate_register, CREATION_WINDOW_MS);
    web->creations = throttle_new(web->mem, settings->rate_sign_up, CREATION_WINDOW_MS);
    web->document_fetches = throttle_new(web->mem, settings->rate_documents, DOCUMENT_WINDOW_MS);
    /* Not a limit of callers: codes and refresh tokens whose request had an unknown outcome. */
    web->unanswered = throttle_new(web->mem, 1, UNANSWERED_WINDOW_MS);
    web->mails = throttle_new(web->mem, settings->rate_mail, CREATION_WINDOW_MS);

    enum err err = open_site(web, &web->public, settings->public, why);
    if (err == ERR_NONE)
        err = open_site(web, &web->private, settings->private, why);
    if (err == ERR_NONE)
        err = languages_load(web->mem, &web->languages, why);
    if (err != ERR_NONE) {
        web_free(web);
        return err;
    }
    if (web->cache_lags) {
        throttle_watch_busy(web->api_calls, web->mem);
        web->rate_share = rate_share_start(settings->db, web->api_calls);
    }
    set_openapi(web, settings->openapi);
    metric_register(write_metrics, web);
    *out = web;
    return ERR_NONE;
}

/* Also after web_new() has failed halfway: what was not made is NULL, and each function accepts
 * that. The metrics writer is removed first, because it reads everything else. */
void
web_free(struct web *web)
{
    if (web == NULL)
        return;
    metric_unregister(web);
    rate_share_stop(web->rate_share);
    throttle_free(web->sign_in_failures);
    throttle_free(web->client_failures);
    throttle_free(web->api_calls);
    throttle_free(web->refreshes);
    throttle_free(web->registrations);
    throttle_free(web->creations);
    throttle_free(web->document_fetches);
    throttle_free(web->mails);
    throttle_free(web->unanswered);
    cache_free(web->cache);
    router_free(web->public.router);
    router_free(web->private.router);
    languages_free(&web->languages);
    arena_free(web->mem); /* `web` itself is in it */
}

struct http_service
web_service(struct web *web)
{
    return dispatch_service(&web->public);
}

struct http_service
web_metrics_service(struct web *web)
{
    return dispatch_service(&web->private);
}

void
web_begin_drain(struct web *web)
{
    atomic_store(&web->draining, true);
}
