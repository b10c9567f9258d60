/* response_cache.h - caches apps, token access, and responses in memory (setting `cache`).
 *
 * Four kinds of entries: the app of a client_id, the access that a token gives, responses to a
 * token's GET, and introspection responses. An entry is used only while it matches the database: an
 * app until a commit changes it; an access until a commit changes the rows it depends on (see
 * token_access_version()) or it expires; a response only for the same token, access, and user
 * generation. If other processes write to the database (web->cache_lags), the cache is used only
 * for a request that has waited until the versions were synced (call->synced), which dispatch.c
 * arranges for requests that may be answered from it. All others read the database.
 *
 * No secrets are cached: keys are fingerprints, and an app contains only hashes of its secrets. All
 * threads share the entries (base/cache.h); what is found is copied to the request's arena. Call
 * from the thread that handles the request. */
#ifndef DISPATCH_RESPONSE_CACHE_H
#define DISPATCH_RESPONSE_CACHE_H

#include "base/err.h"
#include "base/str.h"

struct access;
struct app;
struct call;

/* Like app_find(); *out has no id if the app does not exist. */
enum err response_cache_app(struct call *call, struct str id, struct app *out);

/* False: not cached; call token_access(), then response_cache_put_access(). */
bool response_cache_access(struct call *call, struct str token, struct access *out);
void response_cache_put_access(struct call *call, struct str token, struct access *access);

/* After authentication: true if a cached response was sent. Otherwise the response will be cached
 * when it is finished, if the route allows it. */
bool response_cache_send(struct call *call);

/* Whether something is cached for this caller, current or not: then the request may wait for the
 * versions. */
bool response_cache_may_hit(struct call *call);

/* Before client authentication: true if a cached response was sent. The key contains the header and
 * body byte for byte, so only credentials that were verified before can match. */
bool response_cache_introspection(struct call *call);

/* Requests that the introspection response for this valid token be cached. */
void response_cache_want_introspection(struct call *call, struct access *access);

/* A part of a response of a CALLER_TOKEN route that depends only on `name`, the token, and the
 * user's preferences. Absent: not cached; pass the part to response_cache_put_part(), which has the
 * name from this call. */
struct str response_cache_part(struct call *call, struct str name);
void response_cache_put_part(struct call *call, struct str part);

/* From dispatch.c, with the finished body; `tag` is its ETag or absent. */
void response_cache_put(struct call *call, struct str tag, struct str body);

#endif
