/* health_api.c - health checks for load balancers and monitoring. They reveal nothing about users
 * or data. */
#include "api/api_routes.h"
#include "store/tx.h"
#include "text/json_write.h"
#include "web/call.h"
#include "web/error.h"
#include "web/response.h"
#include "web/state.h"

/* `problem` may be empty: of several databases, one that is down. */
static void
send_ok(struct call *call, const char *problem)
{
    struct json *out = response_json(call, 200);
    json_open_object(out);
    json_put_str(out, "status", STR("ok"));
    if (problem[0] != '\0')
        json_put_str(out, "problem", str_copy(call->mem, str_of(problem)));
    json_close_object(out);
}

/* Does not ask the database: a process that waits for its database must not be restarted. */
static enum err
get_alive(struct call *call)
{
    send_ok(call, "");
    return ERR_NONE;
}

/* While draining, 503 makes load balancers send new requests elsewhere (setting drain-delay). */
static enum err
get_ready(struct call *call)
{
    struct why why = { 0 };
    if (atomic_load(&call->web->draining))
        error_send(call, 503, STR("The service is shutting down. Use another instance."));
    else if (store_ping(call->db, &why) != ERR_NONE) {
        why_set(&why, "The database does not respond. Try again in a few seconds.");
        error_send(call, 503, str_copy(call->mem, str_of(why.text)));
    } else
        send_ok(call, why.text);
    return ERR_NONE;
}

const struct route health_routes[] = {
    { GET, "/healthz", get_alive, CALLER_ANYONE, .summary = "Returns 200 while the process runs." },
    { GET, "/readyz", get_ready, CALLER_ANYONE,
      .summary = "Returns 200 if the service can handle requests.", .reads_store = true,
      .health = true },
    { 0 },
};
