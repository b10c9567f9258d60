#include "tokenizer/tokenizer.h"

#include "base/arena.h"
#include "tokenizer/tokenizer_merge.h"
#include "tokenizer/tokenizer_table.h"

#include <string.h>

/* Text is first split into pieces by a regular expression of seven alternatives, of which the first
 * that matches wins:
 *
 *   A1  [^\r\n\p{L}\p{N}]? [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]* [\p{Ll}\p{Lm}\p{Lo}\p{M}]+  con?
 *   A2  [^\r\n\p{L}\p{N}]? [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+ [\p{Ll}\p{Lm}\p{Lo}\p{M}]*  con?
 *   A3  \p{N}{1,3}
 *   A4  [ ]? [^\s\p{L}\p{N}]+ [\r\n/]*
 *   A5  \s* [\r\n]+
 *   A6  \s+ (?!\S)
 *   A7  \s+
 *   con (?i: 's | 't | 're | 've | 'm | 'll | 'd )
 *
 * The functions below find the end of a piece without a regular expression engine. Where an engine
 * would backtrack, a comment explains the equivalent rule. */

#define UPPER TOKENIZER_UPPER
#define LOWER TOKENIZER_LOWER
#define BOTH TOKENIZER_BOTH
#define LETTER TOKENIZER_LETTER
#define NUMBER TOKENIZER_NUMBER
#define SPACE TOKENIZER_SPACE
#define BREAK TOKENIZER_BREAK

typedef const unsigned char *position;

/* ---- characters ---- */

/* The class of the character at `at`, which is before the end; *next is set to the one after it.
 * Invalid UTF-8 bytes are characters without a class. Nothing at or after `end` is read. */
static unsigned
wide_class(position at, position end, position *next)
{
    size_t length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
    *next = at + 1;
    if (at[0] < 0xc2 || at[0] > 0xf4 || (size_t)(end - at) < length)
        return 0;
    uint32_t point = at[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++)
        point = point << 6 | (at[i] & 0x3fu);
    if (point > 0x10ffff)
        return 0;
    *next = at + length;
    return tokenizer_class(point);
}

static inline unsigned
class_at(position at, position end, position *next)
{
    if (at[0] < 0x80) {
        *next = at + 1;
        return tokenizer_ascii_class(at[0]);
    }
    return wide_class(at, end, next);
}

static position
end_of_run(position at, position end, unsigned classes)
{
    for (position next; at < end && (class_at(at, end, &next) & classes) != 0; at = next)
        ;
    return at;
}

/* ---- pieces ---- */

/* The end of the contraction that begins here, or `at`. */
static position
contraction(position at, position end)
{
    size_t left = (size_t)(end - at);
    if (left < 2 || at[0] != '\'')
        return at;
    unsigned char first = at[1] | 0x20;
    if (first == 's' || first == 't' || first == 'm' || first == 'd')
        return at + 2;
    if (left < 3)
        return at;
    if (at[1] == 0xc5 && at[2] == 0xbf) /* U+017F is an s to (?i) */
        return at + 3;
    unsigned char second = at[2] | 0x20;
    if (((first == 'r' || first == 'v') && second == 'e') || (first == 'l' && second == 'l'))
        return at + 3;
    return at;
}

/* X* Y+ of A1, where X is UPPER or BOTH and Y is LOWER or BOTH. X* is greedy, so Y+ needs a LOWER
 * after it; without one X* backtracks to the last BOTH, and Y+ matches only that. NULL: no match.
 */
static position
word(position at, position end)
{
    position after_both = NULL;
    for (position next; at < end; at = next) {
        unsigned class = class_at(at, end, &next);
        if ((class & LOWER) != 0)
            return end_of_run(next, end, LOWER | BOTH);
        if ((class & (UPPER | BOTH)) == 0)
            break;
        if ((class & BOTH) != 0)
            after_both = next;
    }
    return after_both;
}

/* A5 to A7. A5 goes to the last line break among the white space; A6 leaves one character for the
 * word that follows, if it then has any left. */
static position
white_space(position at, position end)
{
    position after_break = NULL;
    position last = at;
    position r = at;
    for (position next; r < end; r = next) {
        unsigned class = class_at(r, end, &next);
        if ((class & SPACE) == 0)
            break;
        if ((class & BREAK) != 0)
            after_break = next;
        last = r;
    }
    if (after_break != NULL)
        return after_break;
    return r == end || last == at ? r : last;
}

/* A3, at a number. */
static position
number(position at, position end)
{
    position next;
    for (int digits = 0; digits < 3 && at < end; digits++, at = next)
        if ((class_at(at, end, &next) & NUMBER) == 0)
            break;
    return at;
}

/* A4; NULL: no match. */
static position
signs(position at, position end)
{
    if (*at == ' ')
        at++;
    position r = at;
    for (position next; r < end; r = next)
        if ((class_at(r, end, &next) & (SPACE | LETTER | NUMBER)) != 0)
            break;
    if (r == at)
        return NULL;
    while (r < end && (*r == '\r' || *r == '\n' || *r == '/'))
        r++;
    return r;
}

/* The end of the piece that begins at `at`. */
static position
piece_end(position at, position end)
{
    position next;
    unsigned class = class_at(at, end, &next);
    if ((class & NUMBER) != 0)
        return number(at, end);
    /* A1 and A2 may begin with one character that is not a letter. A1 matches without skipping it
     * only if it is a mark. */
    position first = (class & (LETTER | BREAK)) != 0 ? at : next;
    position r = word(first, end);
    if (r == NULL && first != at && (class & BOTH) != 0)
        r = word(at, end);
    if (r != NULL)
        return contraction(r, end);
    /* A match of A2 but not of A1 consists of uppercase letters only. */
    r = end_of_run(first, end, UPPER);
    if (r > first)
        return contraction(r, end);
    r = signs(at, end);
    return r != NULL ? r : white_space(at, end);
}

/* A piece that is a token counts as one, even if merging would give another result. */
static size_t
piece_tokens(position at, size_t length)
{
    return tokenizer_rank(at, length) != TOKENIZER_NO_RANK ? 1 : tokenizer_merge_count(at, length);
}

/* Tokens never cross the borders of pieces, so their numbers add up. */
static size_t
count_pieces(struct str text)
{
    size_t count = 0;
    position end = (position)text.ptr + text.len;
    for (position at = (position)text.ptr, next; at < end; at = next) {
        next = piece_end(at, end);
        count += piece_tokens(at, (size_t)(next - at));
    }
    return count;
}

/* ---- short texts ---- */

/* Keys of JSON, headings, and the punctuation after values are counted again and again, so each
 * thread remembers the counts of short texts, one for each hash. */
#define KNOWN_BYTES 30
#define KNOWN_TEXTS 512

/* A word that was counted before. The table is small and per thread; a newer word replaces an older
 * one. */
struct known {
    uint8_t length; /* 0: none */
    uint8_t tokens;
    char text[KNOWN_BYTES];
};

static _Thread_local struct known known_texts[KNOWN_TEXTS];

/* Texts with the same slot replace each other. */
static struct known *
known_at(struct str text)
{
    uint64_t hash = text.len;
    for (size_t i = 0; i < text.len; i += sizeof hash) {
        uint64_t part = 0;
        size_t left = text.len - i;
        memcpy(&part, text.ptr + i, left < sizeof part ? left : sizeof part);
        hash = (hash ^ part) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 32;
    }
    return &known_texts[hash % KNOWN_TEXTS];
}

/* Short texts are remembered per thread, because hints consist of few different words. */
size_t
tokenizer_count(struct str text)
{
    if (text.len == 0)
        return 0;
    if (text.len > KNOWN_BYTES)
        return count_pieces(text);
    struct known *known = known_at(text);
    if (known->length != text.len || memcmp(known->text, text.ptr, text.len) != 0) {
        known->length = (uint8_t)text.len;
        known->tokens = (uint8_t)count_pieces(text); /* at most one per byte */
        memcpy(known->text, text.ptr, text.len);
    }
    return known->tokens;
}

/* ---- values between separators ---- */

/* Whether the text begins and ends with letters or digits, so that neighbors such as quotation
 * marks do not change how it is split. */
bool
tokenizer_is_separate(struct str text)
{
    if (text.len == 0)
        return false;
    position first = (position)text.ptr, end = first + text.len, last = end - 1, next;
    while (last > first && (*last & 0xc0) == 0x80)
        last--;
    return (class_at(first, end, &next) & (LETTER | NUMBER)) != 0 &&
           (class_at(last, end, &next) & (LETTER | NUMBER)) != 0;
}

/* The space is the start of the first piece, if a letter follows it, and otherwise the whole. */
size_t
tokenizer_count_spaced(struct str text, size_t *bare)
{
    position at = (position)text.ptr, end = at + text.len, first_end = piece_end(at, end);
    size_t length = (size_t)(first_end - at), first = piece_tokens(at, length);
    size_t others = count_pieces(str_from(text, length));
    *bare = others + (length > 1 ? piece_tokens(at + 1, length - 1) : 0);
    return first + others;
}

/* ---- texts that begin alike ---- */

/* Where a piece ends can depend on what follows it, but only on the next piece and a few bytes:
 * white space before a word is the next piece without its last character, and a word of letters
 * without case looks at the capitals after it, which are the next piece. */
#define LOOK_AHEAD 8

/* Pieces are tokenized independently, so those that are unchanged keep their counts. */
struct piece {
    size_t end;
    size_t tokens; /* of the text up to the end */
};

struct tokenizer_series {
    struct arena *mem;
    char *text; /* the last one */
    size_t length, text_capacity;
    struct piece *pieces;
    size_t count, capacity;
};

struct tokenizer_series *
tokenizer_series_new(struct arena *mem)
{
    struct tokenizer_series *series = ARENA_NEW(mem, struct tokenizer_series);
    series->mem = mem;
    return series;
}

/* How many bytes at the start are those of the last text; the others replace its end. */
static size_t
take_text(struct tokenizer_series *series, struct str text)
{
    size_t common = 0;
    size_t shorter = text.len < series->length ? text.len : series->length;
    while (common < shorter && text.ptr[common] == series->text[common])
        common++;
    if (text.len > series->text_capacity) {
        series->text_capacity = 2 * text.len;
        series->text = arena_grow(series->mem, series->text, common, series->text_capacity);
    }
    if (text.len > common)
        memcpy(series->text + common, text.ptr + common, text.len - common);
    series->length = text.len;
    return common;
}

static void
add_piece(struct tokenizer_series *series, struct piece piece)
{
    if (series->count == series->capacity) {
        series->capacity = series->capacity == 0 ? 64 : 2 * series->capacity;
        series->pieces =
            arena_grow(series->mem, series->pieces, series->count * sizeof *series->pieces,
                       series->capacity * sizeof *series->pieces);
    }
    series->pieces[series->count++] = piece;
}

/* Pieces that end well before the first difference keep their counts; the last ones are counted
 * again, since the pattern looks ahead. */
size_t
tokenizer_series_count(struct tokenizer_series *series, struct str text)
{
    size_t common = take_text(series, text);
    size_t kept = series->count;
    while (kept > 0 && (kept == series->count || series->pieces[kept].end + LOOK_AHEAD > common))
        kept--;
    series->count = kept;
    struct piece last = kept > 0 ? series->pieces[kept - 1] : (struct piece){ 0 };
    while (last.end < text.len) {
        position at = (position)text.ptr + last.end;
        size_t length = (size_t)(piece_end(at, (position)text.ptr + text.len) - at);
        last = (struct piece){ last.end + length, last.tokens + piece_tokens(at, length) };
        add_piece(series, last);
    }
    return last.tokens;
}
