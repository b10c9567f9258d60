/* A card as text: a line with the definition it was made from and the number of hints, then of each
 * hint a line of numbers and a line for each value. Values hold no line's end and no tab: such
 * characters are refused. */
#include "model/hint.h"

#include "base/arena.h"
#include "base/buf.h"

#define CARD_VERSION "5" /* of this format, and of how sentences are made and counted */
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

#define ROW 7 /* numbers in a row: of a hint, and of each of its levels */

/* So many numbers, each with a blank behind it. A card has hundreds of them, nearly all of one
 * digit. */
static void
read_numbers(struct reader *in, int *out, size_t count)
{
    const char *at = in->at, *end = in->end;
    bool wrong = in->wrong;
    for (size_t i = 0; i < count; i++) {
        if (end - at > 1 && at[1] == ' ' && *at >= '0' && *at <= '9') {
            out[i] = *at - '0';
            at += 2;
            continue;
        }
        bool negative = at < end && *at == '-';
        at += negative;
        const char *start = at, *stop = end - at > 9 ? at + 9 : end;
        int number = 0;
        for (; at < stop && *at >= '0' && *at <= '9'; at++)
            number = number * 10 + (*at - '0');
        wrong = wrong || at == start || at == end || *at != ' ';
        at += at < end;
        out[i] = negative ? -number : number;
    }
    in->at = at;
    in->wrong = wrong;
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
between(struct reader *in, int number, int least, int most)
{
    in->wrong = in->wrong || number < least || number > most;
    return in->wrong ? least : number;
}

static void
read_level(struct reader *in, const struct hint *hint, int items_before, struct hint_level *out)
{
    int most = (int)hint->value_count < hint->total ? (int)hint->value_count : hint->total;
    int row[ROW], smallest = TOKENS_MAX, largest = 1;
    read_numbers(in, row, ROW);
    for (size_t i = 1; i < ROW; i++) {
        smallest = row[i] < smallest ? row[i] : smallest;
        largest = row[i] > largest ? row[i] : largest;
    }
    in->wrong = in->wrong || smallest < 1 || largest > TOKENS_MAX;
    *out = (struct hint_level){
        between(in, row[0], items_before + 1, most), row[1], row[2], row[3], row[4], row[5], row[6]
    };
}

static void
read_hint(struct arena *mem, struct reader *in, const struct domain *domain, struct hint *out)
{
    int row[ROW];
    read_numbers(in, row, ROW);
    out->member = &domain->members[between(in, row[0], 0, (int)domain->member_count - 1)];
    bool has_pattern = str_present(out->member->hint.text);
    out->sentence =
        between(in, row[1], has_pattern ? HINT_OF_ONE : 0, (int)out->member->hint.value_count - 1);
    out->score = between(in, row[2], 0, HINT_ONE);
    out->total = between(in, row[3], 1, FACTS_MAX);
    out->beyond = between(in, row[4], 0, FACTS_MAX);
    out->value_count = (size_t)between(in, row[5], 1, FACTS_MAX);
    out->level_count = (size_t)between(in, row[6], 1, LEVELS_MAX);
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
    int head[2]; /* how many hints, and the heading's tokens */
    read_numbers(&in, head, 2);
    int expected = between(&in, head[0], 0, (int)text.len / ROW); /* a hint has more bytes */
    int heading = between(&in, head[1], 1, TOKENS_MAX);
    in.wrong = read_line(&in).len > 0 || in.wrong;
    struct hint *hints = ARENA_ARRAY(mem, struct hint, (size_t)expected + 1);
    size_t count = 0;
    while (count < (size_t)expected && !in.wrong)
        read_hint(mem, &in, domain, &hints[count++]);
    *out = (struct hint_card){ domain, heading, hints, count };
    return !in.wrong && in.at == in.end;
}
