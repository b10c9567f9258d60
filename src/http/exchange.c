#include "http/exchange.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/workers.h"
#include "http/head.h"
#include "http/state.h"

#include <stdlib.h>
#include <string.h>

enum step {
    STEP_HEAD,    /* waiting for the head */
    STEP_BODY,    /* reading the body */
    STEP_DISCARD, /* response is ready; reading and dropping the rest of the body */
    STEP_WORKING, /* on a worker; the connection is suspended */
    STEP_READY,   /* response is ready */
    STEP_SENT,
};

struct exchange {
    struct http_exchange open; /* the part that the service sees */
    struct http_server *server;
    struct connection *connection;
    struct MHD_Connection *handle;
    struct exchange *next; /* in the pool */
    _Atomic int step;      /* enum step; a worker and the library's thread may set it in turn */
    bool seen_by_service;  /* `done` must be called */
    bool identified;       /* `identify` was called */
    bool identifying;      /* … and is running on a worker */
    bool large;            /* has set large_body */
    size_t target_len;
    size_t body_capacity;
    size_t dropped;
    char id[17];
    char client[ADDRESS_TEXT_MAX];
    char network[ADDRESS_TEXT_MAX];
    struct head head;
};

/* Everything before is visible to the thread that sees the step. */
static void
set_step(struct exchange *x, enum step step)
{
    atomic_store_explicit(&x->step, (int)step, memory_order_release);
}

/* ---- pool ---- */

void
exchange_pool_start(struct exchange_pool *pool)
{
    pthread_mutex_init(&pool->lock, NULL);
}

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

/* ---- response ---- */

static _Noreturn void
header_defect(const char *name, const char *what)
{
    fprintf(stderr, "penchant: defect: response header %s %s\n", name, what);
    abort();
}

static bool
breaks_line(const char *text)
{
    return strchr(text, '\n') != NULL || strchr(text, '\r') != NULL;
}

void
http_response_header(struct http_response *response, const char *name, const char *value)
{
    if (breaks_line(name) || breaks_line(value))
        header_defect("(name withheld)", "has a line break in it");
    if (response->header_count == HTTP_HEADERS_MAX)
        header_defect(name, "is one too many");
    response->headers[response->header_count++] = (struct http_header_line){ name, value };
}

static void
add_header(struct MHD_Response *response, const char *name, const char *value)
{
    if (MHD_add_response_header(response, name, value) != MHD_YES)
        log_error("http_header_not_sent", log_text("name", str_of(name)));
}

/* A response without a status, or with a head that cannot be sent, is a bug in the service; respond
 * anyway. */
static void
check_response(struct http_response *reply)
{
    size_t bytes = 0;
    for (size_t i = 0; i < reply->header_count; i++)
        bytes += strlen(reply->headers[i].name) + strlen(reply->headers[i].value) + 4;
    if (reply->status != 0 && bytes <= HTTP_RESPONSE_HEAD_MAX)
        return;
    log_error("http_response_invalid", log_number("status", reply->status),
              log_number("head_bytes", (int64_t)bytes));
    *reply = (struct http_response){ .status = 500, .close = reply->close };
}

static enum MHD_Result
send_response(struct exchange *x)
{
    struct http_response *reply = &x->open.response;
    check_response(reply);
    struct str body = reply->body;
    if (reply->status == 204 || reply->status == 304)
        body.len = 0;
    struct MHD_Response *response = MHD_create_response_from_buffer(
        body.len, (void *)(uintptr_t)(body.len == 0 ? "" : body.ptr), MHD_RESPMEM_PERSISTENT);
    if (response == NULL)
        return MHD_NO;
    for (size_t i = 0; i < reply->header_count; i++)
        add_header(response, reply->headers[i].name, reply->headers[i].value);
    add_header(response, "X-Request-Id", x->id);
    /* The library parses chunks leniently, so a proxy may disagree about where the body ends. Close
     * the connection, so that nothing after it is read as a request. */
    if (reply->close || x->head.length == HEAD_CHUNKED ||
        atomic_load(&x->server->connections.mode) != CONNECTIONS_SERVE)
        add_header(response, "Connection", "close");
    set_step(x, STEP_SENT);
    connection_enter_response(x->connection, body.len);
    enum MHD_Result queued = MHD_queue_response(x->handle, (unsigned)reply->status, response);
    MHD_destroy_response(response);
    return queued;
}

/* Responds before the body was read. After a response at the head, the library drops all further
 * bytes as body, so the connection must close unless the body is read first. */
static enum MHD_Result
respond_early(struct exchange *x)
{
    const struct head *head = &x->head;
    bool small = head->length >= 0 && head->length <= HTTP_DISCARD_MAX;
    if (small && !head->expects_continue && !x->open.response.close) {
        set_step(x, STEP_DISCARD);
        connection_enter(x->connection, STAGE_BODY);
        return MHD_YES;
    }
    x->open.response.close = true;
    x->connection->lingers = true;
    return send_response(x);
}

static void
refuse(struct exchange *x, enum http_refusal refusal, const char *detail)
{
    struct http_server *server = x->server;
    atomic_fetch_add_explicit(&server->refused[refusal], 1, memory_order_relaxed);
    x->seen_by_service = true;
    server->service.refuse(server->service.context, &x->open, refusal, detail);
}

/* After a rejected head the following bytes cannot be trusted to be a request. */
static enum MHD_Result
refuse_at_head(struct exchange *x, enum http_refusal refusal, const char *detail)
{
    refuse(x, refusal, detail);
    x->open.response.close = true;
    x->connection->lingers = !x->connection->over_limit;
    return send_response(x);
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
    set_step(x, STEP_HEAD);
    x->seen_by_service = false;
    x->identified = x->identifying = x->large = false;
    x->body_capacity = x->dropped = 0;
    x->head.count = 0;
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

/* Leaves STEP_WORKING. After `identify` the body is read on, or dropped if there is a response. */
static void
finish_work(struct exchange *x)
{
    if (!x->identifying) {
        set_step(x, STEP_READY);
        return;
    }
    x->identifying = false;
    connection_enter(x->connection, STAGE_BODY);
    set_step(x, x->open.response.status == 0 ? STEP_BODY : STEP_DISCARD);
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
    finish_work(x);
    MHD_resume_connection(x->handle);
    atomic_fetch_sub(&server->suspended, 1);
}

static enum MHD_Result
run_on_worker(struct exchange *x)
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
    set_step(x, STEP_WORKING);
    MHD_suspend_connection(x->handle); /* before the worker can resume it */
    if (workers_submit(x->open.hashes ? server->hashers : server->workers, work, x))
        return MHD_YES;
    refuse(x, HTTP_OVERLOADED, NULL);
    finish_work(x);
    MHD_resume_connection(x->handle);
    atomic_fetch_sub(&server->suspended, 1);
    return MHD_YES;
}

static enum MHD_Result
on_request(struct exchange *x)
{
    struct http_server *server = x->server;
    if (x->large)
        arena_reserve(x->open.mem, HTTP_LARGE_BODY_MEMORY * x->open.request.body.len);
    if (arena_excess(x->open.mem)) {
        refuse(x, HTTP_OVERLOADED, NULL);
        return send_response(x);
    }
    if (x->open.blocks && !connection_read_shutdown(x->connection))
        return run_on_worker(x);
    server->service.handle(server->service.context, &x->open);
    return send_response(x);
}

/* Whether the caller must be identified before so many bytes of the body are read. */
static bool
must_identify(const struct exchange *x, int64_t bytes)
{
    return bytes > HTTP_SMALL_BODY && !x->identified && x->server->service.identify != NULL;
}

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
    if (x->connection->over_limit)
        return refuse_at_head(x, HTTP_TOO_MANY_CONNECTIONS, NULL);
    if (!fine)
        return refuse_at_head(x, problem.refusal, problem.detail);

    x->seen_by_service = true;
    server->service.head(server->service.context, &x->open);
    if (x->open.response.status == 0 && x->head.length > 0 &&
        (uint64_t)x->head.length > x->open.body_max)
        return refuse_at_head(x, HTTP_BODY_TOO_LARGE, NULL);
    if (x->open.memory_max != 0)
        arena_limit(x->open.mem, x->open.memory_max, &server->memory);
    if (x->open.response.status == 0 && must_identify(x, x->head.length) &&
        !x->open.identify_blocks) {
        x->identified = true;
        server->service.identify(server->service.context, &x->open);
    }
    if (x->open.response.status != 0)
        return respond_early(x);
    set_step(x, STEP_BODY);
    if (x->head.length != 0)
        connection_enter(x->connection, STAGE_BODY);
    return MHD_YES;
}

/* Ensures capacity for `need` body bytes. Doubles, but never exceeds the announced length. */
static char *
reserve_body(struct exchange *x, size_t need)
{
    struct str *body = &x->open.request.body;
    char *old = (char *)(uintptr_t)body->ptr;
    if (need <= x->body_capacity)
        return old;
    size_t most = x->head.length > 0 ? (size_t)x->head.length : x->open.body_max;
    size_t capacity = x->body_capacity * 2 < 16 * 1024 ? 16 * 1024 : x->body_capacity * 2;
    if (capacity < need)
        capacity = need;
    if (capacity > most)
        capacity = most;
    x->body_capacity = capacity;
    body->ptr = arena_grow(x->open.mem, old, body->len, capacity);
    return (char *)(uintptr_t)body->ptr;
}

static enum MHD_Result
refuse_body(struct exchange *x, enum http_refusal refusal)
{
    refuse(x, refusal, NULL);
    set_step(x, STEP_DISCARD);
    return MHD_YES;
}

static enum MHD_Result
identify_sender(struct exchange *x)
{
    struct http_server *server = x->server;
    x->identified = x->identifying = true;
    if (x->open.identify_blocks && !connection_read_shutdown(x->connection))
        return run_on_worker(x);
    server->service.identify(server->service.context, &x->open);
    finish_work(x);
    return MHD_YES;
}

static enum MHD_Result
gather(struct exchange *x, const char *data, size_t size)
{
    struct str *body = &x->open.request.body;
    if (size > x->open.body_max - body->len) /* only chunked bodies: Content-Length was checked */
        return refuse_body(x, HTTP_BODY_TOO_LARGE);
    memcpy(reserve_body(x, body->len + size) + body->len, data, size);
    body->len += size;
    bool over = arena_excess(x->open.mem) != ARENA_WITHIN_LIMITS;
    if (body->len > HTTP_LARGE_BODY && !x->large) {
        x->large = !atomic_exchange(&x->server->large_body, true);
        over = over || !x->large;
    }
    if (over)
        return refuse_body(x, HTTP_OVERLOADED);
    return must_identify(x, (int64_t)body->len) ? identify_sender(x) : MHD_YES;
}

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
        return more > 0 ? gather(x, data, more) : on_request(x);
    case STEP_DISCARD:
        x->dropped += more;
        return more == 0 ? send_response(x) : x->dropped < HTTP_DROPPED_MAX ? MHD_YES : MHD_NO;
    case STEP_READY:
        return send_response(x);
    case STEP_WORKING: /* the library calls once more if it has another chunk: not now */
        *size = more;
        break;
    case STEP_SENT:
        break;
    }
    return MHD_YES;
}

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
