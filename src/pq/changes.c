/* changes.c - the change log: the version slots that each transaction changed, for the caches of
 * all nodes.
 *
 * A transaction that changes rows which may be cached adds one row to store_change just before its
 * COMMIT: its id and the version slots it touched, as "12,4711", or "*" for all. Housekeeping
 * deletes old rows and adds a row "<N" in the same statement: rows of transactions below N may be
 * missing. docs/CONSISTENCY.md explains why a reader misses nothing. */
#include "pq/pq.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS_MAX (POSTGRES_CHANGES_MAX / 6 - 1) /* a transaction with more changes everything */

static bool
is_repeated(const struct touched *touched, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (touched->slots[i] == touched->slots[at])
            return true;
    return false;
}

void
postgres_changes_write(const struct touched *touched, char out[POSTGRES_CHANGES_MAX])
{
    if (touched->all || touched->count > SLOTS_MAX) {
        memcpy(out, "*", 2);
        return;
    }
    size_t length = 0;
    out[0] = '\0';
    for (size_t i = 0; i < touched->count; i++)
        if (!is_repeated(touched, i))
            length += (size_t)snprintf(out + length, POSTGRES_CHANGES_MAX - length, "%s%u",
                                       length == 0 ? "" : ",", touched->slots[i]);
}

/* One row. */
static void
read_row(struct str row, uint64_t oldest, struct touched *touched)
{
    struct str element;
    int64_t number = 0;
    if (row.len > 0 && row.ptr[0] == '<') {
        if (!str_to_int(str_from(row, 1), 0, INT64_MAX, &number) || (uint64_t)number > oldest)
            touched->all = true;
        return;
    }
    do {
        if (!str_cut(&row, ',', &element) || !str_to_int(element, 0, VERSION_SLOTS - 1, &number))
            touched->all = true; /* "*", or written by a later version */
        else
            touched_add(touched, (size_t)number);
    } while (row.len > 0 && !touched->all);
}

void
postgres_changes_read(struct str rows, uint64_t oldest, struct touched *touched)
{
    struct str row;
    while (!touched->all && str_cut(&rows, ' ', &row))
        read_row(row, oldest, touched);
}

uint64_t
postgres_snapshot_oldest(const char *snapshot)
{
    return strtoull(snapshot, NULL, 10); /* "oldest:next:running,…" */
}
