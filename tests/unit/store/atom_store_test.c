#include "unit/store/rows.h"

#include "store/atom_store.h"

struct args {
    struct arena *mem;
    struct str user_id, atom_id, domain, asker;
    struct atom atom, *atoms;
    struct sourced_atom *sourced;
    struct atom_source source;
    struct record record, *records;
    size_t count;
    int64_t number;
    bool is_new;
};

WORK(hold, atom_store_hold(tx, a->mem, a->user_id, &a->number))
WORK(release, atom_store_release(tx, a->mem, a->user_id, a->number))
WORK(list, atom_store_list(tx, a->mem, a->user_id, a->domain, a->asker, &a->atoms, &a->count))
WORK(find, atom_store_find(tx, a->mem, a->user_id, a->atom_id, a->asker, &a->atom))
WORK(read_domain,
     atom_store_read(tx, a->mem, a->user_id, a->domain, a->asker, &a->sourced, &a->count))
WORK(save_domain, atom_store_save(tx, a->mem, a->user_id, a->domain, a->sourced, a->count))
WORK(add, atom_store_add(tx, a->mem, a->user_id, &a->atom))
WORK(put, atom_store_put(tx, a->mem, a->user_id, &a->atom))
WORK(drop, atom_store_delete(tx, a->mem, a->user_id, a->atom_id))
WORK(list_sourced,
     atom_store_list_sourced(tx, a->mem, a->user_id, a->domain, &a->sourced, &a->count))
WORK(add_source, source_store_add(tx, a->mem, a->user_id, &a->source, &a->is_new))
WORK(end_source, source_store_end(tx, a->mem, a->user_id, a->asker))
WORK(count_sources, source_store_count(tx, a->mem, a->user_id, a->domain, &a->number))
WORK(put_record, record_store_put(tx, a->mem, a->user_id, &a->record))
WORK(list_records, record_store_list(tx, a->mem, a->user_id, a->domain, &a->records, &a->count))
WORK(end_user, atom_store_end_user(tx, a->mem, a->user_id))

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

/* In no order that a store would give by itself. */
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

static void
begin(struct kit *kit)
{
    rows_begin(kit);
    run(kit, add, (struct args){ .atom = jazz });
    run(kit, add, (struct args){ .atom = thai });
    run(kit, add, (struct args){ .atom = soul });
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
atoms_come_back_whole_and_in_the_order_of_their_sequence(struct kit *kit)
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
nothing_is_found_under_another_person(struct kit *kit)
{
    begin(kit);
    struct args theirs = { .user_id = bob.id, .atom_id = jazz.id, .domain = STR("music") };
    assert_int_equal(outcome(kit, find, theirs), ERR_NOT_FOUND);
    assert_int_equal(run(kit, list, theirs).count, 0);
    assert_int_equal(run(kit, list_sourced, theirs).count, 0);
    theirs.atom = soul;
    theirs.atom.status = ATOM_HELD;
    run(kit, put, theirs);
    run(kit, drop, theirs);
    run(kit, end_user, theirs);
    assert_int_equal(run(kit, list, (struct args){ 0 }).count, 3);
    struct args found = run(kit, find, (struct args){ .atom_id = soul.id });
    assert_same_atom(&found.atom, &soul);
    /* The same value may be known of two people. */
    run(kit, add, (struct args){ .user_id = bob.id, .atom = jazz });
    assert_int_equal(run(kit, list, theirs).count, 1);
}

static void
one_value_is_one_atom(struct kit *kit)
{
    struct atom again = jazz;
    begin(kit);
    again.id = STR("atm_X");
    assert_int_not_equal(outcome(kit, add, (struct args){ .atom = again }), ERR_NONE);
    again.key = STR("other");
    again.id = jazz.id;
    assert_int_not_equal(outcome(kit, add, (struct args){ .atom = again }), ERR_NONE);
    assert_int_equal(run(kit, list, (struct args){ 0 }).count, 3);
}

static void
status_times_and_spelling_can_be_changed_and_the_rest_stays(struct kit *kit)
{
    begin(kit);
    struct atom changed = jazz, expected = jazz;
    changed.domain = changed.member = changed.key = STR("ignored");
    changed.sequence = changed.created_at = 99;
    changed.value = expected.value = STR("\"JAZZ\"");
    changed.status = expected.status = ATOM_ACTIVE;
    changed.reason = expected.reason = STR_NONE;
    changed.suppressed_by = expected.suppressed_by = STR_NONE;
    changed.suppressed_at = expected.suppressed_at = 0;
    changed.by_user = expected.by_user = false;
    changed.source_count = 9; /* counted, not believed */
    expected.source_count = 0;
    changed.updated_at = expected.updated_at = T0;
    run(kit, put, (struct args){ .atom = changed });
    struct args found = run(kit, find, (struct args){ .atom_id = jazz.id });
    assert_same_atom(&found.atom, &expected);
}

static void
a_domain_is_read_changed_and_saved_as_a_whole(struct kit *kit)
{
    begin(kit);
    struct args music = run(kit, read_domain, (struct args){ .domain = STR("music") });
    assert_int_equal(music.count, 2);
    music.sourced[0] = music.sourced[1]; /* soul goes, jazz stays */
    atom_add_source(kit->mem, &music.sourced[0],
                    (struct atom_source){ .source = finder.id, .created_at = T0 });
    music.count = 1;
    run(kit, save_domain, music);
    struct args found = run(kit, list, (struct args){ .asker = finder.id });
    assert_int_equal(found.count, 2);
    assert_same_text(found.atoms[0].id, thai.id);
    assert_same_text(found.atoms[1].id, jazz.id);
    assert_int_equal(found.atoms[1].source_count, 1);
    assert_true(found.atoms[1].by_asker);
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
say(struct kit *kit, const struct atom *atom, struct str source, int64_t now, bool is_new)
{
    struct atom_source said = {
        .atom_id = atom->id, .source = source, .created_at = now, .updated_at = now
    };
    assert_int_equal(run(kit, add_source, (struct args){ .source = said }).is_new, is_new);
}

static void
a_source_is_new_once_and_then_only_later(struct kit *kit)
{
    begin(kit);
    say(kit, &jazz, finder.id, T0, true);
    say(kit, &jazz, finder.id, T0 + 5, false);
    struct args all = run(kit, list_sourced, (struct args){ .domain = STR("music") });
    assert_int_equal(all.count, 2);
    assert_int_equal(all.sourced[0].source_count, 0); /* soul, and it is there all the same */
    struct atom said = jazz;
    said.source_count = 1;
    assert_same_atom(&all.sourced[1].atom, &said);
    assert_int_equal(all.sourced[1].source_count, 1);
    assert_int_equal(all.sourced[1].sources[0].created_at, T0);
    assert_int_equal(all.sourced[1].sources[0].updated_at, T0 + 5);
}

static void
sources_are_in_order_and_apps_have_their_names(struct kit *kit)
{
    begin(kit);
    say(kit, &jazz, STR("zzz"), T0, true);
    say(kit, &jazz, finder.id, T0, true);
    say(kit, &jazz, STR("user"), T0 - 1, true);
    say(kit, &jazz, STR("aaa"), T0 + 1, true);
    say(kit, &thai, finder.id, T0, true);
    struct args all = run(kit, list_sourced, (struct args){ 0 });
    assert_int_equal(all.count, 3);
    assert_int_equal(all.sourced[0].source_count, 1);
    assert_int_equal(all.sourced[1].source_count, 0);
    assert_int_equal(all.sourced[2].source_count, 4);
    const struct atom_source *sources = all.sourced[2].sources;
    assert_same_text(sources[0].source, STR("user"));
    assert_same_text(sources[1].source, finder.id);
    assert_same_text(sources[2].source, STR("zzz"));
    assert_same_text(sources[3].source, STR("aaa"));
    assert_same_text(sources[1].app_name, finder.name);
    assert_same_text(sources[0].app_name, STR_NONE);
    assert_same_text(sources[3].app_name, STR_NONE);
}

static void
the_asker_is_told_what_it_said(struct kit *kit)
{
    begin(kit);
    say(kit, &jazz, finder.id, T0, true);
    struct args asked = run(kit, list, (struct args){ .asker = finder.id });
    assert_false(asked.atoms[0].by_asker);
    assert_true(asked.atoms[2].by_asker);
    assert_true(
        run(kit, find, (struct args){ .asker = finder.id, .atom_id = jazz.id }).atom.by_asker);
    assert_false(
        run(kit, find, (struct args){ .asker = player.id, .atom_id = jazz.id }).atom.by_asker);
    assert_false(run(kit, find, (struct args){ .atom_id = jazz.id }).atom.by_asker);
}

static void
sources_of_active_atoms_are_counted_once_each(struct kit *kit)
{
    struct args music = { .domain = STR("music") };
    begin(kit);
    say(kit, &jazz, player.id, T0, true); /* suppressed, so it does not count */
    say(kit, &soul, finder.id, T0, true);
    say(kit, &soul, STR("user"), T0, true);
    say(kit, &thai, player.id, T0, true);
    assert_int_equal(run(kit, count_sources, music).number, 2);
    run(kit, end_source, (struct args){ .asker = finder.id });
    assert_int_equal(run(kit, count_sources, music).number, 1);
    assert_int_equal(run(kit, list, (struct args){ 0 }).count, 3); /* the atoms are still there */
    run(kit, drop, (struct args){ .atom_id = soul.id });
    assert_int_equal(run(kit, count_sources, music).number, 0);
    struct args all = run(kit, list_sourced, (struct args){ 0 });
    assert_int_equal(all.count, 2);
}

/* ---- the person's row, and records ---- */

static void
holding_gives_the_sequence_and_releasing_raises_the_generation(struct kit *kit)
{
    rows_begin(kit);
    assert_int_equal(run(kit, hold, (struct args){ 0 }).number, 0);
    run(kit, release, (struct args){ .number = 41 });
    assert_int_equal(run(kit, hold, (struct args){ 0 }).number, 41);
    assert_int_equal(run(kit, hold, (struct args){ .user_id = bob.id }).number, 0);
    assert_int_equal(outcome(kit, hold, (struct args){ .user_id = STR("usr_nobody") }),
                     ERR_NOT_FOUND);
}

static void
a_record_is_replaced_and_goes_with_its_last_atom(struct kit *kit)
{
    struct record music = { .domain = STR("music"),
                            .json = STR("{\"a\":1}"),
                            .atom_count = 5000000000,
                            .updated_at = 5000000001,
                            .hints = STR("") };
    rows_begin(kit);
    run(kit, put_record, (struct args){ .record = music });
    music.json = STR("{\"a\":2}");
    run(kit, put_record, (struct args){ .record = music });
    struct args found = run(kit, list_records, (struct args){ .domain = STR("music") });
    assert_int_equal(found.count, 1);
    assert_same_text(found.records[0].json, music.json);
    assert_int_equal(found.records[0].atom_count, music.atom_count);
    assert_int_equal(found.records[0].updated_at, music.updated_at);
    assert_int_equal(run(kit, list_records, (struct args){ 0 }).count, 1);
    assert_int_equal(run(kit, list_records, (struct args){ .user_id = bob.id }).count, 0);
    music.atom_count = 0;
    run(kit, put_record, (struct args){ .record = music });
    assert_int_equal(run(kit, list_records, (struct args){ 0 }).count, 0);
}

static void
what_is_known_about_a_person_goes_as_a_whole(struct kit *kit)
{
    begin(kit);
    say(kit, &soul, finder.id, T0, true);
    run(kit, put_record,
        (struct args){
            .record = {
                .domain = STR("music"), .json = STR("{}"), .atom_count = 1, .hints = STR("") } });
    run(kit, add, (struct args){ .user_id = bob.id, .atom = jazz });
    run(kit, end_user, (struct args){ 0 });
    assert_int_equal(run(kit, list, (struct args){ 0 }).count, 0);
    assert_int_equal(run(kit, list_records, (struct args){ 0 }).count, 0);
    run(kit, add, (struct args){ .atom = soul });
    assert_int_equal(run(kit, list_sourced, (struct args){ 0 }).sourced[0].source_count, 0);
    assert_int_equal(run(kit, list, (struct args){ .user_id = bob.id }).count, 1);
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(atoms_come_back_whole_and_in_the_order_of_their_sequence),
        KIT_CASE(nothing_is_found_under_another_person),
        KIT_CASE(one_value_is_one_atom),
        KIT_CASE(status_times_and_spelling_can_be_changed_and_the_rest_stays),
        KIT_CASE(a_domain_is_read_changed_and_saved_as_a_whole),
        KIT_CASE(a_source_is_new_once_and_then_only_later),
        KIT_CASE(sources_are_in_order_and_apps_have_their_names),
        KIT_CASE(the_asker_is_told_what_it_said),
        KIT_CASE(sources_of_active_atoms_are_counted_once_each),
        KIT_CASE(holding_gives_the_sequence_and_releasing_raises_the_generation),
        KIT_CASE(a_record_is_replaced_and_goes_with_its_last_atom),
        KIT_CASE(what_is_known_about_a_person_goes_as_a_whole),
    };
    return KIT_RUN("store/atom_store", cases, LOG_SILENT);
}
