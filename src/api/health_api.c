/* health_api.c - whether the service is alive, and whether it can work.
 * For balancers and watchmen: nothing here tells who or what is stored. */
#include "api/api_routes.h"
#include "store/tx.h"
#include "text/json_write.h"
#include "web/call.h"
#include "web/error.h"
#include "web/response.h"
#include "web/state.h"

static void
say_ok(struct call *call)
{
    struct json *out = response_json(call, 200);
    json_open_object(out);
    json_put_str(out, "status", STR("ok"));
    json_close_object(out);
}

static enum err
get_alive(struct call *call)
{
    say_ok(call);
    return ERR_NONE;
}

static enum err
get_ready(struct call *call)
{
    if (atomic_load(&call->web->draining))
        error_send(call, 503, STR("The service is about to stop. Ask another one."));
    else if (store_ping(call->db) != ERR_NONE)
        error_send(call, 503, STR("The store does not answer. Try again in a few seconds."));
    else
        say_ok(call);
    return ERR_NONE;
}

const struct route health_routes[] = {
    { GET, "/healthz", get_alive, CALLER_ANYONE, .summary = "Says that the process is alive." },
    { GET, "/readyz", get_ready, CALLER_ANYONE,
      .summary = "Says whether the store answers and work is taken.", .reads_store = true },
    { 0 },
};
