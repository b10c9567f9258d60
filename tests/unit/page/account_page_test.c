#include "unit/web/call_by_hand.h"

#include "page/account_page.h"

static void
a_form_value_maps_to_its_return_url(void **state)
{
    static const struct {
        const char *why;
        const char *to;
        const char *expected;
    } rows[] = {
        { "the overview", "overview", "/account" },
        { "nothing", "", "/account" },
        { "a domain, at the member", "music_preferences",
          "/account/domains/music_preferences#genres" },
        { "another domain", "food_profile", "/account/domains/food_profile" },
        { "a page of a member", "music_preferences/genres/3",
          "/account/domains/music_preferences?show=genres&page=3" },
        { "of another one", "food_profile/cuisines/1",
          "/account/domains/food_profile?show=cuisines&page=1" },
        { "what waits", "waiting/2", "/account/waiting?page=2" },
        { "what is wrong", "wrong/1", "/account/facts?page=1" },
        { "no page", "waiting/0", "/account" },
        { "no number", "wrong/x", "/account" },
        { "no such member", "music_preferences/cuisines/3",
          "/account/domains/music_preferences#genres" },
        { "a member without a page", "music_preferences/genres",
          "/account/domains/music_preferences#genres" },
        { "a page that is none", "music_preferences/genres/3&x=y",
          "/account/domains/music_preferences#genres" },
        { "no such domain", "secrets/genres/3", "/account" },
        { "another site", "//evil.example/x", "/account" },
        { "an address", "https://evil.example", "/account" },
        { "a way out", "../../x", "/account" },
    };
    (void)state;
    struct call call = call_by_hand();
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_str(str_of(account_return_url(&call, str_of(rows[i].to), STR("music_preferences"),
                                             STR("genres"))),
                   str_of(rows[i].expected), rows[i].why);
    assert_str(str_of(account_return_url(&call, STR_NONE, STR_NONE, STR_NONE)), STR("/account"),
               "nothing at all");
}

static void
a_member_page_value_round_trips(void **state)
{
    (void)state;
    struct call call = call_by_hand();
    struct str place = account_member_return_to(&call, STR("music_preferences"), STR("genres"), 7);
    assert_str(str_of(account_return_url(&call, place, STR_NONE, STR_NONE)),
               str_of(account_member_page_url(&call, STR("music_preferences"), STR("genres"), 7)),
               "there and back");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        CALL_TEST(a_form_value_maps_to_its_return_url),
        CALL_TEST(a_member_page_value_round_trips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
