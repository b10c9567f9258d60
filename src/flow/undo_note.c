#include "flow/undo_note.h"

#include "base/arena.h"
#include "base/buf.h"
#include "crypt/random.h"
#include "store/undo_store.h"
#include "text/json_read.h"
#include "text/json_write.h"

/* An action touches three facts at most, but each may have been said by many apps. */
#define NOTE_MAX ((size_t)1024 * 1024)

enum err
undo_look(struct db_tx *tx, struct arena *mem, struct str user_id, struct str domain,
          struct undo_scene *before)
{
    *before = (struct undo_scene){ .user_id = user_id, .domain = domain };
    return atom_store_list_sourced(tx, mem, user_id, domain, &before->atoms, &before->count);
}

/* ---- what differs ---- */

static bool
is_same(const struct sourced_atom *a, const struct sourced_atom *b)
{
    bool same =
        a->atom.status == b->atom.status && a->atom.by_user == b->atom.by_user &&
        a->atom.suppressed_at == b->atom.suppressed_at &&
        a->atom.created_at == b->atom.created_at && a->atom.updated_at == b->atom.updated_at &&
        str_eq(a->atom.value, b->atom.value) && str_eq(a->atom.reason, b->atom.reason) &&
        str_eq(a->atom.suppressed_by, b->atom.suppressed_by) && a->source_count == b->source_count;
    for (size_t i = 0; same && i < a->source_count; i++)
        same = str_eq(a->sources[i].source, b->sources[i].source) &&
               a->sources[i].created_at == b->sources[i].created_at &&
               a->sources[i].updated_at == b->sources[i].updated_at;
    return same;
}

/* Both are in the order of their sequence, which an atom keeps for life. */
static size_t
find_changes(const struct undo_scene *before, const struct undo_scene *after,
             struct undo_change *out)
{
    size_t b = 0, a = 0, count = 0;
    while (b < before->count || a < after->count) {
        const struct sourced_atom *was = b < before->count ? &before->atoms[b] : NULL;
        const struct sourced_atom *is = a < after->count ? &after->atoms[a] : NULL;
        if (was != NULL && is != NULL && was->atom.sequence != is->atom.sequence) {
            if (was->atom.sequence < is->atom.sequence)
                is = NULL;
            else
                was = NULL;
        }
        b += was != NULL;
        a += is != NULL;
        if (was != NULL && is != NULL && is_same(was, is))
            continue;
        out[count] = (struct undo_change){ 0 };
        if (was != NULL)
            out[count].before = *was;
        if (is != NULL)
            out[count].after = *is;
        count++;
    }
    return count;
}

/* ---- as JSON ---- */

static void
write_side(struct json *json, const char *key, const struct sourced_atom *side)
{
    const struct atom *atom = &side->atom;
    if (!str_present(atom->id))
        return;
    json_key(json, key);
    json_open_object(json);
    json_put_str(json, "id", atom->id);
    json_put_str(json, "member", atom->member);
    json_put_str(json, "key", atom->key);
    json_put_str(json, "value", atom->value);
    json_put_str(json, "status", str_of(atom_status_name(atom->status)));
    json_put_str(json, "reason", atom->reason);
    json_put_str(json, "suppressed_by", atom->suppressed_by);
    json_put_int(json, "suppressed_at", atom->suppressed_at);
    json_put_bool(json, "by_user", atom->by_user);
    json_put_int(json, "sequence", atom->sequence);
    json_put_int(json, "created_at", atom->created_at);
    json_put_int(json, "updated_at", atom->updated_at);
    json_key(json, "sources");
    json_open_array(json);
    for (size_t i = 0; i < side->source_count; i++) {
        json_open_object(json);
        json_put_str(json, "source", side->sources[i].source);
        json_put_int(json, "created_at", side->sources[i].created_at);
        json_put_int(json, "updated_at", side->sources[i].updated_at);
        json_close_object(json);
    }
    json_close_array(json);
    json_close_object(json);
}

static struct str
read_text(const struct json_value *object, const char *key)
{
    const struct json_value *value = json_member(object, key);
    return value != NULL && value->type == JSON_STR ? value->text : STR_NONE;
}

static int64_t
read_int(const struct json_value *object, const char *key)
{
    const struct json_value *value = json_member(object, key);
    return value != NULL ? value->integer : 0;
}

static bool
read_side(struct arena *mem, struct str domain, const struct json_value *change, const char *key,
          struct sourced_atom *out)
{
    const struct json_value *side = json_member(change, key);
    *out = (struct sourced_atom){ 0 };
    if (side == NULL)
        return true;
    const struct json_value *sources = json_member(side, "sources");
    out->source_count = sources == NULL ? 0 : sources->count;
    out->atom = (struct atom){ .id = read_text(side, "id"),
                               .domain = domain,
                               .member = read_text(side, "member"),
                               .key = read_text(side, "key"),
                               .value = read_text(side, "value"),
                               .reason = read_text(side, "reason"),
                               .suppressed_by = read_text(side, "suppressed_by"),
                               .suppressed_at = read_int(side, "suppressed_at"),
                               .by_user = read_int(side, "by_user") != 0,
                               .source_count = (int64_t)out->source_count,
                               .sequence = read_int(side, "sequence"),
                               .created_at = read_int(side, "created_at"),
                               .updated_at = read_int(side, "updated_at") };
    out->sources = ARENA_ARRAY(mem, struct atom_source, out->source_count);
    for (size_t i = 0; i < out->source_count; i++) {
        const struct json_value *one = &sources->children[i];
        out->sources[i] = (struct atom_source){ .atom_id = out->atom.id,
                                                .source = read_text(one, "source"),
                                                .created_at = read_int(one, "created_at"),
                                                .updated_at = read_int(one, "updated_at") };
    }
    return str_present(out->atom.id) &&
           atom_status_read(read_text(side, "status"), &out->atom.status);
}

enum err
undo_read(struct arena *mem, struct str domain, struct str json, struct undo_change **out,
          size_t *count)
{
    const struct json_value *changes = NULL;
    if (json_read(mem, json, 5, &changes, NULL) != ERR_NONE || changes->type != JSON_ARRAY)
        return ERR_INTERNAL;
    *out = ARENA_ARRAY(mem, struct undo_change, changes->count);
    *count = changes->count;
    for (size_t i = 0; i < changes->count; i++)
        if (!read_side(mem, domain, &changes->children[i], "before", &(*out)[i].before) ||
            !read_side(mem, domain, &changes->children[i], "after", &(*out)[i].after))
            return ERR_INTERNAL;
    return ERR_NONE;
}

/* ---- keeping ---- */

enum err
undo_keep(struct db_tx *tx, struct arena *mem, const struct undo_scene *before, int64_t now,
          struct str *id)
{
    struct undo_scene after;
    struct buf text = buf_in(mem, NOTE_MAX);
    struct json json = json_into(&text);
    *id = STR_NONE;
    enum err err = undo_look(tx, mem, before->user_id, before->domain, &after);
    if (err)
        return err;
    struct undo_change *changes = ARENA_ARRAY(mem, struct undo_change, before->count + after.count);
    size_t count = find_changes(before, &after, changes);
    json_open_array(&json);
    for (size_t i = 0; i < count; i++) {
        json_open_object(&json);
        write_side(&json, "before", &changes[i].before);
        write_side(&json, "after", &changes[i].after);
        json_close_object(&json);
    }
    json_close_array(&json);
    if (count == 0 || text.overflow) /* too much to note is done, and cannot be undone */
        return undo_store_end(tx, mem, before->user_id);
    *id = random_id(mem, "und_");
    return undo_store_put(tx, mem, before->user_id,
                          &(struct undo_row){ .id = *id,
                                              .domain = before->domain,
                                              .changes = buf_str(&text),
                                              .ends_at = now + UNDO_SECONDS });
}
