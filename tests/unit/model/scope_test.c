#include "unit/assert_str.h"

#include "base/arena.h"
#include "model/scope.h"
#include "unit/domains_kit.h"

#define READ ((scopes)SCOPE_PREFERENCES_READ)
#define WRITE ((scopes)SCOPE_PREFERENCES_WRITE)
#define HINTS ((scopes)SCOPE_AGENT_HINTS)
#define PROFILE ((scopes)SCOPE_PROFILE_READ)
#define MUSIC KIT_MUSIC
#define FOOD KIT_FOOD

static void
scope_names_are_read_strictly(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        struct str input;
        bool fine;
        scopes expected;
        const char *unknown;
    } rows[] = {
        { "one", STR("agent_hints"), true, HINTS, NULL },
        { "with a colon", STR("preferences:read"), true, READ, NULL },
        { "two", STR("music_preferences agent_hints"), true, MUSIC | HINTS, NULL },
        { "the same two in the other order", STR("agent_hints music_preferences"), true,
          MUSIC | HINTS, NULL },
        { "absent", STR_NONE, true, 0, NULL },
        { "empty", STR(""), true, 0, NULL },
        { "one twice", STR("agent_hints agent_hints"), false, 0, "agent_hints" },
        { "one twice, apart", STR("agent_hints food_profile agent_hints"), false, 0,
          "agent_hints" },
        { "unknown", STR("everything"), false, 0, "everything" },
        { "unknown after a known one", STR("agent_hints everything food_profile"), false, 0,
          "everything" },
        { "only part of a name", STR("agent"), false, 0, "agent" },
        { "a name and more", STR("agent_hints2"), false, 0, "agent_hints2" },
        { "upper case", STR("Agent_Hints"), false, 0, "Agent_Hints" },
        { "one blank", STR(" "), false, 0, "" },
        { "a blank in front", STR(" agent_hints"), false, 0, "" },
        { "a space at the end", STR("agent_hints "), false, 0, "" },
        { "two blanks between", STR("agent_hints  food_profile"), false, 0, "" },
        { "a tab between", STR("agent_hints\tfood_profile"), false, 0,
          "agent_hints\tfood_profile" },
        { "a line break between", STR("agent_hints\nfood_profile"), false, 0,
          "agent_hints\nfood_profile" },
        { "a comma between", STR("agent_hints,food_profile"), false, 0,
          "agent_hints,food_profile" },
        { "a quote inside", STR("a\"b"), false, 0, "a\"b" },
        { "OpenID's own", STR("openid profile"), false, 0, "openid" },
        { "a star", STR("*"), false, 0, "*" },
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        scopes set = 99;
        struct str unknown = STR_NONE;
        assert_row(scopes_read(rows[i].input, &set, &unknown) == rows[i].fine, rows[i].why);
        assert_row(!rows[i].fine || set == rows[i].expected, rows[i].why);
        assert_str(unknown, str_of(rows[i].unknown), rows[i].why);
        assert_row(scopes_read(rows[i].input, &set, NULL) == rows[i].fine, rows[i].why);
    }
    scopes set;
    assert_false(scopes_read(STR("agent_hints\0"), &set, NULL));
    assert_false(scopes_read(STR("agent\0_hints"), &set, NULL));
}

static void
many_unknown_scopes_are_rejected(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    struct str text = STR("agent_hints");
    for (int i = 0; i < 200; i++)
        text = str_format(mem, "%s s%d", text.ptr, i);
    scopes set;
    struct str unknown;
    assert_false(scopes_read(text, &set, &unknown));
    assert_str(unknown, STR("s0"), "the first that is wrong");
    arena_free(mem);
}

static void
stored_scopes_of_removed_domains_are_ignored(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        struct str input;
        scopes expected;
    } rows[] = {
        { "all known", STR("preferences:write food_profile"), WRITE | FOOD },
        { "one removed", STR("agent_hints wine_profile food_profile"), HINTS | FOOD },
        { "all removed", STR("wine_profile"), 0 },
        { "empty", STR(""), 0 },
        { "absent", STR_NONE, 0 },
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        scopes set = 99;
        scopes_read_known(rows[i].input, &set);
        assert_row(set == rows[i].expected, rows[i].why);
    }
}

static void
scope_sets_are_written_in_table_order(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    scopes set;
    assert_true(scopes_read(STR("music_preferences profile:read agent_hints"), &set, NULL));
    assert_str(scopes_write(mem, set), STR("agent_hints profile:read music_preferences"), "order");
    assert_str(scopes_write(mem, 0), STR(""), "nothing is the empty text, and not absent");
    for (scopes all = 0; all < (scopes)1 << scope_count(); all++) {
        assert_true(scopes_read(scopes_write(mem, all), &set, NULL));
        assert_int_equal(set, all);
    }
    arena_free(mem);
}

static void
named_bits_match_their_rows(void **state)
{
    (void)state;
    static const struct {
        scopes bit;
        const char *name;
    } rows[] = {
        { SCOPE_PREFERENCES_READ, "preferences:read" },
        { SCOPE_PREFERENCES_WRITE, "preferences:write" },
        { SCOPE_AGENT_HINTS, "agent_hints" },
        { SCOPE_PROFILE_READ, "profile:read" },
        { SCOPE_FIRST_DOMAIN, "coding_profile" },
        { KIT_FOOD, "food_profile" },
        { KIT_MUSIC, "music_preferences" },
    };
    scopes set;
    for (size_t i = 0; i < ROWS(rows); i++) {
        assert_true(scopes_read(str_of(rows[i].name), &set, NULL));
        assert_row(set == rows[i].bit, rows[i].name);
    }
    assert_int_equal(scope_count(), 4 + KIT_DOMAINS);
    for (size_t i = 0; i < scope_count(); i++) {
        const struct scope_row *row = scope_row(i);
        assert_true(scopes_read(str_of(row->name), &set, NULL));
        assert_row(set == (scopes)1 << i, row->name);
        assert_row(strlen(row->title) > 0, row->name);
        assert_row(row->sentence[strlen(row->sentence) - 1] == '.', row->name);
    }
}

static void
only_domain_scopes_limit_domains(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        scopes asked;
        scopes domains;
        bool narrow;
    } rows[] = {
        { "nothing", 0, 0, false },
        { "hints alone allow every domain", HINTS, 0, false },
        { "hints and a domain", HINTS | MUSIC, MUSIC, true },
        { "writing and two domains", WRITE | MUSIC | FOOD, MUSIC | FOOD, true },
        { "a domain alone", FOOD, FOOD, true },
        { "everything may be read, too", READ | HINTS | FOOD, FOOD, false },
        { "everything may be read", READ, 0, false },
        { "the profile is no domain", PROFILE | HINTS, 0, false },
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        assert_row(scopes_domains(rows[i].asked) == rows[i].domains, rows[i].why);
        assert_row(scopes_limit_domains(rows[i].asked) == rows[i].narrow, rows[i].why);
    }
}

static void
domain_sets_are_stored_by_name_or_as_a_star(void **state)
{
    (void)state;
    static const scopes first = SCOPE_FIRST_DOMAIN, known = (first << KIT_DOMAINS) - first;
    struct arena *mem = arena_new();
    assert_str(scopes_write_domains(mem, DOMAINS_ALL), STR("*"), "domains");
    assert_str(scopes_write_domains(mem, 0), STR(""), "domains");
    assert_str(scopes_write_domains(mem, first), STR("coding_profile"), "domains");
    assert_true(scopes_read_domains(STR("*")) == DOMAINS_ALL);
    assert_true(scopes_read_domains(STR("")) == 0);
    assert_true(scopes_read_domains(STR_NONE) == 0);
    assert_true(scopes_read_domains(STR("coding_profile agent_hints gone")) == first);
    /* All domains but one are those that exist now. */
    assert_true(scopes_read_domains(scopes_write_domains(mem, DOMAINS_ALL & ~first)) ==
                (known & ~first));
    assert_int_equal(scopes_domain_indexes(DOMAINS_ALL | HINTS), (1 << KIT_DOMAINS) - 1);
    assert_int_equal(scopes_domain_indexes(HINTS | first << 2), 4);
    arena_free(mem);
}

static void
scopes_setup_adds_domains(void **state)
{
    (void)state;
    const struct domain two[] = {
        { .name = STR("reading"), .title = STR("Reading"), .consent = STR("See what you read.") },
        { .name = STR("sleep"), .title = STR("Sleep"), .consent = STR("See how you sleep.") },
    };
    scopes set;
    scopes_setup(&(struct domains){ .count = 0 });
    assert_int_equal(scope_count(), 4);
    assert_false(scopes_read(STR("food_profile"), &set, NULL));
    scopes_setup(&(struct domains){ .list = two, .count = 2 });
    assert_int_equal(scope_count(), 6);
    assert_true(scopes_read(STR("reading agent_hints sleep"), &set, NULL));
    assert_int_equal(set, HINTS | SCOPE_FIRST_DOMAIN | SCOPE_FIRST_DOMAIN << 1);
    assert_string_equal(scope_row(5)->name, "sleep");
    assert_string_equal(scope_row(5)->title, "Sleep");
    assert_string_equal(scope_row(5)->sentence, "See how you sleep.");
    scopes_setup(kit_domains());
    assert_int_equal(scope_count(), 4 + KIT_DOMAINS);
    assert_string_equal(scope_row(4)->name, "coding_profile");
}

static void
a_page_lists_all_preferences_then_domains_then_the_rest(void **state)
{
    (void)state;
    const struct domain two[] = { { .name = STR("reading") }, { .name = STR("sleep") } };
    const char *wanted[] = { "preferences:read",  "reading",     "sleep",
                             "preferences:write", "agent_hints", "profile:read" };
    scopes_setup(&(struct domains){ .list = two, .count = 2 });
    for (size_t n = 0; n < scope_count(); n++)
        assert_string_equal(scope_row(scope_on_page(n))->name, wanted[n]);
    scopes_setup(&(struct domains){ .count = 0 });
    assert_int_equal(scope_on_page(1), 1);
    assert_int_equal(scope_on_page(3), 3);
    scopes_setup(kit_domains());
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scope_names_are_read_strictly),
        cmocka_unit_test(many_unknown_scopes_are_rejected),
        cmocka_unit_test(stored_scopes_of_removed_domains_are_ignored),
        cmocka_unit_test(scope_sets_are_written_in_table_order),
        cmocka_unit_test(named_bits_match_their_rows),
        cmocka_unit_test(only_domain_scopes_limit_domains),
        cmocka_unit_test(domain_sets_are_stored_by_name_or_as_a_star),
        cmocka_unit_test(scopes_setup_adds_domains),
        cmocka_unit_test(a_page_lists_all_preferences_then_domains_then_the_rest),
    };
    kit_domains();
    return cmocka_run_group_tests_name("model/scope", tests, NULL, NULL);
}
