/* exchange_work.c - suspends a connection while other threads work on its exchange.
 *
 * The library does not use a suspended connection, so an exchange belongs to one thread at a time:
 * workers_submit() passes it to a worker, MHD_resume_connection() back to the library's thread.
 * `suspended` counts these exchanges. It is decremented last, because http_server_drain() frees
 * the server when it is 0. */
#include "base/workers.h"
#include "http/exchange_state.h"

/* STAGE_BODY starts again after `identify`, whose time does not count as the sender's. */
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

/* Must be the last use of the exchange by this thread. */
static void
resume_connection(struct exchange *x)
{
    struct http_server *server = x->server;
    exchange_work_finish(x);
    MHD_resume_connection(x->handle);
    atomic_fetch_sub(&server->suspended, 1);
}

static void work(void *argument);

/* Puts the exchange into the queue of the workers, or refuses it. */
static void
submit(struct exchange *x)
{
    struct http_server *server = x->server;
    struct workers *workers = x->open.hashes   ? server->hashers
                              : x->open.health ? server->health_workers
                                               : server->workers;
    if (workers_submit(workers, work, x))
        return;
    exchange_response_refuse(x, HTTP_OVERLOADED, NULL);
    resume_connection(x);
}

/* From any thread: what the exchange waited for has happened. */
static void
work_again(void *argument)
{
    submit(argument);
}

/* Runs on a worker. */
static void
work(void *argument)
{
    struct exchange *x = argument;
    struct http_server *server = x->server;
    /* All connections were shut down: no client can receive a response. */
    bool cut = atomic_load(&server->connections.mode) == CONNECTIONS_CUT;
    x->open.can_wait = true;
    x->open.wait = NULL;
    if (cut)
        exchange_response_refuse(x, HTTP_OVERLOADED, NULL);
    else if (x->identifying)
        server->service.identify(server->service.context, &x->open);
    else
        server->service.handle(server->service.context, &x->open);
    if (x->open.wait != NULL)
        x->open.wait(x->open.wait_context, work_again, x); /* which may have happened already */
    else
        resume_connection(x);
}

/* False: the server is stopping. */
static bool
suspend(struct exchange *x)
{
    struct http_server *server = x->server;
    connection_enter(x->connection, STAGE_WORKING);
    /* Increments first, then checks the mode; http_server_drain() sets the mode first, then reads
     * the count. So either drain waits for this exchange or this exchange sees the mode. */
    atomic_fetch_add(&server->suspended, 1);
    if (atomic_load(&server->connections.mode) == CONNECTIONS_CUT) {
        atomic_fetch_sub(&server->suspended, 1);
        return false;
    }
    exchange_set_step(x, STEP_WORKING);
    MHD_suspend_connection(x->handle); /* before another thread can resume it */
    return true;
}

/* MHD_NO closes the connection: the server is stopping and would not send the response. */
enum MHD_Result
exchange_work_start(struct exchange *x)
{
    if (!suspend(x))
        return MHD_NO;
    submit(x);
    return MHD_YES;
}

/* From any thread. Must be the last use of the exchange by this thread. */
static void
awaited(void *argument)
{
    struct exchange *x = argument;
    struct http_server *server = x->server;
    exchange_set_step(x, STEP_AWAITED);
    MHD_resume_connection(x->handle);
    atomic_fetch_sub(&server->suspended, 1);
}

/* The callback may run before this function returns, on any thread. Nothing of the exchange may be
 * used after the call. */
enum MHD_Result
exchange_work_await(struct exchange *x)
{
    struct http_server *server = x->server;
    if (!suspend(x))
        return MHD_NO;
    server->service.await(server->service.context, &x->open, awaited, x);
    return MHD_YES;
}
