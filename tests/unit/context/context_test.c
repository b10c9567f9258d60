/* Splitting labels, counting keywords, and choosing domains and contexts. */
#include "unit/model/tea.h"

#include "context/context_internal.h"
#include "unit/context_kit.h"

/* "food_profile:restaurant_search travel_profile", "-" if nothing matches. */
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
    assert_false(match.known && match.unrelated);
    return match.known ? out : match.unrelated ? STR("unrelated") : STR("-");
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

/* The built-in definitions without the classifier: what keywords alone decide. */
static const struct context_index *
keyword_index(void)
{
    static struct context_index index;
    index = *kit_context_index();
    memset(index.classes, 0, sizeof index.classes);
    return &index;
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
        { "one small letter before capitals", "iOS app, eBook", "ios_app_ebook" },
        { "Chinese has no spaces", "去Rome的机票，酒店", "去_rome_的_机_票_酒_店" },
        { "Cyrillic capitals", "НАЙДИ Ёлку", "найди_елку" },
        { "Arabic letters with two spellings, vowels, and punctuation", "أَغاني، إلى؟",
          "اغاني_الي" },
        { "Urdu letters", "ترکیب کی۔", "تركيب_كي" },
        { "dots of loanwords", "फ़िल्म।", "फिल्म" },
        { "an invisible joiner", "ক\xe2\x80\x8dষ", "কষ" },
        { "half a character", "caf\xc3", "caf\xc3" },
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct label label;
        assert_row(label_split(str_of(rows[i].label), &label), rows[i].why);
        assert_str(label.name, str_of(rows[i].expected), rows[i].why);
    }
}

static void
empty_and_overlong_labels_do_not_match(void **state)
{
    (void)state;
    char longest[CONTEXT_MAX + 2] = "music ";
    struct arena *mem = arena_new();
    memset(longest + 6, ' ', sizeof longest - 6);
    assert_str(found_in(mem, kit_context_index(), STR("")), STR("-"), "empty");
    assert_str(found_in(mem, kit_context_index(), STR_NONE), STR("-"), "absent");
    assert_str(found_in(mem, kit_context_index(), STR(" _-_ ,;\n")), STR("-"), "signs");
    assert_str(found_in(mem, kit_context_index(), (struct str){ longest, CONTEXT_MAX }),
               STR("music_preferences"), "as long as may be");
    assert_str(found_in(mem, kit_context_index(), (struct str){ longest, CONTEXT_MAX + 1 }),
               STR("-"), "a byte too long");
    arena_free(mem);
}

static void
maximum_words_and_length_fit(void **state)
{
    (void)state;
    struct label label;
    char text[CONTEXT_MAX];
    memset(text, '&', sizeof text);
    assert_true(label_split((struct str){ text, sizeof text }, &label));
    assert_int_equal(label.count, LABEL_WORDS);
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = i % 2 == 0 ? 'a' : 'B';
    assert_true(label_split((struct str){ text, sizeof text }, &label));
    context_index_resolve(kit_context_index(), &label);
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = 'x';
    assert_true(label_split((struct str){ text, sizeof text }, &label));
    assert_int_equal(label.count, 1);
    context_index_resolve(kit_context_index(), &label);
}

static void
endings_are_removed_from_words(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "plural", "planes", " plane" },
        { "plural after a hiss", "dishes", " dishe dish" },
        { "plural of -y", "berries", " berrie berry" },
        { "-ing", "cooking", " cook cooke" },
        { "-ing after a letter twice", "planning", " plann planne plan" },
        { "too short for a plural", "bus", "" },
        { "too short for -ing", "sing", "" },
        { "none", "playlist", "" },
    };
    struct arena *mem = arena_new();
    for (size_t i = 0; i < ROWS(rows); i++) {
        char buffer[LABEL_BUFFER];
        struct str forms = STR("");
        for (size_t n = 1; n <= FORM_INFLECTIONS; n++) {
            struct str form = label_form(str_of(rows[i].label), n, buffer);
            if (str_present(form))
                forms = str_format(mem, "%.*s %.*s", STR_ARG(forms), STR_ARG(form));
        }
        assert_str(forms, str_of(rows[i].expected), rows[i].why);
    }
    arena_free(mem);
}

static void
names_and_aliases_match_in_every_spelling(void **state)
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
                context_find(kit_context_index(), name, &match);
                const struct context_choice *choice = context_chosen(&match, domain);
                assert_row(choice != NULL && choice->context == context, name.ptr);
            }
        }
    }
}

static void
names_match_in_different_notations(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "camelCase", "restaurantSearch", "food_profile:restaurant_search" },
        { "capitals", "RESTAURANT SEARCH", "food_profile:restaurant_search" },
        { "together", "restaurantsearch", "food_profile:restaurant_search" },
        { "other forms of its words", "searching restaurants", "food_profile:restaurant_search" },
        { "with an article", "book a flight", "travel_profile:flight_search" },
        { "in plural", "recipes", "food_profile:recipe_recommendation" },
        { "in plural and together", "unittests", "coding_profile:test_writing" },
        { "apart", "play list", "music_preferences:playlist_creation" },
        { "within a sentence", "are there things to do in Rome",
          "travel_profile:local_activities" },
        { "a domain", "food_profile", "food_profile" },
        { "a domain without its ending", "Music", "music_preferences" },
        { "a domain and something", "my food preferences", "food_profile" },
    };
    check_rows(kit_context_index(), rows, ROWS(rows));
}

static void
strong_keywords_decide(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "one is enough", "vegan in Berlin with my cousins", "food_profile" },
        { "its plural", "pizzas", "food_profile" },
        { "its plural in -es", "sandwiches", "food_profile" },
        { "its plural in -ies", "lullabies", "music_preferences" },
        { "with -ing", "baking", "food_profile:recipe_recommendation" },
        { "with -ing and a letter twice", "travelling", "travel_profile" },
        { "not another word that begins so", "foodstuffs", "-" },
        { "words apart that are one", "hip hop", "music_preferences" },
        { "and one word in two", "TypeScript", "coding_profile:code_generation" },
        { "two domains with as many", "trip playlist",
          "music_preferences:playlist_creation travel_profile:trip_planning" },
        { "an occasion is not the task", "make me a playlist for a road trip",
          "music_preferences:playlist_creation" },
        { "the one with more", "debug the playlist api", "coding_profile:debugging" },
        { "the same word twice is once", "playlist playlist trip",
          "music_preferences:playlist_creation travel_profile:trip_planning" },
        { "weak words do not help", "car trip playlist",
          "music_preferences:playlist_creation travel_profile:trip_planning" },
        { "an enumeration counts by its parts", "flights, hotels and restaurants",
          "food_profile:restaurant_search travel_profile:flight_search" },
        { "after a comma", "hotel flight, restaurant",
          "food_profile:restaurant_search travel_profile:flight_search" },
        { "after an and", "hotel flight & restaurant",
          "food_profile:restaurant_search travel_profile:flight_search" },
        { "not without", "hotel flight restaurant", "travel_profile:flight_search" },
        { "nor within a phrase", "drum and bass hotel flight", "travel_profile:flight_search" },
        { "a name of generic words is not strong", "where to go for dinner", "food_profile" },
        { "and yet a name", "where to go in August", "travel_profile:destination_recommendation" },
    };
    check_rows(keyword_index(), rows, ROWS(rows));
}

static void
weak_keywords_need_a_second_or_no_other_words(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "alone", "rust", "coding_profile" },
        { "with generic words", "please help me with rust", "coding_profile" },
        { "beside another subject", "rust removal", "-" },
        { "two of one domain", "script editor", "coding_profile:code_generation" },
        { "of two domains", "bar car", "-" },
        { "all generic", "find the best option for me", "-" },
        { "nothing known", "weather", "-" },
    };
    check_rows(keyword_index(), rows, ROWS(rows));
}

static void
excluding_keywords_do_not_count(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "a phrase", "dress code", "-" },
        { "in plural", "zip codes", "-" },
        { "with a little word", "flight of stairs", "-" },
        { "only there", "dress code for the restaurant", "food_profile:restaurant_search" },
        { "and not elsewhere in the label", "code that checks a zip code",
          "coding_profile:code_generation" },
        { "against a name in another form", "training ride", "-" },
        { "which by itself is one", "train schedule", "travel_profile:train_search" },
    };
    check_rows(keyword_index(), rows, ROWS(rows));
}

static void
other_tasks_match_no_domain(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "money", "banking", "unrelated" },
        { "a verb", "remind me to book a restaurant", "unrelated" },
        { "in plural", "set two reminders", "unrelated" },
        { "a calendar", "add dinner with Ada to my calendar", "unrelated" },
        { "leave", "PTO request for my vacation", "unrelated" },
        { "settings", "change the volume of the music", "unrelated" },
        { "a noun beside one keyword", "schedule for the restaurant", "unrelated" },
        { "a noun beside two", "restaurant for a lunch meeting", "food_profile:restaurant_search" },
        { "part of a word", "taxi to the airport", "travel_profile:car_rental" },
        { "a phrase, not its neighbors", "take out a loan", "unrelated" },
        { "no gluing with a little word", "B&B in Cornwall", "travel_profile" },
        { "a keyword in Chinese", "帮我找餐厅", "food_profile" },
        { "two in Chinese", "机票和酒店", "travel_profile" },
        { "Chinese characters that are no keyword", "餐巾和厅堂", "-" },
        { "an article that is part of the word", "أريد المطعم", "food_profile" },
        { "a capital in Russian", "РЕСТОРАН", "food_profile" },
        { "another task in Chinese", "提醒我订餐厅", "unrelated" },
        { "but of a word written apart", "hip hop", "music_preferences" },
        { "a noun that a name explains", "airport transfer from Heathrow",
          "travel_profile:car_rental" },
        { "and without the name", "transfer at the airport", "unrelated" },
        { "beside a keyword of no other task", "translate my bank statement", "unrelated" },
        { "one noun, two keywords", "restaurant with a menu and wifi",
          "food_profile:restaurant_search" },
        { "two nouns, two keywords", "insurance premium of the hotel and the flight", "unrelated" },
    };
    check_rows(keyword_index(), rows, ROWS(rows));
}

static void
a_label_counts_one_name(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "alone", "Lisbon", "travel_profile" },
        { "beside a weak keyword", "cheap tickets to Lisbon", "travel_profile" },
        { "two names", "parcels between Lisbon and Oslo", "-" },
    };
    check_rows(keyword_index(), rows, ROWS(rows));
}

static void
words_of_other_scripts_have_forms(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "katakana among hiragana", "おいしいラーメンがたべたい", "food_profile" },
        { "part of a katakana word", "スラーメンス", "-" },
        { "the particle no", "ホテルのよやく", "travel_profile" },
        { "Latin letters beside kana", "pythonでかく", "coding_profile" },
        { "a Russian case", "ресторанами", "food_profile" },
        { "another word with that ending", "барабанами", "-" },
        { "an Arabic conjunction and article", "والمطعم", "food_profile" },
    };
    check_rows(keyword_index(), rows, ROWS(rows));
}

static void
long_texts_are_about_what_they_mention_most(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "prose",
          "You are a concierge, polite and brief, with a sense of humor. Find a restaurant for two "
          "in the old town, for dinner on Friday, with a vegetarian menu, and tell the guest how "
          "to get there on foot, where the music is not too loud.",
          "food_profile:restaurant_search" },
        { "prose about two domains",
          "You plan the first evening of a journey. The guest lands at the airport at six, takes a "
          "taxi to the hotel, and wants to have dinner in a restaurant afterwards, so look for a "
          "dish without meat, and say how long the trip from the hotel takes.",
          "food_profile:restaurant_search travel_profile:trip_planning" },
    };
    check_rows(keyword_index(), rows, ROWS(rows));
}

static void
the_context_with_all_words_present_is_chosen(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "in any order", "review this code", "coding_profile:code_review" },
        { "without what the agent does", "restaurants in Rome", "food_profile:restaurant_search" },
        { "but not without anything else", "dinner", "food_profile" },
        { "more words fit better", "playing an album", "music_preferences:music_playback" },
        { "what the agent does breaks a tie", "meal planner", "food_profile:meal_planning" },
        { "the domain's own word is none", "debug my code", "coding_profile:debugging" },
        { "of two that fit, the first in the file", "refactor and debug",
          "coding_profile:debugging" },
    };
    check_rows(keyword_index(), rows, ROWS(rows));
}

/* ---- safety ---- */

static bool
is_safety(const char *label, const char *domain)
{
    struct context_match match;
    context_find(kit_context_index(), str_of(label), &match);
    return context_is_safety(&match, domains_find(kit_domains(), str_of(domain)));
}

static void
critical_members_apply_to_safety_contexts(void **state)
{
    (void)state;
    assert_true(is_safety("flight_search", "food_profile"));
    assert_true(is_safety("book a hotel", "food_profile"));
    assert_true(is_safety("restaurant_search", "travel_profile"));
    /* wherever there is something to eat, or a place to reach */
    assert_true(is_safety("birthday_party", "food_profile"));
    assert_true(is_safety("gift_recommendation", "food_profile"));
    assert_true(is_safety("family_activities", "food_profile"));
    assert_true(is_safety("train_search", "food_profile"));
    assert_true(is_safety("concert_search", "food_profile"));
    assert_true(is_safety("event_planning", "travel_profile"));
    assert_true(is_safety("family_activities", "travel_profile"));
    assert_true(is_safety("local_activities", "lifestyle_profile"));
    assert_false(is_safety("fix_bug", "travel_profile"));
    assert_false(is_safety("work_style", "food_profile"));
    assert_false(is_safety("car_rental", "food_profile"));
    assert_false(is_safety("recipe", "travel_profile"));
    /* a domain without critical members: its statements, where another domain has such members */
    assert_true(is_safety("restaurant_search", "music_preferences"));
    assert_false(is_safety("fix_bug", "music_preferences"));
    assert_false(is_safety("restaurant_search", "food_profile"));
    assert_false(is_safety("weather", "food_profile"));
    /* a domain without a context counts as all of its contexts */
    assert_true(is_safety("travel_profile", "food_profile"));
    assert_true(is_safety("food_profile", "travel_profile"));
    assert_false(is_safety("coding_profile", "food_profile"));
    /* one of several suffices */
    assert_true(is_safety("concert_search, car_rental", "travel_profile"));
    assert_true(is_safety("car_rental, hotel_search", "food_profile"));
    assert_true(is_safety("car_rental, flight_search, hotel_search", "food_profile"));
}

/* ---- custom definitions ---- */

static const char small[] =
    "{ `format`: 1, `domain`: `board_games`, `version`: `1.0.0`, `title`: `Board games`,"
    "  `safety_contexts`: [`rules`, `next_book`],"
    "  `contexts`: [{ `name`: `game_night`, `aliases`: [`the`, `game_rules`] },"
    "               { `name`: `rules`, `aliases`: [`fix_bug`, `a_b`, `ab`] }],"
    "  `keywords`: { `weak`: [`dice`, `music`], `not`: [`gamenight`, `videogame`] },"
    "  `members`: [{ `name`: `games`, `type`: `string`, `cardinality`: `one` }] }";

static void
custom_definitions_work_beside_built_in_ones(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "its name is a keyword", "teach me board games", "board_games" },
        { "in singular", "board game", "board_games" },
        { "a name is found even if it is listed as another thing", "game_night",
          "board_games:game_night" },
        { "a name that is left out of labels", "the", "board_games:game_night" },
        { "a name of two domains", "fix_bug", "board_games:rules coding_profile:debugging" },
        { "names that are the same without blanks", "ab", "board_games:rules" },
        { "a name within a label", "the game rules of go", "board_games:game_night" },
        { "a weak word of one and a strong one of another", "music", "music_preferences" },
        { "a weak word", "dice", "board_games" },
        { "reading", "book recommendations", "reading:book_recommendation" },
        { "reading", "borrow a book", "reading:library_visit" },
        { "reading is itself a domain", "reading", "reading" },
        { "a verb that looks like it", "book a flight", "travel_profile:flight_search" },
        { "an inflection that is another's word", "hotel booking", "travel_profile:hotel_search" },
        { "two of them", "recipes and novels", "food_profile:recipe_recommendation reading" },
    };
    struct arena *mem = arena_new();
    struct domains set, own;
    struct why why = { 0 };
    struct domain_source source = { STR("f"), STR("board_games"), tea_quotes(mem, small) };
    if (definitions_load(mem, "docs/examples", "lifestyle_profile media_profile", &set, &why) ||
        domains_load(mem, &source, 1, &own, &why))
        fail_msg("%s", why.text);
    struct domain *list = ARENA_ARRAY(mem, struct domain, DOMAINS_MAX);
    list[0] = own.list[0];
    for (size_t i = 0; i < set.count; i++)
        list[i + 1] = set.list[i];
    set = (struct domains){ .list = list, .count = set.count + 1 };
    const struct context_index *index = context_index_make(mem, &set);
    check_rows(index, rows, ROWS(rows));
    struct context_match match;
    context_find(index, STR("rules"), &match);
    assert_false(context_is_safety(&match, &list[0])); /* it is chosen itself */
    context_find(index, STR("book_recommendation"), &match);
    assert_true(context_is_safety(&match, &list[0])); /* by an alias */
    context_find(index, STR("book_club"), &match);
    assert_false(context_is_safety(&match, &list[0]));
    arena_free(mem);
}

static void
without_domains_nothing_matches(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    struct domains none = { .count = 0 };
    assert_str(found_in(mem, context_index_make(mem, &none), STR("music")), STR("-"), "none");
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_label_is_normalized),
        cmocka_unit_test(empty_and_overlong_labels_do_not_match),
        cmocka_unit_test(maximum_words_and_length_fit),
        cmocka_unit_test(endings_are_removed_from_words),
        cmocka_unit_test(names_match_in_different_notations),
        cmocka_unit_test(strong_keywords_decide),
        cmocka_unit_test(weak_keywords_need_a_second_or_no_other_words),
        cmocka_unit_test(excluding_keywords_do_not_count),
        cmocka_unit_test(other_tasks_match_no_domain),
        cmocka_unit_test(a_label_counts_one_name),
        cmocka_unit_test(words_of_other_scripts_have_forms),
        cmocka_unit_test(long_texts_are_about_what_they_mention_most),
        cmocka_unit_test(the_context_with_all_words_present_is_chosen),
        cmocka_unit_test(critical_members_apply_to_safety_contexts),
        cmocka_unit_test(custom_definitions_work_beside_built_in_ones),
        cmocka_unit_test(without_domains_nothing_matches),
        cmocka_unit_test(names_and_aliases_match_in_every_spelling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
