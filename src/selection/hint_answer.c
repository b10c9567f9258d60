#include "selection/hint_answer.h"

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
usual_bytes(const struct selection *selection)
{
    return 6 * (size_t)selection->tokens + 64;
}

/* ---- lines ---- */

/* Adds a hint to a JSON string that is open. */
static void
add_sentence(struct arena *mem, struct json *out, const struct pick *pick)
{
    const struct hint *hint = pick->candidate->hint;
    if (hint->plain) {
        hint_sentence(out->out, hint, pick->items, pick->strong);
        return;
    }
    struct buf line = buf_in(mem, ANSWER_MAX_BYTES);
    hint_sentence(&line, hint, pick->items, pick->strong);
    json_add_text(out, buf_str(&line));
}

/* A hint that is known to need no escapes (`plain`) is written without a copy. */
static void
add_bullet(struct arena *mem, struct json *out, const struct pick *pick)
{
    const struct hint *hint = pick->candidate->hint;
    if (hint->plain) {
        hint_bullet(out->out, hint, pick->items);
        return;
    }
    struct buf line = buf_in(mem, ANSWER_MAX_BYTES);
    hint_bullet(&line, hint, pick->items);
    json_add_text(out, buf_str(&line));
}

static void
write_text(struct arena *mem, struct json *out, const struct selection *selection)
{
    json_open_array(out);
    for (size_t i = 0; i < selection->count; i++) {
        json_open_str(out);
        add_sentence(mem, out, &selection->picks[i]);
        json_close_str(out);
    }
    json_close_array(out);
}

static const char line_feed[] = { '\\', 'n' }; /* in JSON */

/* Writes domains in the order of their first hint, each with its bullets. */
static void
write_bullets(struct arena *mem, struct json *out, const struct selection *selection)
{
    const struct str newline = { line_feed, sizeof line_feed };
    uint64_t written = 0;
    json_open_str(out);
    for (size_t first = 0; first < selection->count; first++) {
        const struct candidate *candidate = selection->picks[first].candidate;
        uint64_t domain = (uint64_t)1 << candidate->set_index;
        if ((written & domain) != 0)
            continue;
        buf_add(out->out, written == 0 ? STR("") : newline);
        if (selection->domains != domain) {
            buf_add(out->out, STR("**"));
            json_add_text(out, candidate->set->domain->heading);
            buf_add(out->out, STR("**"));
        }
        written |= domain;
        for (size_t i = first; i < selection->count; i++) {
            if (selection->picks[i].candidate->set != candidate->set)
                continue;
            if (i > first || selection->domains != domain)
                buf_add(out->out, newline);
            add_bullet(mem, out, &selection->picks[i]);
        }
    }
    json_close_str(out);
}

/* Memory for the usual length is reserved at once, so that the buffer rarely grows. */
static struct str
write_lines(struct arena *mem, enum hint_format format, const struct selection *selection)
{
    struct buf text = buf_in(mem, ANSWER_MAX_BYTES);
    struct json json = json_into(&text);
    buf_reserve(&text, usual_bytes(selection));
    if (format == HINT_TEXT)
        write_text(mem, &json, selection);
    else
        write_bullets(mem, &json, selection);
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

/* Sentences of one domain, joined with spaces. The counter adds up the stored token counts of the
 * sentences, which is exact only if hint->exact is set for each of them. */
static void
write_summary(struct arena *mem, struct json *out, const struct selection *selection, size_t first,
              struct counter *counter)
{
    bool several = false;
    json_key_name(out, STR("summary"));
    begin_part(counter, STR("summary"), sizeof "\":" - 1, 1);
    json_open_str(out);
    for (size_t i = first; i < selection->count; i++) {
        const struct pick *pick = &selection->picks[i];
        const struct hint *hint = pick->candidate->hint;
        if (pick->candidate->set != selection->picks[first].candidate->set || !pick->said)
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
list_keyed(const struct selection *selection, size_t first, const struct pick **out)
{
    size_t count = 0;
    for (size_t i = first; i < selection->count; i++) {
        const struct pick *pick = &selection->picks[i];
        if (pick->candidate->set != selection->picks[first].candidate->set || !pick->keyed)
            continue;
        size_t at = count++;
        for (; at > 0 && out[at - 1]->candidate->hint->member > pick->candidate->hint->member; at--)
            out[at] = out[at - 1];
        out[at] = pick;
    }
    return count;
}

/* The values of a hint below its key. */
static inline void
write_values(struct json *out, const struct pick *pick, struct counter *counter)
{
    const struct hint *hint = pick->candidate->hint;
    for (int i = 0; i < pick->items; i++)
        hint_units_value(out, &hint->values[i]);
    counter->exact = counter->exact && hint->exact;
    counter->part += pick->bare;
}

/* Hints of one member are merged into one array, or follow each other as one value; each merge
 * changes the number of tokens by HINT_MERGE_TOKENS. */
static void
write_members(struct json *out, const struct pick **picks, size_t count, enum hint_ending after,
              struct counter *counter)
{
    for (size_t i = 0; i < count;) {
        const struct hint *hint = picks[i]->candidate->hint;
        const struct member *member = hint->member;
        bool is_array = member->type == MEMBER_ARRAY;
        struct str opening = is_array ? STR("\":[") : STR("\":");
        json_add_pieces(out, STR("\""), member->json_key, opening);
        out->need_comma = false;
        begin_part(counter, member->json_key, opening.len, hint_units_bare_key(hint) + 1);
        write_values(out, picks[i++], counter);
        for (; i < count && picks[i]->candidate->hint->member == member; i++) {
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
write_object(struct arena *mem, const struct selection *selection, int *tokens)
{
    struct buf text = buf_in(mem, ANSWER_MAX_BYTES);
    struct json json = json_into(&text);
    const struct pick **keyed = ARENA_ARRAY(mem, const struct pick *, selection->count + 1);
    struct counter counter = { .text = &text, .part = HINT_OBJECT_TOKENS, .exact = true };
    uint64_t written = 0;
    buf_reserve(&text, usual_bytes(selection));
    json_open_object(&json);
    for (size_t i = 0; i < selection->count; i++) {
        const struct candidate *candidate = selection->picks[i].candidate;
        struct str name = candidate->set->domain->name;
        uint64_t domain = (uint64_t)1 << candidate->set_index;
        if ((written & domain) != 0)
            continue;
        written |= domain;
        enum hint_ending after = written == selection->domains ? AT_END : BEFORE_DOMAIN;
        size_t count = list_keyed(selection, i, keyed);
        json_key_name(&json, name);
        begin_part(&counter, name, sizeof "\":" - 1, hint_units_bare_name(candidate->set) + 1);
        json_open_object(&json);
        write_summary(mem, &json, selection, i, &counter);
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

/* `safety_cut`: not all critical hints fit completely. `safety_complete` also needs that none was
 * withheld before the selection. */
static void
count_omitted(const struct selection *selection, struct hint_answer *out)
{
    size_t complete = 0;
    out->omitted = selection->order.facts;
    for (size_t i = 0; i < selection->count; i++) {
        const struct pick *pick = &selection->picks[i];
        out->omitted -= pick->items;
        out->named[pick->candidate->set_index] += (uint16_t)pick->items;
        complete += pick->candidate->tier == 0 && pick->items == pick->candidate->hint->total;
    }
    out->safety_cut = complete != selection->order.critical;
    out->safety_complete = !selection->order.safety_withheld && !out->safety_cut;
}

/* Only the selected hints are opened, that is, read completely from the stored text: most of a
 * user's hints are not selected. */
void
hint_answer(struct arena *mem, const struct hint_query *query, struct hint_answer *out)
{
    struct selection *selection = arena_alloc(mem, sizeof *selection);
    hint_select(mem, query, selection);
    *out = (struct hint_answer){ .available = selection->order.available,
                                 .selected = selection,
                                 .hint_sets = selection->order.hint_sets };
    for (size_t i = 0; i < selection->count; i++)
        hint_open(mem, selection->picks[i].candidate->hint, selection->picks[i].items);
    if (query->format == HINT_JSON) {
        out->hints = write_object(mem, selection, &out->tokens);
    } else {
        out->hints = write_lines(mem, query->format, selection);
        out->tokens = selection->tokens;
    }
    count_omitted(selection, out);
}
