/* Any texts as atom lists, and any query: the page equals that of a plain implementation that
 * reads, filters, and sorts everything. The first three bytes are the query; a NUL separates two
 * lists. */
#include "fuzz.h"

#include "base/buf.h"
#include "model/atom_list.h"
#include "model/atom_page.h"
#include "text/json_write.h"

#define LISTS_MAX 8
#define CLOSED STR("f")

static const struct str caller = STR("user");

static bool
may_read(struct str domain, void *context)
{
    (void)context;
    return !str_eq(domain, CLOSED);
}

static size_t
cut_lists(struct str input, struct atom_list *out)
{
    static const char names[] = "abcdefgh";
    size_t count = 0;
    struct str text;
    while (count < LISTS_MAX && str_cut(&input, '\0', &text)) {
        out[count] = (struct atom_list){ { names + count, 1 }, text };
        count++;
    }
    return count;
}

/* All matching atoms, oldest first. False: a list is invalid. */
static bool
read_all(struct arena *mem, const struct atom_list *lists, size_t count,
         const struct atom_query *query, struct atom *out, size_t *found)
{
    *found = 0;
    for (size_t i = 0; i < count; i++) {
        struct sourced_atom *atoms = NULL;
        size_t atom_count = 0;
        if (!may_read(lists[i].domain, NULL))
            continue;
        if (!atom_list_read(mem, lists[i].domain, lists[i].text, caller, &atoms, &atom_count))
            return false;
        for (size_t a = 0; a < atom_count; a++) {
            struct atom atom = atoms[a].atom;
            if ((query->statuses & (1u << atom.status)) == 0 || !atom_visible(&atom))
                continue;
            size_t at = (*found)++;
            for (; at > 0 && out[at - 1].sequence > atom.sequence; at--)
                out[at] = out[at - 1];
            out[at] = atom;
        }
    }
    return true;
}

/* Compares all fields. */
static void
write_plainly(struct json *out, const struct atom *atom)
{
    int confidence = atom_confidence(atom);
    json_open_object(out);
    json_put_name(out, "atom_id", atom->id);
    json_put_name(out, "domain", atom->domain);
    json_put_name(out, "member", atom->member);
    json_put_raw(out, "value", atom->value);
    if (str_present(atom->wording) && (atom->by_user || atom->by_caller))
        json_put_raw(out, "as_written", atom->wording);
    json_key(out, "confidence");
    json_number(out, confidence / 100.0);
    json_put_str(out, "source",
                 atom->by_user     ? STR("user")
                 : atom->by_caller ? STR("self")
                                   : STR("other"));
    json_put_int(out, "source_count", atom->source_count);
    json_put_str(out, "status", str_of(atom_status_name(atom->status)));
    json_put_time(out, "created_at", atom->created_at);
    json_put_time(out, "updated_at", atom->updated_at);
    json_close_object(out);
}

static void
must_equal(struct arena *mem, const struct atom *one, const struct atom *two)
{
    struct buf quick = buf_in(mem, 1 << 20), plain = buf_in(mem, 1 << 20);
    struct json quick_json = json_into(&quick), plain_json = json_into(&plain);
    atom_write(&quick_json, one);
    write_plainly(&plain_json, two);
    MUST(str_eq(buf_str(&quick), buf_str(&plain)));
    MUST(str_eq(one->key, two->key));
    MUST(str_eq(one->reason, two->reason));
    MUST(str_eq(one->suppressed_by, two->suppressed_by));
    MUST(one->suppressed_at == two->suppressed_at);
    MUST(one->sequence == two->sequence);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3)
        return 0;
    struct arena *mem = arena_new();
    struct atom_list lists[LISTS_MAX];
    struct view view = { .app_id = caller };
    struct atom_query query = { .may_read = may_read,
                                .statuses = data[0] & 7,
                                .view = &view,
                                .offset = data[1],
                                .limit = data[2] };
    size_t count = cut_lists(fuzz_input(mem, data + 3, size - 3), lists), found = 0;
    struct atom *all = ARENA_ARRAY(mem, struct atom, size);
    struct atom_page page;
    bool readable = read_all(mem, lists, count, &query, all, &found);
    if (readable && found > 0 && (data[0] & 8) != 0) { /* without every atom of its oldest fact */
        view.withheld = view_withhold(mem, STR(""), &all[0]);
        found = view_filter(&view, all, found);
    }
    bool read = atom_page_read(mem, lists, count, &query, &page);
    MUST(read || !readable); /* lines outside the page are not decoded, so they may be invalid */
    if (read && readable) {
        size_t left = found < query.offset ? 0 : found - query.offset;
        MUST(page.total == found);
        MUST(page.count == (left < query.limit ? left : query.limit));
        for (size_t i = 0; i < page.count; i++)
            must_equal(mem, &page.atoms[i], &all[left - 1 - i]);
    }
    arena_free(mem);
    return 0;
}
