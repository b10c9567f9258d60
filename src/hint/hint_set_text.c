/* The stored form of a hint set. A reader decodes only the hints it needs:
 *
 *   prefix         format version, start of the definition's digest, checksum
 *   counts         number of hints, tokens of the heading
 *   heads          for each hint: which it is, and the number of bytes of its body
 *   bodies         for each hint: the token counts of its lengths; its values, each after its
 * length
 *
 * Numbers are base 64 with a fixed number of digits, so every offset is computed, not searched. The
 * checksum detects accidental damage. It can be forged, so all offsets are checked against the end
 * of the text as well. */
#include "hint/hint_set_text.h"

#include "base/arena.h"
#include "base/buf.h"
#include "hint/hint.h"

#include <endian.h>

#define HINT_SET_VERSION \
    '8' /* increase it when the format, the sentences or the token counts change */
#define HINT_SET_MAX_BYTES ((size_t)4 * 1024 * 1024)
#define DIGEST_PART 16 /* characters: 96 bits */

/* Numbers of digits. */
enum { OF_SUM = 6, OF_COUNT = 4, OF_VALUE = 4, OF_JSON = 4, OF_HALF = 8, HEAD = 2 * OF_HALF };

/* Bit offsets and widths within a hint's head, which is two numbers of 48 bits. */
enum { MEMBER_AT = 0, SENTENCE_AT = 12, TOTAL_AT = 24, WITHOUT_HINT_AT = 36, NUMBER_BITS = 12 };
enum { SCORE_AT = 0, SCORE_BITS = 18, LONG_AT = 18, DIGITS_AT = 19, BODY_AT = 24, BODY_BITS = 24 };
enum { CRITICAL_AT = 21, SENSITIVE_AT = 22, BY_APP_AT = 23 };

/* Flags in the number before a value; the length is above them. */
#define IS_QUOTED 1
#define HAS_JSON 2
#define LENGTH_AT 2

/* ---- shared by reading and writing ---- */

#define STIR 0x9e3779b97f4a7c15 /* odd, with half of its bits set */

/* Mixes the next 8 bytes into the state; each bit affects all others after a few rounds. */
static inline uint64_t
stir(uint64_t before, const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return (le64toh(word) ^ (before >> 27 | before << 37)) * STIR;
}

/* A checksum of 36 bits. Two independent halves, so that their multiplications run in parallel. */
static uint64_t
sum_of(struct str text)
{
    uint64_t even = text.len, odd = 0;
    const char *at = text.ptr, *end = text.ptr + text.len;
    char rest[16] = { 0 };
    for (; end - at >= (ptrdiff_t)sizeof rest; at += sizeof rest) {
        even = stir(even, at);
        odd = stir(odd, at + 8);
    }
    memcpy(rest, at, (size_t)(end - at));
    even = stir(even, rest);
    odd = stir(odd, rest + 8);
    uint64_t both = even ^ (odd >> 32 | odd << 32);
    return (both ^ both >> 32) * STIR >> (64 - 6 * OF_SUM);
}

static struct str
digest_part(const struct domain *domain)
{
    return str_first(domain->digest, DIGEST_PART);
}

static bool
has_emphasis(const struct hint *hint)
{
    return hint->sentence < 0 && str_present(hint->member->hint.emphasis);
}

static size_t
counts_of_level(const struct hint *hint)
{
    return has_emphasis(hint) ? 6 : 4;
}

/* ---- writing ---- */

/* Lowest digit first. Digits are "@" to "~", and "?" for 63: the low six bits are the value. */
static void
add_number(struct buf *out, uint64_t number, int digits)
{
    char text[OF_HALF];
    for (int i = 0; i < digits; i++, number >>= 6)
        text[i] = (char)('?' + ((number & 63) + 1) % 64);
    buf_add(out, (struct str){ text, (size_t)digits });
    if (number != 0)
        out->overflow = true;
}

/* Places a value within a number; it must fit into its bits. */
static uint64_t
part(struct buf *out, size_t number, int at, int bits)
{
    if (number >> bits != 0)
        out->overflow = true;
    return (uint64_t)number << at;
}

static void
counts_of(const struct hint_level *level, int out[6])
{
    const int counts[6] = { level->text,        level->text_last, level->bullet,
                            level->bullet_last, level->strong,    level->strong_last };
    memcpy(out, counts, sizeof counts);
}

/* The number of digits of the largest count. */
static int
digits_of_counts(const struct hint *hint)
{
    int digits = 1, counts[6];
    for (size_t l = 0; l < hint->level_count; l++) {
        counts_of(&hint->levels[l], counts);
        for (size_t i = 0; i < counts_of_level(hint); i++)
            while (digits < 4 && counts[i] >> 6 * digits != 0)
                digits++;
    }
    return digits;
}

static void
write_value(struct buf *out, const struct hint_value *value)
{
    bool has_json = str_present(value->json);
    unsigned kind = (value->quote ? IS_QUOTED : 0) | (has_json ? HAS_JSON : 0);
    add_number(out, kind | (uint64_t)value->shown.len << LENGTH_AT, OF_VALUE);
    if (has_json)
        add_number(out, value->json.len, OF_JSON);
    buf_add(out, value->shown);
    buf_add(out, value->json);
}

static void
write_body(struct buf *out, const struct hint *hint, int digits)
{
    int counts[6];
    for (size_t l = 0; l < hint->level_count; l++) {
        counts_of(&hint->levels[l], counts);
        for (size_t i = 0; i < counts_of_level(hint); i++)
            add_number(out, (uint64_t)counts[i], digits);
    }
    for (size_t i = 0; i < hint->value_count; i++)
        write_value(out, &hint->values[i]);
}

static void
write_head(struct buf *out, const struct domain *domain, const struct hint *hint, int digits,
           size_t body)
{
    add_number(out,
               part(out, (size_t)(hint->member - domain->members), MEMBER_AT, NUMBER_BITS) |
                   part(out, (size_t)(hint->sentence - HINT_LOOSE), SENTENCE_AT, NUMBER_BITS) |
                   part(out, (size_t)hint->total, TOTAL_AT, NUMBER_BITS) |
                   part(out, (size_t)hint->without_hint, WITHOUT_HINT_AT, NUMBER_BITS),
               OF_HALF);
    add_number(
        out,
        part(out, (size_t)hint->score, SCORE_AT, SCORE_BITS) |
            part(out, hint->is_long, LONG_AT, 1) |
            part(out, hint->safety == SAFETY_CRITICAL, CRITICAL_AT, 1) |
            part(out, hint->sensitive, SENSITIVE_AT, 1) | part(out, hint->by_app, BY_APP_AT, 1) |
            part(out, (size_t)digits - 1, DIGITS_AT, 2) | part(out, body, BODY_AT, BODY_BITS),
        OF_HALF);
}

struct str
hint_set_prefix(struct arena *mem, const struct domain *domain, struct str contents)
{
    struct buf out = buf_in(mem, HINT_SET_MAX_BYTES);
    buf_add_char(&out, HINT_SET_VERSION);
    buf_add(&out, digest_part(domain));
    add_number(&out, sum_of(contents), OF_SUM);
    buf_add(&out, contents);
    return out.overflow ? STR("") : buf_str(&out);
}

/* A set too large for the format, far beyond real data, is not stored but rebuilt for each request.
 */
struct str
hint_set_write(struct arena *mem, const struct hint_set *set)
{
    struct buf out = buf_in(mem, HINT_SET_MAX_BYTES), bodies = buf_in(mem, HINT_SET_MAX_BYTES);
    add_number(&out, set->count, OF_COUNT);
    add_number(&out, (size_t)set->heading, OF_COUNT);
    for (size_t i = 0; i < set->count; i++) {
        size_t start = bodies.len;
        hint_open(mem, &set->hints[i]);
        int digits = digits_of_counts(&set->hints[i]);
        write_body(&bodies, &set->hints[i], digits);
        write_head(&out, set->domain, &set->hints[i], digits, bodies.len - start);
    }
    buf_add(&out, buf_str(&bodies));
    if (out.overflow || bodies.overflow)
        return STR("");
    return hint_set_prefix(mem, set->domain, buf_str(&out));
}

/* ---- reading ---- */

/* Accepts any bytes as digits. */
static inline unsigned
digit(const char *at)
{
    return (unsigned char)*at & 63;
}

static inline unsigned
four_digits(const char *at)
{
    return digit(at) | digit(at + 1) << 6 | digit(at + 2) << 12 | digit(at + 3) << 18;
}

/* Eight digits at once: pairs are combined into 12 bits, pairs of those into 24, and so on. */
static inline uint64_t
eight_digits(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    word = le64toh(word);
    word = (word & 0x003f003f003f003f) | (word & 0x3f003f003f003f00) >> 2;
    word = (word & 0x00000fff00000fff) | (word & 0x0fff00000fff0000) >> 4;
    return (word & 0xffffff) | word >> 32 << 24;
}

static inline unsigned
part_of(uint64_t number, int at, int bits)
{
    return (unsigned)(number >> at & (((uint64_t)1 << bits) - 1));
}

/* Of a critical member, only the hint that there is none is not critical. */
static inline enum member_safety
safety_of(const struct member *member, bool critical)
{
    return critical                            ? SAFETY_CRITICAL
           : member->safety == SAFETY_CRITICAL ? SAFETY_NONE
                                               : member->safety;
}

/* Decodes a hint's head. Its body has at most `left` bytes. False: not a valid head. */
static inline bool
read_hint(const struct domain *domain, const char *at, const char *body, size_t left,
          struct hint *out)
{
    uint64_t first = eight_digits(at), second = eight_digits(at + OF_HALF);
    unsigned member = part_of(first, MEMBER_AT, NUMBER_BITS);
    size_t length = part_of(second, BODY_AT, BODY_BITS);
    if (member >= domain->member_count || length > left)
        return false;
    out->member = &domain->members[member];
    out->sentence = (int)part_of(first, SENTENCE_AT, NUMBER_BITS) + HINT_LOOSE;
    out->score = (int32_t)part_of(second, SCORE_AT, SCORE_BITS);
    out->total = (int)part_of(first, TOTAL_AT, NUMBER_BITS);
    out->without_hint = (int)part_of(first, WITHOUT_HINT_AT, NUMBER_BITS);
    if (out->sentence >= (int)out->member->hint.value_count || out->score > HINT_ONE ||
        out->total < 1 || (out->sentence < 0 && !str_present(out->member->hint.text)) ||
        (out->sentence == HINT_LOOSE && !str_present(out->member->hint.loose)))
        return false;
    out->is_long = part_of(second, LONG_AT, 1);
    out->safety = safety_of(out->member, part_of(second, CRITICAL_AT, 1));
    out->sensitive = part_of(second, SENSITIVE_AT, 1);
    out->by_app = part_of(second, BY_APP_AT, 1);
    out->digits = (uint8_t)(part_of(second, DIGITS_AT, 2) + 1);
    out->level_count = out->total == 1 ? 1 : hint_length_count(out->member, out->total);
    out->value_count = out->total == 1 ? 1 : hint_value_limit(out->member, out->total);
    out->encoded = (struct str){ body, length };
    return length >=
           out->level_count * counts_of_level(out) * out->digits + out->value_count * OF_VALUE;
}

/* The contents after a valid prefix; absent: other version, definition or checksum. */
static struct str
contents_of(const struct domain *domain, struct str text)
{
    struct str digest = digest_part(domain);
    size_t front = 1 + digest.len + OF_SUM;
    if (text.len < front || text.ptr[0] != HINT_SET_VERSION ||
        memcmp(text.ptr + 1, digest.ptr, digest.len) != 0)
        return STR_NONE;
    const char *sum = text.ptr + front - OF_SUM;
    struct str contents = str_from(text, front);
    uint64_t stored = four_digits(sum) | (uint64_t)(digit(sum + 4) | digit(sum + 5) << 6) << 24;
    return stored == sum_of(contents) ? contents : STR_NONE;
}

bool
hint_set_read(struct arena *mem, const struct domain *domain, struct str text, struct hint_set *out)
{
    struct str contents = contents_of(domain, text);
    if (contents.len < 2 * OF_COUNT)
        return false;
    const char *head = contents.ptr + 2 * OF_COUNT, *end = contents.ptr + contents.len;
    size_t count = four_digits(contents.ptr);
    if ((size_t)(end - head) / HEAD < count)
        return false;
    struct hint *hints = ARENA_ARRAY(mem, struct hint, count + 1);
    const char *body = head + count * HEAD;
    for (size_t i = 0; i < count; i++, head += HEAD) {
        if (!read_hint(domain, head, body, (size_t)(end - body), &hints[i]))
            return false;
        body += hints[i].encoded.len;
    }
    *out = (struct hint_set){ domain, (int)four_digits(contents.ptr + OF_COUNT), hints, count };
    return body == end;
}

/* ---- a hint's body ---- */

static inline int
read_count(const char **at, int digits)
{
    unsigned number = 0;
    for (int i = 0; i < digits; i++)
        number |= digit((*at)++) << 6 * i;
    return (int)number;
}

static const char *
read_levels(struct arena *mem, struct hint *hint)
{
    struct hint_level *levels = ARENA_ARRAY(mem, struct hint_level, hint->level_count);
    const char *at = hint->encoded.ptr;
    bool strong = has_emphasis(hint);
    int items = hint_fewest_items(hint->member, hint->total), digits = hint->digits;
    for (size_t i = 0; i < hint->level_count; i++) {
        struct hint_level *level = &levels[i];
        level->items = items;
        level->text = read_count(&at, digits);
        level->text_last = read_count(&at, digits);
        level->bullet = read_count(&at, digits);
        level->bullet_last = read_count(&at, digits);
        level->strong = strong ? read_count(&at, digits) : level->text;
        level->strong_last = strong ? read_count(&at, digits) : level->text_last;
        items = hint_more_items(hint->member, hint->total, items);
    }
    hint->levels = levels;
    return at;
}

/* Limits a length to the bytes that exist. */
static struct str
read_text(const char **at, const char *end, size_t length)
{
    struct str left = { *at, (size_t)(end - *at) }, text = str_first(left, length);
    *at += text.len;
    return text;
}

static unsigned
read_number(const char **at, const char *end)
{
    unsigned number = end - *at >= 4 ? four_digits(*at) : 0;
    *at = end - *at >= 4 ? *at + 4 : end;
    return number;
}

void
hint_open(struct arena *mem, struct hint *hint)
{
    if (hint->levels != NULL)
        return;
    const char *at = read_levels(mem, hint), *end = hint->encoded.ptr + hint->encoded.len;
    struct hint_value *values = ARENA_ARRAY(mem, struct hint_value, hint->value_count);
    for (size_t i = 0; i < hint->value_count; i++) {
        unsigned number = read_number(&at, end);
        size_t json = (number & HAS_JSON) != 0 ? read_number(&at, end) : 0;
        values[i].quote = (number & IS_QUOTED) != 0;
        values[i].shown = read_text(&at, end, number >> LENGTH_AT);
        if ((number & HAS_JSON) != 0)
            values[i].json = read_text(&at, end, json);
    }
    hint->values = values;
}
