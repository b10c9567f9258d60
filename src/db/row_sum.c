/* row_sum.c - the checksum of a text together with the row that it belongs to.
 *
 * It is not cryptographic: a program that can write to the database can compute it. Every read of
 * facts verifies it, so that it must cost less than the read: eight bytes per step. It must not
 * change between versions, because it is stored. */
#include "db/row_sum.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/log.h"
#include "db/db.h"

#include <string.h>

#define DIGITS 16

#define PAGE " AND row_key > $1 ORDER BY row_key LIMIT 500"
SQL(row_sum_atoms, "SELECT user_id, domain, 0, 0, atoms, row_key FROM user_atoms"
                   " WHERE atoms <> ''" PAGE);
SQL(row_sum_records, "SELECT user_id, domain, atom_count, updated_at, record, row_key"
                     " FROM user_record WHERE domain <> ''" PAGE);
SQL(row_sum_hint_sets, "SELECT user_id, domain, 0, 0, hint_sets, row_key FROM user_record"
                       " WHERE hint_sets <> ''" PAGE);

const struct row_sum_query row_sum_queries[3] = { { "facts", &row_sum_atoms },
                                                  { "record", &row_sum_records },
                                                  { "hint sets", &row_sum_hint_sets } };

/* Eight bytes per step; a flipped bit always changes the result. */
uint64_t
row_sum_mix(uint64_t sum, struct str text)
{
    const uint64_t odd = 0x9e3779b97f4a7c15u;
    sum = (sum ^ text.len) * odd;
    for (size_t i = 0; i < text.len; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        size_t left = text.len - i;
        memcpy(&word, text.ptr + i, left < sizeof word ? left : sizeof word);
        sum = (sum ^ word) * odd;
        sum ^= sum >> 29;
    }
    return sum;
}

/* Each part is mixed with its length, so that moving a byte from one part to the next changes the
 * result. */
static uint64_t
sum_of(const struct row_sum *row, struct str text)
{
    uint64_t sum = row_sum_mix(row_sum_mix(0, row->user_id), row->domain);
    sum = row_sum_mix(sum, (struct str){ (const char *)row->numbers, sizeof row->numbers });
    return row_sum_mix(sum, text);
}

/* The digits and a space. Not by snprintf(), because every read and write needs them. */
static void
write_sum(uint64_t sum, char out[DIGITS + 1])
{
    for (int i = DIGITS - 1; i >= 0; i--, sum >>= 4)
        out[i] = "0123456789abcdef"[sum & 15];
    out[DIGITS] = ' ';
}

/* The checksum comes before the text, with a fixed length, so reading needs no search. */
struct str
row_sum_add(struct arena *mem, const struct row_sum *row)
{
    if (row->text.len == 0)
        return row->text;
    char *out = arena_alloc(mem, DIGITS + 1 + row->text.len);
    write_sum(sum_of(row, row->text), out);
    memcpy(out + DIGITS + 1, row->text.ptr, row->text.len);
    return (struct str){ out, DIGITS + 1 + row->text.len };
}

/* On success row->text is the text without its checksum. */
static bool
matches(struct row_sum *row)
{
    char digits[DIGITS + 1];
    if (row->text.len == 0)
        return true;
    if (row->text.len <= DIGITS)
        return false;
    struct str text = str_from(row->text, DIGITS + 1);
    write_sum(sum_of(row, text), digits);
    if (memcmp(digits, row->text.ptr, DIGITS + 1) != 0)
        return false;
    row->text = text;
    return true;
}

/* The text itself is not logged: it is the user's. */
enum err
row_sum_check(struct row_sum *row)
{
    if (matches(row))
        return ERR_NONE;
    log_error("store_row_damaged", log_text("user", row->user_id), log_text("domain", row->domain));
    return ERR_UNAVAILABLE;
}

void
row_sum_report(struct row_sum *row, const char *name, struct buf *report)
{
    if (!matches(row))
        buf_add_format(report, "damaged %s of user %.*s%s%.*s\n", name, STR_ARG(row->user_id),
                       row->domain.len > 0 ? ", domain " : "", STR_ARG(row->domain));
}
