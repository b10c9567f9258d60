/* Any import document. A rejected one has a reason and changes nothing. An accepted one survives
 * export, import into an empty account, and export. If the first byte is zero, the rest is turned
 * into a valid document of facts, to get past the parser. */
#include "fuzz_store.h"

#include "base/buf.h"
#include "preference/corrections.h"
#include "store/atom_store.h"
#include "store/record_store.h"
#include "text/json_write.h"
#include "transfer/transfer.h"

#include <string.h>

static struct str ada, bob;

static void
begin(void)
{
    static struct arena *mem;
    if (mem != NULL)
        return;
    mem = arena_new();
    open_store();
    ada = add_user(mem, "ada");
    bob = add_user(mem, "bob");
}

static enum err
empty(struct db_tx *tx, void *argument)
{
    const struct str users[] = { ada, bob };
    enum err err = ERR_NONE;
    for (size_t i = 0; i < 2 && !err; i++) {
        err = atom_store_end_user(tx, argument, users[i]);
        if (!err)
            err = record_store_end_user(tx, argument, users[i]);
    }
    return err;
}

/* ---- documents from facts ---- */

struct input {
    const uint8_t *data;
    size_t size;
};

static uint8_t
take(struct input *input)
{
    if (input->size == 0)
        return 0;
    input->size--;
    return *input->data++;
}

static void
put_some_time(struct json *json, const char *key, struct input *input)
{
    json_put_time(json, key, NOW - (int64_t)take(input) * 40000000);
}

static void
put_sources(struct json *json, struct input *input, uint8_t caller)
{
    static const char *const names[] = { "user", "app_AAAAAAAAAAAAAAAAAAAAAA", "an app", "other",
                                         "user" };
    json_key(json, "sources");
    json_open_array(json);
    for (size_t i = 0; i < 5; i++) {
        if ((caller & (1u << i)) == 0)
            continue;
        json_open_object(json);
        json_put_str(json, "source", str_of(names[i]));
        put_some_time(json, "created_at", input);
        put_some_time(json, "updated_at", input);
        json_close_object(json);
    }
    json_close_array(json);
}

static void
put_value(struct json *json, struct input *input)
{
    char text[260];
    size_t length = 0, most = take(input);
    while (length < most && input->size > 0)
        text[length++] = (char)take(input);
    json_key(json, "value");
    if (most == 0)
        json_bool(json, take(input) & 1);
    else if (most == 1)
        json_int(json, take(input));
    else
        json_str(json, (struct str){ text, length });
}

static void
put_fact(struct json *json, struct input *input, const struct domain *domain)
{
    static const char *const statuses[] = { "active", "suppressed", "held", "gone" };
    static const char *const reasons[] = { "not_accurate", "other", "because" };
    uint8_t caller = take(input), how = take(input);
    json_open_object(json);
    json_put_str(json, "member", domain->members[take(input) % domain->member_count].name);
    put_value(json, input);
    json_put_str(json, "status", str_of(statuses[how & 3]));
    json_put_bool(json, "by_user", (how & 4) != 0 ? (caller & 1) == 0 : (caller & 1) != 0);
    put_some_time(json, "created_at", input);
    put_some_time(json, "updated_at", input);
    if ((how & 3) == 1) {
        json_put_str(json, "reason", str_of(reasons[(how >> 3) % 3]));
        json_put_str(json, "suppressed_by", STR("user"));
        put_some_time(json, "suppressed_at", input);
    }
    put_sources(json, input, caller & 31);
    json_close_object(json);
}

static struct str
make_document(struct arena *mem, struct input input)
{
    struct buf *out = ARENA_NEW(mem, struct buf);
    *out = buf_in(mem, TRANSFER_MAX);
    struct json json = json_into(out);
    json_open_object(&json);
    json_put_str(&json, "format", STR("penchant-export"));
    json_put_int(&json, "version", 1);
    json_key(&json, "domains");
    json_open_object(&json);
    for (size_t i = 0; i < kit_domains()->count; i++) {
        const struct domain *domain = &kit_domains()->list[i];
        json_key_str(&json, domain->name);
        json_open_object(&json);
        json_key(&json, "atoms");
        json_open_array(&json);
        for (unsigned facts = take(&input) % 8; facts > 0; facts--)
            put_fact(&json, &input, domain);
        json_close_array(&json);
        json_close_object(&json);
    }
    json_close_object(&json);
    json_close_object(&json);
    return buf_str(out);
}

/* ---- properties ---- */

static enum err
import(struct arena *mem, struct str user_id, struct str document, struct import_counts *counts)
{
    struct why why = { 0 };
    enum err err = transfer_import(db, mem, user_id, kit_domains(), document, NOW, counts, &why);
    MUST(err == ERR_NONE || (err == ERR_INVALID && why.text[0] != '\0'));
    for (const char *c = why.text; *c != '\0'; c++)
        MUST((unsigned char)*c >= ' '); /* printable on a terminal */
    return err;
}

/* Exports of equal facts have equal lengths: only ids differ, and all ids have the same length. */
static struct str export(struct arena *mem, struct str user_id)
{
    struct buf *out = ARENA_NEW(mem, struct buf);
    struct export_params params = { .view = view_whole(user_id),
                                    .domains = kit_domains(),
                                    .now = NOW };
    *out = buf_in(mem, TRANSFER_MAX);
    MUST(transfer_export(db, mem, &params, out) == ERR_NONE);
    return buf_str(out);
}

/* The stored counts of a fact agree with its sources. */
static void
sources_hold(struct arena *mem)
{
    struct sourced_atom *atoms = NULL;
    size_t count = 0;
    MUST(corrections_list(db, mem, ada, STR_NONE, &atoms, &count) == ERR_NONE);
    for (size_t i = 0; i < count; i++) {
        bool by_user = false;
        for (size_t k = 0; k < atoms[i].source_count; k++)
            by_user = by_user || str_eq(atoms[i].sources[k].source, SOURCE_USER);
        MUST(atoms[i].atom.by_user == by_user);
        MUST(atoms[i].atom.source_count == (int64_t)atoms[i].source_count);
    }
}

static void
blank_ids(struct str text)
{
    char *bytes = (char *)(uintptr_t)text.ptr;
    for (size_t i = 0; i + 26 <= text.len; i++)
        if (memcmp(bytes + i, "atm_", 4) == 0 || memcmp(bytes + i, "usr_", 4) == 0)
            memset(bytes + i + 4, '*', 22);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    begin();
    struct arena *mem = arena_new();
    struct import_counts first = { 0 }, second = { 0 }, again = { 0 };
    struct str document = size > 0 && data[0] == 0
                              ? make_document(mem, (struct input){ data + 1, size - 1 })
                              : fuzz_input(mem, data, size);
    MUST(db_write(db, empty, mem) == ERR_NONE);
    struct str before = export(mem, ada);
    if (import(mem, ada, document, &first) != ERR_NONE) {
        MUST(str_eq(export(mem, ada), before));
    } else {
        struct str out = export(mem, ada);
        sources_hold(mem);
        MUST(import(mem, bob, out, &second) == ERR_NONE);
        MUST(second.added == first.added && second.kept == 0);
        MUST(import(mem, ada, out, &again) == ERR_NONE);
        MUST(again.added == 0 && again.kept == first.added);
        struct str copy = export(mem, bob);
        MUST(str_eq(export(mem, ada), out));
        blank_ids(out);
        blank_ids(copy);
        MUST(str_eq(out, copy));
    }
    arena_free(mem);
    return 0;
}
