/* utf8.c - validity, normal forms, and characters that single-line text must not contain.
 *
 * ASCII has a fast path everywhere. Normal forms are made of utf8proc's single steps instead of
 * utf8proc_map(): decompose, sort marks, compose. So memory comes from the arena, which is wiped,
 * and the number of marks per letter is limited before they are sorted. */
#include "text/utf8.h"

#include "base/arena.h"
#include "base/ascii.h"
#include "base/utf8_decode.h"

#include <string.h>
#include <utf8proc.h>

/* The limit of Unicode's stream-safe format (UAX #15). No language needs more marks on a letter,
 * and sorting them takes quadratic time. */
#define MARKS_MAX 30

/* No character's canonical decomposition or full case folding is longer. */
#define EXPANSION_MAX 4
#define COMPATIBLE_EXPANSION_MAX 18 /* U+FDFA */

#define ZWNJ 0x200c
#define ZWJ 0x200d
#define TEXT_STYLE 0xfe0e
#define EMOJI_STYLE 0xfe0f
#define KEYCAP 0x20e3

/* ---- bytes ---- */

/* The number of leading ASCII bytes, checked eight at a time; may be up to seven too small. */
static size_t
ascii_prefix(struct str text)
{
    size_t i = 0;
    for (; text.len - i >= sizeof(uint64_t); i += sizeof(uint64_t)) {
        uint64_t eight;
        memcpy(&eight, text.ptr + i, sizeof eight);
        if ((eight & 0x8080808080808080u) != 0)
            break;
    }
    return i;
}

static bool
all_ascii(struct str text)
{
    for (size_t i = ascii_prefix(text); i < text.len; i++)
        if ((text.ptr[i] & 0x80) != 0)
            return false;
    return true;
}

/* Most texts are ASCII, which ascii_prefix() skips quickly. */
bool
utf8_valid(struct str text)
{
    size_t i = ascii_prefix(text);
    while (i < text.len) {
        int32_t point;
        size_t length = utf8_decode(text.ptr + i, text.len - i, &point);
        if (length == 0)
            return false;
        i += length;
        if (length == 1)
            i += ascii_prefix(str_from(text, i));
    }
    return true;
}

/* Counts the bytes that begin a code point. */
size_t
utf8_length(struct str text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += (text.ptr[i] & 0xc0) != 0x80;
    return count;
}

/* -1 also for invalid UTF-8, of which nothing is consumed: the rest stays as it is. */
int32_t
utf8_next(struct str *rest)
{
    int32_t point = -1;
    if (rest->len == 0)
        return -1;
    size_t length = utf8_decode(rest->ptr, rest->len, &point);
    rest->ptr += length;
    rest->len -= length;
    return point;
}

char *
utf8_put(char *out, uint32_t c)
{
    return out + utf8proc_encode_char((utf8proc_int32_t)c, (utf8proc_uint8_t *)out);
}

/* ---- normal forms ---- */

struct points {
    int32_t *at;
    size_t count;
};

/* Ends at invalid UTF-8; callers have checked the text. */
static struct points
read_points(struct arena *mem, struct str text)
{
    struct points points = { ARENA_ARRAY(mem, int32_t, utf8_length(text)), 0 };
    for (int32_t point; (point = utf8_next(&text)) >= 0;)
        points.at[points.count++] = point;
    return points;
}

static int
mark_class(int32_t point)
{
    return utf8proc_get_property(point)->combining_class;
}

/* Puts the marks that follow a letter into canonical order (insertion sort; it is stable, as
 * required). False if there are too many of them. */
static bool
sort_marks(struct points *points)
{
    size_t run = 0;
    for (size_t i = 0; i < points->count; i++) {
        int32_t point = points->at[i];
        int class = mark_class(point);
        run = class == 0 ? 0 : run + 1;
        if (run > MARKS_MAX)
            return false;
        size_t place = i;
        for (; place > i + 1 - run && class > 0; place--) {
            if (mark_class(points->at[place - 1]) <= class)
                break;
            points->at[place] = points->at[place - 1];
        }
        points->at[place] = point;
    }
    return true;
}

/* Decomposes every character, folds case if the options say so, and sorts marks. utf8proc_map()
 * sorts in quadratic time without a limit and does not wipe its memory. */
static bool
decompose(struct arena *mem, struct points in, unsigned options, struct points *out)
{
    bool compatible = (options & UTF8PROC_COMPAT) != 0;
    size_t capacity = in.count * (compatible ? COMPATIBLE_EXPANSION_MAX : EXPANSION_MAX);
    *out = (struct points){ ARENA_ARRAY(mem, int32_t, capacity), 0 };
    for (size_t i = 0; i < in.count; i++) {
        int boundary = 0;
        utf8proc_ssize_t added =
            utf8proc_decompose_char(in.at[i], out->at + out->count,
                                    (utf8proc_ssize_t)(capacity - out->count), options, &boundary);
        if (added < 0 || (size_t)added > capacity - out->count)
            return false;
        out->count += (size_t)added;
    }
    return sort_marks(out);
}

/* Works in place: composing never makes a text longer. */
static struct str
compose(struct arena *mem, struct points points)
{
    utf8proc_ssize_t count = utf8proc_normalize_utf32(points.at, (utf8proc_ssize_t)points.count,
                                                      UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    if (count < 0)
        return STR_NONE;
    char *text = arena_alloc(mem, (size_t)count * 4 + 1);
    size_t length = 0;
    for (utf8proc_ssize_t i = 0; i < count; i++)
        length += (size_t)utf8proc_encode_char(points.at[i], (utf8proc_uint8_t *)(text + length));
    return (struct str){ text, length };
}

/* Absent: invalid UTF-8. */
struct str
utf8_nfc(struct arena *mem, struct str text)
{
    if (all_ascii(text))
        return str_copy(mem, text);
    struct points apart;
    if (!utf8_valid(text) ||
        !decompose(mem, read_points(mem, text), UTF8PROC_STABLE | UTF8PROC_DECOMPOSE, &apart))
        return STR_NONE;
    return compose(mem, apart);
}

/* Full case folding (Unicode §3.13), then composed again. Absent: invalid UTF-8. */
struct str
utf8_casefold(struct arena *mem, struct str text)
{
    if (all_ascii(text))
        return str_lower(mem, text);
    unsigned options = UTF8PROC_STABLE | UTF8PROC_DECOMPOSE;
    struct points apart, folded;
    /* Decompose first: folding turns the mark U+0345 into a letter, so marks must be sorted before.
     */
    if (!utf8_valid(text) || !decompose(mem, read_points(mem, text), options, &apart) ||
        !decompose(mem, apart, options | UTF8PROC_CASEFOLD, &folded))
        return STR_NONE;
    return compose(mem, folded);
}

/* For comparisons that shall ignore case, accents, and the width of letters. Never shown. */
struct str
utf8_match_key(struct arena *mem, struct str text)
{
    if (all_ascii(text))
        return str_lower(mem, text);
    unsigned options = UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT;
    struct points apart, folded;
    if (!utf8_valid(text) || !decompose(mem, read_points(mem, text), options, &apart) ||
        !decompose(mem, apart, options | UTF8PROC_CASEFOLD | UTF8PROC_STRIPMARK, &folded))
        return STR_NONE;
    return compose(mem, folded);
}

/* ---- characters that a line must not contain ---- */

struct range {
    int32_t first;
    int32_t last;
};

/* The tables are sorted, so that the search ends at the first range after the point. */
static bool
in_ranges(const struct range *ranges, size_t count, int32_t point)
{
    for (size_t i = 0; i < count && point >= ranges[i].first; i++)
        if (point <= ranges[i].last)
            return true;
    return false;
}

#define IN_RANGES(table, point) in_ranges((table), sizeof(table) / sizeof *(table), (point))

/* Invisible, without width, or controlling the text around them. Sorted. */
static const struct range invisible[] = {
    { 0x00ad, 0x00ad },   /* soft hyphen */
    { 0x034f, 0x034f },   /* combining grapheme joiner */
    { 0x061c, 0x061c },   /* Arabic letter mark */
    { 0x115f, 0x1160 },   /* Hangul fillers */
    { 0x17b4, 0x17b5 },   /* Khmer inherent vowels */
    { 0x180b, 0x180f },   /* Mongolian selectors */
    { 0x200b, 0x200f },   /* zero width space, ZWNJ, ZWJ, direction marks */
    { 0x2028, 0x202e },   /* separators, bidirectional embeddings and overrides */
    { 0x2060, 0x206f },   /* joiner, invisible operators, bidirectional isolates */
    { 0x2800, 0x2800 },   /* blank Braille pattern */
    { 0x3164, 0x3164 },   /* Hangul filler */
    { 0xfdd0, 0xfdef },   /* non-characters */
    { 0xfe00, 0xfe0f },   /* variation selectors */
    { 0xfeff, 0xfeff },   /* byte order mark */
    { 0xffa0, 0xffa0 },   /* half-width Hangul filler */
    { 0xfff0, 0xfffb },   /* reserved, interlinear annotation */
    { 0x13430, 0x1345f }, /* Egyptian format controls */
    { 0x1bca0, 0x1bca3 }, /* shorthand format controls */
    { 0x1d173, 0x1d17a }, /* musical format controls */
    { 0xe0000, 0xe0fff }, /* tags, more variation selectors */
};

/* Scripts whose letters join or stack, where ZWJ and ZWNJ choose a letter's form. Sorted. */
static const struct range joining[] = {
    { 0x0600, 0x0dff },   /* Arabic, Syriac, N'Ko … Devanagari to Sinhala */
    { 0x1000, 0x109f },   /* Myanmar */
    { 0x1700, 0x18af },   /* Philippine scripts, Khmer, Mongolian */
    { 0x1900, 0x1c4f },   /* Limbu to Lepcha */
    { 0xa800, 0xaaff },   /* Syloti Nagri to Meetei Mayek */
    { 0xfb50, 0xfdcf },   /* Arabic presentation forms */
    { 0xfe70, 0xfefc },   /* the same */
    { 0x10a00, 0x11fff }, /* Kharoshthi, Manichaean, Brahmi and its children */
    { 0x1e900, 0x1e95f }, /* Adlam */
};

static bool
is_joining_letter(int32_t point)
{
    if (point < 0 || !IN_RANGES(joining, point))
        return false;
    utf8proc_category_t category = utf8proc_category(point);
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_ME;
}

static bool
is_emoji(int32_t point)
{
    return point >= 0 &&
           utf8proc_get_property(point)->boundclass == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
}

static bool
ends_emoji(int32_t point)
{
    return is_emoji(point) || point == EMOJI_STYLE || (point >= 0x1f3fb && point <= 0x1f3ff);
}

static bool
is_keycap_base(int32_t point)
{
    return ascii_is_digit(point) || point == '#' || point == '*';
}

/* Whether the neighbors (-1 at an end) make an invisible character meaningful. */
static bool
is_needed(int32_t before, int32_t point, int32_t after)
{
    switch (point) {
    case ZWJ:
        if (ends_emoji(before) && is_emoji(after))
            return true;
        return is_joining_letter(before) && is_joining_letter(after);
    case ZWNJ:
        return is_joining_letter(before) && is_joining_letter(after);
    case TEXT_STYLE:
        return is_emoji(before);
    case EMOJI_STYLE:
        return is_emoji(before) || (is_keycap_base(before) && after == KEYCAP);
    default:
        return false;
    }
}

/* The last two code points of each plane are non-characters. */
static bool
is_forbidden(int32_t point)
{
    if (point >= ' ' && point <= '~')
        return false;
    utf8proc_category_t category = utf8proc_category(point);
    return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CO ||
           category == UTF8PROC_CATEGORY_CS || (point & 0xfffe) == 0xfffe ||
           IN_RANGES(invisible, point);
}

/* Joiners and similar characters are allowed only where a script or an emoji needs them; elsewhere
 * they make two texts look alike. -1: none. */
int32_t
utf8_forbidden(struct str text)
{
    int32_t before = -1;
    for (int32_t point; (point = utf8_next(&text)) >= 0; before = point) {
        if (!is_forbidden(point))
            continue;
        struct str peek = text;
        if (!is_needed(before, point, utf8_next(&peek)))
            return point;
    }
    return -1;
}
