#include "classifier/features.h"

/* What a feature is about, so that equal letters give different numbers. */
enum kind { WORD, PAIR, FIRST_WORD, FIRST_PAIR, PART };

#define KNOWN_WORDS ((size_t)256)

/* A sentence that a text repeats says nothing more, so each feature is added once. */
struct list {
    struct features *out;
    uint64_t known[KNOWN_WORDS];
};

/* FNV-1a, from the hash of what comes before. */
static uint64_t
hash(uint64_t before, struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        before = (before ^ (unsigned char)text.ptr[i]) * 0x100000001b3;
    return before;
}

static uint64_t
hash_of(enum kind kind, struct str text)
{
    return hash(0xcbf29ce484222325 + (uint64_t)kind, text);
}

/* Whether the feature was added before. A few others are taken for it, in training too. */
static bool
is_known(struct list *list, uint32_t feature)
{
    uint64_t *word = &list->known[feature / 64 % KNOWN_WORDS], bit = (uint64_t)1 << feature % 64;
    bool known = (*word & bit) != 0;
    *word |= bit;
    return known;
}

static void
add(struct list *list, uint64_t hash)
{
    hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9;
    uint32_t feature = (uint32_t)(hash >> (64 - FEATURE_BITS));
    if (list->out->count < FEATURES_MAX && !is_known(list, feature))
        list->out->list[list->out->count++] = feature;
}

static void
add_pair(struct list *list, enum kind kind, struct str first, struct str second)
{
    add(list, hash(hash(hash_of(kind, first), STR("_")), second));
}

/* ---- parts ---- */

#define ASCII_PART 4 /* letters; a word of other scripts says as much with fewer */
#define PART_MIN 2
#define PART_MAX 3

static bool
begins_character(char c)
{
    return ((unsigned char)c & 0xC0) != 0x80;
}

/* Of an English word, and the likes: with its ends, so that "play" is not in "display". */
static void
add_ascii_parts(struct list *list, struct str word)
{
    if (word.len < ASCII_PART)
        return;
    add(list, hash(hash_of(PART, STR("^")), str_first(word, ASCII_PART - 1)));
    for (size_t i = 0; i + ASCII_PART <= word.len; i++)
        add(list, hash_of(PART, str_first(str_from(word, i), ASCII_PART)));
    add(list, hash(hash_of(PART, str_from(word, word.len - ASCII_PART + 1)), STR("$")));
}

/* Where the text of `count` characters ends that begins at `from`; 0: there are fewer. */
static size_t
end_of(struct str word, size_t from, size_t count)
{
    size_t at = from;
    for (; count > 0; count--) {
        if (at == word.len)
            return 0;
        at++;
        while (at < word.len && !begins_character(word.ptr[at]))
            at++;
    }
    return at;
}

static void
add_other_parts(struct list *list, struct str word)
{
    for (size_t i = 0; i < word.len; i++)
        for (size_t count = PART_MIN; begins_character(word.ptr[i]) && count <= PART_MAX; count++) {
            size_t end = end_of(word, i, count);
            if (end > 0)
                add(list, hash_of(PART, str_from(str_first(word, end), i)));
        }
}

/* ---- words ---- */

void
features_read(struct str words, char separator, struct features *out)
{
    struct str rest = words, word, before = STR_NONE;
    struct list list = { .out = out };
    out->count = 0;
    for (size_t i = 0; str_cut(&rest, separator, &word); i++) {
        if (word.len == 0)
            continue;
        add(&list, hash_of(WORD, word));
        if (i == 0)
            add(&list, hash_of(FIRST_WORD, word));
        else
            add_pair(&list, PAIR, before, word);
        if (i == 1)
            add_pair(&list, FIRST_PAIR, before, word);
        if ((unsigned char)word.ptr[0] < 0x80)
            add_ascii_parts(&list, word);
        else
            add_other_parts(&list, word);
        before = word;
    }
}
