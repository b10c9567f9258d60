/* https_get.h - one GET by https with libcurl, to a host that an attacker may have chosen. Private
 * to net/.
 *
 * Connects only to public addresses, unless the host is local, follows no redirect, and keeps two
 * headers and at most HTTPS_GET_BODY_MAX bytes of the response. The caller owns the struct, which
 * is zero before https_get_begin() and must not move until https_get_end(). The thread that runs
 * the multi handle calls these functions. */
#ifndef NET_HTTPS_GET_H
#define NET_HTTPS_GET_H

#include "base/str.h"

#include <curl/curl.h>

#define HTTPS_GET_BODY_MAX ((size_t)10 * 1024)
#define HTTPS_GET_HEAD_MAX ((size_t)16 * 1024)
#define HTTPS_GET_HEADER_MAX 200 /* a longer header is cut, which makes it invalid */

struct https_get_options {
    const char *ca_file; /* PEM file with trusted certificates; NULL: those of the system */
    const char *user_agent;
    struct curl_slist *headers;
    int64_t time_ms; /* connecting may take three fifths of it */
};

struct https_get {
    bool local;     /* set by the caller: the addresses of the host are not checked */
    CURL *curl;     /* NULL: not begun */
    bool forbidden; /* an address was refused */
    bool too_large; /* the head or the body */
    size_t head_size;
    size_t body_size;
    char type[HTTPS_GET_HEADER_MAX]; /* Content-Type; empty: none */
    char cache_control[HTTPS_GET_HEADER_MAX];
    char body[HTTPS_GET_BODY_MAX];
};

/* Adds it to the multi handle. What the options refer to must outlive it. False: it cannot run;
 * call https_get_end(). */
bool https_get_begin(struct https_get *get, const char *url,
                     const struct https_get_options *options, CURLM *multi);

/* Ends it, complete or not. The response stays in the struct. */
void https_get_end(struct https_get *get, CURLM *multi);

#endif
