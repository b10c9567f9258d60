#include "tokenizer/tokenizer_merge.h"

#include "tokenizer/tokenizer_table.h"

#include <stdbool.h>

#define SHORT_MAX 64    /* nearly all pieces; small arrays are cheap to initialize */
#define MIDDLE_MAX 1024 /* the longest value without spaces */
#define PAIR_MAX (2 * TOKENIZER_TOKEN_MAX) /* two tokens of the greatest length */

/* A piece divided into parts. Part i goes from start[i] to start[i + 1]; rank[i] is that of the
 * token which parts i and i + 1 would make. */
struct parts {
    const unsigned char *bytes;
    uint16_t *start; /* one more than there are bytes */
    uint32_t *rank;
    size_t count;
};

static uint32_t
rank_at(const struct parts *p, size_t i)
{
    if (i + 2 > p->count)
        return TOKENIZER_NO_RANK;
    return tokenizer_rank(p->bytes + p->start[i], (size_t)(p->start[i + 2] - p->start[i]));
}

static size_t
lowest(const struct parts *p)
{
    size_t found = 0;
    for (size_t i = 1; i < p->count; i++)
        if (p->rank[i] < p->rank[found])
            found = i;
    return found;
}

/* Scans all parts after every merge, which is fastest for words. Stops before a merge across
 * `fence`, if that is not 0, and returns false. */
static bool
merge(struct parts *p, size_t length, size_t fence)
{
    p->count = length;
    for (size_t i = 0; i <= length; i++)
        p->start[i] = (uint16_t)i;
    for (size_t i = 0; i < length; i++)
        p->rank[i] = rank_at(p, i);
    while (p->count > 1) {
        size_t i = lowest(p);
        if (p->rank[i] == TOKENIZER_NO_RANK)
            break;
        if (fence != 0 && p->start[i + 1] == fence)
            return false;
        p->count--;
        memmove(p->start + i + 1, p->start + i + 2, (p->count - i) * sizeof *p->start);
        memmove(p->rank + i + 1, p->rank + i + 2, (p->count - i - 1) * sizeof *p->rank);
        p->rank[i] = rank_at(p, i);
        if (i > 0)
            p->rank[i - 1] = rank_at(p, i - 1);
    }
    return true;
}

/* ---- pieces longer than words ---- */

/* A piece may be as long as the text: a text without spaces, a line of dashes. The tokens of all
 * its prefixes are found one after another, and only the last token of each is stored.
 *
 * Why that is exact. Let E(t) be the tokens of t.
 * (1) If E(t) has a boundary somewhere, the tokens before it are E of the text before it. No merge
 *     went across the boundary, so on the left the merges were those of the left text alone: each
 *     was the lowest of all, hence the lowest there. The same holds on the right.
 * (2) If a is the last token of E(s) and E(aw) is a, w, then E(sw) is E(s), w. Suppose some merge
 *     goes across the boundary between s and w, and take the first. Until then the merges on the
 *     left were those of s, of which by (1) those inside a are the merges of a alone, and those on
 *     the right were those of w. Each was the lowest of all, hence the lowest within aw, and so is
 *     the one that goes across: it would be in E(aw), too.
 * So the last token of E(t) is the one token w at the end of t for which (2) holds with the rest of
 * t; and no token is longer than TOKENIZER_TOKEN_MAX, so that is how far one must look back. */

#define LOOK_BACK (2 * TOKENIZER_TOKEN_MAX) /* a power of two */
#define CACHE_BITS 12

struct ending {
    uint32_t rank; /* of the last token of the text up to here */
    uint32_t length;
    size_t count;
};

struct pair {
    uint32_t left;
    uint32_t right_and_answer; /* rank of the right one, a bit that is set, a bit for the answer */
};

/* Whether the tokens of these bytes are the first `left` of them and the others. */
static bool
stay_separate(const unsigned char *bytes, size_t left, size_t right)
{
    uint16_t start[PAIR_MAX + 1];
    uint32_t rank[PAIR_MAX];
    struct parts parts = { bytes, start, rank, 0 };
    return merge(&parts, left + right, left) && parts.count == (left == 0 ? 1 : 2);
}

/* The same by rank, with a cache: a line of dashes asks for the same pairs repeatedly. */
static bool
follows(struct pair *known, const struct ending *before, uint32_t rank, const unsigned char *bytes,
        size_t length)
{
    uint32_t hash = before->rank * 2654435761u ^ rank * 2246822519u;
    struct pair *pair = &known[hash >> (32 - CACHE_BITS)];
    uint32_t no = rank << 2 | 2;
    uint32_t yes = no | 1;
    if (pair->left != before->rank ||
        (pair->right_and_answer != no && pair->right_and_answer != yes)) {
        bool apart = stay_separate(bytes - before->length, before->length, length);
        *pair = (struct pair){ before->rank, apart ? yes : no };
    }
    return pair->right_and_answer == yes;
}

/* Tries whether the last token of the piece up to `end` has this size; notes it if so. */
static bool
ends_with(const unsigned char *piece, size_t end, size_t size, struct ending *endings,
          struct pair *known)
{
    const unsigned char *last = piece + end - size;
    uint32_t rank = tokenizer_rank(last, size);
    const struct ending *before = &endings[(end - size) % LOOK_BACK];
    if (rank == TOKENIZER_NO_RANK || !follows(known, before, rank, last, size))
        return false;
    endings[end % LOOK_BACK] = (struct ending){ rank, (uint32_t)size, before->count + 1 };
    return true;
}

size_t
tokenizer_merge_count_long(const unsigned char *piece, size_t length)
{
    struct pair known[1 << CACHE_BITS] = { 0 };
    struct ending endings[LOOK_BACK];
    endings[0] = (struct ending){ TOKENIZER_NO_RANK, 0, 0 };
    for (size_t end = 1; end <= length; end++) {
        size_t most = end < TOKENIZER_TOKEN_MAX ? end : TOKENIZER_TOKEN_MAX;
        /* In a run of one character the last token often grows by one. Trying that first is a
         * hundred times faster, since many tokens are such runs. */
        size_t likely = endings[(end - 1) % LOOK_BACK].length + 1;
        if (likely <= most && ends_with(piece, end, likely, endings, known))
            continue;
        for (size_t size = most; size > 0 && !ends_with(piece, end, size, endings, known);)
            size--;
    }
    return endings[length % LOOK_BACK].count;
}

/* ---- all pieces ---- */

static size_t
count_short(const unsigned char *piece, size_t length)
{
    uint16_t start[SHORT_MAX + 1];
    uint32_t rank[SHORT_MAX];
    struct parts parts = { piece, start, rank, 0 };
    merge(&parts, length, 0);
    return parts.count;
}

static size_t
count_middle(const unsigned char *piece, size_t length)
{
    uint16_t start[MIDDLE_MAX + 1];
    uint32_t rank[MIDDLE_MAX];
    struct parts parts = { piece, start, rank, 0 };
    merge(&parts, length, 0);
    return parts.count;
}

size_t
tokenizer_merge_count(const unsigned char *piece, size_t length)
{
    if (length <= SHORT_MAX)
        return count_short(piece, length);
    return length <= MIDDLE_MAX ? count_middle(piece, length)
                                : tokenizer_merge_count_long(piece, length);
}
