#include "web/web.h"

#include "base/arena.h"
#include "base/cache.h"
#include "base/clock.h"
#include "base/metric.h"
#include "crypt/digest.h"
#include "store/tx.h"
#include "text/url.h"
#include "web/asset_pages.h"
#include "web/metrics.h"
#include "web/openapi.h"
#include "web/router.h"
#include "web/routes.h"
#include "web/state.h"
#include "web/throttle.h"

#define SIGN_IN_WINDOW_MS (15 * 60 * 1000)
#define CLIENT_WINDOW_MS (60 * 1000)
#define API_WINDOW_MS 1000

static enum err
open_door(struct web *web, struct door *door, const struct route *const *tables, struct why *why)
{
    door->web = web;
    enum err err = router_new(tables, &door->router, why);
    if (err == ERR_NONE)
        door->counts = counts_new(web->mem, door->router);
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
    metrics_write_process(page, web->started_at);
}

static enum err
describe(struct web *web, struct why *why)
{
    const struct web_settings *settings = &web->settings;
    struct openapi_place place = { settings->base_url, settings->auth_url, settings->domains };
    struct arena *scratch = arena_new(); /* ten times what is kept */
    struct str document = STR_NONE;
    enum err err = openapi_make(scratch, &place, &document, why);
    if (err == ERR_NONE) {
        web->openapi = str_copy(web->mem, document);
        web->openapi_tag =
            str_format(web->mem, "\"%.22s\"", digest_text(scratch, document).ptr).ptr;
    }
    arena_free(scratch);
    return err;
}

enum err
web_new_with(const struct web_settings *settings, const struct route *const *public,
             const struct route *const *private, struct web **out, struct why *why)
{
    struct arena *mem = arena_new();
    struct web *web = ARENA_NEW(mem, struct web);
    web->mem = mem;
    web->settings = *settings;
    web->settings.base_url = str_copy(web->mem, settings->base_url);
    web->settings.auth_url = str_copy(web->mem, settings->auth_url);
    web->started_at = clock_now();
    web->https = url_is_https(settings->base_url) || url_is_https(settings->auth_url);
    web->reads_block = store_reads_block(settings->db);
    web->assets = assets_new(web->mem);
    web->sign_in_failures = throttle_new(web->mem, settings->rate_sign_in, SIGN_IN_WINDOW_MS);
    web->client_failures = throttle_new(web->mem, settings->rate_auth, CLIENT_WINDOW_MS);
    web->hot = cache_new(settings->cache_bytes);
    web->api_calls = throttle_new(web->mem, settings->rate_api, API_WINDOW_MS);

    enum err err = open_door(web, &web->public, public, why);
    if (err == ERR_NONE)
        err = open_door(web, &web->private, private, why);
    if (err == ERR_NONE)
        err = languages_load(web->mem, &web->languages, why);
    if (err == ERR_NONE)
        err = describe(web, why);
    if (err != ERR_NONE) {
        web_free(web);
        return err;
    }
    metric_register(write_metrics, web);
    *out = web;
    return ERR_NONE;
}

enum err
web_new(const struct web_settings *settings, struct web **out, struct why *why)
{
    return web_new_with(settings, routes_public, routes_private, out, why);
}

void
web_free(struct web *web)
{
    if (web == NULL)
        return;
    metric_forget(web);
    throttle_free(web->sign_in_failures);
    throttle_free(web->client_failures);
    throttle_free(web->api_calls);
    cache_free(web->hot);
    router_free(web->public.router);
    router_free(web->private.router);
    languages_free(&web->languages);
    arena_free(web->mem); /* and web itself with it */
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
