/* exchange.c - takes one exchange from step to step (enum step).
 *
 * The library's thread calls exchange_begin() after the request line, exchange_continue() at every
 * event, and exchange_end() at the end. The meaning of an event depends only on the step. A request
 * is answered by the library's thread at once, on a worker while the connection is suspended, or,
 * if it awaits a change of the store, by the library's thread again: in its next round
 * (STEP_AWAITS) or after another thread has resumed the connection (STEP_AWAITED).
 *
 * Exchanges are reused with their arenas, so exchange_begin() resets every member. */
#include "http/exchange.h"

#include "base/arena.h"
#include "base/clock.h"
#include "http/exchange_state.h"

#include <stdlib.h>
#include <string.h>

/* ---- pool ---- */

void
exchange_pool_start(struct exchange_pool *pool)
{
    pthread_mutex_init(&pool->lock, NULL);
}

/* Only exchanges in the pool are freed, so every request must have ended. */
void
exchange_pool_stop(struct exchange_pool *pool)
{
    struct exchange *next;
    for (struct exchange *x = pool->first; x != NULL; x = next) {
        next = x->next;
        arena_free(x->open.mem);
        free(x);
    }
    pthread_mutex_destroy(&pool->lock);
}

/* A new exchange is zeroed; a reused one still has the state of its last request, which
 * exchange_begin() resets. */
static struct exchange *
pool_take(struct exchange_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    struct exchange *x = pool->first;
    if (x != NULL) {
        pool->first = x->next;
        pool->count--;
    }
    pthread_mutex_unlock(&pool->lock);
    if (x != NULL)
        return x;
    x = memory_alloc(1, sizeof *x);
    x->open.mem = arena_new();
    return x;
}

/* At most HTTP_EXCHANGES_KEPT are kept, so that the memory of a burst is returned to the system. */
static void
pool_give(struct exchange_pool *pool, struct exchange *x)
{
    arena_reset(x->open.mem); /* outside the lock, because wiping takes time */
    pthread_mutex_lock(&pool->lock);
    bool kept = pool->count < HTTP_EXCHANGES_KEPT;
    if (kept) {
        x->next = pool->first;
        pool->first = x;
        pool->count++;
    }
    pthread_mutex_unlock(&pool->lock);
    if (!kept) {
        arena_free(x->open.mem);
        free(x);
    }
}

/* ---- request ---- */

/* Hides the query from the library, which would parse it into memory that a few hundred fields
 * exhaust, and then close the connection without a response. The service parses the target itself.
 * Writing to the text is safe: it is the library's buffer, which the library modifies next. */
static void
hide_query(const char *target)
{
    char *query = strchr((char *)(uintptr_t)target, '?');
    if (query != NULL)
        query[1] = '\0';
}

/* The library calls this when it has read the request line, before the headers. The result is the
 * argument `request` of later calls. */
void *
exchange_begin(void *argument, const char *target, struct MHD_Connection *handle)
{
    struct http_server *server = argument;
    struct exchange *x = pool_take(&server->exchanges);
    struct arena *mem = x->open.mem;
    x->open = (struct http_exchange){ .mem = mem };
    arena_limit(mem, HTTP_REQUEST_MEMORY, &server->memory);
    x->server = server;
    x->handle = handle;
    x->connection =
        MHD_get_connection_info(handle, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
    exchange_set_step(x, STEP_HEAD);
    x->seen_by_service = false;
    x->identified = x->identifying = x->large = false;
    x->body_capacity = x->dropped = 0;
    x->head.count = 0;
    x->traceparent[0] = '\0';
    x->head.length = 0;
    /* Copied, because the library modifies it in place. */
    x->target_len = strlen(target);
    x->open.request.target =
        str_copy(mem, str_first((struct str){ target, x->target_len }, HTTP_TARGET_MAX));
    hide_query(target);
    connection_enter(x->connection, STAGE_HEAD);
    return x;
}

/* SipHash-2-4 of one word: without the key, an id does not reveal how many requests came before. */
static uint64_t
keyed_hash(const uint64_t key[2], uint64_t word)
{
    uint64_t a = key[0] ^ 0x736f6d6570736575u, b = key[1] ^ 0x646f72616e646f6du,
             c = key[0] ^ 0x6c7967656e657261u, d = key[1] ^ 0x7465646279746573u;
    const uint64_t words[] = { word, (uint64_t)8 << 56, 0 };
#define ROTATE(x, n) ((x) << (n) | (x) >> (64 - (n)))
    for (int round = 0; round < 8; round++) {
        uint64_t added = words[round < 4 ? round / 2 : 2];
        if (round % 2 == 0)
            d ^= added;
        if (round == 4)
            c ^= 0xff;
        a += b, b = ROTATE(b, 13) ^ a, a = ROTATE(a, 32);
        c += d, d = ROTATE(d, 16) ^ c;
        a += d, d = ROTATE(d, 21) ^ a;
        c += b, b = ROTATE(b, 17) ^ c, c = ROTATE(c, 32);
        if (round % 2 == 1)
            a ^= added;
    }
#undef ROTATE
    return a ^ b ^ c ^ d;
}

/* A hash of a counter: ids do not repeat while the process runs, and a client cannot conclude from
 * its id how many requests others make. */
static void
make_id(struct exchange *x)
{
    static const char digits[] = "0123456789abcdef";
    uint64_t count = atomic_fetch_add_explicit(&x->server->id_count, 1, memory_order_relaxed);
    uint64_t id = keyed_hash(x->server->id_key, count);
    for (size_t i = 0; i < 16; i++)
        x->id[i] = digits[id >> (60 - 4 * i) & 15];
    x->id[16] = '\0';
    x->open.request.id = (struct str){ x->id, 16 };
}

/* Several headers are as invalid as a malformed one (W3C Trace Context §3.2). */
static void
find_trace(struct exchange *x)
{
    struct str parent = head_value(&x->head, STR("traceparent"), 0);
    x->open.request.trace =
        str_present(head_value(&x->head, STR("traceparent"), 1)) ? STR_NONE : trace_id(parent);
    if (str_present(x->open.request.trace))
        trace_continue(parent, x->id, x->traceparent);
}

/* The peer is the client, unless it is a trusted proxy. Proxies append to X-Forwarded-For, so
 * headers are read from the last one, and each from its end (forwarded_walk()). */
static void
find_client(struct exchange *x)
{
    const struct connection *connection = x->connection;
    x->open.request.client = str_of(connection->peer_text);
    x->open.request.network = str_of(connection->peer_network);
    if (!connection->trusted)
        return;
    struct address client = connection->peer;
    struct str value;
    for (size_t n = 0; value = head_value(&x->head, STR("X-Forwarded-For"), n), str_present(value);
         n++)
        if (!forwarded_walk(value, &x->server->connections.trusted, &client))
            break;
    struct address network = address_network(&client);
    address_write(&client, x->client);
    address_write(&network, x->network);
    x->open.request.client = str_of(x->client);
    x->open.request.network = str_of(x->network);
}

/* The library calls again in its next round, without waiting: there is no response, and the
 * connection is not suspended. Then all requests that it read in this round await together. */
static enum MHD_Result
await_round(struct exchange *x)
{
    if (x->server->service.awaited == NULL)
        return exchange_work_await(x);
    exchange_set_step(x, STEP_AWAITS);
    return MHD_YES;
}

/* The whole request has arrived. A connection whose read side is shut down must not be suspended
 * (connection.h): its handler runs here even if it may block, which happens only while the server
 * drains. */
static enum MHD_Result
on_request(struct exchange *x)
{
    struct http_server *server = x->server;
    if (x->large) {
        size_t need = HTTP_LARGE_BODY_MEMORY * x->open.request.body.len;
        arena_reserve(x->open.mem,
                      need < HTTP_LARGE_BODY_MEMORY_MAX ? need : HTTP_LARGE_BODY_MEMORY_MAX);
    }
    if (arena_excess(x->open.mem)) {
        exchange_response_refuse(x, HTTP_OVERLOADED, NULL);
        return exchange_response_send(x);
    }
    if (server->service.body != NULL)
        server->service.body(server->service.context, &x->open);
    if (x->open.blocks && !connection_read_shutdown(x->connection))
        return x->open.awaits ? await_round(x) : exchange_work_start(x);
    server->service.handle(server->service.context, &x->open);
    return exchange_response_send(x);
}

/* The event that the request waited for has happened: it may be answered from memory. */
static enum MHD_Result
on_awaited(struct exchange *x)
{
    struct http_server *server = x->server;
    x->open.in_memory = true;
    server->service.handle(server->service.context, &x->open);
    x->open.in_memory = false;
    if (!x->open.deferred)
        return exchange_response_send(x);
    if (!connection_read_shutdown(x->connection))
        return exchange_work_start(x);
    server->service.handle(server->service.context, &x->open);
    return exchange_response_send(x);
}

/* The library has read the other requests of this round, so that one question to the store can
 * answer all of them. */
static enum MHD_Result
on_round(struct exchange *x)
{
    struct http_server *server = x->server;
    if (connection_read_shutdown(x->connection))
        return on_awaited(x);
    return server->service.awaited(server->service.context, &x->open) ? on_awaited(x)
                                                                      : exchange_work_await(x);
}

/* Client and trace are found for rejected heads too, because their error responses are logged with
 * them. If identifying the caller may block, exchange_body.c does it on a worker as soon as more
 * than HTTP_SMALL_BODY bytes have arrived. */
static enum MHD_Result
on_head(struct exchange *x, const char *method, const char *version)
{
    struct http_server *server = x->server;
    struct http_request *request = &x->open.request;
    struct head_problem problem = { HTTP_TARGET_TOO_LONG, NULL };
    x->open.started_ns = clock_ticks_ns();
    make_id(x);
    request->method = str_of(method);
    request->headers = &x->head;
    bool fine = x->target_len <= HTTP_TARGET_MAX &&
                head_read(&x->head, x->handle, method, request->target, version, &problem) &&
                (!server->library_lenient || head_check_layout(&x->head, x->handle, method,
                                                               request->target, version, &problem));
    find_client(x);
    find_trace(x);
    if (x->connection->over_limit)
        return exchange_response_refuse_head(x, HTTP_TOO_MANY_CONNECTIONS, NULL);
    if (!fine)
        return exchange_response_refuse_head(x, problem.refusal, problem.detail);

    x->seen_by_service = true;
    server->service.head(server->service.context, &x->open);
    if (x->open.response.status == 0 && x->head.length > 0 &&
        (uint64_t)x->head.length > x->open.body_max)
        return exchange_response_refuse_head(x, HTTP_BODY_TOO_LARGE, NULL);
    if (x->open.memory_max != 0)
        arena_limit(x->open.mem, x->open.memory_max, &server->memory);
    if (x->open.response.status == 0 && exchange_body_must_identify(x, x->head.length) &&
        !x->open.identify_blocks) {
        x->identified = true;
        server->service.identify(server->service.context, &x->open);
    }
    if (x->open.response.status != 0)
        return exchange_response_send_early(x);
    exchange_set_step(x, STEP_BODY);
    if (x->head.length != 0)
        connection_enter(x->connection, STAGE_BODY);
    return MHD_YES;
}

/* Called by the library whenever a request can go on. It is a state machine over `step`, which a
 * worker may have changed since the last call; the acquire pairs with the release of
 * exchange_set_step(), so that the response of a worker is visible here. */
enum MHD_Result
exchange_continue(void *server, struct MHD_Connection *handle, const char *path, const char *method,
                  const char *version, const char *data, size_t *size, void **request)
{
    struct exchange *x = *request;
    size_t more = *size;
    (void)server;
    (void)handle;
    (void)path; /* modified by the library; we have our own copy */
    *size = 0;  /* all data is consumed */
    switch ((enum step)atomic_load_explicit(&x->step, memory_order_acquire)) {
    case STEP_HEAD:
        return on_head(x, method, version);
    case STEP_BODY:
        return more > 0 ? exchange_body_add(x, data, more) : on_request(x);
    case STEP_DISCARD:
        x->dropped += more;
        return more == 0                       ? exchange_response_send(x)
               : x->dropped < HTTP_DROPPED_MAX ? MHD_YES
                                               : MHD_NO;
    case STEP_AWAITS:
        return on_round(x);
    case STEP_AWAITED:
        return on_awaited(x);
    case STEP_READY:
        return exchange_response_send(x);
    case STEP_WORKING: /* the library calls once more if it has another chunk: not now */
        *size = more;
        break;
    case STEP_SENT:
        break;
    }
    return MHD_YES;
}

/* The library calls this once per request, also if the connection was lost. The response has then
 * been sent or can no longer be sent, so the memory of the request can be reused. */
void
exchange_end(void *argument, struct MHD_Connection *handle, void **request,
             enum MHD_RequestTerminationCode how)
{
    struct http_server *server = argument;
    struct exchange *x = *request;
    (void)handle;
    (void)how;
    if (x == NULL)
        return;
    *request = NULL;
    if (x->large)
        atomic_store(&server->large_body, false);
    if (x->seen_by_service)
        server->service.done(server->service.context, &x->open);
    connection_enter(x->connection, STAGE_IDLE);
    pool_give(&server->exchanges, x);
}
