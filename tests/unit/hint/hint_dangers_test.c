/* Statements about allergies beside other facts: one hint for each danger. */
#include "unit/hint/hint_kit.h"

#include "base/buf.h"
#include "config/definitions.h"
#include "hint/hint_rank.h"

static struct domains domains;

/* "allergies: peanuts; statements: …" */
static struct str
ranking(struct arena *mem, const struct domain *domain, const struct atom *atoms, size_t count)
{
    struct ranked *facts = NULL;
    struct buf out = buf_in(mem, 10000);
    size_t kept = hint_rank(mem, domain, atoms, count, &facts);
    for (size_t i = 0; i < kept; i++)
        buf_add_format(&out, "%s%.*s: %.*s", i > 0 ? "; " : "", STR_ARG(facts[i].member->name),
                       STR_ARG(facts[i].atom->value));
    return buf_str(&out);
}

static void
a_danger_is_in_one_hint(void **state)
{
    static const struct {
        const char *why, *facts, *expected;
    } rows[] = {
        { "typed and stated", "allergies me 0 peanuts | statements me 0 severe peanut allergy",
          "allergies: \"peanuts\"" },
        { "stated alone", "statements me 0 severe peanut allergy",
          "statements: \"severe peanut allergy\"" },
        { "the statement names more",
          "allergies me 0 peanuts | statements me 0 I am allergic to peanuts and milk",
          "allergies: \"peanuts\"; statements: \"I am allergic to peanuts and milk\"" },
        { "the statement says more",
          "allergies me 0 peanuts | statements me 0 I carry an EpiPen against peanuts",
          "allergies: \"peanuts\"; statements: \"I carry an EpiPen against peanuts\"" },
        { "the statement is graver than an intolerance",
          "intolerances me 0 milk | statements me 0 severe milk allergy",
          "statements: \"severe milk allergy\"" },
        { "… and than a dislike", "disliked_foods me 0 peanuts | statements me 0 peanut allergy",
          "statements: \"peanut allergy\"" },
        { "an intolerance and an allergy",
          "allergies me 0 milk | statements me 0 I am intolerant to milk", "allergies: \"milk\"" },
        { "an app's word does not replace the user's",
          "allergies 1 0 peanuts | statements me 0 peanut allergy",
          "allergies: \"peanuts\"; statements: \"peanut allergy\"" },
        { "what contains a stated allergen",
          "favorite_foods me 0 peanut butter | favorite_foods me 1 ramen | statements me 0 peanuts "
          "could kill me",
          "favorite_foods: \"ramen\"; statements: \"peanuts could kill me\"" },
        { "what is denied hides nothing",
          "favorite_foods me 0 peanut butter | statements me 0 I am not allergic to peanuts",
          "favorite_foods: \"peanut butter\"; statements: \"I am not allergic to peanuts\"" },
        { "two statements",
          "statements me 0 peanut allergy | statements me 0 severe peanut allergy",
          "statements: \"peanut allergy\"" },
        { "a denial is neither an allergy nor none", "allergies me 0 no peanut allergy", "" },
        { "… and hides no other", "allergies me 0 no peanut allergy | allergies me 0 milk",
          "allergies: \"milk\"" },
        { "pork and what is made of it",
          "dietary_restrictions me 0 pork | favorite_foods me 0 bacon | favorite_foods me 1 ramen",
          "dietary_restrictions: \"pork\"; favorite_foods: \"ramen\"" },
        { "wine and no alcohol",
          "alcohol me 0 none | favorite_drinks me 0 red wine | "
          "favorite_drinks me 1 tea",
          "alcohol: \"none\"; favorite_drinks: \"tea\"" },
        { "wine and a restriction",
          "dietary_restrictions me 0 alcohol | favorite_drinks me 0 red wine",
          "dietary_restrictions: \"alcohol\"" },
        { "what a diet excludes",
          "dietary me 0 vegan | favorite_foods me 0 cheeseburger | "
          "favorite_foods me 1 hummus",
          "dietary: \"vegan\"; favorite_foods: \"hummus\"" },
        { "… and not what replaces it",
          "dietary me 0 vegan | favorite_foods me 0 vegan burgers | "
          "favorite_foods me 1 dairy-free ice cream | favorite_foods me 2 gluten-free pizza",
          "dietary: \"vegan\"; favorite_foods: \"vegan burgers\"; favorite_foods: \"dairy-free ice "
          "cream\"" },
        { "a medical diet",
          "medical_diets me 0 celiac | favorite_foods me 0 baguette | "
          "favorite_foods me 1 spaghetti",
          "medical_diets: \"gluten-free\"; favorite_foods: \"baguette\"" },
        { "a religious diet",
          "dietary me 0 halal | favorite_foods me 0 pepperoni | "
          "favorite_drinks me 0 beer",
          "dietary: \"halal\"" },
        { "an app's diet hides no taste of the user",
          "dietary 1 0 vegan | favorite_foods me 0 cheeseburger | favorite_foods 1 0 steak",
          "dietary: \"vegan\"; favorite_foods: \"cheeseburgers\"" },
        { "… an app's allergy does", "allergies 1 0 peanuts | favorite_foods me 0 satay",
          "allergies: \"peanuts\"" },
        { "no allergies beside one", "allergies me 0 none | allergies me 0 peanuts",
          "allergies: \"peanuts\"" },
        { "no allergies beside a statement",
          "allergies me 0 none | statements me 0 peanuts could kill me",
          "statements: \"peanuts could kill me\"" },
        { "… that names none", "allergies me 0 none | statements me 0 I carry an EpiPen",
          "statements: \"I carry an EpiPen\"" },
        { "… about a religion", "allergies me 0 none | statements me 0 We keep kosher",
          "allergies: \"none\"; statements: \"We keep kosher\"" },
        { "no intolerances beside one in own words",
          "intolerances me 0 none | statements me 0 I get sick from milk",
          "statements: \"I get sick from milk\"" },
        { "no medical diet beside a condition",
          "medical_diets me 0 none | statements me 0 I am on dialysis",
          "statements: \"I am on dialysis\"" },
        { "no particular diet beside a religious one",
          "dietary me 0 none | statements me 0 strictly kosher",
          "statements: \"strictly kosher\"" },
        { "… which is compatible with an allergy", "dietary me 0 none | allergies me 0 fish",
          "allergies: \"fish\"; dietary: \"none\"" },
        { "eats everything beside a restriction",
          "dietary me 0 everything | dietary_restrictions me 0 pork",
          "dietary_restrictions: \"pork\"" },
        { "no restrictions beside an allergy",
          "dietary_restrictions me 0 none | allergies me 0 fish", "allergies: \"fish\"" },
        { "… beside no alcohol", "dietary_restrictions me 0 none | alcohol me 0 none",
          "dietary_restrictions: \"none\"; alcohol: \"none\"" },
        { "an allergy implies what contains the allergen",
          "allergies me 0 nuts | disliked_foods me 0 walnuts | disliked_foods me 1 olives",
          "allergies: \"nuts\"; disliked_foods: \"olives\"" },
        { "… an app's does not replace the user's words",
          "allergies 1 0 nuts | disliked_foods me 0 walnuts",
          "allergies: \"nuts\"; disliked_foods: \"walnuts\"" },
        { "prawns and shrimp", "allergies me 0 prawns | disliked_foods me 0 shrimp",
          "allergies: \"prawns\"" },
        { "a diet that is named after it",
          "intolerances me 0 gluten | medical_diets me 0 celiac | dietary me 0 vegan",
          "intolerances: \"gluten\"; dietary: \"vegan\"" },
        { "celiac disease in several members",
          "dietary me 0 coeliac | dietary_restrictions me 0 celiac disease | "
          "intolerances me 0 gluten | statements me 0 I have celiac disease | "
          "statements me 0 I am celiac",
          "intolerances: \"gluten\"; statements: \"I am celiac\"" },
        { "an allergy in another member",
          "dietary_restrictions me 0 peanut allergy | disliked_foods me 0 allergic to peanuts | "
          "allergies me 0 peanuts | favorite_foods me 0 satay",
          "allergies: \"peanuts\"" },
        { "… of an app and the user", "allergies 1 0 nuts | dietary me 0 nut allergy",
          "allergies: \"nuts\"" },
        { "… of an app that is not in the vocabulary", "disliked_foods 1 0 allergic to quandong",
          "disliked_foods: \"allergic to quandong\"" },
        { "an app's allergy silences no statement of the user",
          "allergies 1 0 peanuts | statements me 0 I am allergic to milk",
          "allergies: \"peanuts\"; statements: \"I am allergic to milk\"" },
    };
    const struct domain *food = domains_find(&domains, STR("food_profile"));
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct atom *atoms = NULL;
        size_t count = hint_kit_atoms(mem, food, rows[i].facts, &atoms);
        assert_str(ranking(mem, food, atoms, count), str_of(rows[i].expected), rows[i].why);
    }
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_danger_is_in_one_hint) };
    struct arena *mem = arena_new();
    struct why why = { 0 };
    if (definitions_load(mem, NULL, NULL, &domains, &why) != ERR_NONE)
        return 1;
    int failed = cmocka_run_group_tests_name("hint/hint_dangers", tests, NULL, NULL);
    arena_free(mem);
    return failed;
}
