#include "model/atom_sheet.h"

#include "base/arena.h"
#include "base/buf.h"

#include <string.h>

#define SHEET_MAX ((size_t)16 * 1024 * 1024) /* 2,000 atoms of the longest kind fit */
#define SOURCES_SEEN 4                       /* room that most atoms never outgrow */

static const char statuses[] = { [ATOM_ACTIVE] = 'a', [ATOM_SUPPRESSED] = 's', [ATOM_HELD] = 'h' };

/* ---- reading ---- */

/* What stands before the next tab; nothing where the line is over. By hand: fields are short, and
 * there are five hundred of them in front of a page of atoms. */
static inline struct str
next_field(struct str *rest)
{
    const char *at = rest->ptr, *end = rest->ptr + rest->len;
    while (at < end && *at != '\t')
        at++;
    struct str part = { rest->ptr, (size_t)(at - rest->ptr) };
    at += at < end;
    *rest = (struct str){ at, (size_t)(end - at) };
    return part;
}

/* A text that is there, or absent. */
static struct str
next_or_absent(struct str *rest)
{
    struct str part = next_field(rest);
    return part.len == 0 ? STR_NONE : part;
}

/* Most numbers are times of ten digits; what is not only a few digits is left to a careful reader.
 */
static int64_t
next_number(struct str *rest, int64_t otherwise, bool *fine)
{
    struct str part = next_field(rest);
    int64_t number = 0;
    size_t i = 0;
    if (part.len == 0)
        return otherwise;
    if (part.len <= 12 && part.ptr[0] != '0')
        for (; i < part.len && part.ptr[i] >= '0' && part.ptr[i] <= '9'; i++)
            number = number * 10 + (part.ptr[i] - '0');
    if (i < part.len && !str_to_int(part, INT64_MIN, INT64_MAX, &number))
        *fine = false;
    return number;
}

static bool
read_status(struct str part, enum atom_status *out)
{
    for (size_t i = 0; i < sizeof statuses; i++) {
        if (part.len == 1 && part.ptr[0] == statuses[i]) {
            *out = (enum atom_status)i;
            return true;
        }
    }
    return false;
}

/* In order already, but for what an upgrade of the store left; so are the lines. */
static void
put_source_in_place(struct atom_source *sources, size_t at)
{
    struct atom_source moving = sources[at];
    for (; at > 0 && atom_said_before(&moving, &sources[at - 1]); at--)
        sources[at] = sources[at - 1];
    sources[at] = moving;
}

static bool
read_sources(struct arena *mem, struct str rest, struct str asker, struct sourced_atom *out)
{
    size_t room = 0;
    bool fine = true;
    while (rest.len > 0 && fine) {
        if (out->source_count == room) {
            room = room == 0 ? SOURCES_SEEN : room * 2;
            struct atom_source *grown = ARENA_ARRAY(mem, struct atom_source, room);
            for (size_t i = 0; i < out->source_count; i++)
                grown[i] = out->sources[i];
            out->sources = grown;
        }
        struct atom_source *source = &out->sources[out->source_count++];
        source->atom_id = out->atom.id;
        source->source = next_field(&rest);
        source->created_at = next_number(&rest, out->atom.created_at, &fine);
        source->updated_at = next_number(&rest, source->created_at, &fine);
        out->atom.by_asker = out->atom.by_asker || str_eq(source->source, asker);
        fine = fine && source->source.len > 0;
        put_source_in_place(out->sources, out->source_count - 1);
    }
    out->atom.source_count = (int64_t)out->source_count;
    return fine;
}

static bool
read_line(struct arena *mem, struct str rest, struct str asker, struct sourced_atom *out)
{
    struct atom *atom = &out->atom;
    bool fine = true;
    atom->id = next_field(&rest);
    atom->member = next_field(&rest);
    atom->key = next_field(&rest);
    atom->value = next_field(&rest);
    fine = read_status(next_field(&rest), &atom->status);
    atom->by_user = str_eq(next_field(&rest), STR("1"));
    atom->sequence = next_number(&rest, 0, &fine);
    atom->created_at = next_number(&rest, 0, &fine);
    atom->updated_at = next_number(&rest, atom->created_at, &fine);
    atom->reason = next_or_absent(&rest);
    atom->suppressed_by = next_or_absent(&rest);
    atom->suppressed_at = next_number(&rest, 0, &fine);
    return fine && read_sources(mem, rest, asker, out);
}

static size_t
count_lines(struct str text)
{
    size_t count = 0;
    const char *at = text.ptr, *end = text.ptr + text.len;
    while (at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        at++;
        count++;
    }
    return count;
}

static void
put_in_place(struct sourced_atom *atoms, size_t at)
{
    struct sourced_atom moving = atoms[at];
    for (; at > 0 && atoms[at - 1].atom.sequence > moving.atom.sequence; at--)
        atoms[at] = atoms[at - 1];
    atoms[at] = moving;
}

bool
atom_sheet_read(struct arena *mem, struct str domain, struct str text, struct str asker,
                struct sourced_atom **out, size_t *count)
{
    size_t lines = count_lines(text);
    struct str line;
    *out = ARENA_ARRAY(mem, struct sourced_atom, lines + 1);
    *count = 0;
    if (text.len > 0 && text.ptr[text.len - 1] != '\n')
        return false;
    while (*count < lines && str_cut(&text, '\n', &line)) {
        struct sourced_atom *atom = &(*out)[*count];
        atom->atom.domain = domain;
        if (!read_line(mem, line, asker, atom))
            return false;
        if (*count > 0 && atom[-1].atom.sequence > atom->atom.sequence)
            put_in_place(*out, *count);
        ++*count;
    }
    return true;
}

/* ---- writing ---- */

static bool
add_field(struct buf *out, struct str text)
{
    buf_add(out, text);
    buf_add_char(out, '\t');
    return text.len == 0 ||
           (memchr(text.ptr, '\t', text.len) == NULL && memchr(text.ptr, '\n', text.len) == NULL);
}

/* Nothing where it is what a reader takes it for anyway. */
static void
add_number(struct buf *out, int64_t number, int64_t otherwise)
{
    if (number != otherwise)
        buf_add_int(out, number);
    buf_add_char(out, '\t');
}

static bool
write_line(struct buf *out, const struct sourced_atom *sourced)
{
    const struct atom *atom = &sourced->atom;
    bool fine = add_field(out, atom->id);
    fine = add_field(out, atom->member) && fine;
    fine = add_field(out, atom->key) && fine;
    fine = add_field(out, atom->value) && fine;
    buf_add_char(out, statuses[atom->status]);
    buf_add_c(out, atom->by_user ? "\t1\t" : "\t\t");
    add_number(out, atom->sequence, 0);
    add_number(out, atom->created_at, 0);
    add_number(out, atom->updated_at, atom->created_at);
    fine = add_field(out, atom->reason) && fine;
    fine = add_field(out, atom->suppressed_by) && fine;
    add_number(out, atom->suppressed_at, 0);
    for (size_t i = 0; i < sourced->source_count; i++) {
        const struct atom_source *source = &sourced->sources[i];
        fine = source->source.len > 0 && add_field(out, source->source) && fine;
        add_number(out, source->created_at, atom->created_at);
        add_number(out, source->updated_at, source->created_at);
    }
    buf_add_char(out, '\n');
    return fine;
}

struct str
atom_sheet_write(struct arena *mem, const struct sourced_atom *atoms, size_t count)
{
    struct buf out = buf_in(mem, SHEET_MAX);
    bool fine = true;
    for (size_t i = 0; i < count; i++)
        fine = write_line(&out, &atoms[i]) && fine;
    return fine && !out.overflow ? buf_str(&out) : STR_NONE;
}
