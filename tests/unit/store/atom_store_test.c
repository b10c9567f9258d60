#include "base/buf.h"
#include "unit/store/rows.h"

#include "store/atom_store.h"
#include "store/record_store.h"

struct args {
    struct arena *mem;
    struct str user_id, atom_id, domain, caller;
    struct atom atom, *atoms;
    struct sourced_atom *sourced;
    struct str *names;
    struct record record, *records;
    size_t count;
    int64_t number;
};

WORK(hold, record_store_lock(tx, a->mem, a->user_id, &a->number))
WORK(release, record_store_release(tx, a->mem, a->user_id, a->number))
WORK(list, atom_store_list(tx, a->mem, a->user_id, a->domain, a->caller, &a->atoms, &a->count))
WORK(find, atom_store_find(tx, a->mem, a->user_id, a->atom_id, a->caller, &a->atom))
WORK(read_domain,
     atom_store_read(tx, a->mem, a->user_id, a->domain, a->caller, &a->sourced, &a->count))
WORK(save_domain, atom_store_save(tx, a->mem, a->user_id, a->domain, a->sourced, a->count, 0))
WORK(list_domains, atom_store_domains(tx, a->mem, a->user_id, &a->names, &a->count))
WORK(check_room, atom_store_check_room(tx, a->mem, a->user_id, a->domain, a->sourced, a->count))
WORK(count_sources,
     source_store_count(tx, a->mem, &(struct view){ .user_id = a->user_id }, a->domain, &a->number))
WORK(put_record, record_store_put(tx, a->mem, a->user_id, &a->record))
WORK(put_release,
     record_store_put_release(tx, a->mem, a->user_id, &a->record, a->count > 0, a->number, STR("")))
WORK(list_records, record_store_list(tx, a->mem, a->user_id, a->domain, &a->records, &a->count))
WORK(list_hints, record_store_hints(tx, a->mem, a->user_id, &a->records, &a->count))
WORK(end_atoms, atom_store_end_user(tx, a->mem, a->user_id))
WORK(end_records, record_store_end_user(tx, a->mem, a->user_id))

static struct args
run(struct kit *kit, tx_work *work, struct args args)
{
    args.mem = kit->mem;
    if (!str_present(args.user_id))
        args.user_id = ada.id;
    assert_int_equal(tx_write(kit->db, work, &args), ERR_NONE);
    return args;
}

static enum err
outcome(struct kit *kit, tx_work *work, struct args args)
{
    args.mem = kit->mem;
    if (!str_present(args.user_id))
        args.user_id = ada.id;
    return tx_write(kit->db, work, &args);
}

/* Not in the order of any column. */
static const struct atom jazz = {
    .id = { "atm_J", 5 },
    .domain = { "music", 5 },
    .member = { "genres", 6 },
    .key = { "jazz", 4 },
    .value = { "\"Jazz\"", 6 },
    .status = ATOM_SUPPRESSED,
    .reason = { "other", 5 },
    .suppressed_by = { "user", 4 },
    .suppressed_at = 5000000003,
    .by_user = true,
    .sequence = 3,
    .created_at = 5000000001,
    .updated_at = 5000000002,
};
static const struct atom jazz_again = { .id = { "atm_A", 5 },
                                        .domain = { "music", 5 },
                                        .member = { "artists", 7 },
                                        .key = { "jazz", 4 },
                                        .value = { "\"Jazz\"", 6 },
                                        .sequence = 4 };
static const struct atom soul = { .id = { "atm_S", 5 },
                                  .domain = { "music", 5 },
                                  .member = { "genres", 6 },
                                  .key = { "soul", 4 },
                                  .value = { "\"soul\"", 6 },
                                  .sequence = 2 };
static const struct atom thai = { .id = { "atm_T", 5 },
                                  .domain = { "food", 4 },
                                  .member = { "cuisines", 8 },
                                  .key = { "thai", 4 },
                                  .value = { "\"Thai\"", 6 },
                                  .sequence = 1 };

/* Appends the atom to those of its domain. */
static void
add(struct kit *kit, struct str user_id, const struct atom *atom)
{
    struct args there =
        run(kit, read_domain, (struct args){ .user_id = user_id, .domain = atom->domain });
    struct sourced_atom *more = ARENA_ARRAY(kit->mem, struct sourced_atom, there.count + 1);
    for (size_t i = 0; i < there.count; i++)
        more[i] = there.sourced[i];
    more[there.count++].atom = *atom;
    there.sourced = more;
    run(kit, save_domain, there);
}

static void
begin(struct kit *kit)
{
    rows_begin(kit);
    add(kit, ada.id, &jazz);
    add(kit, ada.id, &thai);
    add(kit, ada.id, &soul);
}

static void
assert_same_atom(const struct atom *found, const struct atom *expected)
{
    assert_same_text(found->id, expected->id);
    assert_same_text(found->domain, expected->domain);
    assert_same_text(found->member, expected->member);
    assert_same_text(found->key, expected->key);
    assert_same_text(found->value, expected->value);
    assert_int_equal(found->status, expected->status);
    assert_same_text(found->reason, expected->reason);
    assert_same_text(found->suppressed_by, expected->suppressed_by);
    assert_int_equal(found->suppressed_at, expected->suppressed_at);
    assert_int_equal(found->by_user, expected->by_user);
    assert_int_equal(found->source_count, expected->source_count);
    assert_int_equal(found->sequence, expected->sequence);
    assert_int_equal(found->created_at, expected->created_at);
    assert_int_equal(found->updated_at, expected->updated_at);
}

static void
atoms_read_back_in_order_of_sequence(struct kit *kit)
{
    begin(kit);
    struct args all = run(kit, list, (struct args){ 0 });
    assert_int_equal(all.count, 3);
    assert_same_atom(&all.atoms[0], &thai);
    assert_same_atom(&all.atoms[1], &soul);
    assert_same_atom(&all.atoms[2], &jazz);
    struct args music = run(kit, list, (struct args){ .domain = STR("music") });
    assert_int_equal(music.count, 2);
    assert_same_atom(&music.atoms[0], &soul);
    assert_int_equal(run(kit, list, (struct args){ .domain = STR("no") }).count, 0);
    struct args found = run(kit, find, (struct args){ .atom_id = jazz.id });
    assert_same_atom(&found.atom, &jazz);
}

static void
atoms_of_another_user_are_not_found(struct kit *kit)
{
    begin(kit);
    struct args theirs = { .user_id = bob.id, .atom_id = jazz.id, .domain = STR("music") };
    assert_int_equal(outcome(kit, find, theirs), ERR_NOT_FOUND);
    assert_int_equal(run(kit, list, theirs).count, 0);
    assert_int_equal(run(kit, read_domain, theirs).count, 0);
    run(kit, end_atoms, theirs);
    assert_int_equal(run(kit, list, (struct args){ 0 }).count, 3);
    struct args found = run(kit, find, (struct args){ .atom_id = soul.id });
    assert_same_atom(&found.atom, &soul);
    /* Two users may have the same value. */
    add(kit, bob.id, &jazz);
    assert_int_equal(run(kit, list, theirs).count, 1);
}

static void
a_domain_is_read_changed_and_saved_as_a_whole(struct kit *kit)
{
    begin(kit);
    struct args music = run(kit, read_domain, (struct args){ .domain = STR("music") });
    assert_int_equal(music.count, 2);
    music.sourced[0] = music.sourced[1]; /* deletes soul, keeps jazz */
    atom_add_source(kit->mem, &music.sourced[0],
                    (struct atom_source){ .source = finder.id, .created_at = T0 });
    music.count = 1;
    run(kit, save_domain, music);
    struct args found = run(kit, list, (struct args){ .caller = finder.id });
    assert_int_equal(found.count, 2);
    assert_same_text(found.atoms[0].id, thai.id);
    assert_same_text(found.atoms[1].id, jazz.id);
    assert_int_equal(found.atoms[1].source_count, 1);
    assert_true(found.atoms[1].by_caller);
    music.count = 0;
    run(kit, save_domain, music);
    assert_int_equal(run(kit, list, (struct args){ 0 }).count, 1);
    assert_int_equal(run(kit, read_domain, (struct args){ .domain = STR("music") }).count, 0);
    music.count = 1;
    music.sourced[0].atom.key = STR("two\tfields");
    assert_int_equal(outcome(kit, save_domain, music), ERR_INVALID);
    assert_int_equal(run(kit, list, (struct args){ 0 }).count, 1);
}

/* ---- sources ---- */

static void
message(struct kit *kit, const struct atom *atom, struct str source, int64_t now)
{
    struct args there = run(kit, read_domain, (struct args){ .domain = atom->domain });
    for (size_t i = 0; i < there.count; i++)
        if (str_eq(there.sourced[i].atom.id, atom->id))
            assert_true(atom_add_source(
                kit->mem, &there.sourced[i],
                (struct atom_source){ .source = source, .created_at = now, .updated_at = now }));
    run(kit, save_domain, there);
}

static void
sources_are_sorted(struct kit *kit)
{
    begin(kit);
    message(kit, &jazz, STR("zzz"), T0);
    message(kit, &jazz, finder.id, T0);
    message(kit, &jazz, STR("user"), T0 - 1);
    message(kit, &jazz, STR("aaa"), T0 + 1);
    message(kit, &thai, finder.id, T0);
    struct args all = run(kit, read_domain, (struct args){ 0 });
    assert_int_equal(all.count, 3);
    assert_int_equal(all.sourced[0].source_count, 1);
    assert_int_equal(all.sourced[1].source_count, 0);
    assert_int_equal(all.sourced[2].source_count, 4);
    const struct atom_source *sources = all.sourced[2].sources;
    assert_same_text(sources[0].source, STR("user"));
    assert_same_text(sources[1].source, finder.id);
    assert_same_text(sources[2].source, STR("zzz"));
    assert_same_text(sources[3].source, STR("aaa"));
}

/* A domain that grows: `each` atoms of `bytes` with `sources` sources. */
static struct args
grown(struct kit *kit, const char *domain, size_t each, size_t bytes, size_t sources)
{
    char *value = arena_alloc(kit->mem, bytes);
    memset(value, 'v', bytes);
    struct args made = { .domain = str_of(domain), .count = each };
    made.sourced = ARENA_ARRAY(kit->mem, struct sourced_atom, each);
    for (size_t i = 0; i < each; i++) {
        made.sourced[i].atom = jazz;
        made.sourced[i].atom.value = (struct str){ value, bytes };
        made.sourced[i].sources = ARENA_ARRAY(kit->mem, struct atom_source, sources);
        made.sourced[i].source_count = sources;
        for (size_t s = 0; s < sources; s++)
            made.sourced[i].sources[s].source = STR("app_A");
    }
    return made;
}

static void
a_domain_has_room_for_some_sources_and_a_user_for_some_bytes(struct kit *kit)
{
    begin(kit);
    assert_int_equal(outcome(kit, check_room, grown(kit, "a", 2000, 100, 5)), ERR_NONE);
    assert_int_equal(outcome(kit, check_room, grown(kit, "a", 201, 100, 50)), ERR_INVALID);
    assert_int_equal(outcome(kit, check_room, grown(kit, "a", 2000, 1600, 1)), ERR_NONE);
    assert_int_equal(outcome(kit, check_room, grown(kit, "a", 2000, 3100, 1)), ERR_INVALID);
    run(kit, save_domain, grown(kit, "a", 2000, 2600, 1));
    assert_int_equal(outcome(kit, check_room, grown(kit, "a", 2000, 2600, 1)), ERR_NONE);
    assert_int_equal(outcome(kit, check_room, grown(kit, "b", 2000, 400, 1)), ERR_INVALID);
    assert_int_equal(outcome(kit, check_room, grown(kit, "b", 100, 400, 1)), ERR_NONE);
    struct args theirs = grown(kit, "b", 2000, 400, 1);
    theirs.user_id = bob.id;
    assert_int_equal(outcome(kit, check_room, theirs), ERR_NONE);
}

static void
the_caller_sees_its_own_statements(struct kit *kit)
{
    begin(kit);
    message(kit, &jazz, finder.id, T0);
    struct args asked = run(kit, list, (struct args){ .caller = finder.id });
    assert_false(asked.atoms[0].by_caller);
    assert_true(asked.atoms[2].by_caller);
    assert_true(
        run(kit, find, (struct args){ .caller = finder.id, .atom_id = jazz.id }).atom.by_caller);
    assert_false(
        run(kit, find, (struct args){ .caller = player.id, .atom_id = jazz.id }).atom.by_caller);
    assert_false(run(kit, find, (struct args){ .atom_id = jazz.id }).atom.by_caller);
}

static void
sources_of_active_atoms_are_counted_once_each(struct kit *kit)
{
    struct args music = { .domain = STR("music") };
    begin(kit);
    message(kit, &jazz, player.id, T0); /* suppressed, so it does not count */
    message(kit, &soul, finder.id, T0);
    message(kit, &soul, STR("user"), T0);
    message(kit, &thai, player.id, T0);
    assert_int_equal(run(kit, count_sources, music).number, 2);
    add(kit, ada.id, &jazz_again);
    message(kit, &jazz_again, finder.id, T0); /* again, for another atom */
    assert_int_equal(run(kit, count_sources, music).number, 2);
    assert_int_equal(run(kit, count_sources, (struct args){ .domain = STR("no") }).number, 0);
}

static void
domains_with_atoms_are_listed(struct kit *kit)
{
    begin(kit);
    struct args found = run(kit, list_domains, (struct args){ 0 });
    assert_int_equal(found.count, 2);
    assert_true(str_eq(found.names[0], STR("music")) != str_eq(found.names[1], STR("music")));
    assert_true(str_eq(found.names[0], STR("food")) != str_eq(found.names[1], STR("food")));
    assert_int_equal(run(kit, list_domains, (struct args){ .user_id = bob.id }).count, 0);
}

/* ---- the user header row, and records ---- */

static void
hold_returns_the_sequence_and_release_raises_the_generation(struct kit *kit)
{
    rows_begin(kit);
    assert_int_equal(run(kit, hold, (struct args){ 0 }).number, 0);
    run(kit, release, (struct args){ .number = 41 });
    assert_int_equal(run(kit, hold, (struct args){ 0 }).number, 41);
    assert_int_equal(run(kit, hold, (struct args){ .user_id = bob.id }).number, 0);
    assert_int_equal(outcome(kit, hold, (struct args){ .user_id = STR("usr_nobody") }),
                     ERR_NOT_FOUND);
}

SQL(test_generations,
    "SELECT generation FROM user_record WHERE domain = '' AND generation <> 0 ORDER BY 1");

static enum err
read_generations(struct db_tx *tx, void *argument)
{
    struct args *args = argument;
    struct db_rows rows;
    enum err err = db_query_values(tx, args->mem, &test_generations, NULL, 0, &rows);
    args->count = rows.count;
    for (size_t i = 1; i < rows.count && !err; i++)
        /* A distance may be longer than an int64_t; a short one is not. */
        if ((uint64_t)db_cell_int(&rows, i, 0) - (uint64_t)db_cell_int(&rows, i - 1, 0) < 1 << 20)
            args->number++;
    return err;
}

/* A server that lost the last writes must not give new ones the generations of those. */
static void
generations_are_not_counted(struct kit *kit)
{
    struct record music = { .domain = STR("music"), .json = STR("{}"), .atom_count = 1 };
    struct args found = { .mem = kit->mem };
    rows_begin(kit);
    run(kit, release, (struct args){ .number = 1 });
    run(kit, release, (struct args){ .number = 1, .user_id = bob.id });
    assert_int_equal(kit_read(kit->db, read_generations, &found), ERR_NONE);
    assert_int_equal(found.count, 2);
    assert_int_equal(found.number, 0);
    run(kit, put_release, (struct args){ .number = 1, .record = music });
    run(kit, put_release, (struct args){ .number = 1, .record = music, .user_id = bob.id });
    assert_int_equal(kit_read(kit->db, read_generations, &found), ERR_NONE);
    assert_int_equal(found.count, 2);
    assert_int_equal(found.number, 0);
}

static void
a_record_is_replaced_and_not_listed_without_atoms(struct kit *kit)
{
    struct record music = { .domain = STR("music"),
                            .json = STR("{\"a\":1}"),
                            .atom_count = 5000000000,
                            .updated_at = 5000000001,
                            .hints = STR("sentences") };
    rows_begin(kit);
    run(kit, put_record, (struct args){ .record = music });
    music.json = STR("{\"a\":2}");
    run(kit, put_record, (struct args){ .record = music });
    struct args found = run(kit, list_records, (struct args){ .domain = STR("music") });
    assert_int_equal(found.count, 1);
    assert_same_text(found.records[0].json, music.json);
    assert_int_equal(found.records[0].atom_count, music.atom_count);
    assert_int_equal(found.records[0].updated_at, music.updated_at);
    found = run(kit, list_hints, (struct args){ 0 });
    assert_int_equal(found.count, 1);
    assert_same_text(found.records[0].hints, music.hints);
    assert_int_equal(run(kit, list_records, (struct args){ 0 }).count, 1);
    assert_int_equal(run(kit, list_records, (struct args){ .user_id = bob.id }).count, 0);
    music.atom_count = 0;
    run(kit, put_record, (struct args){ .record = music });
    assert_int_equal(run(kit, list_records, (struct args){ 0 }).count, 0);
    assert_int_equal(run(kit, list_records, (struct args){ .domain = STR("music") }).count, 0);
    assert_int_equal(run(kit, list_hints, (struct args){ 0 }).count, 0);
}

static void
a_hint_set_replaces_only_that_of_its_domain(struct kit *kit)
{
    static const char *const rows[][3] = {
        /* domain, hint set (NULL: no atoms), all hint sets */
        { "music", "one", "music=one" },
        { "food", "", "music=one food=" },
        { "foo", "three 3", "music=one food= foo=three 3" },
        { "food", "two", "music=one food=two foo=three 3" },
        { "music", "longer than before", "music=longer than before food=two foo=three 3" },
        { "food", NULL, "music=longer than before foo=three 3" },
        { "travel", NULL, "music=longer than before foo=three 3" },
        { "music", NULL, "foo=three 3" },
        { "foo", NULL, "" },
        { "food", "again", "food=again" },
    };
    rows_begin(kit);
    for (size_t i = 0; i < KIT_COUNT(rows); i++) {
        struct buf all = buf_in(kit->mem, 1000);
        run(kit, put_record,
            (struct args){ .record = { .domain = str_of(rows[i][0]),
                                       .json = STR("{}"),
                                       .atom_count = rows[i][1] != NULL,
                                       .hints = str_of(rows[i][1] != NULL ? rows[i][1] : "x") } });
        struct args found = run(kit, list_hints, (struct args){ 0 });
        for (size_t c = 0; c < found.count; c++)
            buf_add_format(&all, "%s%.*s=%.*s", c > 0 ? " " : "", STR_ARG(found.records[c].domain),
                           STR_ARG(found.records[c].hints));
        assert_same_text(buf_str(&all), str_of(rows[i][2]));
    }
    assert_int_equal(run(kit, list_hints, (struct args){ .user_id = bob.id }).count, 0);
}

/* Row keys are assigned once, and never from the range of another user. */
static void
a_user_has_at_most_256_domains(struct kit *kit)
{
    struct sourced_atom one = { .atom = soul };
    begin(kit);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 254; i++) {
            struct str name = str_format(kit->mem, "domain%d", i);
            size_t count = round == 0 ? 0 : 1; /* emptied, then filled again */
            run(kit, save_domain, (struct args){ .domain = name, .sourced = &one, .count = count });
        }
    }
    assert_int_equal(run(kit, list, (struct args){ 0 }).count, 3 + 254);
    struct args more = { .domain = STR("more"), .sourced = &one, .count = 1 };
    assert_int_equal(outcome(kit, save_domain, more), ERR_INTERNAL);
    assert_int_equal(run(kit, list, (struct args){ 0 }).count, 3 + 254);
}

/* The row key is made of the first nine characters, which these two users share. */
static void
users_with_the_same_row_key_are_kept_apart(struct kit *kit)
{
    struct args one = { .user_id = STR("usr_SameSame0first") },
                other = { .user_id = STR("usr_SameSame0other") };
    rows_begin(kit);
    add(kit, one.user_id, &jazz);
    add(kit, other.user_id, &jazz);
    add(kit, other.user_id, &thai);
    assert_int_equal(run(kit, list, one).count, 1);
    assert_int_equal(run(kit, list, other).count, 2);
    run(kit, end_atoms, one);
    assert_int_equal(run(kit, list, one).count, 0);
    assert_int_equal(run(kit, list, other).count, 2);
}

static void
deleting_a_user_deletes_atoms_records_and_hint_sets(struct kit *kit)
{
    begin(kit);
    message(kit, &soul, finder.id, T0);
    run(kit, put_record,
        (struct args){
            .record = {
                .domain = STR("music"), .json = STR("{}"), .atom_count = 1, .hints = STR("") } });
    add(kit, bob.id, &jazz);
    run(kit, end_atoms, (struct args){ 0 });
    run(kit, end_records, (struct args){ 0 });
    assert_int_equal(run(kit, list, (struct args){ 0 }).count, 0);
    assert_int_equal(run(kit, list_records, (struct args){ 0 }).count, 0);
    assert_int_equal(run(kit, list_hints, (struct args){ 0 }).count, 0);
    run(kit, hold, (struct args){ 0 }); /* the header row belongs to the account and stays */
    add(kit, ada.id, &soul);
    assert_int_equal(run(kit, read_domain, (struct args){ 0 }).sourced[0].source_count, 0);
    assert_int_equal(run(kit, list, (struct args){ .user_id = bob.id }).count, 1);
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(atoms_read_back_in_order_of_sequence),
        KIT_CASE(atoms_of_another_user_are_not_found),
        KIT_CASE(a_domain_is_read_changed_and_saved_as_a_whole),
        KIT_CASE(sources_are_sorted),
        KIT_CASE(a_domain_has_room_for_some_sources_and_a_user_for_some_bytes),
        KIT_CASE(the_caller_sees_its_own_statements),
        KIT_CASE(sources_of_active_atoms_are_counted_once_each),
        KIT_CASE(domains_with_atoms_are_listed),
        KIT_CASE(hold_returns_the_sequence_and_release_raises_the_generation),
        KIT_CASE(generations_are_not_counted),
        KIT_CASE(a_record_is_replaced_and_not_listed_without_atoms),
        KIT_CASE(a_hint_set_replaces_only_that_of_its_domain),
        KIT_CASE(deleting_a_user_deletes_atoms_records_and_hint_sets),
        KIT_CASE(a_user_has_at_most_256_domains),
        KIT_CASE(users_with_the_same_row_key_are_kept_apart),
    };
    return KIT_RUN("store/atom_store", cases, LOG_SILENT);
}
