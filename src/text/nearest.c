/* nearest.c - suggestions for typing mistakes in names, commands, and settings. */
#include "text/nearest.h"

static size_t
least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The optimal string alignment distance: like Levenshtein's, but two swapped neighbors are one
 * difference. Only three rows of the table are needed at a time. */
size_t
nearest_distance(struct str a, struct str b)
{
    /* Rows of the edit distance table: for the prefix of `a` before the last, the last, and this.
     */
    size_t rows[3][NEAREST_MAX + 1];
    if (a.len > NEAREST_MAX || b.len > NEAREST_MAX)
        return NEAREST_MAX;
    for (size_t j = 0; j <= b.len; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a.len; i++) {
        size_t *row = rows[i % 3];
        const size_t *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            bool same = a.ptr[i - 1] == b.ptr[j - 1];
            row[j] = least(last[j - 1] + !same, least(last[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] && a.ptr[i - 2] == b.ptr[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
    }
    return rows[a.len % 3][b.len];
}

/* One difference for each three characters of the known word. A single character is too little to
 * guess from. */
bool
nearest_is_typo(struct str typed, struct str known)
{
    return typed.len > 1 && nearest_distance(typed, known) <= (known.len + 2) / 3;
}
