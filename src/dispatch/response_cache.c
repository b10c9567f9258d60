#include "dispatch/response_cache.h"

#include "base/arena.h"
#include "crypt/fingerprint.h"
#include "dispatch/throttle.h"
#include "flow/apps.h"
#include "flow/tokens.h"
#include "model/app.h"
#include "web/call.h"
#include "web/response.h"
#include "web/state.h"

#include <stddef.h>
#include <string.h>

#define KEY_INPUT_MAX 2048 /* bytes of a builder that is worth keeping */

_Static_assert(FINGERPRINT_BYTES == CACHE_KEY_BYTES, "a key is a fingerprint");

/* ---- keys ---- */

struct key_builder {
    char bytes[KEY_INPUT_MAX];
    size_t length;
    bool too_long;
};

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

/* With its length, so that no two questions run into each other. */
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

/* ---- a struct and its texts, as bytes ---- */

struct shape {
    size_t size;
    size_t count;
    size_t texts[8]; /* where they lie in it */
};

static const struct shape access_shape = {
    sizeof(struct access),
    4,
    { offsetof(struct access, user_id), offsetof(struct access, username),
      offsetof(struct access, app_id), offsetof(struct access, token_hash) }
};

static const struct shape app_shape = {
    sizeof(struct app),
    8,
    { offsetof(struct app, id), offsetof(struct app, owner_id), offsetof(struct app, name),
      offsetof(struct app, redirect_uris), offsetof(struct app, homepage),
      offsetof(struct app, privacy_link), offsetof(struct app, secret_hash),
      offsetof(struct app, old_secret_hash) }
};

static struct str
text_in(const void *value, size_t at)
{
    struct str text;
    memcpy(&text, (const char *)value + at, sizeof text);
    return text;
}

/* The struct, its texts, and whatever is to be kept behind them. */
static struct str
pack(struct arena *mem, const struct shape *shape, const void *value, struct str behind)
{
    size_t length = shape->size + behind.len;
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
    if (behind.len > 0)
        memcpy(at, behind.ptr, behind.len);
    return (struct str){ out, length };
}

/* An absent text stays absent. Returns what was kept behind. */
static struct str
unpack(struct str kept, const struct shape *shape, void *out)
{
    memcpy(out, kept.ptr, shape->size);
    kept = str_from(kept, shape->size);
    for (size_t i = 0; i < shape->count; i++) {
        struct str text = text_in(out, shape->texts[i]);
        if (text.ptr != NULL)
            text.ptr = kept.ptr;
        memcpy((char *)out + shape->texts[i], &text, sizeof text);
        kept = str_from(kept, text.len);
    }
    return kept;
}

/* ---- apps ---- */

enum err
response_cache_app(struct call *call, struct str id, struct app *out)
{
    *out = (struct app){ 0 };
    uint64_t version = cache_enabled(call->web->cache) ? app_version(call->db, id) : 0;
    if (version == 0)
        return app_find(call->db, call->mem, id, out);
    struct key_builder builder;
    struct cache_key key;
    begin(&builder, 'c');
    add_text(&builder, id);
    add_bytes(&builder, &version, sizeof version); /* changed since: another key */
    if (!make_key(&builder, &key))
        return ERR_NOT_FOUND; /* no id is that long */
    struct str kept = cache_get(call->web->cache, call->mem, &key);
    if (str_present(kept)) {
        unpack(kept, &app_shape, out);
        return ERR_NONE;
    }
    enum err err = app_find(call->db, call->mem, id, out);
    if (!err)
        cache_put(call->web->cache, &key, pack(call->mem, &app_shape, out, STR("")));
    return err;
}

/* ---- tokens ---- */

static bool
is_current(struct call *call, const struct access *access)
{
    return access->valid_until > call->now && access->version != 0 &&
           token_access_version(call->db, access) == access->version;
}

bool
response_cache_access(struct call *call, struct str token, struct access *out)
{
    if (!cache_enabled(call->web->cache))
        return false;
    struct cache_key key = token_key(token);
    struct str kept = cache_get(call->web->cache, call->mem, &key);
    if (!str_present(kept))
        return false;
    unpack(kept, &access_shape, out);
    return is_current(call, out);
}

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

/* ---- answers ---- */

static bool
may_keep(const struct call *call)
{
    enum cached_by cached_by = call->route->cached_by;
    if (cached_by == CACHE_NOT || !cache_enabled(call->web->cache))
        return false;
    return call->access->version != 0 || (cached_by == CACHE_PREFERENCES && call->web->reads_block);
}

bool
response_cache_answer(struct call *call)
{
    const struct access *access = call->access;
    if (access == NULL || !may_keep(call))
        return false;
    struct key_builder builder;
    begin(&builder, 'a');
    add_text(&builder, call->exchange->request.target);
    /* A stamp is a sum of numbers that only rise: of one token it is never the same again, but two
     * tokens of the same person and app can meet in it, one before a change and one behind it. */
    add_text(&builder, access->token_hash);
    add_text(&builder, access->user_id);
    add_text(&builder, access->app_id);
    add_bytes(&builder, &access->scopes, sizeof access->scopes);
    add_bytes(&builder, &access->domains_limited, sizeof access->domains_limited);
    add_bytes(&builder, &access->generation, sizeof access->generation);
    add_bytes(&builder, &access->version, sizeof access->version);
    call->keep = make_key(&builder, &call->response_key);
    struct str kept =
        call->keep ? cache_get(call->web->cache, call->mem, &call->response_key) : STR_NONE;
    if (!str_present(kept))
        return false;
    size_t tag = (unsigned char)kept.ptr[0];
    call->keep = false;
    response_cached(call, str_first(str_from(kept, 1), tag), str_from(kept, 1 + tag));
    return true;
}

/* ---- introspections ---- */

bool
response_cache_introspection(struct call *call)
{
    const struct http_request *request = &call->exchange->request;
    struct key_builder builder;
    struct access access;
    if (!cache_enabled(call->web->cache))
        return false;
    begin(&builder, 'i');
    add_text(&builder, http_header(request, "Authorization"));
    add_text(&builder, request->body);
    if (!make_key(&builder, &call->response_key))
        return false;
    call->keep = true;
    struct str kept = cache_get(call->web->cache, call->mem, &call->response_key);
    if (!str_present(kept))
        return false;
    struct str body = unpack(kept, &access_shape, &access);
    if (!is_current(call, &access) ||
        throttle_wait(call->web->client_failures, request->client) != 0)
        return false; /* if throttled, client_auth() sends the 429 */
    call->keep = false;
    response_cached(call, STR_NONE, body);
    return true;
}

void
response_cache_want_introspection(struct call *call, struct access *access)
{
    if (access != NULL && call->keep)
        token_access_mark(call->db, access);
    if (access == NULL || access->version == 0 || call->app->old_secret_expires_at > call->now)
        call->keep = false; /* an old secret that still works will not for long */
    else
        call->introspected = access;
}

/* ---- keeping ---- */

static struct str
tagged(struct arena *mem, struct str tag, struct str body)
{
    char *out = arena_alloc(mem, 1 + tag.len + body.len);
    out[0] = (char)tag.len;
    if (tag.len > 0)
        memcpy(out + 1, tag.ptr, tag.len);
    if (body.len > 0)
        memcpy(out + 1 + tag.len, body.ptr, body.len);
    return (struct str){ out, 1 + tag.len + body.len };
}

void
response_cache_put(struct call *call, struct str tag, struct str body)
{
    struct str value = call->introspected != NULL
                           ? pack(call->mem, &access_shape, call->introspected, body)
                           : tagged(call->mem, tag, body);
    cache_put(call->web->cache, &call->response_key, value);
}
