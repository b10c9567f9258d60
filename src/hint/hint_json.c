#include "hint/hint_json.h"

#include "base/arena.h"
#include "domain/value_clean.h"
#include "hint/hint_words.h"
#include "hint/tokenizer.h"
#include "text/json_write.h"

#define OBJECT_MAX_BYTES ((size_t)4 * 1024 * 1024)

void
selection_after(struct arena *mem, const struct ladder *ladder, size_t steps, struct selection *out)
{
    out->by_rung = ARENA_ARRAY(mem, const struct step *, ladder->rung_count + 1);
    out->count = steps == 0 ? 0 : (size_t)ladder->steps[steps - 1].hint_count;
    for (size_t i = 0; i < steps; i++)
        out->by_rung[ladder->steps[i].rung] = &ladder->steps[i];
}

/* ---- sections ---- */

/* What follows a part: another one, another domain, or nothing. */
enum tail { BEFORE_PART, BEFORE_DOMAIN, AT_END, TAILS };
static const char closing[] = { '}', '}', ',', '"' }, opening[] = { '"', ':', '{', '"' };
static const struct str tails[TAILS] = { { closing + 2, 2 }, { closing + 1, 3 }, { closing, 2 } };

/* Cached token counts of a part, by what follows it. A part only grows from step to step, so its
 * size identifies its contents. */
struct counted {
    uint32_t grown[TAILS]; /* size + 1; 0: never counted */
    uint32_t tokens[TAILS];
};

/* A domain: the rungs of its summary, and its rungs with a key in the order of the definition. */
struct section {
    const struct hint_set *set;
    size_t *summary, summary_count;
    size_t *keyed, keyed_count;
    size_t name_tokens;
    struct counted counted; /* the summary */
};

struct hint_objects {
    struct arena *mem;
    const struct ladder *ladder;
    struct section **sections; /* by set_index; NULL: not needed yet */
    struct counted *counted;   /* members, by their first rung */
    struct part *parts;        /* scratch: the parts of one object */
    struct buf text;           /* scratch: the text of one part */
};

struct hint_objects *
hint_objects_of(struct arena *mem, const struct ladder *ladder)
{
    struct hint_objects *objects = ARENA_NEW(mem, struct hint_objects);
    objects->mem = mem;
    objects->ladder = ladder;
    objects->sections = ARENA_ARRAY(mem, struct section *, DOMAINS_MAX);
    objects->counted = ARENA_ARRAY(mem, struct counted, ladder->allowed + 1);
    objects->text = buf_in(mem, OBJECT_MAX_BYTES);
    return objects;
}

static void
add_named(const struct ladder *ladder, struct str member, struct section *section)
{
    for (size_t i = ladder->order.critical; i < ladder->rung_count; i++) {
        const struct rung *rung = &ladder->rungs[i];
        if (rung->set == section->set && str_eq(rung->hint->member->name, member)) {
            section->summary[section->summary_count++] = i;
            return;
        }
    }
}

/* The summary has all critical hints, then the definition's summary members up to its limit; if
 * none of them has a hint, the domain's first hint. */
static void
find_summary(struct arena *mem, const struct ladder *ladder, struct section *section)
{
    const struct domain *domain = section->set->domain;
    size_t first = 0;
    section->summary = ARENA_ARRAY(mem, size_t, ladder->order.critical + domain->summary_count + 1);
    for (size_t i = 0; i < ladder->order.critical; i++)
        if (ladder->rungs[i].set == section->set)
            section->summary[section->summary_count++] = i;
    for (size_t i = 0; i < domain->summary_count; i++)
        if (section->summary_count < (size_t)domain->summary_sentences)
            add_named(ladder, domain->summary_members[i], section);
    while (section->summary_count == 0 && ladder->rungs[first].set != section->set)
        first++;
    if (section->summary_count == 0)
        section->summary[section->summary_count++] = first;
    hint_open(mem, ladder->rungs[section->summary[0]]
                       .hint); /* it may be written before its rung is selected */
}

/* Only rungs that can be selected. Rungs of the same member stay in their order. */
static void
find_keyed(struct arena *mem, const struct ladder *ladder, struct section *section)
{
    section->keyed = ARENA_ARRAY(mem, size_t, ladder->allowed + 1);
    for (size_t i = 0; i < ladder->allowed; i++) {
        const struct member *member = ladder->rungs[i].hint->member;
        size_t at = section->keyed_count;
        if (ladder->rungs[i].set != section->set || !str_present(member->json_key))
            continue;
        for (; at > 0 && ladder->rungs[section->keyed[at - 1]].hint->member > member; at--)
            section->keyed[at] = section->keyed[at - 1];
        section->keyed[at] = i;
        section->keyed_count++;
    }
}

static struct section *
section_of(struct hint_objects *objects, const struct rung *rung)
{
    struct section **section = &objects->sections[rung->set_index];
    if (*section != NULL)
        return *section;
    *section = ARENA_NEW(objects->mem, struct section);
    (*section)->set = rung->set;
    find_summary(objects->mem, objects->ladder, *section);
    find_keyed(objects->mem, objects->ladder, *section);
    return *section;
}

/* ---- parts ---- */

static bool
is_selected(const struct selection *selection, size_t rung)
{
    return rung < selection->count;
}

/* A summary's first sentence has its shortest length until its rung is selected. */
static size_t
summary_level(const struct selection *selection, size_t rung)
{
    return is_selected(selection, rung) ? selection->by_rung[rung]->level : 0;
}

/* The summary says that there is none; under the key it would look like a value. */
static bool
is_none(const struct hint *hint)
{
    return hint->member->type == MEMBER_ARRAY && hint->sentence >= 0 &&
           str_eq(hint->values[0].shown, VALUE_NONE);
}

/* The number of values written under the key; 0: the key is absent. Critical members are complete
 * or absent. */
static int
keyed_items(const struct ladder *ladder, const struct selection *selection, size_t rung)
{
    const struct hint *hint = ladder->rungs[rung].hint;
    if (!is_selected(selection, rung) || !selection->by_rung[rung]->keyed ||
        !str_present(hint->member->json_key) || is_none(hint))
        return 0;
    int items = hint->levels[selection->by_rung[rung]->level].items;
    int limit = hint->member->json_limit;
    if (ladder->rungs[rung].tier == 0)
        return items == hint->total ? items : 0;
    return limit > 0 && limit < items ? limit : items;
}

/* A summary, or a member with its values. */
struct part {
    struct section *section;
    const size_t *rungs; /* of a summary: also those not selected yet */
    size_t count;
    bool is_summary;
    uint32_t grown;
    struct counted *counted;
};

static struct part
summary_part(struct section *section, const struct selection *selection)
{
    struct part part = { section, section->summary, section->summary_count, true,
                         0,       &section->counted };
    for (size_t i = 0; i < part.count; i++)
        if (i == 0 || is_selected(selection, part.rungs[i]))
            part.grown += (uint32_t)summary_level(selection, part.rungs[i]) + 1;
    return part;
}

/* The member whose rungs begin at `from`. */
static struct part
member_part(const struct hint_objects *objects, struct section *section, size_t from,
            const struct selection *selection)
{
    const struct ladder *ladder = objects->ladder;
    struct part part = { section, &section->keyed[from],
                         0,       false,
                         0,       &objects->counted[section->keyed[from]] };
    const struct member *member = ladder->rungs[part.rungs[0]].hint->member;
    while (from + part.count < section->keyed_count &&
           ladder->rungs[part.rungs[part.count]].hint->member == member)
        part.grown += (uint32_t)keyed_items(ladder, selection, part.rungs[part.count++]);
    return part;
}

static size_t
list_section(const struct hint_objects *objects, struct section *section,
             const struct selection *selection, struct part *out)
{
    size_t count = 0;
    out[count++] = summary_part(section, selection);
    for (size_t i = 0; i < section->keyed_count;) {
        out[count] = member_part(objects, section, i, selection);
        i += out[count].count;
        count += out[count].grown > 0;
    }
    return count;
}

/* Lists domains in the order of their first hint. */
static size_t
list_parts(struct hint_objects *objects, const struct selection *selection)
{
    const struct ladder *ladder = objects->ladder;
    uint64_t listed = 0;
    size_t count = 0;
    if (objects->parts == NULL)
        objects->parts = ARENA_ARRAY(objects->mem, struct part, 2 * ladder->allowed + 2);
    for (size_t i = 0; i < selection->count; i++) {
        uint64_t domain = (uint64_t)1 << ladder->rungs[i].set_index;
        if ((listed & domain) != 0)
            continue;
        listed |= domain;
        count += list_section(objects, section_of(objects, &ladder->rungs[i]), selection,
                              objects->parts + count);
    }
    return count;
}

/* ---- writing ---- */

static void
write_summary(struct hint_objects *objects, struct json *out, const struct part *part,
              const struct selection *selection)
{
    struct buf text = buf_in(objects->mem, OBJECT_MAX_BYTES), sentence = text;
    for (size_t n = 0; n < part->count; n++) {
        const struct hint *hint = objects->ladder->rungs[part->rungs[n]].hint;
        if (n > 0 && !is_selected(selection, part->rungs[n]))
            continue;
        sentence.len = 0;
        hint_sentence(&sentence, hint, &hint->levels[summary_level(selection, part->rungs[n])],
                      false);
        buf_add_c(&text, text.len == 0 ? "" : " ");
        buf_add(&text, buf_str(&sentence));
    }
    json_put_str(out, "summary", buf_str(&text));
}

static void
write_member(const struct ladder *ladder, struct json *out, const struct part *part,
             const struct selection *selection)
{
    const struct member *member = ladder->rungs[part->rungs[0]].hint->member;
    json_key_str(out, member->json_key);
    if (member->type == MEMBER_ARRAY)
        json_open_array(out);
    for (size_t n = 0; n < part->count; n++) {
        const struct hint_value *values = ladder->rungs[part->rungs[n]].hint->values;
        int items = keyed_items(ladder, selection, part->rungs[n]);
        for (int v = 0; v < items; v++) {
            if (str_present(values[v].json))
                json_raw(out, values[v].json);
            else
                json_str(out, values[v].shown);
        }
    }
    if (member->type == MEMBER_ARRAY)
        json_close_array(out);
}

static void
write_part(struct hint_objects *objects, struct json *out, const struct part *part,
           const struct selection *selection)
{
    if (part->is_summary)
        write_summary(objects, out, part, selection);
    else
        write_member(objects->ladder, out, part, selection);
}

struct str
hint_object_write(struct hint_objects *objects, const struct selection *selection)
{
    struct buf text = buf_in(objects->mem, OBJECT_MAX_BYTES);
    struct json json = json_into(&text);
    size_t count = list_parts(objects, selection);
    json_open_object(&json);
    for (size_t i = 0; i < count; i++) {
        const struct part *part = &objects->parts[i];
        if (part->is_summary) {
            json_key_str(&json, part->section->set->domain->name);
            json_open_object(&json);
        }
        write_part(objects, &json, part, selection);
        if (i + 1 == count || objects->parts[i + 1].is_summary)
            json_close_object(&json);
    }
    json_close_object(&json);
    return buf_str(&text);
}

/* ---- counting tokens ---- */

/* Parts can be counted separately because the tokenizer splits text into pieces first, and no piece
 * continues from two or more punctuation characters into a word. Every name and key starts with a
 * letter after at least two of them ({" or ,"), so the tokens from one such letter to the next do
 * not depend on the text around them, and the object's count is their sum. A part therefore ends
 * with the punctuation before the next letter. */
static size_t
count_part(struct hint_objects *objects, const struct part *part, enum tail tail,
           const struct selection *selection)
{
    struct counted *counted = part->counted;
    if (counted->grown[tail] == part->grown + 1)
        return counted->tokens[tail];
    struct json json = json_into(&objects->text);
    objects->text.len = 0;
    write_part(objects, &json, part, selection);
    buf_add(&objects->text, tails[tail]);
    counted->grown[tail] = part->grown + 1;
    counted->tokens[tail] = (uint32_t)tokenizer_count(str_from(buf_str(&objects->text), 1));
    return counted->tokens[tail];
}

static size_t
count_name(struct hint_objects *objects, struct section *section)
{
    if (section->name_tokens == 0) {
        objects->text.len = 0;
        buf_add(&objects->text, section->set->domain->name);
        buf_add(&objects->text, (struct str){ opening, sizeof opening });
        section->name_tokens = tokenizer_count(buf_str(&objects->text));
    }
    return section->name_tokens;
}

size_t
hint_object_count(struct hint_objects *objects, const struct selection *selection)
{
    size_t count = list_parts(objects, selection);
    size_t tokens = tokenizer_count(count == 0 ? STR("{}") : (struct str){ opening + 2, 2 });
    for (size_t i = 0; i < count; i++) {
        const struct part *part = &objects->parts[i];
        enum tail tail = i + 1 == count                     ? AT_END
                         : objects->parts[i + 1].is_summary ? BEFORE_DOMAIN
                                                            : BEFORE_PART;
        if (part->is_summary)
            tokens += count_name(objects, part->section);
        tokens += count_part(objects, part, tail, selection);
    }
    return tokens;
}

/* ---- counting values ---- */

void
hint_object_shown(struct hint_objects *objects, const struct selection *selection, int *shown)
{
    const struct ladder *ladder = objects->ladder;
    size_t count = list_parts(objects, selection);
    for (size_t i = 0; i < selection->count; i++)
        shown[i] = keyed_items(ladder, selection, i);
    for (size_t p = 0; p < count; p++) {
        const struct part *part = &objects->parts[p];
        for (size_t n = 0; n < part->count && part->is_summary; n++) {
            size_t rung = part->rungs[n];
            const struct hint *hint = ladder->rungs[rung].hint;
            if (n > 0 && !is_selected(selection, rung))
                continue;
            int items = hint->levels[summary_level(selection, rung)].items;
            shown[rung] = items > shown[rung] ? items : shown[rung];
        }
    }
}
