/* exchange_body.c - collects the body of a request in the exchange's arena.
 *
 * A body is refused while it arrives if it is longer than the route allows, if requests use too
 * much memory, or if another large body is being read. The library can respond only at its end, so
 * the rest of a refused body is read and dropped (STEP_DISCARD). */
#include "http/exchange_state.h"

#include <string.h>

bool
exchange_body_must_identify(const struct exchange *x, int64_t bytes)
{
    return bytes > HTTP_SMALL_BODY && !x->identified && x->server->service.identify != NULL;
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

/* The response is ready now and is sent when the rest of the body has been dropped. */
static enum MHD_Result
refuse_body(struct exchange *x, enum http_refusal refusal)
{
    exchange_response_refuse(x, refusal, NULL);
    exchange_set_step(x, STEP_DISCARD);
    return MHD_YES;
}

/* Runs at most once per exchange. The part of the body that has arrived stays. */
static enum MHD_Result
identify_sender(struct exchange *x)
{
    struct http_server *server = x->server;
    x->identified = x->identifying = true;
    if (x->open.identify_blocks && !connection_read_shutdown(x->connection))
        return exchange_work_start(x);
    server->service.identify(server->service.context, &x->open);
    exchange_work_finish(x);
    return MHD_YES;
}

/* The limits are checked before memory is used: the length against body_max first, then the budget
 * of all requests, and at HTTP_SMALL_BODY bytes the sender is identified before more is read. */
enum MHD_Result
exchange_body_add(struct exchange *x, const char *data, size_t size)
{
    struct str *body = &x->open.request.body;
    if (size > x->open.body_max - body->len) /* only chunked bodies: Content-Length was checked */
        return refuse_body(x, HTTP_BODY_TOO_LARGE);
    memcpy(reserve_body(x, body->len + size) + body->len, data, size);
    body->len += size;
    bool over = arena_excess(x->open.mem) != ARENA_WITHIN_LIMITS;
    if (body->len > HTTP_LARGE_BODY && !x->large) {
        /* The flag belongs to the exchange that sets it, until exchange_end(). */
        x->large = !atomic_exchange(&x->server->large_body, true);
        over = over || !x->large;
    }
    if (over)
        return refuse_body(x, HTTP_OVERLOADED);
    return exchange_body_must_identify(x, (int64_t)body->len) ? identify_sender(x) : MHD_YES;
}
