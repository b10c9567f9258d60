/* accept_header.h - evaluates Accept headers (RFC 9110 §12.5.1). Pure; any thread may call them. */
#ifndef WEB_ACCEPT_HEADER_H
#define WEB_ACCEPT_HEADER_H

#include "base/str.h"

/* Whether the Accept header puts text/html before application/json, as a browser's does. Absent,
 * or the same for both: no. */
bool accept_prefers_page(struct str accept);

/* One part of a list ("de;q=0.8"): its name, and its weight in thousandths. */
int accept_weight(struct str part, struct str *name);

#endif
