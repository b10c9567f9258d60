/* Labels of agents matched to domains: how a label is taken apart, what counts, what is chosen. */
#include "unit/assert_str.h"

#include "model/context.h"
#include "model/context_parts.h"
#include "unit/domains_kit.h"

static const struct context_index *
built_in(void)
{
    static struct arena *mem;
    static const struct context_index *index;
    if (mem == NULL) {
        mem = arena_new();
        index = context_index_make(mem, kit_domains());
    }
    return index;
}

/* "food_profile:restaurant_search travel_profile", "-" if nothing is known. */
static struct str
found_in(struct arena *mem, const struct context_index *index, struct str text)
{
    struct context_match match;
    struct str out = STR("");
    context_find(index, text, &match);
    assert_int_equal(match.known, match.count > 0);
    for (size_t i = 0; i < match.count; i++) {
        const struct context_choice *choice = &match.list[i];
        const char *before = i == 0 ? "" : " ", *colon = choice->context == NULL ? "" : ":";
        struct str context = choice->context == NULL ? STR("") : choice->context->name;
        assert_ptr_equal(context_chosen(&match, choice->domain), choice);
        out = str_format(mem, "%.*s%s%.*s%s%.*s", STR_ARG(out), before,
                         STR_ARG(choice->domain->name), colon, STR_ARG(context));
    }
    return match.known ? out : STR("-");
}

struct row {
    const char *why;
    const char *label;
    const char *expected;
};

static void
check_rows(const struct context_index *index, const struct row *rows, size_t count)
{
    struct arena *mem = arena_new();
    for (size_t i = 0; i < count; i++)
        assert_str(found_in(mem, index, str_of(rows[i].label)), str_of(rows[i].expected),
                   rows[i].why);
    arena_free(mem);
}

/* ---- labels ---- */

static void
a_label_is_normalized(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "as it should be", "music_recommendation", "music_recommendation" },
        { "letters of any size", "MUSIC_Recommendation", "music_recommendation" },
        { "a small letter before a capital", "bookFlight", "book_flight" },
        { "capitals before a word", "HTTPServerError", "http_server_error" },
        { "capitals alone", "SQL", "sql" },
        { "digits are letters", "top10Songs", "top10songs" },
        { "any signs are one separator", " --pair: programming!? ", "pair_programming" },
        { "control characters and NUL's neighbors",
          "a\x01\x7f"
          "b",
          "a_b" },
        { "and", "food&wine", "food_and_wine" },
        { "commas", "flights, hotels", "flights_hotels" },
        { "an apostrophe is nothing", "what's cooking", "whats_cooking" },
        { "nor is a printed one", "what\xe2\x80\x99s cooking", "whats_cooking" },
        { "marks of letters are left out", "CAF\xc3\x89 cr\xc3\xa8me", "cafe_creme" },
        { "also when they stand alone", "cafe\xcc\x81", "cafe" },
        { "printed dashes separate", "code\xe2\x80\x94review", "code_review" },
        { "emoji separate", "jazz\xf0\x9f\x8e\xb5playlist", "jazz_playlist" },
        { "letters of other scripts are letters", "\xe9\x9f\xb3\xe6\xa5\xbd x",
          "\xe9\x9f\xb3\xe6\xa5\xbd_x" },
        { "half a character", "caf\xc3", "caf\xc3" },
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct label label;
        assert_row(label_split(str_of(rows[i].label), &label), rows[i].why);
        assert_str(label.name, str_of(rows[i].expected), rows[i].why);
    }
}

static void
a_label_without_words_or_too_long_is_not_known(void **state)
{
    (void)state;
    char longest[CONTEXT_MAX + 2] = "music ";
    struct arena *mem = arena_new();
    memset(longest + 6, ' ', sizeof longest - 6);
    assert_str(found_in(mem, built_in(), STR("")), STR("-"), "empty");
    assert_str(found_in(mem, built_in(), STR_NONE), STR("-"), "absent");
    assert_str(found_in(mem, built_in(), STR(" _-_ ,;\n")), STR("-"), "signs");
    assert_str(found_in(mem, built_in(), (struct str){ longest, CONTEXT_MAX }),
               STR("music_preferences"), "as long as may be");
    assert_str(found_in(mem, built_in(), (struct str){ longest, CONTEXT_MAX + 1 }), STR("-"),
               "a byte too long");
    arena_free(mem);
}

static void
the_most_words_and_the_longest_text_fit(void **state)
{
    (void)state;
    struct label label;
    char text[CONTEXT_MAX];
    memset(text, '&', sizeof text);
    assert_true(label_split((struct str){ text, sizeof text }, &label));
    assert_int_equal(label.count, CONTEXT_MAX);
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = i % 2 == 0 ? 'a' : 'B';
    assert_true(label_split((struct str){ text, sizeof text }, &label));
    context_index_resolve(built_in(), &label);
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = 'x';
    assert_true(label_split((struct str){ text, sizeof text }, &label));
    assert_int_equal(label.count, 1);
    context_index_resolve(built_in(), &label);
}

static void
every_name_and_alias_is_found_however_it_is_written(void **state)
{
    (void)state;
    const struct domains *domains = kit_domains();
    for (size_t i = 0; i < domains->count; i++) {
        const struct domain *domain = &domains->list[i];
        for (size_t j = 0; j < domain->context_count; j++) {
            const struct context *context = &domain->contexts[j];
            for (size_t k = 0; k <= context->alias_count; k++) {
                struct str name = k == 0 ? context->name : context->aliases[k - 1];
                struct context_match match;
                context_find(built_in(), name, &match);
                const struct context_choice *choice = context_chosen(&match, domain);
                assert_row(choice != NULL && choice->context == context, name.ptr);
            }
        }
    }
}

static void
words_reach_domains(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "a name in capitals", "RestaurantSearch", "food_profile:restaurant_search" },
        { "written together", "restaurantsearch", "food_profile:restaurant_search" },
        { "with an article", "book a flight", "travel_profile:flight_search" },
        { "a domain's name", "food_profile", "food_profile" },
        { "two domains", "road trip playlist",
          "music_preferences:playlist_creation travel_profile:trip_planning" },
        { "a weak word beside others", "car_insurance", "-" },
        { "nothing", "weather", "-" },
    };
    check_rows(built_in(), rows, ROWS(rows));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_label_is_normalized),
        cmocka_unit_test(a_label_without_words_or_too_long_is_not_known),
        cmocka_unit_test(the_most_words_and_the_longest_text_fit),
        cmocka_unit_test(words_reach_domains),
        cmocka_unit_test(every_name_and_alias_is_found_however_it_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
