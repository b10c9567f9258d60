#include "domain/named_values.h"
#include "value/value_clean.h"
#include "unit/assert_str.h"

#include "config/definitions.h"
#include "base/arena.h"

static struct domains domains;

static const struct member *
member_named(const char *domain, const char *member)
{
    return domain_member(domains_find(&domains, str_of(domain)), str_of(member));
}

static void
none_is_never_a_value(void **state)
{
    static const struct {
        const char *text;
        bool none;
    } rows[] = {
        { "none", true },
        { "N/A", true },
        { "no allergies that I know of", true },
        { "I am not allergic to anything", true },
        { "no allergies except peanuts", false },
        { "no allergy to nuts", false },
        { "nothing but peanuts", false },
        { "peanuts", false },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct str shown, key;
        assert_true(value_clean(mem, member_named("food_profile", "allergies"),
                                str_of(rows[i].text), &shown, &key));
        if (str_eq(key, VALUE_NONE) != rows[i].none)
            fail_msg("%s", rows[i].text);
    }
    arena_free(mem);
}

static void
dishes_contain_foods(void **state)
{
    static const struct {
        const char *dish, *food;
        bool contains;
    } rows[] = {
        { "peanut butter cookies", "peanuts", true },
        { "Peanut Butter", "milk", false },
        { "shrimp tacos", "shellfish", true },
        { "mac and cheese", "lactose", true },
        { "almond milk latte", "tree nuts", true },
        { "coconut milk curry", "milk", false },
        { "spaghetti", "gluten", true },
        { "rice noodles", "gluten", false },
        { "apple pie", "peanuts", false },
        { "", "peanuts", false },
    };
    struct arena *mem = arena_new();
    const struct vocabulary *food = member_named("food_profile", "allergies")->vocabulary;
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++)
        if (value_contains(mem, food, str_of(rows[i].dish), str_of(rows[i].food)) !=
            rows[i].contains)
            fail_msg("%s: %s", rows[i].dish, rows[i].food);
    arena_free(mem);
}

static void
wordings_become_values(void **state)
{
    static const struct {
        const char *domain, *member, *text, *shown;
    } rows[] = {
        { "lifestyle_profile", "allergies", "wasps", "wasp stings" },
        { "lifestyle_profile", "allergies", "bees", "bee stings" },
        { "food_profile", "allergies", "allergic to only penicillin", "penicillin" },
        { "food_profile", "allergies", "just nuts", "nuts" },
        { "music_preferences", "instruments", "learning drums", "drums" },
        { "music_preferences", "instruments", "learning to play the cello", "cello" },
        { "food_profile", "medical_diets", "gout", "low-purine" },
        { "food_profile", "medical_diets", "high blood pressure", "low-sodium" },
        { "lifestyle_profile", "occupation", "nothing right now", "none" },
        { "lifestyle_profile", "occupation", "nothing at the moment.", "none" },
        { "lifestyle_profile", "occupation", "nurse right now", "nurse right now" },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct str shown, key;
        assert_true(value_clean(mem, member_named(rows[i].domain, rows[i].member),
                                str_of(rows[i].text), &shown, &key));
        assert_str(shown, str_of(rows[i].shown), rows[i].text);
    }
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wordings_become_values),
        cmocka_unit_test(none_is_never_a_value),
        cmocka_unit_test(dishes_contain_foods),
    };
    struct arena *mem = arena_new();
    struct why why = { 0 };
    if (definitions_load(mem, NULL, NULL, &domains, &why) != ERR_NONE)
        return 1;
    int failed = cmocka_run_group_tests_name("domain/value_clean", tests, NULL, NULL);
    arena_free(mem);
    return failed;
}
