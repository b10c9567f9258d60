#include "web/hot.h"

#include "base/arena.h"
#include "crypt/fingerprint.h"
#include "flow/tokens.h"
#include "model/app.h"
#include "web/call.h"
#include "web/client_auth.h"
#include "web/reply.h"
#include "web/state.h"

#include <string.h>

#define ASKED_MAX 2048 /* bytes of a question that is worth keeping */
#define TEXTS 4        /* of an access */

_Static_assert(FINGERPRINT_BYTES == CACHE_KEY_BYTES, "a key is a fingerprint");

/* ---- keys ---- */

struct question {
    char bytes[ASKED_MAX];
    size_t length;
    bool too_long;
};

static void
add_bytes(struct question *question, const void *bytes, size_t count)
{
    if (count > ASKED_MAX - question->length) {
        question->too_long = true;
        return;
    }
    memcpy(question->bytes + question->length, bytes, count);
    question->length += count;
}

static void
begin(struct question *question, char kind)
{
    question->bytes[0] = kind;
    question->length = 1;
    question->too_long = false;
}

/* With its length, so that no two questions run into each other. */
static void
add_text(struct question *question, struct str text)
{
    uint32_t length = (uint32_t)text.len;
    add_bytes(question, &length, sizeof length);
    if (text.len > 0)
        add_bytes(question, text.ptr, text.len);
}

static bool
make_key(const struct question *question, struct cache_key *out)
{
    fingerprint((struct str){ question->bytes, question->length }, out->bytes);
    return !question->too_long;
}

static struct cache_key
token_key(struct str token)
{
    struct question question;
    struct cache_key key;
    begin(&question, 't');
    add_text(&question, token);
    make_key(&question, &key);
    return key;
}

/* ---- an access, as bytes ---- */

static struct str *const *
texts_of(struct access *access, struct str *out[TEXTS])
{
    out[0] = &access->user_id;
    out[1] = &access->username;
    out[2] = &access->app_id;
    out[3] = &access->token_hash;
    return out;
}

/* The struct, its texts, and whatever is to be kept behind them. */
static struct str
pack(struct arena *mem, const struct access *access, struct str behind)
{
    struct access copy = *access;
    struct str *texts[TEXTS];
    size_t length = sizeof copy + behind.len;
    texts_of(&copy, texts);
    for (size_t i = 0; i < TEXTS; i++)
        length += texts[i]->len;
    char *out = arena_alloc(mem, length), *at = out + sizeof copy;
    for (size_t i = 0; i < TEXTS; i++) {
        if (texts[i]->len > 0)
            memcpy(at, texts[i]->ptr, texts[i]->len);
        at += texts[i]->len;
    }
    if (behind.len > 0)
        memcpy(at, behind.ptr, behind.len);
    memcpy(out, &copy, sizeof copy);
    return (struct str){ out, length };
}

static struct str
unpack(struct str kept, struct access *out)
{
    struct str *texts[TEXTS];
    memcpy(out, kept.ptr, sizeof *out);
    kept = str_from(kept, sizeof *out);
    texts_of(out, texts);
    for (size_t i = 0; i < TEXTS; i++) {
        texts[i]->ptr = kept.ptr;
        kept = str_from(kept, texts[i]->len);
    }
    return kept;
}

static bool
is_current(struct call *call, const struct access *access)
{
    return access->live_until > call->now && access->stamp != 0 &&
           token_access_stamp(call->db, access) == access->stamp;
}

/* ---- tokens ---- */

bool
hot_access(struct call *call, struct str token, struct access *out)
{
    if (!cache_keeps(call->web->hot))
        return false;
    struct cache_key key = token_key(token);
    struct str kept = cache_get(call->web->hot, call->mem, &key);
    if (!str_present(kept))
        return false;
    unpack(kept, out);
    return is_current(call, out);
}

void
hot_keep_access(struct call *call, struct str token, struct access *access)
{
    if (!cache_keeps(call->web->hot))
        return;
    token_access_mark(call->db, access);
    if (access->stamp == 0)
        return;
    struct cache_key key = token_key(token);
    cache_put(call->web->hot, &key, pack(call->mem, access, STR("")));
}

/* ---- answers ---- */

static bool
may_keep(const struct call *call)
{
    enum hot hot = call->route->hot;
    if (hot == HOT_NOT || !cache_keeps(call->web->hot))
        return false;
    return call->access->stamp != 0 || (hot == HOT_PREFERENCES && call->web->reads_block);
}

bool
hot_answer(struct call *call)
{
    const struct access *access = call->access;
    if (access == NULL || !may_keep(call))
        return false;
    struct question question;
    begin(&question, 'a');
    add_text(&question, call->exchange->request.target);
    add_text(&question, access->user_id);
    add_text(&question, access->app_id);
    add_bytes(&question, &access->scopes, sizeof access->scopes);
    add_bytes(&question, &access->narrow_reach, sizeof access->narrow_reach);
    add_bytes(&question, &access->generation, sizeof access->generation);
    add_bytes(&question, &access->stamp, sizeof access->stamp);
    call->keep = make_key(&question, &call->hot_key);
    struct str kept = call->keep ? cache_get(call->web->hot, call->mem, &call->hot_key) : STR_NONE;
    if (!str_present(kept))
        return false;
    size_t tag = (unsigned char)kept.ptr[0];
    call->keep = false;
    reply_kept(call, str_first(str_from(kept, 1), tag), str_from(kept, 1 + tag));
    return true;
}

/* ---- introspections ---- */

bool
hot_introspection(struct call *call)
{
    const struct http_request *request = &call->exchange->request;
    struct question question;
    struct access access;
    if (!cache_keeps(call->web->hot))
        return false;
    begin(&question, 'i');
    add_text(&question, http_header(request, "Authorization"));
    add_text(&question, request->body);
    if (!make_key(&question, &call->hot_key))
        return false;
    call->keep = true;
    struct str kept = cache_get(call->web->hot, call->mem, &call->hot_key);
    if (!str_present(kept))
        return false;
    struct str body = unpack(kept, &access);
    if (!is_current(call, &access) || client_auth_waits(call, access.app_id))
        return false;
    call->keep = false;
    reply_kept(call, STR_NONE, body);
    return true;
}

void
hot_keep_introspection(struct call *call, struct access *access)
{
    if (access != NULL && call->keep)
        token_access_mark(call->db, access);
    if (access == NULL || access->stamp == 0 || call->app->old_secret_ends_at > call->now)
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
hot_keep(struct call *call, struct str tag, struct str body)
{
    struct str value = call->introspected != NULL ? pack(call->mem, call->introspected, body)
                                                  : tagged(call->mem, tag, body);
    cache_put(call->web->hot, &call->hot_key, value);
}
