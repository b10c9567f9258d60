#include "unit/assert_str.h"

#include "base/arena.h"
#include "model/view.h"
#include "unit/domains_kit.h"

#include <string.h>

static struct atom
atom_of(const char *domain, const char *member, const char *key)
{
    return (struct atom){ .domain = str_of(domain), .member = str_of(member), .key = str_of(key) };
}

static struct str
withhold(struct arena *mem, struct str withheld, const char *domain, const char *member,
         const char *key)
{
    struct atom atom = atom_of(domain, member, key);
    return view_withhold(mem, withheld, &atom);
}

static void
only_the_same_domain_member_and_key_is_withheld(void **state)
{
    static const struct {
        const char *why, *domain, *member, *key;
        bool shown;
    } rows[] = {
        { "the fact", "food", "allergies", "peanuts", false },
        { "another key", "food", "allergies", "peanut", true },
        { "a longer key", "food", "allergies", "peanuts\tx", true },
        { "another member", "food", "likes", "peanuts", true },
        { "another domain", "travel", "allergies", "peanuts", true },
        { "the second fact", "travel", "airports", "muc", false },
        { "an empty key", "food", "allergies", "", true },
    };
    struct arena *mem = arena_new();
    (void)state;
    struct str withheld = withhold(mem, STR(""), "food", "allergies", "peanuts");
    withheld = withhold(mem, withheld, "travel", "airports", "muc");
    struct view view = { .app_id = STR("app_x"), .withheld = withheld };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct atom atom = atom_of(rows[i].domain, rows[i].member, rows[i].key);
        assert_row(view_shows(&view, &atom) == rows[i].shown, rows[i].why);
    }
    assert_true(view_limits(&view, STR("food")));
    assert_true(view_limits(&view, STR("travel")));
    assert_false(view_limits(&view, STR("foo")));
    assert_false(view_limits(&view, STR("music")));
    arena_free(mem);
}

static void
the_user_and_an_app_without_withheld_facts_see_everything(void **state)
{
    const struct view views[] = { view_whole(STR("usr_a")),
                                  { .app_id = STR("app_x") },
                                  { .app_id = STR("app_x"), .withheld = STR("") } };
    struct atom atoms[2] = { atom_of("food", "allergies", "peanuts"), atom_of("a", "b", "") };
    (void)state;
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        assert_false(view_limits(&views[i], STR("food")));
        assert_true(view_shows(&views[i], &atoms[0]));
        assert_int_equal(view_filter(&views[i], atoms, 2), 2);
        assert_int_equal(view_digest(views[i].withheld).len, 0);
    }
}

static void
filtering_keeps_the_order_of_the_others(void **state)
{
    struct arena *mem = arena_new();
    struct atom atoms[] = { atom_of("food", "likes", "a"), atom_of("food", "likes", "b"),
                            atom_of("food", "likes", "c"), atom_of("food", "likes", "d") };
    (void)state;
    struct view view = { .withheld = withhold(mem, STR(""), "food", "likes", "a") };
    view.withheld = withhold(mem, view.withheld, "food", "likes", "c");
    assert_int_equal(view_filter(&view, atoms, 4), 2);
    assert_str(atoms[0].key, STR("b"), "the first left");
    assert_str(atoms[1].key, STR("d"), "the second left");
    arena_free(mem);
}

static void
sharing_undoes_withholding_and_the_digest_follows(void **state)
{
    struct arena *mem = arena_new();
    struct withheld_fact fact;
    size_t at = 0;
    (void)state;
    struct str one = withhold(mem, STR(""), "food", "likes", "a");
    struct str two = withhold(mem, one, "food", "likes", "b");
    assert_str(withhold(mem, two, "food", "likes", "a"), two, "the same again");
    assert_false(str_eq(view_digest(one), view_digest(two)));
    assert_true(view_next(two, &at, &fact));
    assert_str(fact.domain, STR("food"), "domain");
    assert_str(fact.member, STR("likes"), "member");
    assert_str(fact.key, STR("a"), "key");
    assert_true(view_next(two, &at, &fact));
    assert_false(view_next(two, &at, &(struct withheld_fact){ 0 }));
    assert_str(view_share(mem, two, fact.line), one, "without the second");
    assert_str(view_share(mem, two, STR("food\tlikes\tc")), two, "not withheld");
    assert_str(view_share(mem, one, STR("food\tlikes\ta")), STR(""), "without any");
    arena_free(mem);
}

static void
a_grant_withholds_a_limited_number_of_facts(void **state)
{
    struct arena *mem = arena_new();
    char long_key[WITHHELD_BYTES_MAX + 1];
    struct str withheld = STR("");
    (void)state;
    for (int i = 0; i < WITHHELD_MAX; i++)
        withheld = withhold(mem, withheld, "food", "likes", str_format(mem, "%d", i).ptr);
    assert_true(str_present(withheld));
    assert_false(str_present(withhold(mem, withheld, "food", "likes", "one more")));
    assert_str(withhold(mem, withheld, "food", "likes", "7"), withheld, "one of them");
    memset(long_key, 'x', sizeof long_key - 1);
    long_key[sizeof long_key - 1] = '\0';
    assert_false(str_present(withhold(mem, STR(""), "food", "likes", long_key)));
    arena_free(mem);
}

static void
sensitive_facts_need_the_users_choice(void **state)
{
    static const struct {
        const char *why, *domain, *member, *key;
        bool sensitive;
    } rows[] = {
        { "an allergy", "food_profile", "allergies", "peanuts", false },
        { "a medical diet", "food_profile", "medical_diets", "low sodium", true },
        { "a statement", "food_profile", "statements", "love soup", false },
        { "a statement about health", "food_profile", "statements", "take warfarin", true },
        { "the same in a domain without critical members", "music_preferences", "statements",
          "take warfarin", true },
        { "a condition there", "music_preferences", "statements", "i have celiac disease", true },
        { "an allergy there", "music_preferences", "statements", "severe peanut allergy", false },
        { "a religion", "food_profile", "statements", "hindu so no beef", true },
        { "a religion in a domain without critical members", "coding_profile", "statements",
          "i am practicing muslim", true },
        { "a religious diet says no more than the member for diets", "food_profile", "statements",
          "i keep kosher", false },
        { "what is only named after a religion", "travel_profile", "statements",
          "i love hindu temples", false },
        { "a disability", "communication_profile", "statements", "i am dyslexic", true },
        { "an orientation", "lifestyle_profile", "statements", "my wife and i are lesbian couple",
          true },
        { "accessibility", "travel_profile", "accessibility_needs", "wheelchair", true },
        { "an unknown member", "food_profile", "gone", "x", false },
    };
    (void)state;
    struct view view = { .app_id = STR("app_x"), .domains = kit_domains() };
    struct view user = view_whole(STR("usr_a"));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct atom atom = atom_of(rows[i].domain, rows[i].member, rows[i].key);
        view.sensitive = 0;
        assert_row(view_shows(&view, &atom) == !rows[i].sensitive, rows[i].why);
        assert_row(view_filter(&view, &atom, 1) == !rows[i].sensitive, rows[i].why);
        view.sensitive = DOMAINS_ALL & ~scope_named(atom.domain); /* of other domains */
        assert_row(view_shows(&view, &atom) == !rows[i].sensitive, rows[i].why);
        view.sensitive = scope_named(atom.domain);
        assert_row(view_shows(&view, &atom), rows[i].why);
        assert_row(view_shows(&user, &atom), rows[i].why);
    }
    view.sensitive = 0;
    assert_true(view_limits(&view, STR("food_profile")));
    assert_true(view_limits(&view, STR("music_preferences"))); /* for its statements */
}

int
main(void)
{
    kit_domains();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_same_domain_member_and_key_is_withheld),
        cmocka_unit_test(the_user_and_an_app_without_withheld_facts_see_everything),
        cmocka_unit_test(filtering_keeps_the_order_of_the_others),
        cmocka_unit_test(sharing_undoes_withholding_and_the_digest_follows),
        cmocka_unit_test(a_grant_withholds_a_limited_number_of_facts),
        cmocka_unit_test(sensitive_facts_need_the_users_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
