/* Statements as people write them: which are about safety, and which only mention it. */
#include "unit/assert_str.h"

#include "base/arena.h"
#include "config/definitions.h"
#include "value/statement.h"

static struct domains domains;

static const char *const dangers[] = {
    "My throat gets itchy and tight whenever there are hazelnuts in something",
    "Our daughter has a serious egg allergy",
    "I always have my EpiPen with me",
    "I'm anaphylactic to cashews",
    "Even a bit of sesame sends me to the emergency room",
    "Shellfish makes my face swell",
    "My husband is diabetic so we keep sugar low",
    "I get hives from strawberries",
    "I'm on blood thinners, so I keep vitamin K steady",
    "My son can't have milk",
    "I have Crohn's so raw vegetables are out",
    "I follow a low-FODMAP plan",
    "I had a reaction to mango once and now stay away from it",
    "Gluten wrecks my gut",
    "I was diagnosed with celiac last year",
    "I take warfarin",
    "My wife is pregnant, no raw fish for her",
    "I don't eat pork for religious reasons",
    "We only buy halal",
    "I'm three years sober",
    "I can't do dairy",
    "Nuts are off the table, I could end up in the hospital",
    "Peanuts land me in the ER",
    "My lips tingle and puff up after kiwi",
    "Fructose malabsorption",
    "Histamine intolerance, no aged cheese or red wine",
    "Onions trigger my IBS",
    "Grapefruit interferes with my heart pills",
    "My toddler breaks out in a rash from tomatoes",
    "Soy makes me vomit",
    "No shrimp for me, anaphylaxis risk",
    "I have PKU",
    "I'm G6PD deficient",
    "Alcohol is out, I'm on antibiotics",
    "I'm in recovery, nothing with alcohol please",
    "MSG gives me terrible migraines",
    "Sulfites set off my asthma",
    "I have EoE triggered by wheat",
    "I throw up if I eat mushrooms",
    "My partner is highly allergic to crustaceans",
    "I have kidney failure and must limit potassium",
    "I am on dialysis",
    "My gout flares with beer and liver",
    "I have to eat pureed food because of swallowing problems",
    "I can't swallow solid food",
    "Lupin is deadly for me",
    "I need to carry an auto-injector",
    "My kid is intolerant to lactose",
    "I faint when I eat anything with alcohol in it",
    "My body can't process fructose",
    "Please no nuts, they can kill my daughter",
    "I react violently to latex fruits like banana",
    "Cats make my eyes swell shut, and I'm allergic to carrots too",
    "I'm Jain, no root vegetables",
    "As a Hindu, beef is forbidden for me",
    "My doctor has put me on a low-salt diet",
    "I have high blood pressure and need little sodium",
    "I'm breastfeeding so no alcohol",
    "Just had a kidney transplant, nothing raw",
    "My immune system is weak, no raw eggs or sushi",
    "Insulin dependent, I count carbs",
    "I have acid reflux, so no tomatoes or chili",
    "Lactose gives me awful cramps",
    "Milk and I don't get along, diarrhea every time",
    "My girlfriend has coeliac disease",
    "Corn allergy here",
    "Pine nuts close up my airway",
    "I can't breathe after eating shrimp",
    "Wheat gives me a bad rash",
    "One bite of peanut and I'm dead",
    "I stay away from shellfish because of an allergy",
    "alergic to pistachos",
    "I'm allergc to crab",
    "Cilantro makes my tongue swell",
    "Eggs make my eczema flare up",
    "Even the smell of fish makes my throat close",
    "We don't eat beef, we're Hindu",
    "I've got lactose issues, so no milk",
    "Raw apples make my mouth itch badly",
    "My mum is severely allergic to mustard",
    "My airways tighten when there's sesame around",
    "Celery turns my mouth numb",
    "Our little one comes out in spots after dairy",
    "I keep two adrenaline injectors at home",
    "Any trace of peanut and I need an ambulance",
    "Last time I had scallops I ended up on a drip",
    "I was hospitalised after eating cashews",
    "My boyfriend's face blows up if he eats prawns",
    "Bananas make my lips burn",
    "I can't metabolize fructose",
    "I mustn't eat grapefruit with my tablets",
    "My cardiologist limits my salt",
    "I'm on a renal diet",
    "I have type 1 diabetes",
    "My wife has gestational diabetes",
    "I've been sober for five years",
    "Don't put alcohol in my food, I'm a recovering alcoholic",
    "Our family is Muslim so nothing with pork",
    "I keep kosher",
    "My oncologist said no raw fish during chemo",
    "I'm on an MAOI, so no aged cheese",
    "My little brother has a life-threatening milk allergy",
    "Wheat makes me bloat terribly",
    "Eating onions leaves me doubled over in pain",
    "Red wine triggers my migraines",
    "I get an itchy mouth from raw carrots",
    "I've been told to avoid tyramine",
    "My stomach lining is inflamed, no coffee",
    "I have a nut alergy",
    "Anaphylaxis to bee stings and shellfish",
    "I react to nightshades with joint pain",
    "I've got ulcerative colitis",
    "No food with bones or lumps, I have dysphagia",
    "Fava beans are dangerous for me",
    "My immune system is suppressed",
    "Lentils give me unbearable gas and cramps",
    "I pass out when I drink",
    "Dairy makes my asthma worse",
    "My girlfriend breaks out when she eats chocolate",
    "I'm expecting, so no raw milk cheese",
    "Mangos make my skin crawl with blisters",
    "My dad had a heart attack and must eat low fat",
    "I'm intolerant to wheat",
    "My roommate is celiac so we cook without flour",
    "Sesame oil nearly killed me last year",
    "I can't stomach lactose, it gives me the runs",
    "Our baby gets eczema from cow's milk",
    "I'm an insulin-dependent diabetic",
    "I stopped breathing once after eating walnuts",
    "As a Jain I don't eat onions or garlic",
    "I get a tight chest from sulfites",
    "I have an autoimmune disease and need to avoid gluten",
    "Peach fuzz gives me welts",
    "We're Seventh-day Adventists and eat no pork",
    "I'm not supposed to have grapefruit",
    "Caffeine gives me heart palpitations",
    "Had my gallbladder removed, no fatty food",
    "I'm prone to kidney stones",
    "Tuna makes me flush and itch",
    "Keep peanuts away from my daughter, she carries an EpiPen",
};

static const char *const harmless[] = {
    "I love peanuts",
    "Nut-free labels annoy me",
    "I'm allergic to Mondays",
    "I used to be allergic to eggs but outgrew it",
    "If I were allergic to nuts I'd be sad",
    "I'm not allergic to anything",
    "No allergies here",
    "My favorite place is a gluten-free bakery downtown",
    "I hate olives",
    "This curry is to die for",
    "I'd kill for a good taco",
    "Spicy food makes me happy",
    "I can't stand cilantro",
    "I can't live without cheese",
    "I have no dietary restrictions",
    "I don't like the taste of liver",
    "My neighbor runs a halal restaurant",
    "The kosher deli on 5th has great pickles",
    "I was lactose intolerant as a kid, not anymore",
    "I'm addicted to chocolate",
    "I get cranky when I'm hungry",
    "Coffee keeps me up at night",
    "I work at an allergy clinic",
    "I wrote a book about diabetes",
    "My allergy to bad coffee is legendary",
    "I have a weakness for shrimp",
    "That restaurant makes me sick with its prices",
    "Their service nearly killed me",
    "I break out the good wine on Fridays",
    "I prefer almond milk to cow's milk",
    "Onions make me cry when I chop them",
    "I don't care for seafood",
    "Hospital food is surprisingly fine",
    "I'm a nurse and eat at odd hours",
    "I eat vegetarian on Mondays",
    "Never been allergic to any food",
    "I'm so glad I am not diabetic",
    "Shrimp is overrated",
    "I swell with pride when my bread rises",
    "I'm trying to eat less sugar",
    "I'm allergic to doing dishes",
    "My son outgrew his milk allergy last year",
    "If I had diabetes I'd still eat cake",
    "I don't have any allergies that I know of",
    "The bakery near us sells great gluten-free bread",
    "I read a book about food allergies",
    "Spicy ramen makes my nose run and I love it",
    "I'm sick of salads",
    "My boss owns a kosher restaurant",
    "These burgers are killer",
    "I would die for good sushi",
    "I'm not pregnant, I just like pickles",
    "I hate waiting for a table",
    "I can't resist fresh bread",
    "I can't cook rice without a rice cooker",
    "My favorite documentary is about celiac disease",
    "My heart belongs to pasta",
    "Olives are disgusting",
    "I stopped eating out so often",
    "I work in a hospital and need quick lunches",
    "Cooking shows make me happy",
    "I'm allergic to small portions",
    "I once ate so much pizza I nearly died laughing",
    "My sister teaches about diabetes at the university",
    "I outgrew my love of candy",
    "I don't suffer from any food allergies",
    "I can't wait to try the new ramen place",
    "Raw onions are not my thing",
    "Chili so hot my mouth burns, I love it",
    "I always carry snacks",
};

static void
check(const char *const *list, size_t count, bool wanted)
{
    const struct domain *food = domains_find(&domains, STR("food_profile"));
    int wrong = 0;
    for (size_t i = 0; i < count; i++) {
        bool found = statement_concern(food, str_of(list[i])) != CONCERN_NONE;
        wrong += found != wanted;
        if (found != wanted)
            print_error("%s\n", list[i]);
    }
    assert_int_equal(wrong, 0);
}

static void
dangers_are_recognized(void **state)
{
    (void)state;
    check(dangers, ROWS(dangers), true);
}

static void
mentions_and_tastes_are_no_dangers(void **state)
{
    (void)state;
    check(harmless, ROWS(harmless), false);
}

/* What ends, denies, or supposes something must be about it. */
static void
an_exception_ends_with_what_it_is_about(void **state)
{
    static const char *const rows[] = {
        "I used to be allergic to milk but now to nuts",
        "I used to love peanuts but am allergic",
        "I outgrew my egg allergy but still avoid nuts",
        "My son has not outgrown his milk allergy",
        "He may outgrow his egg allergy",
        "I am not pregnant but breastfeeding",
        "no alcohol, I am pregnant",
        "No, diabetic",
        "I can't, pregnant",
        "not only diabetic but celiac",
        "If I eat nuts I get hives",
        "I wish I weren't allergic to cats and eggs",
        "Looking for a kosher deli",
        "We only go to halal restaurants",
        "I need a gluten-free bakery",
        "allergic to bad code and peanuts",
        "allergic to herring",
        "I love shrimp but it makes my face swell",
        "I can no longer eat gluten",
        "I no longer drink",
    };
    (void)state;
    check(rows, ROWS(rows), true);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dangers_are_recognized),
        cmocka_unit_test(mentions_and_tastes_are_no_dangers),
        cmocka_unit_test(an_exception_ends_with_what_it_is_about),
    };
    struct arena *mem = arena_new();
    struct why why = { 0 };
    if (definitions_load(mem, NULL, NULL, &domains, &why) != ERR_NONE)
        return 1;
    int failed = cmocka_run_group_tests_name("value/reaction", tests, NULL, NULL);
    arena_free(mem);
    return failed;
}
