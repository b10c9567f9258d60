/* document.h - validates the response to a request for a client ID metadata document.
 *
 * Pure; results are allocated from `mem`, or point into the response. Any thread may call them. */
#ifndef CLIENT_DOCUMENT_H
#define CLIENT_DOCUMENT_H

#include "client/client_metadata.h"

#define DOCUMENT_FRESH_MIN ((int64_t)5 * 60)
#define DOCUMENT_FRESH_MAX ((int64_t)24 * 3600)

struct document_response {
    int status;
    struct str type;          /* Content-Type; absent: none */
    struct str cache_control; /* Cache-Control; absent: none */
    struct str body;
};

/* The seconds for which a response may be used, from max-age, within the limits above. */
int64_t document_fresh_seconds(struct str cache_control);

/* Whether the host may have the document later: 408, 429, and 5xx. */
bool document_status_is_temporary(int status);

/* False: *problem is a sentence for the client's developer. `schemes` as for
 * redirect_uri_problem(). */
bool document_read(struct arena *mem, struct str url, const struct document_response *response,
                   struct str schemes, struct client_metadata *out, struct str *problem);

#endif
