/* head.h - reads a request's head from the library and holds it to RFC 9110 and 9112.
 *
 * Private to this room. The library is lenient: it takes bare line feeds, folds, spaces before
 * colons, NULs (which end a value early), repeated lengths. What it takes and another program in
 * front of us reads differently is how requests are smuggled, so a head that is not exactly as the
 * RFC writes it is refused here, whatever the library made of it. */
#ifndef HTTP_HEAD_H
#define HTTP_HEAD_H

#include "http/limits.h"
#include "http/service.h"

struct MHD_Connection;

#define HEAD_CHUNKED (-1)

struct head {
    int64_t length; /* of the body: HEAD_CHUNKED, or how many bytes */
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

/* `method`, `version`: as the library hands them over, which is into its copy of the head.
 * `target`: as it was sent. False: `problem` says why not. The fields live as long as the request.
 */
bool head_read(struct head *head, struct MHD_Connection *connection, const char *method,
               struct str target, const char *version, struct head_problem *problem);

/* The n-th field of that name, counted from the last; absent if there are not so many. */
struct str head_value(const struct head *head, struct str name, size_t nth_from_last);

#endif
