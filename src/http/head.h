/* head.h - reads a request head from the library and validates it against RFC 9110 and RFC 9112.
 *
 * Private to http. The library is lenient: it accepts bare line feeds, folded lines, spaces before
 * colons, NUL (which truncates a value), and repeated lengths. A request that a proxy in front
 * reads differently allows request smuggling, so a head that deviates from the RFCs is rejected
 * here. */
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

/* `method` and `version` must point into the library's copy of the head. `target` is as sent.
 * False: `problem` has the reason. The fields are valid until the request ends. */
bool head_read(struct head *head, struct MHD_Connection *connection, const char *method,
               struct str target, const char *version, struct head_problem *problem);

/* The n-th field of that name, counted from the last; absent if there are fewer. */
struct str head_value(const struct head *head, struct str name, size_t nth_from_last);

#endif
