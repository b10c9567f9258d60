/* What a value denies, and what a statement names. */
#include "unit/assert_str.h"

#include "base/arena.h"
#include "base/buf.h"
#include "config/definitions.h"
#include "value/danger.h"
#include "value/value_none.h"

static struct domains domains;

static const struct member *
allergies(void)
{
    return domain_member(domains_find(&domains, STR("food_profile")), STR("allergies"));
}

static void
only_a_plain_denial_is_one(void **state)
{
    static const struct {
        const char *text;
        bool denied;
    } rows[] = {
        { "no peanut allergy", true },
        { "No Peanut Allergy.", true },
        { "no allergy to nuts", true },
        { "not allergic to peanuts", true },
        { "I'm not allergic to shellfish", true },
        { "I am not allergic to peanuts or tree nuts", true },
        { "I don't have a milk allergy", true },
        { "no known shellfish allergy", true },
        { "no durian allergy", true },
        { "no lactose intolerance", true },
        { "used to be allergic to eggs", true },
        { "used to have an egg allergy as a child, grew out of it", true },
        { "no longer allergic to eggs", true },
        { "outgrew my egg allergy", true },
        /* In doubt it is an allergy. */
        { "used to be allergic to eggs, now milk", false },
        { "used to be allergic to eggs, still allergic to milk", false },
        { "used to be severely allergic to eggs", false },
        { "outgrew eggs, nuts allergy", false },
        { "peanuts", false },
        { "no nuts allergy", false },
        { "no nuts", false },
        { "no nuts, allergy", false },
        { "no nuts severe allergy", false },
        { "no durian, severe allergy", false },
        { "no mild peanut allergy", false },
        { "no ordinary peanut allergy", false },
        { "not only allergic to peanuts", false },
        { "not just a peanut allergy", false },
        { "not allergic to peanuts but to shrimp", false },
        { "tree nuts, but not to peanuts", false },
        { "not not allergic to peanuts", false },
        { "no peanut allergy and shellfish allergy", false },
        { "not allergic to anything except peanuts", false },
        { "don't forget my peanut allergy", false },
        { "never give me peanuts, allergy", false },
        { "can't eat peanut allergy", false },
        { "no peanut because allergic", false },
        { "peanut allergy, no joke", false },
        { "no longer without peanut allergy", false },
        { "no allergies", false },
        { "", false },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++)
        if (value_denies(mem, allergies(), str_of(rows[i].text)) != rows[i].denied)
            fail_msg("%s", rows[i].text);
    arena_free(mem);
}

static void
a_statement_names_dangers(void **state)
{
    static const struct {
        const char *text, *expected; /* keys; "!" after them: nothing else is said; "-": none */
    } rows[] = {
        { "severe peanut allergy", "peanuts!" },
        { "I have a severe peanut allergy", "peanuts!" },
        { "I'm allergic to shellfish and milk", "shellfish milk!" },
        { "lactose intolerant", "lactose!" },
        { "I carry an EpiPen because peanuts are dangerous", "peanuts" },
        { "peanuts could kill me", "peanuts" },
        { "allergic to hazlenuts and wallnuts", "hazelnuts walnuts!" },
        { "penut butter could kill me", "peanut butter" },
        { "I am alergic to peanuts", "peanuts" },
        { "I'm allergic to shellfish but love peanuts", "shellfish" },
        { "I love peanuts, but shellfish could kill me", "shellfish" },
        { "I love peanuts although they could kill me", "peanuts" },
        { "I'm not allergic to peanuts", "-" },
        { "no peanut allergy", "-" },
        { "I eat halal and love beef", "-" },
        { "I take warfarin and avoid spinach", "-" },
        { "I'm allergic to meetings", "-" },
        { "I like milk", "-" },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct str text = str_of(rows[i].text);
        struct dangers found;
        struct buf out = buf_in(mem, 1000);
        enum concern concern = statement_concern(domains_find(&domains, STR("food_profile")), text);
        if (!danger_in_statement(mem, allergies(), concern, text, &found))
            buf_add_c(&out, "-");
        for (size_t k = 0; k < found.count; k++)
            buf_add_format(&out, "%s%.*s", k > 0 ? " " : "", STR_ARG(found.keys[k]));
        buf_add_c(&out, found.alone ? "!" : "");
        assert_str(buf_str(&out), str_of(rows[i].expected), rows[i].text);
    }
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_a_plain_denial_is_one),
        cmocka_unit_test(a_statement_names_dangers),
    };
    struct arena *mem = arena_new();
    struct why why = { 0 };
    if (definitions_load(mem, NULL, NULL, &domains, &why) != ERR_NONE)
        return 1;
    int failed = cmocka_run_group_tests_name("domain/danger", tests, NULL, NULL);
    arena_free(mem);
    return failed;
}
