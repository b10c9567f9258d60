/* csv.h - reads comma-separated values (RFC 4180), one row at a time.
 *
 * A field in quotation marks may contain commas, line breaks, and doubled quotation marks. Lines
 * end with LF or CRLF. Fields point into the text, or into the arena if a mark had to be removed; a
 * caller resets it after each row. Lenient like the programs that write such files: a quotation
 * mark inside a bare field is part of it. Safe from any thread. */
#ifndef TRANSFER_CSV_H
#define TRANSFER_CSV_H

#include "base/str.h"

struct arena;

#define CSV_FIELDS_MAX 64 /* further fields of a row are dropped */

struct csv_row {
    struct str fields[CSV_FIELDS_MAX];
    size_t count;
};

/* Takes the next row from the front of *rest, without empty lines. False at the end. */
bool csv_next(struct arena *mem, struct str *rest, struct csv_row *out);

/* The index of a column by its title in the first row; CSV_FIELDS_MAX: none. */
size_t csv_column(const struct csv_row *titles, const char *name);

/* The field of a row, trimmed; empty if the row is shorter. */
struct str csv_field(const struct csv_row *row, size_t column);

#endif
