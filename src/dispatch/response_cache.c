/* response_cache.c - keys and contents of the cached entries.
 *
 * A key is a fingerprint of one letter for the kind of entry and of its parts: 'c' an app, 't' the
 * access of a token, 'a' a response, 'p' a part of a response, 'i' an introspection response. There
 * are two ways to invalidate. Apps and responses have a version in their key, so that a change
 * makes another key and the old entry is evicted unused. The other two carry the version with which
 * they were made, and is_current() compares it. A change while the data is read makes the entry
 * useless, never wrong: the version of an app is read first, and an access is not cached if a
 * version is newer than its read (token_access_mark()). */
#include "dispatch/response_cache.h"

#include "base/arena.h"
#include "base/timekeeper.h"
#include "crypt/fingerprint.h"
#include "dispatch/authorization_header.h"
#include "dispatch/request_activity.h"
#include "dispatch/throttle.h"
#include "flow/apps.h"
#include "flow/tokens.h"
#include "model/app.h"
#include "model/grant.h"
#include "web/call.h"
#include "web/response.h"
#include "web/state.h"

#include <stddef.h>
#include <string.h>

#define KEY_INPUT_MAX 2048 /* bytes; longer requests are not cached */

_Static_assert(FINGERPRINT_BYTES == CACHE_KEY_BYTES, "a key is a fingerprint");

/* ---- keys ---- */

/* The parts of a key one after another; make_key() hashes them. */
struct key_builder {
    char bytes[KEY_INPUT_MAX];
    size_t length;
    bool too_long;
};

/* Too long keys are not cached. The flag is kept until make_key(), so that callers need no check
 * per part. */
static void
add_bytes(struct key_builder *builder, const void *bytes, size_t count)
{
    if (count > KEY_INPUT_MAX - builder->length) {
        builder->too_long = true;
        return;
    }
    memcpy(builder->bytes + builder->length, bytes, count);
    builder->length += count;
}

static void
begin(struct key_builder *builder, char kind)
{
    builder->bytes[0] = kind;
    builder->length = 1;
    builder->too_long = false;
}

/* With its length, so that different sequences of texts have different keys. */
static void
add_text(struct key_builder *builder, struct str text)
{
    uint32_t length = (uint32_t)text.len;
    add_bytes(builder, &length, sizeof length);
    if (text.len > 0)
        add_bytes(builder, text.ptr, text.len);
}

static bool
make_key(const struct key_builder *builder, struct cache_key *out)
{
    fingerprint((struct str){ builder->bytes, builder->length }, out->bytes);
    return !builder->too_long;
}

/* Keys of tokens and of responses begin with different letters, so that one can never be read as
 * the other. The token itself is not stored: make_key() hashes it. */
static struct cache_key
token_key(struct str token)
{
    struct key_builder builder;
    struct cache_key key;
    begin(&builder, 't');
    add_text(&builder, token);
    make_key(&builder, &key);
    return key;
}

/* ---- a struct and its strings, as bytes ---- */

/* A string that is missing in the shape of its struct would point into the arena of a request that
 * has ended. */
struct shape {
    size_t size;
    size_t count;
    size_t texts[12]; /* offsets of its strings */
};

static const struct shape access_shape = {
    sizeof(struct access),
    6,
    { offsetof(struct access, user_id), offsetof(struct access, username),
      offsetof(struct access, app_id), offsetof(struct access, token_hash),
      offsetof(struct access, withheld), offsetof(struct access, purpose) }
};

static const struct shape app_shape = {
    sizeof(struct app),
    12,
    { offsetof(struct app, document), offsetof(struct app, document_mark), offsetof(struct app, id),
      offsetof(struct app, owner_id), offsetof(struct app, name),
      offsetof(struct app, redirect_uris), offsetof(struct app, homepage),
      offsetof(struct app, privacy_link), offsetof(struct app, purpose), offsetof(struct app, logo),
      offsetof(struct app, secret_hash), offsetof(struct app, old_secret_hash) }
};

/* By memcpy(), because an offset has no type. */
static struct str
text_in(const void *value, size_t at)
{
    struct str text;
    memcpy(&text, (const char *)value + at, sizeof text);
    return text;
}

/* The struct, then its strings, then `suffix`. */
static struct str
pack(struct arena *mem, const struct shape *shape, const void *value, struct str suffix)
{
    size_t length = shape->size + suffix.len;
    for (size_t i = 0; i < shape->count; i++)
        length += text_in(value, shape->texts[i]).len;
    char *out = arena_alloc(mem, length), *at = out + shape->size;
    memcpy(out, value, shape->size);
    for (size_t i = 0; i < shape->count; i++) {
        struct str text = text_in(value, shape->texts[i]);
        if (text.len > 0)
            memcpy(at, text.ptr, text.len);
        at += text.len;
    }
    if (suffix.len > 0)
        memcpy(at, suffix.ptr, suffix.len);
    return (struct str){ out, length };
}

/* NULL strings stay NULL. Returns the suffix. */
static struct str
unpack(struct str packed, const struct shape *shape, void *out)
{
    memcpy(out, packed.ptr, shape->size);
    packed = str_from(packed, shape->size);
    for (size_t i = 0; i < shape->count; i++) {
        struct str text = text_in(out, shape->texts[i]);
        if (text.ptr != NULL)
            text.ptr = packed.ptr;
        memcpy((char *)out + shape->texts[i], &text, sizeof text);
        packed = str_from(packed, text.len);
    }
    return packed;
}

/* Whether the cached data is as new as the request. If not, it is read and cached again. */
static bool
is_usable(const struct call *call)
{
    return !call->web->cache_lags || call->synced;
}

/* ---- apps ---- */

/* The version must be read before the app. */
enum err
response_cache_app(struct call *call, struct str id, struct app *out)
{
    *out = (struct app){ 0 };
    bool may_cache = cache_enabled(call->web->cache) && is_usable(call);
    uint64_t version = may_cache ? app_version(call->db, id) : 0;
    if (version == 0)
        return app_find(call->db, call->mem, id, out);
    struct key_builder builder;
    struct cache_key key;
    begin(&builder, 'c');
    add_text(&builder, id);
    add_bytes(&builder, &version, sizeof version); /* a change makes another key */
    if (!make_key(&builder, &key))
        return ERR_NOT_FOUND; /* no id is that long */
    struct str cached = cache_get(call->web->cache, call->mem, &key);
    if (str_present(cached)) {
        unpack(cached, &app_shape, out);
        return ERR_NONE;
    }
    enum err err = app_find(call->db, call->mem, id, out);
    if (!err)
        cache_put(call->web->cache, &key, pack(call->mem, &app_shape, out, STR("")));
    return err;
}

/* ---- tokens ---- */

/* valid_until is compared although the version is equal: time alone changes no version. */
static bool
is_current(struct call *call, const struct access *access)
{
    return access->valid_until > call->now && access->version != 0 &&
           !timekeeper_rejects(access->created_at, access->expires_at, call->now) &&
           token_access_version(call->db, access) == access->version;
}

/* True only if the cached access is still current and has not expired: the caller need not read the
 * store. */
bool
response_cache_access(struct call *call, struct str token, struct access *out)
{
    if (!cache_enabled(call->web->cache) || !is_usable(call))
        return false;
    struct cache_key key = token_key(token);
    struct str cached = cache_get(call->web->cache, call->mem, &key);
    if (!str_present(cached))
        return false;
    unpack(cached, &access_shape, out);
    return is_current(call, out);
}

/* token_access_mark() gives the access the version that it is valid for. 0: it changed meanwhile,
 * or versions are not known, so it must not be cached. */
void
response_cache_put_access(struct call *call, struct str token, struct access *access)
{
    if (!cache_enabled(call->web->cache))
        return;
    token_access_mark(call->db, access);
    if (access->version == 0)
        return;
    struct cache_key key = token_key(token);
    cache_put(call->web->cache, &key, pack(call->mem, &access_shape, access, STR("")));
}

/* ---- responses ---- */

static bool
may_cache(const struct call *call)
{
    return call->route->cached_by != CACHE_NOT && cache_enabled(call->web->cache) &&
           call->access->version != 0;
}

/* Sets call->response_key and call->cacheable. */
static struct str
find_response(struct call *call, char kind, struct str name)
{
    const struct access *access = call->access;
    struct key_builder builder;
    begin(&builder, kind);
    add_text(&builder, name);
    /* A version is a sum of counters that only rise. For one token it never repeats, but a token
     * before a change and another one after it can have the same sum: so the key has the token. */
    add_text(&builder, access->token_hash);
    add_text(&builder, access->user_id);
    add_text(&builder, access->app_id);
    add_text(&builder, view_digest(access->withheld));
    add_text(&builder, access->purpose);
    add_bytes(&builder, &access->allowed, sizeof access->allowed);
    add_bytes(&builder, &access->generation, sizeof access->generation);
    add_bytes(&builder, &access->version, sizeof access->version);
    call->cacheable = make_key(&builder, &call->response_key);
    return call->cacheable && is_usable(call)
               ? cache_get(call->web->cache, call->mem, &call->response_key)
               : STR_NONE;
}

/* The response belongs to the token and to the request target. Its activity is unpacked, since a
 * cached response counts for the user's activity like any other. */
bool
response_cache_send(struct call *call)
{
    const struct access *access = call->access;
    if (access == NULL || !may_cache(call))
        return false;
    struct str cached = find_response(call, 'a', call->exchange->request.target);
    if (!str_present(cached))
        return false;
    /* As with_activity() wrote it. */
    size_t tag = (unsigned char)cached.ptr[0];
    call->cacheable = false;
    struct str body = request_activity_unpack(call, str_from(cached, 1 + tag));
    response_cached(call, str_first(str_from(cached, 1), tag), body);
    return true;
}

/* An entry contains the entity tag with its length, unless it is absent; what the request read; and
 * the body. */
static struct str
with_activity(const struct call *call, struct str tag, struct str body)
{
    char activity[REQUEST_ACTIVITY_MAX];
    size_t length = request_activity_pack(call, activity), tagged = str_present(tag) ? 1 : 0;
    char *out = arena_alloc(call->mem, tagged + tag.len + length + body.len), *at = out;
    if (tagged)
        *at++ = (char)tag.len;
    if (tag.len > 0)
        memcpy(at, tag.ptr, tag.len);
    memcpy(at + tag.len, activity, length);
    if (body.len > 0)
        memcpy(at + tag.len + length, body.ptr, body.len);
    return (struct str){ out, tagged + tag.len + length + body.len };
}

/* Clears `cacheable`: the key now in call->response_key is that of the part, and dispatch.c must
 * not store the whole response under it. */
struct str
response_cache_part(struct call *call, struct str name)
{
    bool may_cache = cache_enabled(call->web->cache) && call->access->version != 0;
    struct str part = may_cache ? find_response(call, 'p', name) : STR_NONE;
    call->part_cacheable = may_cache && call->cacheable;
    call->cacheable = false;
    return str_present(part) ? request_activity_unpack(call, part) : part;
}

void
response_cache_put_part(struct call *call, struct str part)
{
    if (call->part_cacheable)
        cache_put(call->web->cache, &call->response_key, with_activity(call, STR_NONE, part));
}

/* ---- introspection ---- */

/* Sets call->response_key. False: the request is too long to be cached. The key contains the
 * credentials, so a wrong secret never finds an entry. */
static bool
introspection_key(struct call *call)
{
    const struct http_request *request = &call->exchange->request;
    struct key_builder builder;
    begin(&builder, 'i');
    add_text(&builder, http_header(request, "Authorization"));
    add_text(&builder, request->body);
    return make_key(&builder, &call->response_key);
}

/* The key contains the app's credentials and the token: the header and the body. A hit therefore
 * proves that both were right, and is_current() checks that the token has not changed since. */
bool
response_cache_introspection(struct call *call)
{
    const struct http_request *request = &call->exchange->request;
    struct access access;
    if (!cache_enabled(call->web->cache) || !introspection_key(call))
        return false;
    call->cacheable = true;
    if (!is_usable(call))
        return false;
    struct str cached = cache_get(call->web->cache, call->mem, &call->response_key);
    if (!str_present(cached))
        return false;
    struct str body = unpack(cached, &access_shape, &access);
    if (!is_current(call, &access) ||
        throttle_wait(call->web->client_failures, request->network) != 0)
        return false; /* if throttled, client_auth() sends the 429 */
    call->cacheable = false;
    response_cached(call, STR_NONE, body);
    return true;
}

/* Marks the response of an introspection to be cached. The app's credentials were verified at
 * call->commits, the token later: the earlier of both counts, since a change in between may concern
 * the app. */
void
response_cache_want_introspection(struct call *call, struct access *access)
{
    if (access != NULL && call->cacheable) {
        if (access->commits > call->commits)
            access->commits = call->commits; /* when the app's credentials were verified */
        token_access_mark(call->db, access);
    }
    if (access == NULL || access->version == 0 || call->app->old_secret_expires_at > call->now)
        call->cacheable = false; /* the request may have used the old secret, which expires */
    else
        call->introspected = access;
}

/* ---- whether to wait ---- */

/* Runs before the versions are synced, so it only looks whether there is an entry. */
bool
response_cache_may_hit(struct call *call)
{
    const struct route *route = call->route;
    const struct http_request *request = &call->exchange->request;
    if (!cache_enabled(call->web->cache))
        return false;
    if (route->caller == CALLER_APP)
        return route->cached_by == CACHE_TOKEN && introspection_key(call) &&
               cache_has(call->web->cache, &call->response_key);
    if (route->caller != CALLER_TOKEN)
        return false;
    struct str token = authorization_header_bearer(http_header(request, "Authorization"));
    struct cache_key key = token_key(token);
    return str_present(token) && cache_has(call->web->cache, &key);
}

/* ---- storing ---- */

/* The value begins with what a later hit needs besides the body: the access of the introspected
 * token, or the activity and the ETag. */
void
response_cache_put(struct call *call, struct str tag, struct str body)
{
    tag = str_present(tag) ? tag : STR("");
    struct str value = call->introspected != NULL
                           ? pack(call->mem, &access_shape, call->introspected, body)
                           : with_activity(call, tag, body);
    cache_put(call->web->cache, &call->response_key, value);
}
