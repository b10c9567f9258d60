#include "value/statement.h"
#include "unit/assert_str.h"

#include "config/definitions.h"
#include "base/arena.h"
#include "domain/domain.h"
#include "reading/statement_key.h"

static const struct domain *
domain_named(struct arena *mem, const char *name)
{
    struct domains *domains = ARENA_NEW(mem, struct domains);
    struct why why = { 0 };
    assert_int_equal(definitions_load(mem, NULL, NULL, domains, &why), ERR_NONE);
    return domains_find(domains, str_of(name));
}

static void
safety_is_recognized_in_whatever_words(void **state)
{
    static const struct {
        const char *text;
        enum concern concern;
    } rows[] = {
        { "I have a severe peanut allergy", CONCERN_FOOD },
        { "ALLERGIC TO CATS", CONCERN_FOOD },
        { "my kids have food allergies", CONCERN_FOOD },
        { "i am alergic to shrimp", CONCERN_FOOD },
        { "I have an allergey to soy", CONCERN_FOOD },
        { "eggs give me anaphalaxis", CONCERN_FOOD },
        { "I carry an EpiPen", CONCERN_FOOD },
        { "I'm lactose intolerant", CONCERN_FOOD },
        { "intolerent of onions", CONCERN_FOOD },
        { "gluten-free only, please", CONCERN_FOOD },
        { "We keep kosher at home", CONCERN_FOOD },
        { "only halal meat", CONCERN_FOOD },
        { "no pork for religious reasons", CONCERN_FOOD },
        { "I don't eat pork", CONCERN_FOOD },
        { "no beef for me", CONCERN_FOOD },
        { "I don't drink alcohol", CONCERN_FOOD },
        { "We don't drink.", CONCERN_FOOD },
        { "I don't drink coffee", CONCERN_NONE },
        { "sober since 2019", CONCERN_PRIVATE },
        { "peanuts could literally kill me", CONCERN_FOOD },
        { "we have a peanut-free household", CONCERN_FOOD },
        { "soy is a no-go for me, I swell up", CONCERN_FOOD },
        { "I get migraines from red wine", CONCERN_FOOD },
        { "taking an MAO inhibitor", CONCERN_PRIVATE },
        { "on lithium, need steady salt intake", CONCERN_PRIVATE },
        { "I take metformin", CONCERN_PRIVATE },
        { "currently nursing my baby", CONCERN_PRIVATE },
        { "T2D, watching my carbs", CONCERN_PRIVATE },
        { "I take Eliquis", CONCERN_PRIVATE },
        { "I breast feed", CONCERN_PRIVATE },
        { "I stopped drinking", CONCERN_PRIVATE },
        { "I need to watch my sodium", CONCERN_PRIVATE },
        { "no shellfish please, it closes my throat", CONCERN_FOOD },
        { "my toddler reacts to eggs", CONCERN_FOOD },
        { "I must avoid tyramine", CONCERN_FOOD },
        { "doctor told me to avoid salt", CONCERN_PRIVATE },
        { "alpha-gal syndrome", CONCERN_FOOD },
        { "I had a bariatric surgery", CONCERN_PRIVATE },
        { "I am not allergic to nuts", CONCERN_NONE },
        { "I'm allergic to bad puns", CONCERN_NONE },
        { "I'm intolerant of slow service", CONCERN_NONE },
        { "kosher salt is the best salt", CONCERN_NONE },
        { "kosher salt only, I keep kosher", CONCERN_FOOD },
        { "I have celiac disease", CONCERN_PRIVATE },
        { "coeliac", CONCERN_PRIVATE },
        { "I'm pregnant", CONCERN_PRIVATE },
        { "pregnent, second trimester", CONCERN_PRIVATE },
        { "I take medication that forbids grapefruit", CONCERN_PRIVATE },
        { "on warfarin, so no kale", CONCERN_PRIVATE },
        { "type 2 diabetes", CONCERN_PRIVATE },
        { "low-sodium diet on doctor's orders", CONCERN_PRIVATE },
        { "I love spicy food", CONCERN_NONE },
        { "meditation before breakfast", CONCERN_NONE },
        { "high tolerance for chili", CONCERN_NONE },
        { "vegan on weekdays", CONCERN_NONE },
        { "I am energetic in the morning", CONCERN_NONE },
        { "I take my medicaton with milk", CONCERN_PRIVATE },
        { "I inject insuline before meals", CONCERN_PRIVATE },
        { "I'm Muslim", CONCERN_FOOD },
        { "as a Hindu I eat no beef", CONCERN_FOOD },
        { "we fast during Ramadan", CONCERN_FOOD },
        { "no meat during Lent", CONCERN_FOOD },
        { "Nuts could kill me", CONCERN_FOOD },
        { "I react badly to nuts", CONCERN_FOOD },
        { "shrimp once put me in the hospital", CONCERN_FOOD },
        { "tengo alergia a los cacahuetes", CONCERN_FOOD },
        { "soy alérgica al marisco", CONCERN_FOOD },
        { "je suis allergique aux noix", CONCERN_FOOD },
        { "Ich bin allergisch gegen Nüsse", CONCERN_FOOD },
        { "Erdnuss-Allergie", CONCERN_FOOD },
        { "tenho alergia a camarão", CONCERN_FOOD },
        { "sono allergico alle noci", CONCERN_FOOD },
        { "saya alergi kacang", CONCERN_FOOD },
        { "У меня аллергия на орехи", CONCERN_FOOD },
        { "我对花生过敏", CONCERN_FOOD },
        { "卵アレルギーです", CONCERN_FOOD },
        { "لدي حساسية من الفول السوداني", CONCERN_FOOD },
        { "मुझे मूंगफली से एलर्जी है", CONCERN_FOOD },
        { "আমার চিনাবাদামে অ্যালার্জি আছে", CONCERN_FOOD },
        { "Ich bin schwanger", CONCERN_PRIVATE },
        { "我有糖尿病", CONCERN_PRIVATE },
        { "I'm allergic to meetings", CONCERN_NONE },
        { "allergic to bad code", CONCERN_NONE },
        { "allergic to drama, not to food", CONCERN_FOOD },
        { "allergic to meetings and peanuts", CONCERN_FOOD },
        { "I lent my cookbook to a friend", CONCERN_NONE },
        { "I love Hindu temples", CONCERN_NONE },
        { "killer pizza", CONCERN_NONE },
        { "Dairy makes me sick", CONCERN_FOOD },
        { "i cant have nuts", CONCERN_FOOD },
        { "We can\u2019t eat shellfish", CONCERN_FOOD },
        { "grapefruit upsets my stomach", CONCERN_FOOD },
        { "flying makes me sick", CONCERN_NONE },
        { "I can't have dinner before eight", CONCERN_NONE },
        { "I can't eat enough cheese", CONCERN_NONE },
        { "I can't have pizza without olives", CONCERN_NONE },
        { "Hindu, no beef", CONCERN_FOOD },
        { "Ich habe eine Erdnussallergie", CONCERN_FOOD },
        { "laktoseintolerant", CONCERN_FOOD },
        { "I take MAOIs and must avoid aged cheese", CONCERN_PRIVATE },
        { "G6PD deficiency, so no fava beans", CONCERN_PRIVATE },
        { "recovering alcoholic, please no alcohol", CONCERN_PRIVATE },
        { "I'm recovering from an eating disorder, don't mention calories", CONCERN_PRIVATE },
        { "we are expecting a baby", CONCERN_PRIVATE },
        { "expecting baby", CONCERN_PRIVATE },
        { "I'm allergic to bad service", CONCERN_NONE },
        { "small talk gives me hives", CONCERN_NONE },
        { "strawberries give me hives", CONCERN_FOOD },
        { "I'm not allergic to anything", CONCERN_NONE },
        { "no known allergies", CONCERN_NONE },
        { "I am not allergic to nuts, but to fish", CONCERN_FOOD },
        { "I used to be allergic to milk but not any more", CONCERN_NONE },
        { "I used to be allergic to milk but now to nuts", CONCERN_FOOD },
        { "hypoallergenic pillows", CONCERN_NONE },
        { "", CONCERN_NONE },
    };
    struct arena *mem = arena_new();
    const struct domain *food = domain_named(mem, "food_profile");
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++)
        if (statement_concern(food, str_of(rows[i].text)) != rows[i].concern)
            fail_msg("%s", rows[i].text);
    arena_free(mem);
}

static void
other_domains_have_dangers_of_their_own(void **state)
{
    static const struct {
        const char *domain, *text;
        enum concern concern;
    } rows[] = {
        { "travel_profile", "I can't climb stairs", CONCERN_PRIVATE },
        { "travel_profile", "i can not climb stairs", CONCERN_PRIVATE },
        { "travel_profile", "I'm blind and travel with a guide dog", CONCERN_PRIVATE },
        { "travel_profile", "I like blind booking", CONCERN_NONE },
        { "lifestyle_profile", "hay fever in spring", CONCERN_FOOD },
        { "lifestyle_profile", "bad back, no lifting", CONCERN_PRIVATE },
        { "lifestyle_profile", "I have a pacemaker", CONCERN_PRIVATE },
        { "lifestyle_profile", "nickel gives me a rash", CONCERN_FOOD },
        { "lifestyle_profile", "I came back from Chile", CONCERN_NONE },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++)
        if (statement_concern(domain_named(mem, rows[i].domain), str_of(rows[i].text)) !=
            rows[i].concern)
            fail_msg("%s: %s", rows[i].domain, rows[i].text);
    arena_free(mem);
}

static void
a_domain_without_safety_knows_allergies_alone(void **state)
{
    struct arena *mem = arena_new();
    static const struct {
        const char *text;
        enum concern concern;
    } rows[] = {
        { "I have a severe peanut allergy", CONCERN_FOOD },
        { "allergic to shellfish", CONCERN_FOOD },
        { "I carry an EpiPen", CONCERN_FOOD },
        { "lactose intolerant", CONCERN_FOOD },
        { "I have celiac disease", CONCERN_PRIVATE },
        { "Coeliac disease since 2010", CONCERN_PRIVATE },
        { "celiac disease and a nut allergy", CONCERN_PRIVATE },
        { "我对花生过敏", CONCERN_FOOD },
        { "I'm allergic to country music", CONCERN_NONE },
        { "I'm allergic to bad code", CONCERN_NONE },
        { "intolerant of slow tests", CONCERN_NONE },
        { "I work on insulin pumps", CONCERN_NONE },
        { "The Medicine by Drake", CONCERN_NONE },
        { "I have tinnitus, nothing loud", CONCERN_PRIVATE },
        { "photosensitive epilepsy, no flashing", CONCERN_PRIVATE },
        { "Dairy makes me sick", CONCERN_FOOD },
    };
    static const char *const names[] = { "music_preferences", "coding_profile", "media_profile",
                                         "communication_profile" };
    (void)state;
    for (size_t d = 0; d < ROWS(names); d++) {
        const struct domain *domain = domain_named(mem, names[d]);
        for (size_t i = 0; i < ROWS(rows); i++)
            if (statement_concern(domain, str_of(rows[i].text)) != rows[i].concern)
                fail_msg("%s: %s", names[d], rows[i].text);
    }
    arena_free(mem);
}

/* What docs/HINTS.md names. */
static void
a_danger_that_is_denied_past_or_a_figure_is_none(void **state)
{
    static const char *const texts[] = {
        "not pregnant",     "if I were allergic",  "outgrew my milk allergy",
        "the kosher deli",  "allergic to Mondays", "a book about diabetes",
        "I'm not diabetic", "no diabetes",         "I don't have celiac disease",
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(texts); i++)
        if (statement_concern(domain_named(mem, "food_profile"), str_of(texts[i])) != CONCERN_NONE)
            fail_msg("%s", texts[i]);
    arena_free(mem);
}

/* A few words of a long statement may be about safety. */
static void
a_long_statement_is_read_in_parts(void **state)
{
    static const char rest[] =
        "I like long dinners with friends on the terrace in summer and we talk for hours about "
        "books and old films before someone brings out the guitar and we sing until the "
        "neighbors join us with a bottle of something nice and a board of cheese";
    struct arena *mem = arena_new();
    const struct domain *food = domain_named(mem, "food_profile");
    (void)state;
    assert_int_equal(statement_concern(food, str_of(rest)), CONCERN_NONE);
    struct str ends = str_format(mem, "%s and my throat swells shut when I eat shrimp", rest);
    struct str begins = str_format(mem, "My throat swells shut when I eat shrimp. %s", rest);
    assert_int_equal(statement_concern(food, ends), CONCERN_FOOD);
    assert_int_equal(statement_concern(food, begins), CONCERN_FOOD);
    arena_free(mem);
}

static void
a_statement_is_physical_if_it_says_nothing_more(void **state)
{
    (void)state;
    assert_true(statement_is_physical(STR("I can't climb stairs")));
    assert_true(statement_is_physical(STR("I use a wheelchair")));
    assert_false(statement_is_physical(STR("wheelchair user with a severe nut allergy")));
    assert_false(statement_is_physical(STR("I use a wheelchair and carry insulin")));
    assert_false(statement_is_physical(STR("wheelchair user, kosher")));
    assert_false(statement_is_physical(STR("I love stairs")));
}

static void
spellings_of_a_statement_have_one_key(void **state)
{
    static const struct {
        const char *text, *key;
    } rows[] = {
        { "I love spicy food", "i love spicy food" },
        { "i LOVE spicy  food.", "i love spicy food" },
        { "I really love the spicy food!", "i love spicy food" },
        { "I'm late", "i am late" },
        { "im late", "i am late" },
        { "I\u2019m late", "i am late" },
        { "don't call", "do not call" },
        { "the", "the" },
        { "!!!", "!!!" },
        { "東京が好き。", "東京が好き" },
        { "It's noisy", "it is noisy" },
        { "it\u2019s been noisy", "it has been noisy" },
        { "My sister's flat", "my sisters flat" },
        { "I'd rather wait", "i would rather wait" },
        { "I'd better wait", "i had better wait" },
        { "I'd never tried it", "i had never tried it" },
        { "we shouldn't wait", "we should not wait" },
        { "I won't, can't, and don't", "i will not can not and do not" },
        { "Let's wait", "let us wait" },
        { "were a family", "were family" },
        { "ill", "ill" },
        { "No onions, please!", "no onions" },
        { "Please no onions", "no onions" },
        { "Could you please be brief?", "be brief" },
        { "Thanks, be brief. Thank you", "be brief" },
        { "I like to please", "i like to please" },
        { "Please everyone", "please everyone" },
        { "please", "please" },
        { "My favourite colour", "my favorite color" },
        { "I organise travelling by theatre", "i organise traveling by theater" },
        { "our flour, four hours", "our flour 4 hours" },
        { "I am filling a timbre", "i am filling timbre" },
        { "a café in the cente\u0301r", "cafe in center" },
        { "Tôi ăn phở bò", "tôi ăn phở bò" },
        { "dinner at 7pm", "dinner at 7 pm" },
        { "dinner at 7:00 p.m.", "dinner at 7 pm" },
        { "dinner at 7am", "dinner at 7 am" },
        { "10kg, 10 kg, 10k", "10 kg 10 kg 10k" },
        { "two kids and 3 cats", "2 kids and 3 cats" },
        { "at -5 or 5 degrees", "at -5 or 5 degrees" },
        { "C++, C#, and C", "c++ c# and c" },
        { "70% dark & sweet", "70 percent dark and sweet" },
        { "e-mail over-ordered", "email overordered" },
        { "kid-friendly, kidfriendly", "kid friendly kid friendly" },
        { "lots of rice — a lot of rice…", "lot of rice lot of rice" },
        { "I really don't like it", "i really do not like it" },
        { "I like it so very hot", "i like it so very hot" },
        { "not just fish", "not just fish" },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct str key = statement_key(mem, str_of(rows[i].text));
        assert_str(key, str_of(rows[i].key), rows[i].text);
        assert_str(statement_key(mem, key), key, rows[i].text); /* a view has the key only */
    }
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(safety_is_recognized_in_whatever_words),
        cmocka_unit_test(other_domains_have_dangers_of_their_own),
        cmocka_unit_test(a_domain_without_safety_knows_allergies_alone),
        cmocka_unit_test(a_danger_that_is_denied_past_or_a_figure_is_none),
        cmocka_unit_test(a_long_statement_is_read_in_parts),
        cmocka_unit_test(a_statement_is_physical_if_it_says_nothing_more),
        cmocka_unit_test(spellings_of_a_statement_have_one_key),
    };
    return cmocka_run_group_tests_name("domain/statement", tests, NULL, NULL);
}
