/* A card as text: a line with the definition it was made from and the number of hints, then of each
 * hint a line of numbers and a line for each value. Values hold no line's end and no tab: such
 * characters are refused. */
#include "model/hint.h"

#include "base/arena.h"
#include "base/buf.h"

#define CARD_VERSION "4" /* of this format, and of how sentences are made and counted */
#define CARD_MAX_BYTES ((size_t)4 * 1024 * 1024)
#define FACTS_MAX 100000 /* of a domain: far more than there may be */
#define LEVELS_MAX 200
#define TOKENS_MAX 1000000 /* of a sentence: twice as many as it could have */

static void
add_number(struct buf *out, int number)
{
    buf_add_int(out, number);
    buf_add_char(out, ' ');
}

static void
write_hint(struct buf *out, const struct domain *domain, const struct hint *hint)
{
    add_number(out, (int)(hint->member - domain->members));
    add_number(out, hint->sentence);
    add_number(out, hint->score);
    add_number(out, hint->total);
    add_number(out, hint->beyond);
    add_number(out, (int)hint->value_count);
    add_number(out, (int)hint->level_count);
    for (size_t i = 0; i < hint->level_count; i++) {
        const struct hint_level *level = &hint->levels[i];
        add_number(out, level->items);
        add_number(out, level->text);
        add_number(out, level->text_last);
        add_number(out, level->strong);
        add_number(out, level->strong_last);
        add_number(out, level->bullet);
        add_number(out, level->bullet_last);
    }
    buf_add_char(out, '\n');
    for (size_t i = 0; i < hint->value_count; i++) {
        const struct hint_value *value = &hint->values[i];
        buf_add_char(out, value->quote ? '"' : ' ');
        buf_add(out, value->shown);
        if (str_present(value->json)) {
            buf_add_char(out, '\t');
            buf_add(out, value->json);
        }
        buf_add_char(out, '\n');
    }
}

static void
write_origin(struct buf *out, const struct domain *domain)
{
    buf_add_c(out, CARD_VERSION " ");
    buf_add(out, domain->digest);
    buf_add_char(out, ' ');
}

struct str
hint_card_write(struct arena *mem, const struct hint_card *card)
{
    struct buf out = buf_in(mem, CARD_MAX_BYTES);
    write_origin(&out, card->domain);
    add_number(&out, (int)card->count);
    add_number(&out, card->heading);
    buf_add_char(&out, '\n');
    for (size_t i = 0; i < card->count; i++)
        write_hint(&out, card->domain, &card->hints[i]);
    return buf_str(&out);
}

/* ---- and back ---- */

struct reader {
    const char *at, *end;
    bool wrong;
};

static int
read_number(struct reader *in)
{
    bool negative = in->at < in->end && *in->at == '-';
    int number = 0;
    in->at += negative;
    const char *start = in->at;
    while (in->at < in->end && *in->at >= '0' && *in->at <= '9' && in->at - start < 9)
        number = number * 10 + (*in->at++ - '0');
    in->wrong = in->wrong || in->at == start || in->at == in->end || *in->at != ' ';
    in->at += in->at < in->end;
    return negative ? -number : number;
}

/* What stands before the line's end, which is passed. */
static struct str
read_line(struct reader *in)
{
    struct str rest = { in->at, (size_t)(in->end - in->at) };
    size_t length = str_index(rest, '\n');
    in->wrong = in->wrong || length == rest.len;
    in->at += length == rest.len ? length : length + 1;
    return str_first(rest, length);
}

static void
read_value(struct reader *in, struct hint_value *out)
{
    struct str line = read_line(in);
    in->wrong = in->wrong || line.len == 0;
    if (in->wrong)
        return;
    struct str rest = str_from(line, 1);
    size_t tab = str_index(rest, '\t');
    out->quote = line.ptr[0] == '"';
    out->shown = str_first(rest, tab);
    out->json = tab < rest.len ? str_from(rest, tab + 1) : STR_NONE;
}

static int
read_between(struct reader *in, int least, int most)
{
    int number = read_number(in);
    in->wrong = in->wrong || number < least || number > most;
    return in->wrong ? least : number;
}

static void
read_level(struct reader *in, const struct hint *hint, int items_before, struct hint_level *out)
{
    int most = (int)hint->value_count < hint->total ? (int)hint->value_count : hint->total;
    out->items = read_between(in, items_before + 1, most);
    out->text = read_between(in, 1, TOKENS_MAX);
    out->text_last = read_between(in, 1, TOKENS_MAX);
    out->strong = read_between(in, 1, TOKENS_MAX);
    out->strong_last = read_between(in, 1, TOKENS_MAX);
    out->bullet = read_between(in, 1, TOKENS_MAX);
    out->bullet_last = read_between(in, 1, TOKENS_MAX);
}

static void
read_hint(struct arena *mem, struct reader *in, const struct domain *domain, struct hint *out)
{
    out->member = &domain->members[read_between(in, 0, (int)domain->member_count - 1)];
    bool has_pattern = str_present(out->member->hint.text);
    out->sentence =
        read_between(in, has_pattern ? HINT_OF_ONE : 0, (int)out->member->hint.value_count - 1);
    out->score = read_between(in, 0, HINT_ONE);
    out->total = read_between(in, 1, FACTS_MAX);
    out->beyond = read_between(in, 0, FACTS_MAX);
    out->value_count = (size_t)read_between(in, 1, FACTS_MAX);
    out->level_count = (size_t)read_between(in, 1, LEVELS_MAX);
    if (in->wrong)
        return;
    struct hint_value *values = ARENA_ARRAY(mem, struct hint_value, out->value_count);
    struct hint_level *levels = ARENA_ARRAY(mem, struct hint_level, out->level_count);
    for (size_t i = 0; i < out->level_count && !in->wrong; i++)
        read_level(in, out, i == 0 ? 0 : levels[i - 1].items, &levels[i]);
    in->wrong = read_line(in).len > 0 || in->wrong;
    for (size_t i = 0; i < out->value_count && !in->wrong; i++)
        read_value(in, &values[i]);
    out->values = values;
    out->levels = levels;
}

bool
hint_card_read(struct arena *mem, const struct domain *domain, struct str text,
               struct hint_card *out)
{
    struct buf origin = buf_in(mem, 1024);
    write_origin(&origin, domain);
    if (!str_present(text) || !str_starts(text, buf_str(&origin)))
        return false;
    struct reader in = { text.ptr + origin.len, text.ptr + text.len, false };
    size_t lines = 0;
    for (const char *at = in.at; at < in.end; at++)
        lines += *at == '\n';
    struct hint *hints = ARENA_ARRAY(mem, struct hint, lines / 2 + 1); /* two lines at least */
    size_t count = 0;
    int expected = read_number(&in), heading = read_number(&in);
    read_line(&in);
    while (in.at < in.end && !in.wrong)
        read_hint(mem, &in, domain, &hints[count++]);
    *out = (struct hint_card){ domain, heading, hints, count };
    return !in.wrong && expected == (int)count;
}
