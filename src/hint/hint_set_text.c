/* The stored form of a hint set. A reader decodes only the hints it needs:
 *
 *   prefix         format version, start of the definition's digest
 *   counts         number of hints, tokens of the heading and the name, unlisted statements
 *   heads          for each hint: which it is, and the number of bytes of its body
 *   bodies         for each hint: its contexts and number of terms; the token counts of its
 *                  lengths; its terms; its origin, the apps it is attributed to, and its values,
 *                  each after its length
 *
 * Numbers are base 64 with a fixed number of digits, so every offset is computed, not searched. The
 * store's checksum (db/row_sum.h) detects damage. All offsets are checked against the end of the
 * text as well. */
#include "hint/hint_set_text.h"

#include "base/arena.h"
#include "base/buf.h"
#include "hint/hint.h"
#include "domain/terms.h"
#include "model/atom.h"

#include <endian.h>

#define HINT_SET_VERSION \
    'J' /* increase it when the format, the sentences or the token counts change */
#define HINT_SET_MAX_BYTES ((size_t)4 * 1024 * 1024)
#define DIGEST_PART 16 /* characters: 96 bits */

/* Numbers of digits. */
enum { OF_COUNT = 4, OF_TERM = 4, OF_VALUE = 4, OF_JSON = 4, OF_PART = 8 };
enum { FRONT = 5 * OF_COUNT, HEAD = 2 * OF_PART };

/* Bit offsets and widths within a hint's head, which is two numbers of 48 bits. */
enum {
    MEMBER_AT = 0,
    MEMBER_BITS = 8,
    OPEN_AT = 8,
    CARRIED_AT = 9,
    SENTENCE_AT = 10,
    TOTAL_AT = 22,
    NUMBER_BITS = 12
};
enum { KEY_AT = 34, LEVELS_AT = 41, SMALL_BITS = 7 };
enum { SCORE_AT = 0, SCORE_BITS = 18, LONG_AT = 18, DIGITS_AT = 19, BODY_AT = 24, BODY_BITS = 24 };
enum { CRITICAL_AT = 21, SENSITIVE_AT = 22, BY_APP_AT = 23 };
enum { CONTEXTS_AT = 0, TERMS_AT = HINT_CONTEXTS_MAX, TERMS_BITS = 6 }; /* at the start of a body */
enum { EXACT_AT = TERMS_AT + TERMS_BITS, ATTRIBUTED_AT, PLAIN_AT };
enum { TERM_VALUE_AT = TERM_BITS };

/* Flags in the number before a value; the length is above them. */
#define IS_QUOTED 1
#define HAS_JSON 2
#define IS_BY_APP 4
#define LENGTH_AT 3

#define HINT_LOWEST HINT_MANNER /* of the values of hint.sentence */

/* ---- shared by reading and writing ---- */

static struct str
digest_part(const struct domain *domain)
{
    return str_first(domain->digest, DIGEST_PART);
}

static size_t
counts_of_level(const struct hint *hint)
{
    return hint_has_emphasis(hint) ? COUNTS : COUNT_STRONG;
}

/* ---- writing ---- */

/* Lowest digit first. Digits are "@" to "~", and "?" for 63: the low six bits are the value. */
static void
add_number(struct buf *out, uint64_t number, int digits)
{
    char text[OF_PART];
    for (int i = 0; i < digits; i++, number >>= 6)
        text[i] = (char)('?' + ((number & 63) + 1) % 64);
    buf_add(out, (struct str){ text, (size_t)digits });
    if (number != 0)
        out->overflow = true;
}

/* Places a value within a number; it must fit into its bits. */
static uint64_t
place_bits(struct buf *out, size_t number, int at, int bits)
{
    if (number >> bits != 0)
        out->overflow = true;
    return (uint64_t)number << at;
}

/* The number of digits of the largest count. */
static int
digits_of_counts(const struct hint *hint)
{
    int digits = 1;
    for (size_t l = 0; l < hint->level_count; l++)
        for (size_t i = 0; i < counts_of_level(hint); i += 2) {
            struct hint_pair pair = hint_tokens(hint, l, (enum hint_count)i);
            while (digits < 4 && (pair.first | pair.second) >> 6 * digits != 0)
                digits++;
        }
    return digits;
}

/* Lengths come before texts, so that texts need no escapes. */
static void
write_value(struct buf *out, const struct hint_value *value)
{
    bool has_json = str_present(value->json);
    unsigned kind = (value->quote ? IS_QUOTED : 0) | (has_json ? HAS_JSON : 0) |
                    (value->by_app ? IS_BY_APP : 0);
    add_number(out, kind | (uint64_t)value->shown.len << LENGTH_AT, OF_VALUE);
    if (has_json)
        add_number(out, value->json.len, OF_JSON);
    buf_add(out, value->shown);
    buf_add(out, value->json);
}

/* The words of a hint, as stored or as made. */
struct words {
    uint64_t contexts;
    size_t count;
    const struct term *terms; /* NULL: encoded */
    const char *encoded;
};
static struct words words_of(const struct hint *hint);
static struct term term_at(const struct words *words, size_t i);

/* The part of a hint that is read only if the hint is selected, except the words that match a
 * task. */
static void
write_body(struct buf *out, const struct hint *hint, int digits)
{
    struct words words = words_of(hint);
    add_number(out,
               place_bits(out, words.contexts, CONTEXTS_AT, HINT_CONTEXTS_MAX) |
                   place_bits(out, words.count, TERMS_AT, TERMS_BITS) |
                   place_bits(out, hint->exact, EXACT_AT, 1) |
                   place_bits(out, hint_is_attributed(hint), ATTRIBUTED_AT, 1) |
                   place_bits(out, hint->plain, PLAIN_AT, 1),
               OF_PART);
    for (size_t l = 0; l < hint->level_count; l++)
        for (size_t i = 0; i < counts_of_level(hint); i += 2) {
            struct hint_pair pair = hint_tokens(hint, l, (enum hint_count)i);
            add_number(out, (uint64_t)pair.first, digits);
            add_number(out, (uint64_t)pair.second, digits);
        }
    for (size_t i = 0; i < words.count; i++) {
        struct term term = term_at(&words, i);
        add_number(out, term.hash | (uint64_t)term.value << TERM_VALUE_AT, OF_TERM);
    }
    struct str origin = str_eq(hint->origin, SOURCE_USER) ? STR("") : hint->origin; /* usual */
    add_number(out, origin.len, OF_VALUE);
    buf_add(out, origin);
    if (hint_is_attributed(hint)) {
        add_number(out, hint->according.len, OF_VALUE);
        buf_add(out, hint->according);
    }
    for (int i = 0; i < hint->total; i++)
        write_value(out, &hint->values[i]);
}

/* The part of a hint that is read for every request, with a fixed length, so that hints can be
 * skipped without reading their bodies. */
static void
write_head(struct buf *out, const struct domain *domain, const struct hint *hint, int digits,
           size_t body)
{
    add_number(
        out,
        place_bits(out, (size_t)(hint->member - domain->members), MEMBER_AT, MEMBER_BITS) |
            place_bits(out, hint->open, OPEN_AT, 1) |
            place_bits(out, hint->carried, CARRIED_AT, 1) |
            place_bits(out, (size_t)(hint->sentence - HINT_LOWEST), SENTENCE_AT, NUMBER_BITS) |
            place_bits(out, (size_t)hint->total, TOTAL_AT, NUMBER_BITS) |
            place_bits(out, (size_t)hint->key_tokens, KEY_AT, SMALL_BITS) |
            place_bits(out, hint->level_count - 1, LEVELS_AT, SMALL_BITS),
        OF_PART);
    add_number(out,
               place_bits(out, (size_t)hint->score, SCORE_AT, SCORE_BITS) |
                   place_bits(out, hint->is_long, LONG_AT, 1) |
                   place_bits(out, hint->safety == SAFETY_CRITICAL, CRITICAL_AT, 1) |
                   place_bits(out, hint->sensitive, SENSITIVE_AT, 1) |
                   place_bits(out, hint->by_app, BY_APP_AT, 1) |
                   place_bits(out, (size_t)digits - 1, DIGITS_AT, 2) |
                   place_bits(out, body, BODY_AT, BODY_BITS),
               OF_PART);
}

struct str
hint_set_prefix(struct arena *mem, const struct domain *domain, struct str contents)
{
    struct buf out = buf_in(mem, HINT_SET_MAX_BYTES);
    buf_add_char(&out, HINT_SET_VERSION);
    buf_add(&out, digest_part(domain));
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
    add_number(&out, (size_t)set->name, OF_COUNT);
    add_number(&out, (size_t)set->unlisted, OF_COUNT);
    add_number(&out, (size_t)set->unlisted_critical, OF_COUNT);
    for (size_t i = 0; i < set->count; i++) {
        size_t start = bodies.len;
        int digits = digits_of_counts(&set->hints[i]);
        hint_open(mem, &set->hints[i], set->hints[i].total);
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

/* Four digits at once: two pairs are combined into 12 bits each, and those into 24. */
static inline unsigned
four_digits(const char *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    word = le32toh(word);
    word = (word & 0x003f003f) | (word & 0x3f003f00) >> 2;
    return (word & 0xfff) | word >> 16 << 12;
}

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
    uint64_t first = eight_digits(at), second = eight_digits(at + OF_PART);
    unsigned member = part_of(first, MEMBER_AT, MEMBER_BITS);
    size_t length = part_of(second, BODY_AT, BODY_BITS);
    if (member >= domain->member_count || length > left)
        return false;
    out->member = &domain->members[member];
    out->sentence = (int)part_of(first, SENTENCE_AT, NUMBER_BITS) + HINT_LOWEST;
    out->score = (int32_t)part_of(second, SCORE_AT, SCORE_BITS);
    out->total = (int)part_of(first, TOTAL_AT, NUMBER_BITS);
    out->key_tokens = (int)part_of(first, KEY_AT, SMALL_BITS);
    out->open = part_of(first, OPEN_AT, 1);
    out->carried = part_of(first, CARRIED_AT, 1);
    if (out->sentence >= (int)out->member->hint.value_count || out->score > HINT_ONE ||
        out->total < 1 || (out->sentence < 0 && !str_present(out->member->hint.text)) ||
        (out->sentence == HINT_LOOSE && !str_present(out->member->hint.loose)) ||
        (out->sentence == HINT_DESCRIBED && !str_present(out->member->hint.described)) ||
        (out->sentence == HINT_MANNER && !str_present(out->member->hint.manner)) ||
        (out->sentence == HINT_SPEECH && !str_present(out->member->hint.speech_text)))
        return false;
    out->is_long = part_of(second, LONG_AT, 1);
    out->safety = safety_of(out->member, part_of(second, CRITICAL_AT, 1));
    out->sensitive = part_of(second, SENSITIVE_AT, 1);
    out->by_app = part_of(second, BY_APP_AT, 1);
    out->digits = (uint8_t)(part_of(second, DIGITS_AT, 2) + 1);
    out->level_count = part_of(first, LEVELS_AT, SMALL_BITS) + 1;
    out->encoded = (struct str){ body, length };
    size_t counts = out->level_count * counts_of_level(out) * out->digits;
    out->counts_end = (uint32_t)(OF_PART + counts);
    return length >= out->counts_end + ((size_t)out->total + 1) * OF_VALUE;
}

/* The contents after a valid prefix; absent: other version or definition. */
static struct str
contents_of(const struct domain *domain, struct str text)
{
    struct str digest = digest_part(domain);
    size_t front = 1 + digest.len;
    if (text.len < front || text.ptr[0] != HINT_SET_VERSION ||
        memcmp(text.ptr + 1, digest.ptr, digest.len) != 0)
        return STR_NONE;
    return str_from(text, front);
}

/* False: the text is damaged, or of another version of the definition; the caller then makes the
 * set again. Bodies are not read: the hints keep pointers into `text`. */
bool
hint_set_read(struct arena *mem, const struct domain *domain, struct str text, struct hint_set *out)
{
    struct str contents = contents_of(domain, text);
    if (contents.len < FRONT)
        return false;
    const char *head = contents.ptr + FRONT, *end = contents.ptr + contents.len;
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
    const char *counts = contents.ptr + OF_COUNT;
    *out = (struct hint_set){ .domain = domain,
                              .heading = (int)four_digits(counts),
                              .name = (int)four_digits(counts + OF_COUNT),
                              .unlisted = (int)four_digits(counts + 2 * (size_t)OF_COUNT),
                              .unlisted_critical = (int)four_digits(counts + 3 * (size_t)OF_COUNT),
                              .hints = hints,
                              .count = count };
    return body == end;
}

/* ---- a hint's body ---- */

static inline int
read_count(const char *at, unsigned digits)
{
    unsigned number = digit(at);
    for (unsigned i = 1; i < digits; i++)
        number |= digit(at + i) << 6 * i;
    return (int)number;
}

/* `which` and the count after it. From the hint in memory, or from the stored digits. */
struct hint_pair
hint_tokens(const struct hint *hint, size_t level, enum hint_count which)
{
    if (hint->levels != NULL) {
        const int *tokens = hint->levels[level].tokens;
        return (struct hint_pair){ tokens[which], tokens[which + 1] };
    }
    size_t counts = counts_of_level(hint);
    const char *at = hint->encoded.ptr + OF_PART +
                     (level * counts + (which < counts ? which : COUNT_TEXT)) * hint->digits;
    return (struct hint_pair){ read_count(at, hint->digits),
                               read_count(at + hint->digits, hint->digits) };
}

/* A flag at the start of a body. */
static inline bool
has_flag(const struct hint *hint, int at)
{
    return digit(hint->encoded.ptr + at / 6) >> at % 6 & 1;
}

bool
hint_is_attributed(const struct hint *hint)
{
    return hint->levels != NULL ? str_present(hint->according)
                                : hint->by_app && has_flag(hint, ATTRIBUTED_AT);
}

bool
hint_is_exact(const struct hint *hint)
{
    return hint->levels != NULL ? hint->exact : has_flag(hint, EXACT_AT);
}

/* Limits the number of terms to the bytes that exist. */
static inline struct words
words_of(const struct hint *hint)
{
    if (hint->levels != NULL)
        return (struct words){ hint->contexts, hint->term_count, hint->terms, NULL };
    uint64_t part = eight_digits(hint->encoded.ptr);
    size_t start = hint->counts_end, count = part_of(part, TERMS_AT, TERMS_BITS);
    size_t most = (hint->encoded.len - start) / OF_TERM;
    return (struct words){ part & (((uint64_t)1 << HINT_CONTEXTS_MAX) - 1),
                           count < most ? count : most, NULL, hint->encoded.ptr + start };
}

static inline struct term
term_at(const struct words *words, size_t i)
{
    if (words->terms != NULL)
        return words->terms[i];
    unsigned number = four_digits(words->encoded + i * OF_TERM);
    return (struct term){ number & ((1u << TERM_BITS) - 1), (uint8_t)(number >> TERM_VALUE_AT) };
}

/* At most 3, since more words of the task do not make a fact more relevant. *wanted: this number of
 * first values must be named to include the last one that matched. */
int
hint_match(const struct hint *hint, const struct terms *terms, size_t context, int *wanted)
{
    struct words words = words_of(hint);
    int found = context < HINT_CONTEXTS_MAX ? (int)(words.contexts >> context & 1) : 0;
    *wanted = 0;
    if (terms->count == 0)
        words.count = 0;
    for (size_t i = 0; i < words.count; i++) {
        struct term term = term_at(&words, i);
        if (!terms_has(terms, term.hash))
            continue;
        found++;
        *wanted = term.value >= *wanted ? term.value + 1 : *wanted;
    }
    return found > 3 ? 3 : found;
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

/* Reads only as many values as are shown. */
void
hint_open(struct arena *mem, struct hint *hint, int items)
{
    if (!str_present(hint->encoded))
        return;
    struct words words = words_of(hint);
    const char *at = words.encoded + words.count * OF_TERM,
               *end = hint->encoded.ptr + hint->encoded.len;
    uint64_t part = eight_digits(hint->encoded.ptr);
    hint->exact = part_of(part, EXACT_AT, 1);
    hint->plain = part_of(part, PLAIN_AT, 1);
    hint->origin = read_text(&at, end, read_number(&at, end));
    if (hint->origin.len == 0 && !hint->by_app)
        hint->origin = SOURCE_USER;
    if (hint->by_app && part_of(part, ATTRIBUTED_AT, 1))
        hint->according = read_text(&at, end, read_number(&at, end));
    struct hint_value *values = ARENA_ARRAY(mem, struct hint_value, (size_t)items);
    for (int i = 0; i < items; i++) {
        unsigned number = read_number(&at, end);
        size_t json = (number & HAS_JSON) != 0 ? read_number(&at, end) : 0;
        values[i].quote = (number & IS_QUOTED) != 0;
        values[i].by_app = (number & IS_BY_APP) != 0;
        values[i].shown = read_text(&at, end, number >> LENGTH_AT);
        if ((number & HAS_JSON) != 0)
            values[i].json = read_text(&at, end, json);
    }
    hint->values = values;
}
