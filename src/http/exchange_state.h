/* exchange_state.h - the state of one exchange, and the steps that exchange.c calls in turn.
 * Private to the files exchange*.c. The library's thread and a worker use an exchange in turn,
 * never at once. */
#ifndef HTTP_EXCHANGE_STATE_H
#define HTTP_EXCHANGE_STATE_H

#include "base/trace.h"
#include "http/head.h"
#include "http/server_state.h"

#include <microhttpd.h>

enum step {
    STEP_HEAD,    /* waiting for the head */
    STEP_BODY,    /* reading the body */
    STEP_DISCARD, /* response is ready; reading and dropping the rest of the body */
    STEP_AWAITS,  /* complete; the library calls again after it has read other connections */
    STEP_WORKING, /* on a worker, or waiting; the connection is suspended */
    STEP_AWAITED, /* … and it was resumed, to be handled by the library's thread */
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
    char traceparent[TRACEPARENT_LENGTH + 1]; /* of the response; empty: none */
    char client[ADDRESS_TEXT_MAX];
    char network[ADDRESS_TEXT_MAX];
    struct head head;
};

/* Everything before is visible to the thread that sees the step. */
static inline void
exchange_set_step(struct exchange *x, enum step step)
{
    atomic_store_explicit(&x->step, (int)step, memory_order_release);
}

/* ---- exchange_body.c ---- */

/* Whether the caller must be identified before this number of bytes of the body is read. */
bool exchange_body_must_identify(const struct exchange *x, int64_t bytes);

/* Adds a piece of the body, or refuses it. */
enum MHD_Result exchange_body_add(struct exchange *x, const char *data, size_t size);

/* ---- exchange_work.c ---- */

/* Suspends the connection and runs `identify` or `handle` on a worker. */
enum MHD_Result exchange_work_start(struct exchange *x);

/* Suspends the connection until what `await` waits for has happened, then enters STEP_AWAITED. */
enum MHD_Result exchange_work_await(struct exchange *x);

/* Leaves STEP_WORKING. After `identify` the body is read on, or dropped if there is a response. */
void exchange_work_finish(struct exchange *x);

/* ---- exchange_response.c ---- */

enum MHD_Result exchange_response_send(struct exchange *x);

/* Responds before the body was read. */
enum MHD_Result exchange_response_send_early(struct exchange *x);

/* Lets the service write the response to a request that the server rejects. */
void exchange_response_refuse(struct exchange *x, enum http_refusal refusal, const char *detail);

/* … and sends it, then closes the connection. */
enum MHD_Result exchange_response_refuse_head(struct exchange *x, enum http_refusal refusal,
                                              const char *detail);

#endif
