/* client_metadata.h - reads the metadata of a client (RFC 7591 §2): the body of a registration, or
 * a client ID metadata document.
 *
 * The metadata is not verified. Pure; results are allocated from `mem`, or point into
 * the document. Any thread may call them. */
#ifndef CLIENT_CLIENT_METADATA_H
#define CLIENT_CLIENT_METADATA_H

#include "base/str.h"
#include "model/scope.h"

struct arena;
struct buf;

#define CLIENT_URIS_MAX 20
#define CLIENT_PROBLEMS_MAX ((size_t)CLIENT_URIS_MAX * 512)

struct client_metadata {
    struct str client_id; /* absent: none */
    struct str name;      /* NFC, one line, 1 to 100 characters; default: where it redirects to */
    bool has_name;        /* it has a client_name */
    struct str uris[CLIENT_URIS_MAX];
    size_t uri_count;       /* at least 1 */
    struct str auth_method; /* token_endpoint_auth_method; absent: none */
    scopes scopes;          /* those of `scope` that exist */
    struct str software_id; /* absent: none */
    struct str purpose;     /* penchant_purpose, see app_purpose_problem(); absent: none */
    struct str logo_uri;    /* as sent; absent: none */
    bool has_secret;        /* it has a member whose name starts with client_secret */
    struct str keys;        /* digest of jwks_uri and jwks; absent: it has neither */
};

struct client_problem {
    const char *error;   /* RFC 7591 §3.2.2 */
    struct str sentence; /* for the client's developer */
};

/* `schemes` as for redirect_uri_problem(). False: *problem says why. */
bool client_metadata_read(struct arena *mem, struct str document, struct str schemes,
                          struct client_metadata *out, struct client_problem *problem);

/* Adds a sentence about a redirect URI, unless `problem` is NULL. */
void client_metadata_add_problem(struct buf *out, size_t index, struct str uri,
                                 const char *problem);

/* One URI per line, as apps store them. */
struct str client_metadata_join_uris(struct arena *mem, const struct client_metadata *metadata);

/* A digest of where it redirects to and of its keys, which changes if either does. */
struct str client_metadata_mark(struct arena *mem, const struct client_metadata *metadata);

/* The same for every registration of one client: "dyn_" and a digest of its name, its redirect URIs
 * without the ports of loopback hosts, its software_id, and its purpose, so that a registration
 * with the same metadata and another purpose does not change the hints of this client. */
struct str client_metadata_id(struct arena *mem, const struct client_metadata *metadata);

#endif
