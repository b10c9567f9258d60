/* atom_list.c - reads and writes atom lists, whose format is in atom_list.h.
 *
 * Reading must be fast: every write to a domain reads its whole list, and a page of atoms scans
 * the lists of all domains. Tabs are found eight bytes at a time, most fields have a fast path for
 * their usual value, and strings point into the text. Lines are nearly in the order of their
 * sequence, because a deletion moves the last atom into the gap, so that insertion sort is linear.
 * The text comes from the database after its checksum was verified, but reading checks every field
 * all the same: it must not read outside the text. */
#include "model/atom_list.h"

#include "base/arena.h"
#include "base/buf.h"

#include <endian.h>
#include <string.h>

#define ATOM_LIST_MAX ((size_t)16 * 1024 * 1024) /* 2,000 atoms of the longest kind fit */
#define SOURCES_INITIAL 4                        /* enough for most atoms */

static const char statuses[] = { [ATOM_ACTIVE] = 'a', [ATOM_SUPPRESSED] = 's', [ATOM_HELD] = 'h' };

/* ---- reading ---- */

/* Sets the top bit of each byte that is a tab (SWAR). */
static inline uint64_t
tabs_among(const char *eight)
{
    const uint64_t tabs = 0x0909090909090909, lows = 0x7f7f7f7f7f7f7f7f;
    uint64_t word;
    memcpy(&word, eight, sizeof word);
    word = le64toh(word) ^ tabs; /* tabs become zero bytes */
    return ~(((word & lows) + lows) | word | lows);
}

/* The next tab, or the end. */
static inline const char *
find_tab(const char *at, const char *end)
{
    for (; end - at >= 8; at += 8) {
        uint64_t found = tabs_among(at);
        if (found != 0)
            return at + __builtin_ctzll(found) / 8;
    }
    while (at < end && *at != '\t')
        at++;
    return at;
}

/* Finds the first `count` tabs, eight bytes at a time: a page of atoms scans every line, so this
 * loop dominates its cost. False: the line has fewer. */
static inline bool
find_tabs(struct str line, const char **out, size_t count)
{
    const char *at = line.ptr, *end = line.ptr + line.len;
    const char **last = out + count;
    for (; end - at >= 8; at += 8) {
        for (uint64_t among = tabs_among(at); among != 0; among &= among - 1) {
            *out++ = at + __builtin_ctzll(among) / 8;
            if (out == last)
                return true;
        }
    }
    for (; at < end && out < last; at++)
        if (*at == '\t')
            *out++ = at;
    return out == last;
}

/* Removes the field that ends at `at`, and its tab, from the front. */
static inline struct str
cut_at(struct str *rest, const char *at)
{
    struct str part = { rest->ptr, (size_t)(at - rest->ptr) };
    size_t taken = part.len + (part.len < rest->len);
    *rest = (struct str){ rest->ptr + taken, rest->len - taken };
    return part;
}

/* If the next field is exactly this character, removes it. */
static inline bool
next_is(struct str *rest, char character)
{
    if (rest->len < 2 || rest->ptr[0] != character || rest->ptr[1] != '\t')
        return false;
    *rest = (struct str){ rest->ptr + 2, rest->len - 2 };
    return true;
}

/* If the next fields are empty, one for each of `tabs`, removes them. */
static inline __attribute__((always_inline)) bool
next_are_empty(struct str *rest, struct str tabs)
{
    if (rest->len < tabs.len || memcmp(rest->ptr, tabs.ptr, tabs.len) != 0)
        return false;
    *rest = (struct str){ rest->ptr + tabs.len, rest->len - tabs.len };
    return true;
}

static inline bool
next_is_empty(struct str *rest)
{
    return next_are_empty(rest, STR("\t"));
}

/* Removes the next field; empty at the end of the line. */
static inline struct str
next_field(struct str *rest)
{
    return cut_at(rest, find_tab(rest->ptr, rest->ptr + rest->len));
}

/* An empty field of an optional text is absent. */
static inline struct str
next_or_absent(struct str *rest)
{
    if (next_is_empty(rest))
        return STR_NONE;
    struct str part = next_field(rest);
    return part.len == 0 ? STR_NONE : part;
}

/* The general case: any sign and length; clears *valid for anything else. */
static int64_t
next_number_slow(struct str *rest, int64_t fallback, bool *valid)
{
    int64_t number = 0;
    struct str part = next_field(rest);
    if (part.len == 0)
        return fallback;
    if (!str_to_int(part, INT64_MIN, INT64_MAX, &number))
        *valid = false;
    return number;
}

/* The fast path: most numbers are empty, the others have few digits, or ten if they are times. */
static inline __attribute__((always_inline)) int64_t
next_number(struct str *rest, int64_t fallback, bool *valid)
{
    enum { DIGITS_MAX = 12 };
    const char *at = rest->ptr;
    uint64_t number = 0;
    if (next_is_empty(rest))
        return fallback;
    if (rest->len <= DIGITS_MAX || *at == '0')
        return next_number_slow(rest, fallback, valid);
    const char *end = at + DIGITS_MAX;
    for (unsigned digit; at < end && (digit = (unsigned char)*at - (unsigned)'0') <= 9; at++)
        number = number * 10 + digit;
    if (*at != '\t')
        return next_number_slow(rest, fallback, valid);
    cut_at(rest, at);
    return (int64_t)number;
}

/* No other letter is accepted: the status decides who sees the atom. */
static inline bool
next_status(struct str *rest, enum atom_status *out)
{
    for (size_t i = 0; i < sizeof statuses; i++) {
        if (next_is(rest, statuses[i])) {
            *out = (enum atom_status)i;
            return true;
        }
    }
    return false;
}

static inline bool
next_flag(struct str *rest)
{
    if (next_is_empty(rest))
        return false;
    return next_is(rest, '1') || str_eq(next_field(rest), STR("1"));
}

/* Sources are usually sorted already. */
static void
insert_source(struct atom_source *sources, size_t at)
{
    struct atom_source moving = sources[at];
    for (; at > 0 && atom_source_before(&moving, &sources[at - 1]); at--)
        sources[at] = sources[at - 1];
    sources[at] = moving;
}

/* Sources fill the rest of the line, three fields each. */
static bool
read_sources(struct arena *mem, struct str rest, struct str caller, struct sourced_atom *out)
{
    size_t capacity = 0;
    bool valid = true;
    while (rest.len > 0 && valid) {
        if (out->source_count == capacity) {
            capacity = capacity == 0 ? SOURCES_INITIAL : capacity * 2;
            struct atom_source *grown = ARENA_ARRAY(mem, struct atom_source, capacity);
            for (size_t i = 0; i < out->source_count; i++)
                grown[i] = out->sources[i];
            out->sources = grown;
        }
        struct atom_source *source = &out->sources[out->source_count++];
        source->source = next_field(&rest);
        source->created_at = next_number(&rest, out->atom.created_at, &valid);
        source->updated_at = next_number(&rest, source->created_at, &valid);
        out->atom.by_caller = out->atom.by_caller || str_eq(source->source, caller);
        valid = valid && source->source.len > 0;
        insert_source(out->sources, out->source_count - 1);
    }
    out->atom.source_count = (int64_t)out->source_count;
    out->atom.app = atom_first_app(out);
    return valid;
}

/* The field after one tab and before the next. */
static inline struct str
between(const char *tab, const char *next)
{
    return (struct str){ tab + 1, (size_t)(next - tab - 1) };
}

/* Reads the fields up to the sequence. */
static inline bool
read_front(struct str line, struct atom_line *out)
{
    const char *tabs[4], *end = line.ptr + line.len;
    if (!find_tabs(line, tabs, 4))
        return false;
    out->id = (struct str){ line.ptr, (size_t)(tabs[0] - line.ptr) };
    out->member = between(tabs[0], tabs[1]);
    out->key = between(tabs[1], tabs[2]);
    out->value = between(tabs[2], tabs[3]);
    line = between(tabs[3], end);
    bool valid = next_status(&line, &out->status);
    out->by_user = next_flag(&line);
    out->sequence = next_number(&line, 0, &valid);
    out->rest = line;
    return valid;
}

/* Reads the fields before the sources; *rest is set to the sources. */
static inline bool
read_atom(const struct atom_line *line, struct str domain, struct str *rest, struct atom *out)
{
    bool valid = true;
    *rest = line->rest;
    out->id = line->id;
    out->domain = domain;
    out->member = line->member;
    out->key = line->key;
    out->value = line->value;
    out->status = line->status;
    out->by_user = line->by_user;
    out->sequence = line->sequence;
    out->created_at = next_number(rest, 0, &valid);
    if (next_are_empty(rest, STR("\t\t\t\t\t"))) { /* never changed, never suppressed */
        out->updated_at = out->created_at;
        out->reason = out->suppressed_by = out->wording = STR_NONE;
        out->suppressed_at = 0;
        return valid;
    }
    out->updated_at = next_number(rest, out->created_at, &valid);
    out->reason = next_or_absent(rest);
    out->suppressed_by = next_or_absent(rest);
    out->suppressed_at = next_number(rest, 0, &valid);
    out->wording = next_or_absent(rest);
    return valid;
}

/* False: the last line is not complete, so the list is damaged. Only the front of the line is read
 * here; the rest costs more and is often not needed. */
bool
atom_list_next(struct str *list, struct atom_line *out)
{
    const char *end = memchr(list->ptr, '\n', list->len);
    if (end == NULL)
        return false;
    struct str line = { list->ptr, (size_t)(end - list->ptr) };
    *list = (struct str){ end + 1, list->len - line.len - 1 };
    return read_front(line, out);
}

/* Counts the sources without storing them. They are stored oldest first, so that the first app
 * among them is the oldest. */
bool
atom_list_read_line(const struct atom_line *line, struct str domain, struct str caller,
                    struct atom *out)
{
    struct str rest;
    bool valid = read_atom(line, domain, &rest, out);
    out->source_count = 0;
    out->by_caller = false;
    out->app = STR_NONE;
    for (; rest.len > 0 && valid; out->source_count++) {
        struct str source = next_field(&rest);
        if (!next_are_empty(&rest, STR("\t\t"))) {
            next_number(&rest, 0, &valid);
            next_number(&rest, 0, &valid);
        }
        valid = valid && source.len > 0;
        out->by_caller = out->by_caller || str_eq(source, caller);
        if (!str_present(out->app) && !str_eq(source, SOURCE_USER))
            out->app = source;
    }
    return valid;
}

/* An upper bound for the size of the array. */
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

/* Moves the last atom to its place. */
static void
insert_atom(struct sourced_atom *atoms, size_t at)
{
    struct sourced_atom moving = atoms[at];
    for (; at > 0 && atoms[at - 1].atom.sequence > moving.atom.sequence; at--)
        atoms[at] = atoms[at - 1];
    atoms[at] = moving;
}

/* False: the list is damaged; what was read before the damage must not be used. Lines are usually
 * in the order of their sequence numbers already. */
bool
atom_list_read(struct arena *mem, struct str domain, struct str text, struct str caller,
               struct sourced_atom **out, size_t *count)
{
    *out = ARENA_ARRAY(mem, struct sourced_atom, count_lines(text) + 1);
    *count = 0;
    while (text.len > 0) {
        struct sourced_atom *atom = &(*out)[*count];
        struct atom_line line;
        struct str sources;
        if (!atom_list_next(&text, &line) || !read_atom(&line, domain, &sources, &atom->atom) ||
            !read_sources(mem, sources, caller, atom))
            return false;
        if (*count > 0 && atom[-1].atom.sequence > atom->atom.sequence)
            insert_atom(*out, *count);
        ++*count;
    }
    return true;
}

/* ---- writing ---- */

/* False if the field would end early when it is read. The list is then not written at all. */
static bool
add_field(struct buf *out, struct str text)
{
    buf_add(out, text);
    buf_add_char(out, '\t');
    return text.len == 0 ||
           (memchr(text.ptr, '\t', text.len) == NULL && memchr(text.ptr, '\n', text.len) == NULL);
}

/* Writes nothing for the value that the reader assumes. */
static void
add_number(struct buf *out, int64_t number, int64_t fallback)
{
    if (number != fallback)
        buf_add_int(out, number);
    buf_add_char(out, '\t');
}

/* False: a field has a character that separates fields. The value must then not be stored, or the
 * list could not be read again. */
static bool
write_line(struct buf *out, const struct sourced_atom *sourced)
{
    const struct atom *atom = &sourced->atom;
    bool valid = add_field(out, atom->id);
    valid = add_field(out, atom->member) && valid;
    valid = add_field(out, atom->key) && valid;
    valid = add_field(out, atom->value) && valid;
    buf_add_char(out, statuses[atom->status]);
    buf_add_c(out, atom->by_user ? "\t1\t" : "\t\t");
    add_number(out, atom->sequence, 0);
    add_number(out, atom->created_at, 0);
    add_number(out, atom->updated_at, atom->created_at);
    valid = add_field(out, atom->reason) && valid;
    valid = add_field(out, atom->suppressed_by) && valid;
    add_number(out, atom->suppressed_at, 0);
    valid = add_field(out, atom->wording) && valid;
    for (size_t i = 0; i < sourced->source_count; i++) {
        const struct atom_source *source = &sourced->sources[i];
        valid = source->source.len > 0 && add_field(out, source->source) && valid;
        add_number(out, source->created_at, atom->created_at);
        add_number(out, source->updated_at, source->created_at);
    }
    buf_add_char(out, '\n');
    return valid;
}

/* Absent: a text has a separator in it, or the list is too large. Nothing must be stored then. */
struct str
atom_list_write(struct arena *mem, const struct sourced_atom *atoms, size_t count)
{
    struct buf out = buf_in(mem, ATOM_LIST_MAX);
    bool valid = true;
    for (size_t i = 0; i < count; i++)
        valid = write_line(&out, &atoms[i]) && valid;
    return valid && !out.overflow ? buf_str(&out) : STR_NONE;
}
