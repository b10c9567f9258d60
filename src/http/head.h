/* head.h - reads a request head from the library and validates it against RFC 9110 and RFC 9112.
 *
 * Private to http. A request that a proxy in front reads differently allows request smuggling, so a
 * head that deviates from the RFCs is rejected. libmicrohttpd 1.0 rejects bare line feeds, folded
 * lines, spaces before colons, and NUL in its strict mode. 0.9.75 accepts all of them, and
 * head_check_layout() rejects them. Fields point into the library's copy of the head. Call from the
 * library's thread that reads the request. */
#ifndef HTTP_HEAD_H
#define HTTP_HEAD_H

#include "http/limits.h"
#include "http/service.h"

struct MHD_Connection;

#define HEAD_CHUNKED (-1)

struct head {
    int64_t length; /* of the body in bytes, or HEAD_CHUNKED */
    bool expects_continue;
    size_t count;
    struct head_field {
        struct str name;
        struct str value;
    } fields[HTTP_FIELDS_MAX];
};

struct head_problem {
    enum http_refusal refusal;
    const char *detail;
};

/* `target` is as sent. False: `problem` has the reason. The fields are valid until the request
 * ends. */
bool head_read(struct head *head, struct MHD_Connection *connection, const char *method,
               struct str target, const char *version, struct head_problem *problem);

/* For libmicrohttpd 0.9.75 only, after head_read(). That version parses a head in place and
 * overwrites separators with NUL, so the parts it reports must cover the head without a gap: a
 * name, NUL for the colon, blanks, the value, two NULs for CR LF, then the next name. A value
 * truncated by a NUL from the client, a line that ends in a single byte, and a folded line all
 * leave a gap. `method` and `version` must point into the library's copy of the head. */
bool head_check_layout(const struct head *head, struct MHD_Connection *connection,
                       const char *method, struct str target, const char *version,
                       struct head_problem *problem);

/* The n-th field of that name, counted from the last; absent if there are fewer. */
struct str head_value(const struct head *head, struct str name, size_t nth_from_last);

#endif
