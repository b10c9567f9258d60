/* What the classifier changes beside keywords. */
#include "unit/assert_str.h"

#include "context/context_internal.h"
#include "value/statement.h"
#include "unit/context_kit.h"

/* "food_profile:restaurant_search travel_profile:trip_planning"; "-": no match. */
static struct str
found_in(struct arena *mem, const struct context_index *index, const char *task)
{
    struct context_match match;
    struct str out = STR("");
    context_find(index, str_of(task), &match);
    for (size_t i = 0; i < match.count; i++) {
        const struct context *context = match.list[i].context;
        out = str_format(mem, "%.*s%s%.*s%s%.*s", STR_ARG(out), i == 0 ? "" : " ",
                         STR_ARG(match.list[i].domain->name), context == NULL ? "" : ":",
                         STR_ARG(context == NULL ? STR("") : context->name));
    }
    return match.known ? out : match.unrelated ? STR("unrelated") : STR("-");
}

struct row {
    const char *why;
    const char *task;
    const char *expected;
};

#define CHECK_ROWS(index, rows)                                                                    \
    do {                                                                                           \
        struct arena *mem = arena_new();                                                           \
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows)[0]; i++)                                \
            assert_str(found_in(mem, index, rows[i].task), str_of(rows[i].expected), rows[i].why); \
        arena_free(mem);                                                                           \
    } while (0)

static void
scores_are_relative_to_none(void **state)
{
    (void)state;
    static struct features features;
    struct class_scores scores;
    features_read(STR("recommend_a_restaurant"), '_', &features);
    context_classify(&features, &scores);
    assert_str(context_class_name(CLASS_NONE), STR("none"), "the first class");
    assert_str(context_class_name(CLASS_UNRELATED), STR("unrelated"), "the second class");
    assert_int_equal(scores.of[CLASS_NONE], 0);
    size_t best = CLASS_NONE;
    for (size_t k = CLASS_UNRELATED; k < CLASSES_MAX; k++)
        best = scores.of[k] > scores.of[best] ? k : best;
    assert_str(context_class_name(best), STR("food_profile"), "the greatest");
    features.count = 0; /* only how frequent the classes are */
    context_classify(&features, &scores);
    for (size_t k = 1; k < CLASSES_MAX; k++)
        assert_true(scores.of[k] < LINEAR_SCORE_SCALE);
}

/* Every class and context of the table is one of the definitions. */
static void
classes_are_domains_and_contexts(void **state)
{
    (void)state;
    size_t found = 0;
    for (size_t k = CLASS_FIRST_DOMAIN; k < CLASSES_MAX; k++)
        found += kit_context_index()->classes[k] != NULL;
    assert_int_equal(found, 6);
}

/* ---- members ---- */

static void
members_are_those_of_the_definitions(void **state)
{
    (void)state;
    const struct context_index *index = kit_context_index();
    size_t learned = 0;
    for (size_t k = CLASS_FIRST_DOMAIN; k < CLASSES_MAX; k++) {
        uint64_t seen = 0;
        for (size_t i = 0; i < context_class_members(k); i++, learned++) {
            size_t at = index->members[k][i];
            assert_true(at < CONTEXT_SCORED && at < index->classes[k]->member_count);
            assert_str(index->classes[k]->members[at].name, context_class_member(k, i), "name");
            assert_false(seen >> at & 1);
            seen |= (uint64_t)1 << at;
        }
        for (size_t i = 0; i < index->classes[k]->member_count; i++) /* but no statements */
            assert_true((seen >> i & 1) != statement_holds(&index->classes[k]->members[i]));
    }
    assert_true(learned > 150 && learned <= CLASS_MEMBERS_MAX);
}

static int
score_of(const char *task, const char *domain_name, const char *member_name)
{
    struct context_match match;
    const struct domain *domain = domains_find(kit_domains(), str_of(domain_name));
    const struct member *member = domain_member(domain, str_of(member_name));
    context_find(kit_context_index(), str_of(task), &match);
    const struct context_choice *choice = context_chosen(&match, domain);
    assert_non_null(choice);
    assert_true(choice->scored);
    return choice->scores[member - domain->members];
}

static void
a_member_scores_more_where_it_matters(void **state)
{
    (void)state;
    static const struct {
        const char *task, *domain, *more, *less;
    } rows[] = {
        { "explain this regex", "coding_profile", "explanation_detail", "license_restrictions" },
        { "squash these commits", "coding_profile", "commit_style", "testing_frameworks" },
        { "find sheet music that I can play", "music_preferences", "instruments",
          "streaming_services" },
        { "pick my seat on the plane", "travel_profile", "seat_preference", "hotel_chains" },
        { "what goes into a lasagna", "food_profile", "dietary", "favorite_restaurants" },
        { "hotel_search", "travel_profile", "hotel_amenities", "seat_preference" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_true(score_of(rows[i].task, rows[i].domain, rows[i].more) >
                    CONTEXT_SCORE_ONE + score_of(rows[i].task, rows[i].domain, rows[i].less));
}

/* A list matters to whatever one of its parts does. */
static void
a_list_has_the_greatest_scores_of_its_parts(void **state)
{
    (void)state;
    static const char *const members[] = { "seat_preference", "hotel_amenities", "pace" };
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        int flight = score_of("flight_search", "travel_profile", members[i]);
        int hotel = score_of("hotel_search", "travel_profile", members[i]);
        assert_int_equal(score_of("flight_search, hotel_search", "travel_profile", members[i]),
                         flight > hotel ? flight : hotel);
    }
}

static void
names_are_marked_and_names_of_domains_have_no_scores(void **state)
{
    (void)state;
    struct context_match match;
    context_find(kit_context_index(), STR("restaurant_search"), &match);
    assert_true(match.list[0].by_name && match.list[0].scored);
    context_find(kit_context_index(), STR("somewhere quiet for dinner"), &match);
    assert_true(!match.list[0].by_name && match.list[0].scored);
    context_find(kit_context_index(), STR("food"), &match);
    assert_int_equal(match.count, 1);
    assert_false(match.list[0].scored);
}

/* ---- beside keywords ---- */

static void
a_task_without_keywords_matches(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "music", "put some tunes on while I shower", "music_preferences:music_playback" },
        { "code", "rename userId to accountId across the repo", "coding_profile:refactoring" },
        { "a misspelling", "cheap resturant for six", "food_profile:restaurant_search" },
        { "and the context", "what should I read next", "media_profile:book_recommendation" },
        { "two about as likely", "tickets for saturday night",
          "lifestyle_profile:event_planning music_preferences:concert_search" },
    };
    CHECK_ROWS(kit_context_index(), rows);
}

/* One part of a long text is enough: what follows here is office work. */
static void
a_long_text_matches_by_its_parts(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "a request before instructions",
          "Put some tunes on while I shower, something with a beat, and skip whatever was on last "
          "night, I want to hear bands that I do not know yet. The minutes of the board have to be "
          "summarized for the notary before the deadline, with the names of all who were present, "
          "the votes on each motion, and the date of the next session. Attach the signed version, "
          "file the original in the archive, and write to the auditor that the figures of the "
          "third "
          "quarter were corrected, because the tax office asked for them twice. The insurer's "
          "letter "
          "goes to the lawyer, the invoice to accounting, and a copy of both to the chairman, who "
          "returns from the hospital on Monday and wants to read everything on paper.",
          "music_preferences:music_playback" },
    };
    CHECK_ROWS(kit_context_index(), rows);
}

static void
a_keyword_in_passing_does_not_match(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "writing", "proofread the email I wrote to the hotel manager", "-" },
        { "a complaint", "the airline lost my suitcase and nobody answers", "-" },
        { "a device", "announce that dinner is ready", "-" },
        { "money", "charge me for the restaurant only once", "unrelated" },
        { "a reminder", "remind me to book a restaurant", "unrelated" },
    };
    CHECK_ROWS(kit_context_index(), rows);
}

/* No keyword says so. */
static void
tasks_about_money_and_calendars_are_unrelated(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "a calendar", "put the sushi place at 8 on Friday in my diary", "unrelated" },
        { "a calendar tool", "googlecalendar_create_event", "unrelated" },
        { "money", "send Kim 12 pounds for the curry", "unrelated" },
        { "money, in Spanish", "cuánto gasté en restaurantes", "unrelated" },
        { "a reminder", "alert me an hour before the concert", "unrelated" },
        { "a reminder, in Hindi", "मुझे दूध लाना याद दिलाना", "unrelated" },
        { "leave", "request three days off for my trip to Rome", "unrelated" },
        { "leave, in Chinese", "申请年假", "unrelated" },
        { "settings", "switch to light theme", "unrelated" },
        { "settings of an app", "music_app_settings", "unrelated" },
        { "a reservation", "book a table for the 12th at 8", "food_profile:restaurant_search" },
        { "a trip", "where should I go on my days off",
          "travel_profile:destination_recommendation" },
        { "a question", "remind me what my favorite song is",
          "music_preferences:music_recommendation" },
        { "code", "unit tests for the invoice module", "coding_profile:test_writing" },
    };
    CHECK_ROWS(kit_context_index(), rows);
}

/* Such tasks get allergies: they may be what the answer needs. */
static void
tasks_about_health_and_the_user_are_unknown(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "an emergency", "emergency contact card", "-" },
        { "a complaint", "my throat is swelling", "-" },
        { "a form", "fill in the medical form for the school camp", "-" },
        { "the user", "get_user_preferences", "-" },
        { "in Chinese", "肚子疼", "-" },
        { "in Arabic", "بطني يؤلمني", "-" },
        { "one word", "bloating", "-" },
    };
    CHECK_ROWS(kit_context_index(), rows);
}

/* The second context of the only domain; absent: none. */
static struct str
second_in(const char *task)
{
    struct context_match match;
    context_find(kit_context_index(), str_of(task), &match);
    assert_int_equal(match.count, 1);
    return match.list[0].second == NULL ? STR_NONE : match.list[0].second->name;
}

static void
a_task_that_fits_two_contexts_has_both(void **state)
{
    (void)state;
    assert_str(second_in("which movie or TV series should we watch"), STR("show_recommendation"),
               "two kinds");
    assert_str(second_in("clean up this module and add unit tests"), STR("test_writing"),
               "two steps");
    assert_false(str_present(second_in("write unit tests for the date parser")));
    assert_false(str_present(second_in("restaurant_search"))); /* a name */
    assert_str(second_in("flight_search, hotel_search"), STR("hotel_search"), "a list");
}

/* A list of other words is one task. */
static void
a_list_of_names_is_about_each_of_them(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "two domains", "car_rental, concert_search",
          "music_preferences:concert_search travel_profile:car_rental" },
        { "one domain", "flight_search,hotel_search", "travel_profile:flight_search" },
        { "all of a domain", "flight_search, hotel_search, car_rental", "travel_profile" },
        { "one twice", "flight_search, flight_search", "travel_profile:flight_search" },
        { "some are unrelated", "create_reminder, restaurant_search",
          "food_profile:restaurant_search" },
        { "all are", "calendar_event, create_reminder", "unrelated" },
        { "no words", "_, _", "-" },
        { "too many are one task",
          "add_alarm,create_reminder,add_alarm,create_reminder,add_alarm,create_reminder,"
          "add_alarm,create_reminder,add_alarm,create_reminder,add_alarm,create_reminder,"
          "add_alarm,create_reminder,add_alarm,create_reminder,restaurant_search",
          "unrelated" },
        { "a sentence", "book a table at luigis, restaurant_search is a tool",
          "food_profile:restaurant_search" },
    };
    CHECK_ROWS(kit_context_index(), rows);
}

static void
names_of_contexts_match_whatever_the_scores(void **state)
{
    (void)state;
    for (size_t i = 0; i < kit_domains()->count; i++) {
        const struct domain *domain = &kit_domains()->list[i];
        for (size_t k = 0; k < domain->context_count; k++) {
            struct context_match match;
            context_find(kit_context_index(), domain->contexts[k].name, &match);
            const struct context_choice *choice = context_chosen(&match, domain);
            assert_non_null(choice);
            assert_ptr_equal(choice->context, &domain->contexts[k]);
        }
    }
}

/* An installation may leave out domains. */
static void
a_class_without_a_domain_is_not_chosen(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "its tasks", "put some tunes on while I shower", "-" },
        { "others", "cheap resturant for six", "food_profile:restaurant_search" },
    };
    struct context_index index = *kit_context_index();
    for (size_t k = 1; k < CLASSES_MAX; k++)
        if (str_eq_c(context_class_name(k), "music_preferences"))
            index.classes[k] = NULL;
    CHECK_ROWS(&index, rows);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_relative_to_none),
        cmocka_unit_test(classes_are_domains_and_contexts),
        cmocka_unit_test(members_are_those_of_the_definitions),
        cmocka_unit_test(a_member_scores_more_where_it_matters),
        cmocka_unit_test(a_list_has_the_greatest_scores_of_its_parts),
        cmocka_unit_test(names_are_marked_and_names_of_domains_have_no_scores),
        cmocka_unit_test(a_task_without_keywords_matches),
        cmocka_unit_test(a_long_text_matches_by_its_parts),
        cmocka_unit_test(a_keyword_in_passing_does_not_match),
        cmocka_unit_test(tasks_about_money_and_calendars_are_unrelated),
        cmocka_unit_test(tasks_about_health_and_the_user_are_unknown),
        cmocka_unit_test(a_task_that_fits_two_contexts_has_both),
        cmocka_unit_test(a_list_of_names_is_about_each_of_them),
        cmocka_unit_test(names_of_contexts_match_whatever_the_scores),
        cmocka_unit_test(a_class_without_a_domain_is_not_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
