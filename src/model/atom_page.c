/* atom_page.c - merges the sorted lists of several domains from their newest ends.
 *
 * The lines of all lists are in one array, a slice per list. A page is found by removing the newest
 * line `offset` times, without decoding it; there are few domains, so that comparing the ends of
 * all slices is cheap. */
#include "model/atom_page.h"

#include "base/arena.h"
#include "model/atom_list.h"

#define LINES_INITIAL 64 /* enough for most users */

/* The matching lines of one atom list, sorted by sequence. Paging removes the newest from the end.
 */
struct slice {
    struct str domain;
    size_t first;
    size_t end;
};

/* Lines of all lists that match, in slices by list. Each slice is sorted. */
struct atom_page_reader {
    const struct atom_query *query;
    struct arena *mem;
    struct atom_line *lines; /* of all slices */
    size_t capacity;
    struct slice *slices;
    size_t slice_count;
    bool limited; /* the view does not show all atoms of the domain that is read */
};

/* Grows by doubling. Earlier lines are addressed by index, never by pointer, because the array
 * moves. */
static struct atom_line *
line_at(struct atom_page_reader *reading, size_t at)
{
    if (at == reading->capacity) {
        struct atom_line *grown =
            ARENA_ARRAY(reading->mem, struct atom_line, at == 0 ? LINES_INITIAL : at * 2);
        if (at > 0)
            memcpy(grown, reading->lines, at * sizeof *grown);
        reading->lines = grown;
        reading->capacity = at == 0 ? LINES_INITIAL : at * 2;
    }
    return &reading->lines[at];
}

/* Decodes a line only if it is held or suppressed: then its sources decide. *valid is false for a
 * damaged line. */
static bool
is_wanted(const struct atom_page_reader *reading, struct str domain, const struct atom_line *line,
          bool *valid)
{
    const struct atom_query *query = reading->query;
    struct atom atom;
    if ((query->statuses & (1u << line->status)) == 0)
        return false;
    if (reading->limited && view_withholds(query->view, domain, line->member, line->key))
        return false;
    if (line->status == ATOM_ACTIVE)
        return true; /* visible to every app that may read the domain */
    *valid = atom_list_read_line(line, STR_NONE, query->view->app_id, &atom);
    return *valid && atom_visible(&atom);
}

/* Lines are nearly sorted: a deletion moves the last line into the gap. */
static void
insert_sorted(struct atom_line *lines, size_t first, size_t at)
{
    struct atom_line moving = lines[at];
    for (; at > first && lines[at - 1].sequence > moving.sequence; at--)
        lines[at] = lines[at - 1];
    lines[at] = moving;
}

/* Only the front of each line is read, to count and to sort; a domain that the caller may not read
 * is skipped without an error. */
static bool
scan_list(struct atom_page_reader *reading, struct str list, struct slice *slice)
{
    bool valid = true;
    if (!reading->query->may_read(slice->domain, reading->query->context))
        return true;
    reading->limited = view_limits(reading->query->view, slice->domain);
    while (list.len > 0 && valid) {
        struct atom_line *line = line_at(reading, slice->end);
        valid = atom_list_next(&list, line);
        if (!valid || !is_wanted(reading, slice->domain, line, &valid))
            continue;
        if (slice->end > slice->first && line[-1].sequence > line->sequence)
            insert_sorted(reading->lines, slice->first, slice->end);
        slice->end++;
    }
    return valid;
}

/* The slice with the newest remaining line; at least one must be left. */
static struct slice *
newest(const struct atom_page_reader *reading)
{
    struct slice *found = NULL;
    for (struct slice *slice = reading->slices; slice < reading->slices + reading->slice_count;
         slice++)
        if (slice->end > slice->first &&
            (found == NULL ||
             reading->lines[slice->end - 1].sequence >= reading->lines[found->end - 1].sequence))
            found = slice;
    return found;
}

/* Every list is sorted by sequence number, so the page is a merge from their ends: the newest line
 * of all slices comes next. Only the atoms of the page are read completely. */
bool
atom_page_read(struct arena *mem, const struct atom_list *lists, size_t list_count,
               const struct atom_query *query, struct atom_page *out)
{
    struct atom_page_reader reading = { .query = query, .mem = mem, .slice_count = list_count };
    reading.slices = ARENA_ARRAY(mem, struct slice, list_count);
    *out = (struct atom_page){ 0 };
    for (size_t i = 0; i < list_count; i++) {
        reading.slices[i] = (struct slice){ lists[i].domain, out->total, out->total };
        if (!scan_list(&reading, lists[i].text, &reading.slices[i]))
            return false;
        out->total = reading.slices[i].end;
    }
    size_t offset = query->offset < out->total ? query->offset : out->total;
    size_t left = out->total - offset;
    size_t shown = left < query->limit ? left : query->limit;
    out->atoms = ARENA_ARRAY(mem, struct atom, shown);
    while (offset-- > 0)
        newest(&reading)->end--;
    for (; out->count < shown; out->count++) {
        struct slice *slice = newest(&reading);
        if (!atom_list_read_line(&reading.lines[--slice->end], slice->domain, query->view->app_id,
                                 &out->atoms[out->count]))
            return false;
    }
    return true;
}
