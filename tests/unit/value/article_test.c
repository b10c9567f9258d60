/* "a" or "an", by sound. */
#include "unit/assert_str.h"

#include "value/article.h"

static void
articles_follow_pronunciation(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected;
    } rows[] = {
        { "vegan", "a" },
        { "omnivore", "an" },
        { "Atkins", "an" },
        { "engineer", "an" },
        { "Italian", "an" },
        { "university lecturer", "a" },
        { "unicorn wrangler", "a" },
        { "Unix admin", "a" },
        { "uninspired cook", "an" },
        { "undergraduate", "an" },
        { "urban planner", "an" },
        { "urologist", "a" },
        { "user researcher", "a" },
        { "usability expert", "a" },
        { "utility worker", "a" },
        { "European", "a" },
        { "one-person team", "a" },
        { "oneirologist", "an" },
        { "onboarding lead", "an" },
        { "Uber driver", "an" },
        { "hourly worker", "an" },
        { "honorary member", "an" },
        { "honest broker", "an" },
        { "house husband", "a" },
        { "honey maker", "a" },
        { "SRE", "an" },
        { "SQL developer", "an" },
        { "HTML author", "an" },
        { "HR manager", "an" },
        { "UX designer", "a" },
        { "UI developer", "a" },
        { "CTO", "a" },
        { "ML engineer", "an" },
        { "AI researcher", "an" },
        { "IT consultant", "an" },
        { "QA lead", "a" },
        { "X-ray technician", "an" },
        { "F# developer", "an" },
        { "C++ developer", "a" },
        { "R programmer", "an" },
        { "NASA engineer", "a" },
        { "DASH", "a" },
        { "FODMAP", "a" },
        { "8-hour fast", "an" },
        { "80s", "an" },
        { "11-course", "an" },
        { "18th-century", "an" },
        { "118-calorie", "a" },
        { "5:2", "a" },
        { "", "a" },
        { "\u00E9tudiante", "a" },
        { "\u6771\u4EAC", "a" },
        { "-", "a" },
    };
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_str(str_of(article_of(str_of(rows[i].text))), str_of(rows[i].expected),
                   rows[i].text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(articles_follow_pronunciation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
