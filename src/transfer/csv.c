/* csv.c - rows of a CSV file one by one (RFC 4180), without splitting the whole file. Fields point
 * into the text, except quoted ones with doubled quotation marks, which are copied. Line breaks
 * within quotation marks belong to the field. */
#include "transfer/csv.h"

#include "base/arena.h"

static bool
ends_field(char c)
{
    return c == ',' || c == '\n';
}

/* A field in quotation marks; *rest starts after the first one. */
static struct str
read_quoted(struct arena *mem, struct str *rest)
{
    size_t end = 0, doubled = 0;
    for (; end < rest->len; end++) {
        if (rest->ptr[end] != '"')
            continue;
        if (end + 1 >= rest->len || rest->ptr[end + 1] != '"')
            break;
        doubled++;
        end++;
    }
    struct str field = str_first(*rest, end);
    *rest = str_from(*rest, end + 1);
    while (rest->len > 0 && !ends_field(rest->ptr[0])) /* CR, or text after the closing mark */
        *rest = str_from(*rest, 1);
    if (doubled == 0)
        return field;
    char *plain = arena_alloc(mem, field.len + 1);
    size_t length = 0;
    for (size_t i = 0; i < field.len; i++) {
        plain[length++] = field.ptr[i];
        if (field.ptr[i] == '"')
            i++;
    }
    return (struct str){ plain, length };
}

/* A field without quotation marks. CR before LF belongs to the end of the line. */
static struct str
read_bare(struct str *rest)
{
    size_t end = 0;
    while (end < rest->len && !ends_field(rest->ptr[end]))
        end++;
    struct str field = str_first(*rest, end);
    *rest = str_from(*rest, end);
    return str_ends(field, STR("\r")) ? str_first(field, field.len - 1) : field;
}

static bool
is_empty(const struct csv_row *row)
{
    return row->count == 1 && row->fields[0].len == 0;
}

/* A text that ends inside quotation marks ends the field there. */
bool
csv_next(struct arena *mem, struct str *rest, struct csv_row *out)
{
    do {
        bool more = true;
        out->count = 0;
        if (rest->len == 0)
            return false;
        while (more) {
            bool quoted = rest->len > 0 && rest->ptr[0] == '"';
            if (quoted)
                *rest = str_from(*rest, 1);
            struct str field = quoted ? read_quoted(mem, rest) : read_bare(rest);
            if (out->count < CSV_FIELDS_MAX)
                out->fields[out->count++] = field;
            more = rest->len > 0 && rest->ptr[0] == ',';
            *rest = str_from(*rest, 1); /* the comma or line break */
        }
    } while (is_empty(out));
    return true;
}

/* By name and not by position, since services add columns. CSV_FIELDS_MAX: there is none. */
size_t
csv_column(const struct csv_row *titles, const char *name)
{
    for (size_t i = 0; i < titles->count; i++)
        if (str_eq_nocase(str_trim(titles->fields[i]), str_of(name)))
            return i;
    return CSV_FIELDS_MAX;
}

struct str
csv_field(const struct csv_row *row, size_t column)
{
    return column < row->count ? str_trim(row->fields[column]) : STR("");
}
