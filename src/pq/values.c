/* values.c - parameters and results: between struct db_value and what libpq sends. */
#include "pq/pq.h"

#include "base/arena.h"
#include "base/buf.h"

#include <string.h>

/* Column types: OIDs of pg_type. */
enum { OID_INT8 = 20, OID_INT2 = 21, OID_INT4 = 23, OID_TEXT = 25, OID_NUMERIC = 1700 };

static enum err
read_cell(const PGresult *result, int row, int column, struct arena *mem, struct db_value *out)
{
    if (PQgetisnull(result, row, column)) {
        *out = (struct db_value){ .type = DB_NULL };
        return ERR_NONE;
    }
    struct str text = { PQgetvalue(result, row, column), (size_t)PQgetlength(result, row, column) };
    switch (PQftype(result, column)) {
    case OID_INT2:
    case OID_INT4:
    case OID_INT8:
    case OID_NUMERIC: /* the type of sum(BIGINT) */
        out->type = DB_INT;
        return str_to_int(text, INT64_MIN, INT64_MAX, &out->number) ? ERR_NONE : ERR_INTERNAL;
    default:
        *out = db_text(str_copy(mem, text));
        return ERR_NONE;
    }
}

enum err
postgres_copy_row(const PGresult *result, int row, int first, struct arena *mem,
                  struct db_value *cells)
{
    enum err err = ERR_NONE;
    for (int column = first; column < PQnfields(result) && !err; column++)
        err = read_cell(result, row, column, mem, &cells[column - first]);
    return err;
}

enum err
postgres_copy_rows(const PGresult *result, struct arena *mem, struct db_rows *rows)
{
    size_t columns = (size_t)PQnfields(result);
    size_t count = (size_t)PQntuples(result);
    struct db_value *cells = ARENA_ARRAY(mem, struct db_value, columns * count);
    enum err err = ERR_NONE;
    for (size_t i = 0; i < count && !err; i++)
        err = postgres_copy_row(result, (int)i, 0, mem, &cells[i * columns]);
    *rows = (struct db_rows){ count, columns, cells };
    return err;
}

bool
postgres_values_storable(const struct db_value *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (values[i].type == DB_TEXT && str_index(values[i].text, '\0') < values[i].text.len)
            return false;
    return true;
}

void
postgres_values_to_text(struct arena *mem, const struct db_value *values, size_t count,
                        const char **texts)
{
    for (size_t i = 0; i < count; i++) {
        texts[i] = NULL;
        if (values[i].type == DB_INT)
            texts[i] = str_format(mem, "%lld", (long long)values[i].number).ptr;
        else if (values[i].type == DB_TEXT)
            texts[i] = str_c(mem, values[i].text);
    }
}

/* ---- arrays ---- */

static void
add_number(struct buf *out, uint64_t number, size_t bytes)
{
    while (bytes-- > 0)
        buf_add_char(out, (char)(number >> (8 * bytes) & 0xff));
}

/* The binary format: dimensions, whether there are NULLs, type, length, first index; then each
 * element with its length, or -1 for NULL. */
void
postgres_array_start(struct buf *out, char type, size_t count)
{
    add_number(out, 1, 4);
    add_number(out, 1, 4);
    add_number(out, type == 'i' ? OID_INT8 : OID_TEXT, 4);
    add_number(out, count, 4);
    add_number(out, 1, 4);
}

void
postgres_array_add(struct buf *out, const struct db_value *value)
{
    switch (value->type) {
    case DB_NULL:
        add_number(out, UINT32_MAX, 4);
        break;
    case DB_INT:
        add_number(out, 8, 4);
        add_number(out, (uint64_t)value->number, 8);
        break;
    case DB_TEXT:
        add_number(out, value->text.len, 4);
        buf_add(out, value->text);
        break;
    }
}
