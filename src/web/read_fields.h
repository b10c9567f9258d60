/* read_fields.h - parses and checks the fields that a route declares, before its handler runs.
 *
 * A field sent without a value counts as not sent (RFC 6749 §3.1). A field sent twice is rejected,
 * and an undeclared field is ignored; read_fields_warn() names it. Values are in the request's
 * arena. Call from the thread that handles the request. */
#ifndef WEB_READ_FIELDS_H
#define WEB_READ_FIELDS_H

#include "base/err.h"

struct call;
struct json;

/* Fills call->fields in the order of the route's field list. ERR_INVALID: at least one field is
 * invalid, and each problem was added with error_add_detail(). */
enum err read_fields(struct call *call);

/* Writes the member "warnings", an array with one sentence for each query parameter that the route
 * does not declare, with the name that was probably meant. Writes nothing if there is none. */
void read_fields_warn(struct call *call, struct json *out);

#endif
