/* atom.c - sources, review states, and the JSON of atoms.
 *
 * A list of atoms may have thousands of entries and is a frequent response. write_atom() therefore
 * reserves space once for each atom and copies fixed pieces of JSON, instead of calling the writer
 * for every key. Values and wordings are JSON already; ids and names contain nothing that needs
 * escaping. */
#include "model/atom.h"

#include "base/arena.h"
#include "base/buf.h"
#include "text/json_write.h"
#include "text/time_text.h"

#define RECORD_MAX ((size_t)8 * 1024 * 1024)

static const char *const statuses[] = { "active", "suppressed", "held" };

const char *
atom_status_name(enum atom_status status)
{
    return statuses[status];
}

/* False: a status that this version does not know. The caller must not guess: an atom that looks
 * active would be sent to apps. */
bool
atom_status_read(struct str text, enum atom_status *out)
{
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        if (str_eq_c(text, statuses[i])) {
            *out = (enum atom_status)i;
            return true;
        }
    }
    return false;
}

/* The reasons of the API and the page; a free text could contain anything about the user. */
bool
atom_reason_valid(struct str reason)
{
    static const char *const reasons[] = { "not_accurate", "outdated", "not_mine", "too_personal",
                                           "other" };
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (str_eq_c(reason, reasons[i]))
            return true;
    return false;
}

bool
atom_source_before(const struct atom_source *a, const struct atom_source *b)
{
    return a->created_at != b->created_at ? a->created_at < b->created_at
                                          : str_order(a->source, b->source) < 0;
}

/* Sources stay sorted by time. The array is copied, because memory of an arena does not grow. */
bool
atom_add_source(struct arena *mem, struct sourced_atom *atom, struct atom_source source)
{
    size_t count = atom->source_count, at = count;
    for (size_t i = 0; i < count; i++) {
        if (str_eq(atom->sources[i].source, source.source)) {
            atom->sources[i].updated_at = source.updated_at;
            return false;
        }
    }
    struct atom_source *grown = ARENA_ARRAY(mem, struct atom_source, count + 1);
    for (; at > 0 && atom_source_before(&source, &atom->sources[at - 1]); at--)
        grown[at] = atom->sources[at - 1];
    for (size_t i = 0; i < at; i++)
        grown[i] = atom->sources[i];
    grown[at] = source;
    atom->sources = grown;
    atom->source_count = count + 1;
    atom->atom.source_count = (int64_t)atom->source_count;
    /* Never the user, whose statement gives the atom its authority. */
    if (count >= SOURCES_PER_ATOM_MAX)
        atom_drop_source(atom, grown[str_eq(grown[0].source, SOURCE_USER) ? 1 : 0].source);
    return true;
}

void
atoms_sort_by_sequence(struct atom *atoms, size_t count)
{
    /* Insertion sort: usually only atoms moved by a deletion are out of place. */
    for (size_t i = 1; i < count; i++) {
        struct atom atom = atoms[i];
        size_t j = i;
        for (; j > 0 && atoms[j - 1].sequence > atom.sequence; j--)
            atoms[j] = atoms[j - 1];
        atoms[j] = atom;
    }
}

/* The app that stated it first. Absent: only the user did. */
struct str
atom_first_app(const struct sourced_atom *atom)
{
    for (size_t i = 0; i < atom->source_count; i++)
        if (!str_eq(atom->sources[i].source, SOURCE_USER))
            return atom->sources[i].source;
    return STR_NONE;
}

/* The order of the other sources stays. */
void
atom_drop_source(struct sourced_atom *atom, struct str source)
{
    size_t kept = 0;
    for (size_t i = 0; i < atom->source_count; i++)
        if (!str_eq(atom->sources[i].source, source))
            atom->sources[kept++] = atom->sources[i];
    atom->source_count = kept;
    atom->atom.source_count = (int64_t)kept;
}

int
atom_confidence(const struct atom *atom)
{
    /* 1 - 0.2^n for n apps that agree. */
    static const int agreed[] = { 0, 80, 96, 99 };
    int64_t apps = atom->source_count < 3 ? atom->source_count : 3;
    return atom->by_user ? 100 : agreed[apps < 0 ? 0 : apps];
}

bool
atom_visible(const struct atom *atom)
{
    return atom->status == ATOM_ACTIVE || atom->by_caller;
}

/* The state is derived from status and suppressed_by, so that it needs no field of its own: an
 * active atom with an app in suppressed_by is a proposed removal. */
enum atom_review
atom_review(const struct atom *atom)
{
    bool by_app = str_present(atom->suppressed_by) && !str_eq(atom->suppressed_by, SOURCE_USER);
    switch (atom->status) {
    case ATOM_HELD:
        return REVIEW_FACT;
    case ATOM_ACTIVE:
        return by_app ? REVIEW_REMOVAL : REVIEW_NONE;
    case ATOM_SUPPRESSED:
        break;
    }
    return by_app && atom->by_user ? REVIEW_REMOVED : REVIEW_NONE;
}

/* A word that is copied with its padding: a copy of constant size is faster than an exact one. */
struct word {
    char text[16];
    size_t length;
};

#define WORD(literal)                \
    {                                \
        literal, sizeof(literal) - 1 \
    }

/* Writes 16 bytes, whatever the length: FIXED_MAX has room for the padding. */
static char *
put_word(char *at, const struct word *word)
{
    memcpy(at, word->text, sizeof word->text);
    return at + word->length;
}

/* The five possible values as constant texts, since formatting numbers would be a large part of
 * writing a list of atoms. */
static const struct word *
confidence_word(const struct atom *atom)
{
    static const struct word none = WORD("0"), one = WORD("0.8"), two = WORD("0.96"),
                             more = WORD("0.99"), whole = WORD("1");
    switch (atom_confidence(atom)) {
    case 100:
        return &whole;
    case 99:
        return &more;
    case 96:
        return &two;
    case 80:
        return &one;
    default:
        return &none;
    }
}

static const struct word *
source_word(const struct atom *atom)
{
    static const struct word user = WORD("user"), self = WORD("self"), other = WORD("other");
    return atom->by_user ? &user : (atom->by_caller ? &self : &other);
}

/* The last formatted time with its quotes: consecutive atoms often have the same one. */
struct time_cache {
    int64_t seconds;
    bool has_text;
    char text[TIME_TEXT_LENGTH + 2];
};

/* The atoms of one write have the same time, so the last text is kept and used again. 0 is written
 * as null. */
static char *
put_time(char *at, int64_t seconds, struct time_cache *last)
{
    if (seconds != last->seconds) {
        last->seconds = seconds;
        last->text[0] = last->text[TIME_TEXT_LENGTH + 1] = '"';
        last->has_text = time_put(last->text + 1, seconds);
    }
    if (seconds == 0 || !last->has_text)
        return json_append(at, STR("null"));
    memcpy(at, last->text, sizeof last->text);
    return at + sizeof last->text;
}

/* `number` is not negative. */
static char *
put_number(char *at, int64_t number)
{
    if (number >= 10)
        at = put_number(at, number / 10);
    *at = (char)('0' + number % 10);
    return at + 1;
}

/* The words of another app are not shown: only the value found in them was checked. */
static bool
shows_wording(const struct atom *atom)
{
    return str_present(atom->wording) && (atom->by_user || atom->by_caller);
}

#define FIXED_MAX 256 /* bytes of keys and of values other than the atom's own strings */

/* If the buffer is full, nothing is written; the writer remembers the overflow. */
static void
write_atom(struct json *out, const struct atom *atom, struct time_cache *last)
{
    static const struct word status[] = { WORD("active"), WORD("suppressed"), WORD("held") };
    size_t own =
        atom->id.len + atom->domain.len + atom->member.len + atom->value.len + atom->wording.len;
    char *at = json_begin_parts(out, FIXED_MAX + own);
    if (at == NULL)
        return;
    at = json_append(json_append(at, JSON_FIRST_TEXT("atom_id")), atom->id);
    at = json_append(json_append(at, JSON_TEXT_TEXT("domain")), atom->domain);
    at = json_append(json_append(at, JSON_TEXT_TEXT("member")), atom->member);
    at = json_append(json_append(at, JSON_TEXT_BARE("value")), atom->value);
    if (shows_wording(atom))
        at = json_append(json_append(at, JSON_BARE_BARE("as_written")), atom->wording);
    at = put_word(json_append(at, JSON_BARE_BARE("confidence")), confidence_word(atom));
    at = put_word(json_append(at, JSON_BARE_TEXT("source")), source_word(atom));
    at = put_number(json_append(at, JSON_TEXT_BARE("source_count")), atom->source_count);
    at = put_word(json_append(at, JSON_BARE_TEXT("status")), &status[atom->status]);
    at = put_time(json_append(at, JSON_TEXT_BARE("created_at")), atom->created_at, last);
    at = put_time(json_append(at, JSON_BARE_BARE("updated_at")), atom->updated_at, last);
    json_end_parts(out, json_append(at, JSON_BARE_LAST));
}

void
atom_write(struct json *out, const struct atom *atom)
{
    atom_write_list(out, atom, 1);
}

void
atom_write_list(struct json *out, const struct atom *atoms, size_t count)
{
    struct time_cache last = { 0 };
    for (size_t i = 0; i < count; i++)
        write_atom(out, &atoms[i], &last);
}

/* Atoms of other members are skipped, so that a domain is scanned once per member. Values are in
 * the order of their sequence. */
static void
write_member(struct json *out, const struct member *member, const struct atom *atoms, size_t count,
             int64_t *active)
{
    bool begun = false;
    for (size_t i = 0; i < count; i++) {
        if (atoms[i].status != ATOM_ACTIVE || !str_eq(atoms[i].member, member->name))
            continue;
        if (!begun) {
            json_key_str(out, member->name);
            if (member->type == MEMBER_ARRAY)
                json_open_array(out);
        }
        if (begun && member->type != MEMBER_ARRAY)
            continue; /* an older definition may have allowed several values */
        begun = true;
        json_raw(out, atoms[i].value);
        ++*active;
    }
    if (begun && member->type == MEMBER_ARRAY)
        json_close_array(out);
}

/* Members are written in the order of the definition, and only those with an active value. *active
 * counts the values. */
struct str
atom_record(struct arena *mem, const struct domain *domain, const struct atom *atoms, size_t count,
            int64_t *active)
{
    struct buf out = buf_in(mem, RECORD_MAX);
    struct json json = json_into(&out);
    *active = 0;
    json_open_object(&json);
    for (size_t i = 0; i < domain->member_count; i++)
        write_member(&json, &domain->members[i], atoms, count, active);
    json_close_object(&json);
    return buf_str(&out);
}
