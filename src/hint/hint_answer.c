#include "hint/hint_answer.h"

#include "base/arena.h"
#include "hint/hint_units.h"
#include "hint/hint_words.h"
#include "text/json_write.h"
#include "tokenizer/tokenizer.h"

#define ANSWER_MAX_BYTES ((size_t)4 * 1024 * 1024)

/* ---- formats ---- */

static const char *const formats[] = { "text", "json", "bullets" };

bool
hint_format_read(struct str name, enum hint_format *out)
{
    size_t i = 0;
    while (i < sizeof formats / sizeof formats[0] && !str_eq_c(name, formats[i]))
        i++;
    *out = (enum hint_format)i;
    return i < sizeof formats / sizeof formats[0];
}

struct str
hint_format_name(enum hint_format format)
{
    return str_of(formats[format]);
}

/* About as many bytes as the hints take in JSON: a token is 4 to 5. */
static size_t
usual_bytes(const struct ladder *ladder)
{
    return 6 * (size_t)ladder->tokens + 64;
}

/* ---- lines ---- */

/* Adds a hint to a JSON string that is open. */
static void
add_sentence(struct arena *mem, struct json *out, const struct pick *pick)
{
    const struct hint *hint = pick->rung->hint;
    if (hint->plain) {
        hint_sentence(out->out, hint, pick->items, pick->strong);
        return;
    }
    struct buf line = buf_in(mem, ANSWER_MAX_BYTES);
    hint_sentence(&line, hint, pick->items, pick->strong);
    json_add_text(out, buf_str(&line));
}

static void
add_bullet(struct arena *mem, struct json *out, const struct pick *pick)
{
    const struct hint *hint = pick->rung->hint;
    if (hint->plain) {
        hint_bullet(out->out, hint, pick->items);
        return;
    }
    struct buf line = buf_in(mem, ANSWER_MAX_BYTES);
    hint_bullet(&line, hint, pick->items);
    json_add_text(out, buf_str(&line));
}

static void
write_text(struct arena *mem, struct json *out, const struct ladder *ladder)
{
    json_open_array(out);
    for (size_t i = 0; i < ladder->count; i++) {
        json_open_str(out);
        add_sentence(mem, out, &ladder->picks[i]);
        json_close_str(out);
    }
    json_close_array(out);
}

static const char line_feed[] = { '\\', 'n' }; /* in JSON */

/* Writes domains in the order of their first hint, each with its bullets. */
static void
write_bullets(struct arena *mem, struct json *out, const struct ladder *ladder)
{
    const struct str newline = { line_feed, sizeof line_feed };
    uint64_t written = 0;
    json_open_str(out);
    for (size_t first = 0; first < ladder->count; first++) {
        const struct rung *rung = ladder->picks[first].rung;
        uint64_t domain = (uint64_t)1 << rung->set_index;
        if ((written & domain) != 0)
            continue;
        buf_add(out->out, written == 0 ? STR("") : newline);
        if (ladder->domains != domain) {
            buf_add(out->out, STR("**"));
            json_add_text(out, rung->set->domain->heading);
            buf_add(out->out, STR("**"));
        }
        written |= domain;
        for (size_t i = first; i < ladder->count; i++) {
            if (ladder->picks[i].rung->set != rung->set)
                continue;
            if (i > first || ladder->domains != domain)
                buf_add(out->out, newline);
            add_bullet(mem, out, &ladder->picks[i]);
        }
    }
    json_close_str(out);
}

static struct str
write_lines(struct arena *mem, enum hint_format format, const struct ladder *ladder)
{
    struct buf text = buf_in(mem, ANSWER_MAX_BYTES);
    struct json json = json_into(&text);
    buf_reserve(&text, usual_bytes(ladder));
    if (format == HINT_TEXT)
        write_text(mem, &json, ladder);
    else
        write_bullets(mem, &json, ladder);
    return buf_str(&text);
}

/* ---- JSON ---- */

/* An object is counted part by part: a domain's name, its summary, and each key with its values. A
 * part starts with a letter after punctuation and ends before the next, so the sum of the parts is
 * exact (hint_units.h). The tokenizer counts only parts with a hint whose own counts are not. */
struct counter {
    const struct buf *text;
    size_t start; /* of the part that is being written */
    int part;     /* its tokens, if it is exact */
    bool exact;
    int sum; /* of the parts before */
};

static void
end_part(struct counter *counter, size_t end)
{
    struct str text = { counter->text->ptr + counter->start, end - counter->start };
    counter->sum += counter->exact ? counter->part : (int)tokenizer_count(text);
}

/* The next part has begun with its key and `after` more bytes of punctuation. */
static void
begin_part(struct counter *counter, struct str key, size_t after, int tokens)
{
    size_t start = counter->text->len - key.len - after;
    end_part(counter, start);
    counter->start = start;
    counter->part = tokens;
    counter->exact = true;
}

static void
write_summary(struct arena *mem, struct json *out, const struct ladder *ladder, size_t first,
              struct counter *counter)
{
    bool several = false;
    json_key_name(out, STR("summary"));
    begin_part(counter, STR("summary"), sizeof "\":" - 1, 1);
    json_open_str(out);
    for (size_t i = first; i < ladder->count; i++) {
        const struct pick *pick = &ladder->picks[i];
        const struct hint *hint = pick->rung->hint;
        if (pick->rung->set != ladder->picks[first].rung->set || !pick->said)
            continue;
        buf_add(out->out, several ? STR(" ") : STR(""));
        add_sentence(mem, out, pick);
        several = true;
        counter->exact = counter->exact && hint->exact;
        counter->part += pick->cost - (pick->keyed ? pick->bare : 0);
    }
    json_close_str(out);
}

/* The picks of a domain with a key, in the order of the definition's members. Picks of the same
 * member stay in their order. */
static size_t
list_keyed(const struct ladder *ladder, size_t first, const struct pick **out)
{
    size_t count = 0;
    for (size_t i = first; i < ladder->count; i++) {
        const struct pick *pick = &ladder->picks[i];
        if (pick->rung->set != ladder->picks[first].rung->set || !pick->keyed)
            continue;
        size_t at = count++;
        for (; at > 0 && out[at - 1]->rung->hint->member > pick->rung->hint->member; at--)
            out[at] = out[at - 1];
        out[at] = pick;
    }
    return count;
}

/* The values of a hint below its key. */
static inline void
write_values(struct json *out, const struct pick *pick, struct counter *counter)
{
    const struct hint *hint = pick->rung->hint;
    for (int i = 0; i < pick->items; i++)
        hint_units_value(out, &hint->values[i]);
    counter->exact = counter->exact && hint->exact;
    counter->part += pick->bare;
}

static void
write_members(struct json *out, const struct pick **picks, size_t count, enum hint_ending after,
              struct counter *counter)
{
    for (size_t i = 0; i < count;) {
        const struct hint *hint = picks[i]->rung->hint;
        const struct member *member = hint->member;
        bool is_array = member->type == MEMBER_ARRAY;
        struct str opening = is_array ? STR("\":[") : STR("\":");
        json_add_pieces(out, STR("\""), member->json_key, opening);
        out->need_comma = false;
        begin_part(counter, member->json_key, opening.len, hint_units_bare_key(hint) + 1);
        write_values(out, picks[i++], counter);
        for (; i < count && picks[i]->rung->hint->member == member; i++) {
            write_values(out, picks[i], counter);
            counter->part += HINT_MERGE_TOKENS;
        }
        counter->part += hint_units_close(hint_units_part(member), i == count ? after : BEFORE_KEY);
        if (is_array)
            json_close_array(out);
    }
}

/* Domains are in the order of their first hint. */
static struct str
write_object(struct arena *mem, const struct ladder *ladder, int *tokens)
{
    struct buf text = buf_in(mem, ANSWER_MAX_BYTES);
    struct json json = json_into(&text);
    const struct pick **keyed = ARENA_ARRAY(mem, const struct pick *, ladder->count + 1);
    struct counter counter = { .text = &text, .part = HINT_OBJECT_TOKENS, .exact = true };
    uint64_t written = 0;
    buf_reserve(&text, usual_bytes(ladder));
    json_open_object(&json);
    for (size_t i = 0; i < ladder->count; i++) {
        const struct rung *rung = ladder->picks[i].rung;
        struct str name = rung->set->domain->name;
        uint64_t domain = (uint64_t)1 << rung->set_index;
        if ((written & domain) != 0)
            continue;
        written |= domain;
        enum hint_ending after = written == ladder->domains ? AT_END : BEFORE_DOMAIN;
        size_t count = list_keyed(ladder, i, keyed);
        json_key_name(&json, name);
        begin_part(&counter, name, sizeof "\":" - 1, hint_units_bare_name(rung->set) + 1);
        json_open_object(&json);
        write_summary(mem, &json, ladder, i, &counter);
        counter.part += hint_units_close(PART_SENTENCE, count > 0 ? BEFORE_KEY : after);
        write_members(&json, keyed, count, after, &counter);
        json_close_object(&json);
    }
    json_close_object(&json);
    end_part(&counter, text.len);
    *tokens = counter.sum;
    return buf_str(&text);
}

/* ---- composing ---- */

static void
count_omitted(const struct ladder *ladder, struct hint_answer *out)
{
    size_t complete = 0;
    out->omitted = ladder->order.facts;
    for (size_t i = 0; i < ladder->count; i++) {
        const struct pick *pick = &ladder->picks[i];
        out->omitted -= pick->items;
        out->named[pick->rung->set_index] += (uint16_t)pick->items;
        complete += pick->rung->tier == 0 && pick->items == pick->rung->hint->total;
    }
    out->safety_cut = complete != ladder->order.critical;
    out->safety_complete = !ladder->order.safety_withheld && !out->safety_cut;
}

void
hint_answer(struct arena *mem, const struct hint_query *query, struct hint_answer *out)
{
    struct ladder *ladder = arena_alloc(mem, sizeof *ladder);
    hint_ladder_climb(mem, query, ladder);
    *out = (struct hint_answer){ .available = ladder->order.available,
                                 .selected = ladder,
                                 .hint_sets = ladder->order.hint_sets };
    for (size_t i = 0; i < ladder->count; i++)
        hint_open(mem, ladder->picks[i].rung->hint, ladder->picks[i].items);
    if (query->format == HINT_JSON) {
        out->hints = write_object(mem, ladder, &out->tokens);
    } else {
        out->hints = write_lines(mem, query->format, ladder);
        out->tokens = ladder->tokens;
    }
    count_omitted(ladder, out);
}
