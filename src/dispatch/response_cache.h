/* response_cache.h - what is asked for again and again, from memory.
 *
 * Four things are kept, within the setting `cache`: the app that proves who it is, the access that
 * a token gives, whole answers to a token's GET, and whole introspections. What is kept is used
 * only while it is exactly what the store would say: of an app as long as no commit has touched it;
 * of a token as long as none has touched the rows it hangs on (see token_access_stamp) and nothing
 * of it has run out; of an answer, for the token it was given to, as long as the access and the
 * person's generation are the same.
 * Where other processes write to the store, every request asks for the app, the token's state and
 * the generation, and only answers are kept.
 *
 * Nothing secret lies here: keys are fingerprints, and an app has only hashes of its secrets. */
#ifndef DISPATCH_RESPONSE_CACHE_H
#define DISPATCH_RESPONSE_CACHE_H

#include "base/err.h"
#include "base/str.h"

struct access;
struct app;
struct call;

/* As app_find(): *out has no id if there is none. */
enum err response_cache_app(struct call *call, struct str id, struct app *out);

/* False: ask the store, then keep what it says. */
bool response_cache_access(struct call *call, struct str token, struct access *out);
void response_cache_put_access(struct call *call, struct str token, struct access *access);

/* After the token is known: true if the call is answered. Otherwise its answer is kept once it is
 * finished, if the row says so. */
bool response_cache_answer(struct call *call);

/* Before the app has proved who it is: what it sent is byte for byte what it has proved it with
 * before. True if the call is answered. */
bool response_cache_introspection(struct call *call);

/* This answer about a live token is worth keeping under what was sent. */
void response_cache_want_introspection(struct call *call, struct access *access);

/* From reply.c: the body is there, `tag` is its ETag or absent. */
void response_cache_put(struct call *call, struct str tag, struct str body);

#endif
