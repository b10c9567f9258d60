/* Allergies that were written into a member for something else. */
#include "unit/assert_str.h"

#include "base/arena.h"
#include "base/buf.h"
#include "config/definitions.h"
#include "value/claim.h"
#include "value/value.h"

static struct domains domains;

/* "allergies: nuts", or "" if the text is no claim. A "?" follows what the vocabulary lacks. */
static struct str
placed(struct arena *mem, const char *domain_name, const char *member, const char *text)
{
    const struct domain *domain = domains_find(&domains, str_of(domain_name));
    const struct member *to = NULL;
    struct value *values = NULL;
    bool known = false;
    struct buf out = buf_in(mem, 1000);
    size_t count = value_claimed(mem, domain, domain_member(domain, str_of(member)), str_of(text),
                                 &to, &values, &known);
    for (size_t i = 0; i < count; i++)
        buf_add_format(&out, "%.*s%s%.*s", i == 0 ? (int)to->name.len : 0, to->name.ptr,
                       i == 0 ? ": " : ", ", STR_ARG(values[i].key));
    if (count > 0 && !known)
        buf_add_c(&out, "?");
    return buf_str(&out);
}

static void
an_allergy_belongs_to_its_member(void **state)
{
    static const struct {
        const char *member, *text, *expected;
    } rows[] = {
        { "dietary", "nut allergy", "allergies: nuts" },
        { "dietary", "lactose intolerant", "intolerances: lactose" },
        { "dietary", "celiac", "intolerances: gluten" },
        { "dietary", "I am a coeliac", "intolerances: gluten" },
        { "dietary_restrictions", "allergic to shellfish", "allergies: shellfish" },
        { "dietary_restrictions", "anaphylaxis to nuts", "allergies: nuts" },
        { "dietary_restrictions", "soy alergy", "allergies: soy alergy?" },
        { "dietary_restrictions", "allergic to quandong", "allergies: quandong?" },
        { "dietary_restrictions", "fish allergy (severe)", "allergies: fish" },
        { "dietary_restrictions", "allergic to crab, eggs", "allergies: crab, eggs" },
        { "dietary_restrictions", "Milchallergie", "allergies: milchallergie?" },
        { "disliked_foods", "peanut allergy", "allergies: peanuts" },
        { "favorite_foods", "allergic to nuts", "allergies: nuts" },
        { "cuisines", "allergic to eggs", "allergies: eggs" },
        { "intolerances", "peanut allergy", "allergies: peanuts" },
        { "medical_diets", "nut allergy", "allergies: nuts" },
        { "medical_diets", "celiac", "" }, /* it is the place for it */
        { "allergies", "lactose intolerance", "" },
        { "dietary", "allergy-friendly", "" },
        { "dietary", "no allergies", "" },
        { "dietary_restrictions", "no nut allergy", "" },
        { "dietary_restrictions", "not allergic to nuts", "" },
        { "dietary_restrictions", "used to be allergic to milk", "" },
        { "dietary_restrictions", "allergic to nothing", "" },
        { "dietary", "outgrew my egg allergy", "" },
        { "disliked_foods", "allergic to mornings", "" },
        { "disliked_foods", "stomach sensitivity", "" },
        { "cuisines", "nut allergies", "" }, /* a topic, not among foods */
        { "favorite_restaurants", "Allergic to Nuts", "" },
        { "dietary", "vegan", "" },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_str(placed(mem, "food_profile", rows[i].member, rows[i].text),
                   str_of(rows[i].expected), rows[i].text);
    assert_str(placed(mem, "lifestyle_profile", "materials", "wool allergy"),
               STR("allergies: wool"), "another domain");
    assert_str(placed(mem, "lifestyle_profile", "learning_topics", "food allergies"), STR(""),
               "a topic");
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(an_allergy_belongs_to_its_member) };
    struct arena *mem = arena_new();
    struct why why = { 0 };
    if (definitions_load(mem, NULL, NULL, &domains, &why) != ERR_NONE)
        return 1;
    int failed = cmocka_run_group_tests_name("value/claim", tests, NULL, NULL);
    arena_free(mem);
    return failed;
}
