/* atom_list.h - what is known about a person in one domain as one text, which is how it is kept:
 * read whole, changed, written whole. Pure.
 *
 * A line an atom, the fields of a line apart by tabs:
 *
 *   id member key value status by_user sequence created_at updated_at
 *   reason suppressed_by suppressed_at (source created_at updated_at)…
 *
 * status is a, s or h; value is JSON. An empty updated_at is the created_at before it, an empty
 * created_at of a source that of the atom; other empty fields are absent. */
#ifndef MODEL_ATOM_LIST_H
#define MODEL_ATOM_LIST_H

#include "model/atom.h"

/* In the order of their sequence, whatever that of the lines. Points into `text`. `asker` may be
 * absent. False: this is no sheet. */
bool atom_list_read(struct arena *mem, struct str domain, struct str text, struct str asker,
                    struct sourced_atom **out, size_t *count);

/* A line that was looked at, not read: what tells whether its atom is asked for. */
struct atom_line {
    int64_t sequence;
    enum atom_status status;
    bool by_user;
    struct str id, member, key, value;
    struct str rest; /* what stands behind the sequence */
};

/* Takes the next line off the front of the sheet, of which there is some left. False: it is none.
 */
bool atom_list_next(struct str *list, struct atom_line *out);

/* All that its atom is, but for who said so. False: the line is none. */
bool atom_list_read_line(const struct atom_line *line, struct str domain, struct str asker,
                         struct atom *out);

/* Absent if a field holds a tab or a line's end, which nothing that was checked does. */
struct str atom_list_write(struct arena *mem, const struct sourced_atom *atoms, size_t count);

#endif
