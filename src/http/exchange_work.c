#include "base/workers.h"
#include "http/exchange_state.h"

void
exchange_work_finish(struct exchange *x)
{
    if (!x->identifying) {
        exchange_set_step(x, STEP_READY);
        return;
    }
    x->identifying = false;
    connection_enter(x->connection, STAGE_BODY);
    exchange_set_step(x, x->open.response.status == 0 ? STEP_BODY : STEP_DISCARD);
}

/* Runs on a worker. Must not touch the exchange after resuming the connection. */
static void
work(void *argument)
{
    struct exchange *x = argument;
    struct http_server *server = x->server;
    bool cut = atomic_load(&server->connections.mode) == CONNECTIONS_CUT;
    if (!cut && x->identifying)
        server->service.identify(server->service.context, &x->open);
    else if (!cut)
        server->service.handle(server->service.context, &x->open);
    exchange_work_finish(x);
    MHD_resume_connection(x->handle);
    atomic_fetch_sub(&server->suspended, 1);
}

enum MHD_Result
exchange_work_start(struct exchange *x)
{
    struct http_server *server = x->server;
    connection_enter(x->connection, STAGE_WORKING);
    /* Increments first, then checks the mode; http_server_drain() sets the mode first, then reads
     * the count. So either drain waits for this exchange or this exchange sees the mode. */
    atomic_fetch_add(&server->suspended, 1);
    if (atomic_load(&server->connections.mode) == CONNECTIONS_CUT) {
        atomic_fetch_sub(&server->suspended, 1);
        return MHD_NO;
    }
    exchange_set_step(x, STEP_WORKING);
    MHD_suspend_connection(x->handle); /* before the worker can resume it */
    struct workers *workers = x->open.hashes   ? server->hashers
                              : x->open.health ? server->health_workers
                                               : server->workers;
    if (workers_submit(workers, work, x))
        return MHD_YES;
    exchange_response_refuse(x, HTTP_OVERLOADED, NULL);
    exchange_work_finish(x);
    MHD_resume_connection(x->handle);
    atomic_fetch_sub(&server->suspended, 1);
    return MHD_YES;
}
