#include "unit/assert_str.h"

#include "base/arena.h"
#include "model/atom_list.h"

#define T0 ((int64_t)1794648600)

static const struct atom_source by_two[] = {
    { .source = { "user", 4 }, .created_at = T0, .updated_at = T0 },
    { .source = { "app_X", 5 }, .created_at = T0 + 5, .updated_at = T0 + 9 },
};

/* One atom for every kind of field. */
static const struct sourced_atom some[] = {
    { .atom = { .id = { "atm_1", 5 },
                .member = { "genres", 6 },
                .key = { "jazz", 4 },
                .value = { "\"Jazz\"", 6 },
                .by_user = true,
                .sequence = 1,
                .created_at = T0,
                .updated_at = T0 },
      .sources = (struct atom_source *)by_two,
      .source_count = 2 },
    { .atom = { .id = { "atm_2", 5 },
                .member = { "genres", 6 },
                .key = { "soul", 4 },
                .value = { "\"so ul\"", 7 },
                .status = ATOM_SUPPRESSED,
                .reason = { "other", 5 },
                .suppressed_by = { "user", 4 },
                .suppressed_at = T0 + 3,
                .sequence = 7,
                .created_at = T0 - 5000000000,
                .updated_at = T0 } },
    { .atom = { .id = { "atm_3", 5 },
                .member = { "languages", 9 },
                .key = { "c++", 3 },
                .value = { "\"C++\"", 5 },
                .status = ATOM_HELD,
                .sequence = 9,
                .updated_at = T0 } },
};

static void
assert_same(const struct sourced_atom *found, const struct sourced_atom *expected)
{
    const struct atom *a = &found->atom, *b = &expected->atom;
    assert_str(a->id, b->id, "id");
    assert_str(a->domain, STR("music"), "domain");
    assert_str(a->member, b->member, "member");
    assert_str(a->key, b->key, "key");
    assert_str(a->value, b->value, "value");
    assert_str(a->reason, b->reason, "reason");
    assert_str(a->suppressed_by, b->suppressed_by, "suppressed_by");
    assert_int_equal(a->status, b->status);
    assert_int_equal(a->by_user, b->by_user);
    assert_int_equal(a->suppressed_at, b->suppressed_at);
    assert_int_equal(a->sequence, b->sequence);
    assert_int_equal(a->created_at, b->created_at);
    assert_int_equal(a->updated_at, b->updated_at);
    assert_int_equal(a->source_count, expected->source_count);
    assert_int_equal(found->source_count, expected->source_count);
    for (size_t i = 0; i < found->source_count; i++) {
        assert_str(found->sources[i].source, expected->sources[i].source, "source");
        assert_int_equal(found->sources[i].created_at, expected->sources[i].created_at);
        assert_int_equal(found->sources[i].updated_at, expected->sources[i].updated_at);
    }
}

static void
written_atoms_are_read_back_unchanged(void **state)
{
    struct arena *mem = arena_new();
    struct sourced_atom *found = NULL;
    size_t count = 0;
    (void)state;
    struct str list = atom_list_write(mem, some, ROWS(some));
    assert_true(atom_list_read(mem, STR("music"), list, STR_NONE, &found, &count));
    assert_int_equal(count, ROWS(some));
    for (size_t i = 0; i < count; i++)
        assert_same(&found[i], &some[i]);
    assert_str(atom_list_write(mem, found, count), list, "the same text again");
    assert_true(atom_list_read(mem, STR("music"), STR(""), STR_NONE, &found, &count));
    assert_int_equal(count, 0);
    assert_true(atom_list_read(mem, STR("music"), STR_NONE, STR_NONE, &found, &count));
    assert_int_equal(count, 0);
    arena_free(mem);
}

static void
atoms_are_sorted_by_sequence(void **state)
{
    struct arena *mem = arena_new();
    struct sourced_atom turned[] = { some[2], some[0], some[1] }, *found = NULL;
    size_t count = 0;
    (void)state;
    struct str list = atom_list_write(mem, turned, ROWS(turned));
    assert_true(atom_list_read(mem, STR("music"), list, STR_NONE, &found, &count));
    assert_int_equal(count, ROWS(some));
    for (size_t i = 0; i < count; i++)
        assert_same(&found[i], &some[i]);
    arena_free(mem);
}

static void
sources_are_sorted_whatever_their_order_in_the_line(void **state)
{
    struct arena *mem = arena_new();
    struct sourced_atom *found = NULL;
    size_t count = 0;
    (void)state;
    struct atom_source turned[] = { { STR("app_C"), T0 + 2, T0 + 2 },
                                    { STR("app_B"), T0 + 1, T0 + 9 },
                                    { STR("app_A"), T0 + 1, T0 + 1 } };
    struct sourced_atom atom = { some[0].atom, turned, ROWS(turned) };
    struct str list = atom_list_write(mem, &atom, 1);
    assert_true(atom_list_read(mem, STR("music"), list, STR_NONE, &found, &count));
    assert_str(found[0].sources[0].source, STR("app_A"), "the oldest, by its name");
    assert_str(found[0].sources[1].source, STR("app_B"), "as old");
    assert_int_equal(found[0].sources[1].updated_at, T0 + 9);
    assert_str(found[0].sources[2].source, STR("app_C"), "the newest");
    arena_free(mem);
}

/* More than SOURCES_PER_ATOM_MAX apps: the oldest goes, but never the user. */
static void
an_atom_keeps_the_user_and_the_newest_apps(void **state)
{
    struct arena *mem = arena_new();
    struct sourced_atom atom = { .atom = some[0].atom };
    (void)state;
    atom_add_source(mem, &atom, (struct atom_source){ SOURCE_USER, T0 - 1, T0 - 1 });
    for (int i = 0; i < SOURCES_PER_ATOM_MAX + 5; i++)
        atom_add_source(mem, &atom,
                        (struct atom_source){ str_format(mem, "app_%d", i), T0 + i, T0 + i });
    assert_int_equal(atom.source_count, SOURCES_PER_ATOM_MAX);
    assert_int_equal(atom.atom.source_count, SOURCES_PER_ATOM_MAX);
    assert_str(atom.sources[0].source, SOURCE_USER, "the user");
    assert_str(atom.sources[1].source, STR("app_6"), "the oldest that is left");
    arena_free(mem);
}

static void
the_caller_matches_a_source_exactly(void **state)
{
    static const struct {
        const char *caller;
        bool expected;
    } rows[] = {
        { "app_X", true }, { "user", true }, { "app_", false }, { "app_XY", false }, { "", false }
    };
    struct arena *mem = arena_new();
    struct sourced_atom *found = NULL;
    size_t count = 0;
    (void)state;
    struct str list = atom_list_write(mem, some, ROWS(some));
    for (size_t i = 0; i < ROWS(rows); i++) {
        assert_true(
            atom_list_read(mem, STR("music"), list, str_of(rows[i].caller), &found, &count));
        assert_int_equal(found[0].atom.by_caller, rows[i].expected);
        assert_false(found[1].atom.by_caller);
    }
    arena_free(mem);
}

static void
fields_with_separators_are_rejected(void **state)
{
    static const char *const broken[] = { "a\tb", "\t", "a\nb", "\n" };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(broken); i++) {
        struct str bad = str_of(broken[i]);
        struct atom_source source = { .source = bad };
        struct sourced_atom rows[] = {
            some[0], some[0], some[0], some[0], some[1], some[1], some[0]
        };
        rows[0].atom.id = bad;
        rows[1].atom.member = bad;
        rows[2].atom.key = bad;
        rows[3].atom.value = bad;
        rows[4].atom.reason = bad;
        rows[5].atom.suppressed_by = bad;
        rows[6].sources = &source;
        rows[6].source_count = 1;
        for (size_t r = 0; r < ROWS(rows); r++)
            assert_false(str_present(atom_list_write(mem, &rows[r], 1)));
    }
    arena_free(mem);
}

static void
invalid_atom_lists_are_rejected(void **state)
{
    static const struct {
        const char *why, *text;
    } rows[] = {
        { "no line's end", "i\tm\tk\tv\ta\t1\t1\t1\t\t\t\t\t\t" },
        { "no fields", "\n" },
        { "no status", "i\tm\tk\tv\t\t1\t1\t1\t\t\t\t\t\t\n" },
        { "a status that is none", "i\tm\tk\tv\tactive\t1\t1\t1\t\t\t\t\t\t\n" },
        { "a sequence that is no number", "i\tm\tk\tv\ta\t1\tx\t1\t\t\t\t\t\t\n" },
        { "a time that is no number", "i\tm\tk\tv\ta\t1\t1\t1.5\t\t\t\t\t\n" },
        { "a source without a name", "i\tm\tk\tv\ta\t1\t1\t1\t\t\t\t\t\t\t5\t6\t\n" },
        { "a source's time that is no number",
          "i\tm\tk\tv\ta\t1\t1\t1\t\t\t\t\t\tuser\tsoon\t\t\n" },
    };
    struct arena *mem = arena_new();
    struct sourced_atom *found = NULL;
    size_t count = 0;
    (void)state;
    assert_true(atom_list_read(mem, STR("music"),
                               STR("i\tm\tk\tv\ta\t1\t1\t1\t\t\t\t\t\tuser\t\t\t\n"), STR_NONE,
                               &found, &count));
    for (size_t i = 0; i < ROWS(rows); i++)
        if (atom_list_read(mem, STR("music"), str_of(rows[i].text), STR_NONE, &found, &count))
            fail_msg("%s", rows[i].why);
    arena_free(mem);
}

static void
sources_are_unique_and_sorted(void **state)
{
    struct arena *mem = arena_new();
    struct sourced_atom atom = { .atom = some[0].atom };
    static const struct {
        const char *source;
        int64_t at;
        bool is_new;
    } rows[] = { { "b", T0, true },
                 { "a", T0, true },
                 { "c", T0 - 1, true },
                 { "d", T0 + 1, true },
                 { "a", T0 + 9, false } };
    static const char *const expected[] = { "c", "a", "b", "d" };
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct atom_source source = { .source = str_of(rows[i].source),
                                      .created_at = rows[i].at,
                                      .updated_at = rows[i].at };
        assert_int_equal(atom_add_source(mem, &atom, source), rows[i].is_new);
    }
    assert_int_equal(atom.source_count, ROWS(expected));
    assert_int_equal(atom.atom.source_count, ROWS(expected));
    for (size_t i = 0; i < ROWS(expected); i++)
        assert_str(atom.sources[i].source, str_of(expected[i]), "its place");
    assert_int_equal(atom.sources[1].created_at, T0);
    assert_int_equal(atom.sources[1].updated_at, T0 + 9);
    atom_drop_source(&atom, STR("b"));
    atom_drop_source(&atom, STR("nobody"));
    assert_int_equal(atom.source_count, 3);
    assert_int_equal(atom.atom.source_count, 3);
    assert_str(atom.sources[2].source, STR("d"), "moved up");
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_atoms_are_read_back_unchanged),
        cmocka_unit_test(atoms_are_sorted_by_sequence),
        cmocka_unit_test(sources_are_sorted_whatever_their_order_in_the_line),
        cmocka_unit_test(an_atom_keeps_the_user_and_the_newest_apps),
        cmocka_unit_test(the_caller_matches_a_source_exactly),
        cmocka_unit_test(fields_with_separators_are_rejected),
        cmocka_unit_test(invalid_atom_lists_are_rejected),
        cmocka_unit_test(sources_are_unique_and_sorted),
    };
    return cmocka_run_group_tests_name("model/atom_list", tests, NULL, NULL);
}
