/* document_url.h - rules for the URL of a client ID metadata document, which is the client's id.
 *
 * URLs are compared byte by byte, so a URL that can be written in two ways is not allowed. Pure;
 * any thread may call them. */
#ifndef CLIENT_DOCUMENT_URL_H
#define CLIENT_DOCUMENT_URL_H

#include "base/str.h"

#define DOCUMENT_URL_MAX 512

/* NULL if valid, else a whole sentence for the client's developer. */
const char *document_url_problem(struct str url);

/* The host of a valid URL, without the port. */
struct str document_url_host(struct str url);

#endif
