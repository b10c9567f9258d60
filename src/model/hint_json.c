#include "model/hint_json.h"

#include "base/arena.h"
#include "model/hint_words.h"
#include "text/json_write.h"

#define OBJECT_MAX_BYTES ((size_t)4 * 1024 * 1024)

void
told_after(struct arena *mem, const struct ladder *ladder, size_t steps, struct told *out)
{
    out->by_rung = ARENA_ARRAY(mem, const struct step *, ladder->rung_count + 1);
    out->count = steps == 0 ? 0 : (size_t)ladder->steps[steps - 1].told;
    for (size_t i = 0; i < steps; i++)
        out->by_rung[ladder->steps[i].rung] = &ladder->steps[i];
}

bool
told_first_of_domain(const struct ladder *ladder, size_t rung)
{
    for (size_t i = 0; i < rung; i++)
        if (ladder->rungs[i].card == ladder->rungs[rung].card)
            return false;
    return true;
}

/* ---- the summary ---- */

/* The sentences of a domain's summary, as rungs: everything critical, then the members that the
 * definition names, as many as it allows; if there is none of them, the domain's first hint. */
struct summary {
    size_t *rungs;
    size_t count;
};

static void
add_named(const struct ladder *ladder, const struct hint_card *card, struct str member,
          struct summary *out)
{
    for (size_t i = 0; i < ladder->rung_count; i++) {
        const struct rung *rung = &ladder->rungs[i];
        if (rung->card == card && rung->tier > 0 && str_eq(rung->hint->member->name, member)) {
            out->rungs[out->count++] = i;
            return;
        }
    }
}

static void
find_summary(struct arena *mem, const struct ladder *ladder, const struct hint_card *card,
             struct summary *out)
{
    const struct domain *domain = card->domain;
    size_t first = ladder->rung_count;
    *out = (struct summary){ ARENA_ARRAY(mem, size_t, ladder->rung_count + 1), 0 };
    for (size_t i = ladder->rung_count; i-- > 0;)
        first = ladder->rungs[i].card == card ? i : first;
    for (size_t i = first; i < ladder->rung_count && ladder->rungs[i].tier == 0; i++)
        if (ladder->rungs[i].card == card)
            out->rungs[out->count++] = i;
    for (size_t i = 0; i < domain->summary_count; i++)
        if (out->count < (size_t)domain->summary_sentences)
            add_named(ladder, card, domain->summary_members[i], out);
    if (out->count == 0)
        out->rungs[out->count++] = first;
}

static bool
is_told(const struct told *told, size_t rung)
{
    return rung < told->count;
}

/* A summary's first sentence is told before its turn has come, with as little as it can say. */
static const struct hint_level *
summary_level(const struct ladder *ladder, const struct told *told, size_t rung)
{
    return &ladder->rungs[rung].hint->levels[is_told(told, rung) ? told->by_rung[rung]->level : 0];
}

static void
write_summary(struct arena *mem, struct json *out, const struct ladder *ladder,
              const struct told *told, const struct hint_card *card)
{
    struct buf text = buf_in(mem, OBJECT_MAX_BYTES);
    struct summary summary;
    find_summary(mem, ladder, card, &summary);
    for (size_t n = 0; n < summary.count; n++) {
        size_t rung = summary.rungs[n];
        if (n > 0 && !is_told(told, rung))
            continue;
        struct buf sentence = buf_in(mem, OBJECT_MAX_BYTES);
        hint_sentence(&sentence, ladder->rungs[rung].hint, summary_level(ladder, told, rung),
                      false);
        buf_add_c(&text, text.len == 0 ? "" : " ");
        buf_add(&text, buf_str(&sentence));
    }
    json_put_str(out, "summary", buf_str(&text));
}

/* ---- members ---- */

/* How many of its values stand in an array, or 1 for a single one; 0: it is absent. What is
 * critical is whole or absent. */
static int
keyed_items(const struct ladder *ladder, const struct told *told, size_t rung)
{
    const struct hint *hint = ladder->rungs[rung].hint;
    if (!is_told(told, rung) || !told->by_rung[rung]->keyed || !str_present(hint->member->json_key))
        return 0;
    int items = hint->levels[told->by_rung[rung]->level].items;
    int limit = hint->member->json_limit;
    if (ladder->rungs[rung].tier == 0)
        return items == hint->total ? items : 0;
    return limit > 0 && limit < items ? limit : items;
}

static void
write_value(struct json *out, const struct hint_value *value)
{
    if (str_present(value->json))
        json_ready(out, value->json);
    else
        json_str(out, value->shown);
}

static void
write_member(struct json *out, const struct ladder *ladder, const struct told *told,
             const struct hint_card *card, const struct member *member)
{
    bool begun = false;
    for (size_t i = 0; i < told->count; i++) {
        const struct hint *hint = ladder->rungs[i].hint;
        int items = keyed_items(ladder, told, i);
        if (ladder->rungs[i].card != card || hint->member != member || items == 0)
            continue;
        if (!begun) {
            json_key_str(out, member->json_key);
            if (member->type == MEMBER_ARRAY)
                json_open_array(out);
        }
        begun = true;
        for (int v = 0; v < items; v++)
            write_value(out, &hint->values[v]);
    }
    if (begun && member->type == MEMBER_ARRAY)
        json_close_array(out);
}

/* ---- the object ---- */

struct str
hint_json_object(struct arena *mem, const struct ladder *ladder, const struct told *told)
{
    struct buf text = buf_in(mem, OBJECT_MAX_BYTES);
    struct json json = json_into(&text);
    json_open_object(&json);
    for (size_t i = 0; i < told->count; i++) {
        const struct hint_card *card = ladder->rungs[i].card;
        if (!told_first_of_domain(ladder, i))
            continue;
        json_key_str(&json, card->domain->name);
        json_open_object(&json);
        write_summary(mem, &json, ladder, told, card);
        for (size_t m = 0; m < card->domain->member_count; m++)
            if (str_present(card->domain->members[m].json_key))
                write_member(&json, ladder, told, card, &card->domain->members[m]);
        json_close_object(&json);
    }
    json_close_object(&json);
    return buf_str(&text);
}

void
hint_json_shown(struct arena *mem, const struct ladder *ladder, const struct told *told, int *shown)
{
    for (size_t i = 0; i < ladder->rung_count; i++)
        shown[i] = keyed_items(ladder, told, i);
    for (size_t i = 0; i < told->count; i++) {
        struct summary summary;
        if (!told_first_of_domain(ladder, i))
            continue;
        find_summary(mem, ladder, ladder->rungs[i].card, &summary);
        for (size_t n = 0; n < summary.count; n++) {
            size_t rung = summary.rungs[n];
            int items =
                n == 0 || is_told(told, rung) ? summary_level(ladder, told, rung)->items : 0;
            shown[rung] = items > shown[rung] ? items : shown[rung];
        }
    }
}
