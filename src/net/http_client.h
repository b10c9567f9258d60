/* http_client.h - sends HTTP requests as an app or a browser does, for `penchant doctor`: keeps
 * cookies, verifies certificates, follows no redirect. Blocks the calling thread; one thread per
 * client. Replies are allocated in the arena of the call. */
#ifndef NET_HTTP_CLIENT_H
#define NET_HTTP_CLIENT_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct http_client;

/* NULL as `ca_file`: the certificates of the system. */
struct http_client *http_client_new(const char *ca_file);
void http_client_free(struct http_client *client); /* NULL is allowed */

struct http_call {
    const char *method;
    const char *url;
    const char *headers[6]; /* "Name: value"; NULL ends the list */
    struct str body;        /* absent: none */
};

struct http_reply {
    int status;
    struct str head;                /* the lines of the response's head */
    struct str body;                /* at most 1 MiB of it */
    int64_t certificate_expires_at; /* 0: no TLS, or unknown */
};

/* ERR_UNAVAILABLE: no response; `why` says what failed. */
enum err http_client_send(struct http_client *client, struct arena *mem,
                          const struct http_call *call, struct http_reply *reply, struct why *why);

/* The value of a header of the reply; absent if it has none. */
struct str http_reply_header(const struct http_reply *reply, const char *name);

#endif
