/* hint_origins.c - writes for each member who stated its facts: the user, or ids of apps. */
#include "selection/hint_origins.h"

#include "model/atom.h"
#include "text/json_write.h"

static bool
is_written(const struct str *names, size_t count, struct str name)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(names[i], name))
            return true;
    return false;
}

static void
write_names(struct json *out, const struct hint *hint, struct str *names, size_t *count)
{
    struct str rest = hint->origin, name;
    while (str_cut(&rest, ' ', &name)) {
        if (*count == 2 * HINT_ORIGINS_MAX || is_written(names, *count, name))
            continue;
        names[(*count)++] = name;
        json_add_pieces(out, STR("\""), name, STR("\""));
    }
}

/* Writes the origins of a pick; merged: with those of later picks of the same member. */
static void
write_origin(struct json *out, const struct selection *selection, size_t index, bool merged)
{
    struct str names[2 * HINT_ORIGINS_MAX];
    size_t count = 0;
    const struct candidate *first = selection->picks[index].candidate;
    json_open_array(out);
    for (size_t i = index; i < (merged ? selection->count : index + 1); i++) {
        const struct candidate *candidate = selection->picks[i].candidate;
        if (candidate->set == first->set && candidate->hint->member == first->hint->member)
            write_names(out, candidate->hint, names, &count);
    }
    json_close_array(out);
}

/* Whether an earlier pick is of the same member. */
static bool
is_repeated(const struct selection *selection, size_t index)
{
    const struct candidate *candidate = selection->picks[index].candidate;
    for (size_t i = 0; i < index; i++)
        if (selection->picks[i].candidate->set == candidate->set &&
            selection->picks[i].candidate->hint->member == candidate->hint->member)
            return true;
    return false;
}

/* "member":["user"] */
static void
write_single(struct json *out, struct str key, struct str origin)
{
    const struct str opening = STR("\":[\""), end = STR("\"]");
    char *at = json_begin_parts(out, 1 + key.len + opening.len + origin.len + end.len);
    if (at == NULL)
        return;
    at = json_append(json_append(json_append(at, STR("\"")), key), opening);
    json_end_parts(out, json_append(json_append(at, origin), end));
}

/* Members whose hints share an array are written once, at the first of them. */
static void
write_member(struct json *out, const struct selection *selection, size_t index)
{
    const struct candidate *candidate = selection->picks[index].candidate;
    struct str key = candidate->hint->member->json_key, origin = candidate->hint->origin;
    bool shares = hint_step_shares(candidate);
    if (shares && is_repeated(selection, index))
        return;
    if (!shares && str_index(origin, ' ') == origin.len) { /* one name, as nearly always */
        write_single(out, key, origin);
        return;
    }
    json_key_name(out, key);
    write_origin(out, selection, index, shares);
}

static void
write_members(struct json *out, const struct selection *selection, size_t first)
{
    const struct hint_set *set = selection->picks[first].candidate->set;
    json_key_name(out, set->domain->name);
    json_open_object(out);
    for (size_t i = first; i < selection->count; i++)
        if (selection->picks[i].candidate->set == set)
            write_member(out, selection, i);
    json_close_object(out);
}

void
hint_origins_by_hint(struct json *out, const struct selection *selection)
{
    json_open_array(out);
    for (size_t i = 0; i < selection->count; i++)
        write_origin(out, selection, i, false);
    json_close_array(out);
}

/* Grouped by domain, as the hints are. */
void
hint_origins_by_member(struct json *out, const struct selection *selection)
{
    uint64_t written = 0;
    json_open_object(out);
    for (size_t i = 0; i < selection->count; i++) {
        uint64_t domain = (uint64_t)1 << selection->picks[i].candidate->set_index;
        if ((written & domain) == 0)
            write_members(out, selection, i);
        written |= domain;
    }
    json_close_object(out);
}
