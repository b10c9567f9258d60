#include "naming/personal.h"
#include "unit/assert_str.h"

static void
who_someone_is_is_personal(void **state)
{
    static const char *const personal[] = {
        "I'm a practicing Muslim",
        "Hindu, so no beef",
        "As a Muslim I don't eat pork",
        "we're Catholic",
        "Our family is Muslim",
        "Buddhist, vegetarian on full moons",
        "Sikh household",
        "I'm fasting for Lent",
        "my faith forbids alcohol",
        "We keep Shabbat",
        "I'm a Jehovah's Witness",
        "no pork for religious reasons",
        "soy musulmán",
        "je suis catholique",
        "我是穆斯林",
        "I'm gay",
        "I'm a trans woman",
        "I vote Labour",
        "I'm autistic",
        "I have ADHD",
        "I use hearing aids",
    };
    static const char *const others[] = {
        "I keep kosher",
        "halal only",
        "I love Hindu temples",
        "I like Christian rock",
        "Jewish deli food is the best",
        "gay bars are fun",
        "the trans-siberian railway",
        "blind tastings",
        "I lent my book to a friend",
        "depression era novels",
        "I vote for pizza",
        "I'm allergic to peanuts",
        "",
    };
    (void)state;
    for (size_t i = 0; i < sizeof personal / sizeof *personal; i++)
        if (!personal_statement(str_of(personal[i])))
            fail_msg("%s is personal", personal[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (personal_statement(str_of(others[i])))
            fail_msg("%s is not personal", others[i]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(who_someone_is_is_personal) };
    return cmocka_run_group_tests_name("naming/personal", tests, NULL, NULL);
}
