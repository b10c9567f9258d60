#include "unit/assert_str.h"

#include "base/arena.h"
#include "base/buf.h"
#include "model/atom_page.h"

#define ACTIVE (1u << ATOM_ACTIVE)
#define SUPPRESSED (1u << ATOM_SUPPRESSED)
#define HELD (1u << ATOM_HELD)

/* A line of an atom list; its id is its sequence. */
#define LINE(sequence, status, sources)                          \
    sequence "\tgenres\tjazz\t\"Jazz\"\t" status "\t\t" sequence \
             "\t1794648600\t\t\t\t\t\t" sources "\n"
#define BY_US "app_us\t\t\t"
#define BY_OTHERS "app_them\t\t\t"

static const struct atom_list lists[] = {
    { STR("food"), STR(LINE("1", "a", BY_US) LINE("9", "a", BY_OTHERS) LINE("5", "s", BY_US)
                           LINE("4", "a", BY_OTHERS BY_US)) },
    { STR("music"), STR("") },
    { STR("travel"), STR(LINE("2", "h", BY_OTHERS) LINE("3", "h", BY_OTHERS BY_US)
                             LINE("7", "a", "user\t\t\t") LINE("8", "s", BY_OTHERS)) },
    { STR("secret"), STR(LINE("6", "a", BY_US)) },
};

static bool
is_not_secret(struct str domain, void *context)
{
    (void)context;
    return !str_eq(domain, STR("secret"));
}

static const struct view our_view = { .app_id = { "app_us", 6 } };

static struct atom_query
question(unsigned statuses, size_t offset, size_t limit)
{
    return (struct atom_query){ .may_read = is_not_secret,
                                .statuses = statuses,
                                .view = &our_view,
                                .offset = offset,
                                .limit = limit };
}

static void
a_page_has_the_newest_matching_visible_atoms(void **state)
{
    static const struct {
        const char *why;
        unsigned statuses;
        size_t offset, limit, total;
        const char *expected;
    } rows[] = {
        { "across domains, whatever the order of lines", ACTIVE, 0, 20, 4, "9 7 4 1" },
        { "no more than asked for", ACTIVE, 0, 2, 4, "9 7" },
        { "what follows", ACTIVE, 2, 2, 4, "4 1" },
        { "the last is alone", ACTIVE, 3, 2, 4, "1" },
        { "after the last", ACTIVE, 4, 2, 4, "" },
        { "far after the last", ACTIVE, 1000000, 2, 4, "" },
        { "none", ACTIVE, 0, 0, 4, "" },
        { "what we wrote and is suppressed", SUPPRESSED, 0, 20, 1, "5" },
        { "what we wrote, too, and is held", HELD, 0, 20, 1, "3" },
        { "all of it", ACTIVE | SUPPRESSED | HELD, 0, 20, 6, "9 7 5 4 3 1" },
        { "nothing", 0, 0, 20, 0, "" },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct atom_query asked = question(rows[i].statuses, rows[i].offset, rows[i].limit);
        struct atom_page page;
        struct buf ids = buf_in(mem, 100);
        assert_row(atom_page_read(mem, lists, ROWS(lists), &asked, &page), rows[i].why);
        for (size_t a = 0; a < page.count; a++) {
            buf_add_c(&ids, a == 0 ? "" : " ");
            buf_add(&ids, page.atoms[a].id);
        }
        assert_str(buf_str(&ids), str_of(rows[i].expected), rows[i].why);
        assert_row(page.total == rows[i].total, rows[i].why);
    }
    arena_free(mem);
}

static void
atoms_of_a_page_are_complete(void **state)
{
    struct arena *mem = arena_new();
    struct atom_query asked = question(SUPPRESSED, 0, 1);
    struct atom_list list = {
        STR("food"), STR("atm_1\tdiets\tvegan\t\"Vegan\"\ts\t1\t12\t34\t56"
                         "\toutdated\tuser\t78\t\tuser\t5\t\tapp_us\t\t9\tapp_them\t\t\t\n")
    };
    struct atom_page page;
    (void)state;
    assert_true(atom_page_read(mem, &list, 1, &asked, &page));
    assert_int_equal(page.count, 1);
    const struct atom *atom = &page.atoms[0];
    assert_str(atom->id, STR("atm_1"), "id");
    assert_str(atom->domain, STR("food"), "domain");
    assert_str(atom->member, STR("diets"), "member");
    assert_str(atom->key, STR("vegan"), "key");
    assert_str(atom->value, STR("\"Vegan\""), "value");
    assert_str(atom->reason, STR("outdated"), "reason");
    assert_str(atom->suppressed_by, STR("user"), "suppressed_by");
    assert_int_equal(atom->status, ATOM_SUPPRESSED);
    assert_int_equal(atom->sequence, 12);
    assert_int_equal(atom->created_at, 34);
    assert_int_equal(atom->updated_at, 56);
    assert_int_equal(atom->suppressed_at, 78);
    assert_int_equal(atom->source_count, 3);
    assert_true(atom->by_user);
    assert_true(atom->by_caller);
    arena_free(mem);
}

static void
a_page_of_many_atoms_grows_its_arrays(void **state)
{
    enum { LINES = 1000 };
    struct arena *mem = arena_new();
    struct buf odd = buf_in(mem, 1 << 20), even = buf_in(mem, 1 << 20);
    struct atom_query asked = question(ACTIVE, 100, LINES);
    struct atom_page page;
    (void)state;
    for (int i = 1; i <= LINES; i++)
        buf_add_format(i % 2 == 0 ? &even : &odd, "i\tm\tk\tv\ta\t\t%d\t5\t\t\t\t\t\tuser\t\t\t\n",
                       i);
    struct atom_list two[] = { { STR("odd"), buf_str(&odd) }, { STR("even"), buf_str(&even) } };
    assert_true(atom_page_read(mem, two, ROWS(two), &asked, &page));
    assert_int_equal(page.total, LINES);
    assert_int_equal(page.count, LINES - 100);
    for (size_t i = 0; i < page.count; i++) {
        assert_int_equal(page.atoms[i].sequence, LINES - 100 - (int)i);
        assert_str(page.atoms[i].domain, page.atoms[i].sequence % 2 == 0 ? STR("even") : STR("odd"),
                   "whose it is");
    }
    arena_free(mem);
}

static void
a_page_of_an_invalid_list_fails(void **state)
{
    static const struct {
        const char *why, *text;
    } rows[] = {
        { "no line's end", "i\tm\tk\tv\ta\t1\t1\t1\t\t\t\t\t\t" },
        { "no fields", "\n" },
        { "no status", "i\tm\tk\tv\t\t1\t1\t1\t\t\t\t\t\t\n" },
        { "a status that is none", "i\tm\tk\tv\tactive\t1\t1\t1\t\t\t\t\t\t\n" },
        { "fields that another line has", "i\tm\nk\tv\ta\t\t1\t1\t\t\t\t\t\t\n" },
        { "a sequence that is no number", "i\tm\tk\tv\ta\t1\tx\t1\t\t\t\t\t\t\n" },
        { "a time that is no number", "i\tm\tk\tv\ta\t1\t1\t1.5\t\t\t\t\t\n" },
        { "a source without a name", "i\tm\tk\tv\ta\t1\t1\t1\t\t\t\t\t\t\t5\t6\t\n" },
        { "a source's time that is no number",
          "i\tm\tk\tv\ts\t1\t1\t1\t\t\t\t\t\tuser\tsoon\t\t\n" },
        { "after a valid line", LINE("3", "a", BY_US) "i\tm\tk\tv\n" },
    };
    struct arena *mem = arena_new();
    struct atom_query asked = question(ACTIVE | SUPPRESSED, 0, 20);
    struct atom_page page;
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct atom_list broken[] = { lists[0], { STR("music"), str_of(rows[i].text) } };
        assert_row(!atom_page_read(mem, broken, ROWS(broken), &asked, &page), rows[i].why);
        broken[1].domain = STR("secret");
        assert_row(atom_page_read(mem, broken, ROWS(broken), &asked, &page), "not even looked at");
    }
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_has_the_newest_matching_visible_atoms),
        cmocka_unit_test(atoms_of_a_page_are_complete),
        cmocka_unit_test(a_page_of_many_atoms_grows_its_arrays),
        cmocka_unit_test(a_page_of_an_invalid_list_fails),
    };
    return cmocka_run_group_tests_name("atom_page", tests, NULL, NULL);
}
