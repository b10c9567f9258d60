/* atom_list.h - the stored form of a user's atoms in one domain: one text, read and written whole.
 *
 * One line per atom, fields separated by tabs:
 *
 *   id member key value status by_user sequence created_at updated_at
 *   reason suppressed_by suppressed_at wording (source created_at updated_at)…
 *
 * status is a, s or h; value and wording are JSON. An active atom with a reason is one that an app
 * proposes to suppress. An empty updated_at equals the created_at before it, an empty created_at of
 * a source equals that of the atom; other empty fields are absent.
 *
 * Pure; results are allocated from `mem`. Any thread may call them. */
#ifndef MODEL_ATOM_LIST_H
#define MODEL_ATOM_LIST_H

#include "model/atom.h"

/* Reads all atoms, sorted by sequence. They point into `text`. `caller` is the app that makes the
 * request and may be absent. False: not a valid atom list. */
bool atom_list_read(struct arena *mem, struct str domain, struct str text, struct str caller,
                    struct sourced_atom **out, size_t *count);

/* The start of a line: the fields that decide whether a query wants its atom. */
struct atom_line {
    int64_t sequence;
    enum atom_status status;
    bool by_user;
    struct str id, member, key, value;
    struct str rest; /* everything after the sequence */
};

/* Removes the next line from the front of the list, which must not be empty. False: invalid line.
 */
bool atom_list_next(struct str *list, struct atom_line *out);

/* Reads the whole atom except its sources. False: invalid line. */
bool atom_list_read_line(const struct atom_line *line, struct str domain, struct str caller,
                         struct atom *out);

/* Absent if a field contains a tab or a line feed, which validated fields never do. */
struct str atom_list_write(struct arena *mem, const struct sourced_atom *atoms, size_t count);

#endif
