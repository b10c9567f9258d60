/* fetch.h - fetches small documents from other hosts by https.
 *
 * One thread runs all transfers; the caller does not wait, but is notified. Only GET, no redirects,
 * no proxies, no cookies, no reused connections. Certificates are always verified. Every address
 * that a host resolves to is checked when the connection is opened (public_address.h), so a second
 * lookup cannot lead elsewhere. Requests for one URL at the same time share one transfer, at most
 * FETCH_RUNNING transfers run at once, and at most FETCH_PER_HOST of them from one host.
 *
 * Safe from any thread, except that fetcher_free() must be the last call. */
#ifndef NET_FETCH_H
#define NET_FETCH_H

#include "base/str.h"

struct arena;
struct buf;
struct fetcher;

#define FETCH_RUNNING 8
#define FETCH_PER_HOST 2
#define FETCH_QUEUE 32    /* more transfers, which wait until they may run */
#define FETCH_CALLERS 512 /* that wait for a transfer, in all */

enum fetch_result {
    FETCH_DONE,        /* a complete response with a status */
    FETCH_UNREACHABLE, /* no address, no connection, no valid certificate, or a broken response */
    FETCH_TIMEOUT,     /* not complete in time */
    FETCH_TOO_LARGE,   /* the body or the head: see https_get.h */
    FETCH_FORBIDDEN,   /* the host has no address that may be used */
    FETCH_BUSY,        /* too many transfers, or the service is stopping: not attempted */
};

/* One caller's request. The caller owns it and must not touch it or `mem` until ready() is called;
 * the result is allocated from `mem`. */
struct fetch {
    struct arena *mem;
    struct str url;  /* https://, valid */
    struct str host; /* of the URL, without the port */
    enum fetch_result result;
    int status;               /* FETCH_DONE, as everything below */
    struct str type;          /* Content-Type; absent: none */
    struct str cache_control; /* Cache-Control; absent: none */
    struct str body;
    void (*ready)(void *context); /* the rest is private to fetch.c */
    void *context;
    struct fetch *next;
};

struct fetch_settings {
    const char *ca_file;    /* PEM file with trusted certificates; NULL: those of the system */
    struct str local_hosts; /* hosts, or *.hosts, whose addresses are not checked, by spaces */
    const char *user_agent;
    int64_t time_ms; /* for a transfer; connecting may take three fifths of it */
};

/* The strings must outlive the fetcher. */
struct fetcher *fetcher_start(const struct fetch_settings *settings);

/* Calls ready(context) exactly once, possibly before it returns. ready() must not block. */
void fetcher_get(struct fetcher *fetcher, struct fetch *fetch, void (*ready)(void *context),
                 void *context);

/* Ends all transfers and rejects new ones with FETCH_BUSY. */
void fetcher_cancel(struct fetcher *fetcher);

/* A metric_writer (metric.h); the context is the struct fetcher. */
void fetcher_write_metrics(struct buf *page, void *context);

/* After fetcher_cancel(), if a caller may still wait. NULL is allowed. */
void fetcher_free(struct fetcher *fetcher);

#endif
