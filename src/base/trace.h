/* trace.h - the traceparent header of W3C Trace Context. Pure; any thread may call them. */
#ifndef BASE_TRACE_H
#define BASE_TRACE_H

#include "base/str.h"

#define TRACEPARENT_LENGTH 55 /* of version 00 */

/* The trace id of a traceparent, 32 hexadecimal digits; absent: it is not valid and must be
 * ignored. Points into `parent`. */
struct str trace_id(struct str parent);

/* Writes the traceparent that continues a valid one: its trace id and its flag "sampled", and the
 * span of this service, an id of 16 hexadecimal digits. */
void trace_continue(struct str parent, const char *span, char out[TRACEPARENT_LENGTH + 1]);

#endif
