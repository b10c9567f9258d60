#include "unit/assert_str.h"

#include "base/arena.h"
#include "base/buf.h"
#include "model/atom.h"
#include "text/json_write.h"
#include "unit/domains_kit.h"

#define T0 ((int64_t)1794648600)

static void
statuses_are_written_and_read(void **state)
{
    static const enum atom_status all[] = { ATOM_ACTIVE, ATOM_SUPPRESSED, ATOM_HELD };
    static const char *const none[] = { "", "Active", "active ", "gone", "activ" };
    enum atom_status read;
    (void)state;
    for (size_t i = 0; i < ROWS(all); i++) {
        assert_true(atom_status_read(str_of(atom_status_name(all[i])), &read));
        assert_int_equal(read, all[i]);
    }
    for (size_t i = 0; i < ROWS(none); i++)
        assert_row(!atom_status_read(str_of(none[i]), &read), none[i]);
    assert_false(atom_status_read(STR_NONE, &read));
}

static void
only_five_reasons_are_valid(void **state)
{
    static const char *const fine[] = { "not_accurate", "outdated", "not_mine", "too_personal",
                                        "other" };
    static const char *const none[] = { "", "because", "Other", "other ", "not accurate" };
    (void)state;
    for (size_t i = 0; i < ROWS(fine); i++)
        assert_row(atom_reason_valid(str_of(fine[i])), fine[i]);
    for (size_t i = 0; i < ROWS(none); i++)
        assert_row(!atom_reason_valid(str_of(none[i])), none[i]);
    assert_false(atom_reason_valid(STR_NONE));
}

static void
confidence_grows_with_apps_and_is_complete_for_the_user(void **state)
{
    static const struct {
        int64_t sources;
        bool by_user;
        int expected;
    } rows[] = {
        { 0, false, 0 },  { 1, false, 80 }, { 2, false, 96 }, { 3, false, 99 },
        { 9, false, 99 }, { 1, true, 100 }, { 4, true, 100 }, { -1, false, 0 },
    };
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct atom atom = { .source_count = rows[i].sources, .by_user = rows[i].by_user };
        assert_int_equal(atom_confidence(&atom), rows[i].expected);
    }
}

static void
inactive_atoms_are_visible_only_to_their_sources(void **state)
{
    (void)state;
    for (int status = ATOM_ACTIVE; status <= ATOM_HELD; status++) {
        struct atom atom = { .status = (enum atom_status)status };
        assert_int_equal(atom_visible(&atom), status == ATOM_ACTIVE);
        atom.by_caller = true;
        assert_true(atom_visible(&atom));
    }
}

static void
an_atom_shows_its_source(void **state)
{
    static const struct {
        bool by_user, by_caller;
        const char *expected;
    } rows[] = {
        { true, false, "\"source\":\"user\"" },
        { true, true, "\"source\":\"user\"" },
        { false, true, "\"source\":\"self\"" },
        { false, false, "\"source\":\"other\"" },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct buf out = buf_in(mem, 4096);
        struct json json = json_into(&out);
        struct atom atom = { .id = STR("atm_x"),
                             .domain = STR("music_preferences"),
                             .member = STR("genres"),
                             .key = STR("must not be written"),
                             .value = STR("\"Trip \\\"Hop\\\"\""),
                             .by_user = rows[i].by_user,
                             .by_caller = rows[i].by_caller,
                             .source_count = 2,
                             .created_at = T0,
                             .updated_at = T0 + 1 };
        atom_write(&json, &atom);
        const char *text = str_c(mem, buf_str(&out));
        assert_row(strstr(text, rows[i].expected) != NULL, text);
        assert_row(strstr(text, "must not be written") == NULL, text);
        assert_row(strstr(text, "\"value\":\"Trip \\\"Hop\\\"\"") != NULL, text);
    }
    arena_free(mem);
}

static void
an_atom_is_written_as_the_contract_shows_it(void **state)
{
    static const struct {
        struct atom atom;
        const char *expected;
    } rows[] = {
        { { .id = STR("atm_x"),
            .domain = STR("food_profile"),
            .member = STR("diets"),
            .value = STR("\"Vegan\""),
            .source_count = 1,
            .created_at = T0,
            .updated_at = T0 },
          "{\"atom_id\":\"atm_x\",\"domain\":\"food_profile\",\"member\":\"diets\","
          "\"value\":\"Vegan\",\"confidence\":0.8,\"source\":\"other\",\"source_count\":1,"
          "\"status\":\"active\",\"created_at\":\"2026-11-14T09:30:00Z\","
          "\"updated_at\":\"2026-11-14T09:30:00Z\"}" },
        { { .id = STR("a"),
            .domain = STR("b"),
            .member = STR("c"),
            .value = STR("17"),
            .status = ATOM_SUPPRESSED,
            .by_caller = true,
            .source_count = INT64_MAX,
            .created_at = T0,
            .updated_at = T0 + 1 },
          "{\"atom_id\":\"a\",\"domain\":\"b\",\"member\":\"c\",\"value\":17,"
          "\"confidence\":0.99,\"source\":\"self\",\"source_count\":9223372036854775807,"
          "\"status\":\"suppressed\",\"created_at\":\"2026-11-14T09:30:00Z\","
          "\"updated_at\":\"2026-11-14T09:30:01Z\"}" },
        { { .id = STR(""), .value = STR("null"), .status = ATOM_HELD, .updated_at = INT64_MAX },
          "{\"atom_id\":\"\",\"domain\":\"\",\"member\":\"\",\"value\":null,"
          "\"confidence\":0,\"source\":\"other\",\"source_count\":0,\"status\":\"held\","
          "\"created_at\":null,\"updated_at\":null}" },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct buf out = buf_in(mem, 4096), small = buf_in(mem, 300);
        struct json json = json_into(&out), tight = json_into(&small);
        atom_write(&json, &rows[i].atom);
        assert_str(buf_str(&out), str_of(rows[i].expected), "alone");
        json_open_array(&tight);
        for (int twice = 0; twice < 2; twice++)
            atom_write(&tight, &rows[i].atom);
        assert_true(small.overflow);
    }
    arena_free(mem);
}

static void
a_list_writes_atoms_with_any_times(void **state)
{
    static const int64_t times[][2] = {
        { T0, T0 },        { T0, T0 },     { T0, T0 + 1 },           { 0, T0 + 1 },     { 0, 0 },
        { INT64_MAX, T0 }, { T0, T0 + 1 }, { INT64_MAX, INT64_MAX }, { T0, INT64_MIN }, { 0, T0 },
    };
    struct arena *mem = arena_new();
    struct buf list = buf_in(mem, 8192), singly = buf_in(mem, 8192);
    struct json list_json = json_into(&list), singly_json = json_into(&singly);
    struct atom atoms[ROWS(times)];
    (void)state;
    json_open_array(&list_json);
    json_open_array(&singly_json);
    for (size_t i = 0; i < ROWS(times); i++) {
        atoms[i] = (struct atom){
            .id = STR("a"), .value = STR("1"), .created_at = times[i][0], .updated_at = times[i][1]
        };
        atom_write(&singly_json, &atoms[i]);
    }
    atom_write_list(&list_json, atoms, ROWS(times));
    json_int(&list_json, 7);
    json_int(&singly_json, 7);
    assert_str(buf_str(&list), buf_str(&singly), "the same");
    assert_row(strstr(str_c(mem, buf_str(&list)), "},{\"atom_id\"") != NULL, "commas between them");
    assert_row(strstr(str_c(mem, buf_str(&list)), "},7") != NULL, "a comma follows");
    arena_free(mem);
}

/* ---- records ---- */

static struct atom
fact(const char *member, const char *value, enum atom_status status)
{
    return (struct atom){ .member = str_of(member), .value = str_of(value), .status = status };
}

static void
a_record_has_active_facts_by_member_and_sequence(void **state)
{
    const struct domain *food = domains_find(kit_domains(), STR("food_profile"));
    const struct atom atoms[] = {
        fact("cuisines", "\"Thai\"", ATOM_ACTIVE),
        fact("household_size", "3", ATOM_ACTIVE),
        fact("dietary", "\"halal\"", ATOM_SUPPRESSED),
        fact("cuisines", "\"Greek\"", ATOM_HELD),
        fact("dietary", "\"vegan\"", ATOM_ACTIVE),
        fact("cuisines", "\"Cuban\"", ATOM_ACTIVE),
        fact("allergies", "\"peanuts\"", ATOM_ACTIVE),
        fact("a_member_of_yesterday", "\"x\"", ATOM_ACTIVE),
        fact("nutrition_goals", "{\"calories\":2000}", ATOM_ACTIVE),
    };
    struct arena *mem = arena_new();
    int64_t active = 0;
    (void)state;
    assert_str(
        atom_record(mem, food, atoms, ROWS(atoms), &active),
        STR("{\"allergies\":[\"peanuts\"],\"dietary\":\"vegan\",\"cuisines\":[\"Thai\",\"Cuban\"],"
            "\"household_size\":3,\"nutrition_goals\":{\"calories\":2000}}"),
        "the record");
    assert_int_equal(active, 6); /* facts that the record omits are not counted */
    assert_str(atom_record(mem, food, atoms, 0, &active), STR("{}"), "of nothing");
    assert_int_equal(active, 0);
    arena_free(mem);
}

static void
a_single_valued_member_shows_the_first_value(void **state)
{
    /* As written under an older definition in which the member was a list. */
    const struct domain *food = domains_find(kit_domains(), STR("food_profile"));
    const struct atom atoms[] = { fact("dietary", "\"vegan\"", ATOM_ACTIVE),
                                  fact("dietary", "\"halal\"", ATOM_ACTIVE) };
    struct arena *mem = arena_new();
    int64_t active = 0;
    (void)state;
    assert_str(atom_record(mem, food, atoms, ROWS(atoms), &active), STR("{\"dietary\":\"vegan\"}"),
               "the record");
    assert_int_equal(active, 1);
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statuses_are_written_and_read),
        cmocka_unit_test(only_five_reasons_are_valid),
        cmocka_unit_test(confidence_grows_with_apps_and_is_complete_for_the_user),
        cmocka_unit_test(inactive_atoms_are_visible_only_to_their_sources),
        cmocka_unit_test(an_atom_shows_its_source),
        cmocka_unit_test(an_atom_is_written_as_the_contract_shows_it),
        cmocka_unit_test(a_list_writes_atoms_with_any_times),
        cmocka_unit_test(a_record_has_active_facts_by_member_and_sequence),
        cmocka_unit_test(a_single_valued_member_shows_the_first_value),
    };
    return cmocka_run_group_tests_name("model/atom", tests, NULL, NULL);
}
