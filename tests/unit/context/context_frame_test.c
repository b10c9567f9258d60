/* What a label is about besides the subjects of domains: messages, devices, errands, and requests.
 */
#include "unit/assert_str.h"

#include "context/context_internal.h"
#include "unit/context_kit.h"

/* "food_profile travel_profile"; "-": nothing matches. */
static struct str
domains_in(struct arena *mem, const char *label)
{
    struct context_match match;
    struct str out = STR("");
    context_find(kit_context_index(), str_of(label), &match);
    for (size_t i = 0; i < match.count; i++)
        out = str_format(mem, "%.*s%s%.*s", STR_ARG(out), i == 0 ? "" : " ",
                         STR_ARG(match.list[i].domain->name));
    return match.known ? out : match.unrelated ? STR("unrelated") : STR("-");
}

struct row {
    const char *why;
    const char *label;
    const char *expected;
};

static void
check_rows(const struct row *rows, size_t count)
{
    struct arena *mem = arena_new();
    for (size_t i = 0; i < count; i++)
        assert_str(domains_in(mem, rows[i].label), str_of(rows[i].expected), rows[i].why);
    arena_free(mem);
}

#define CHECK_ROWS(rows) check_rows(rows, sizeof(rows) / sizeof(rows)[0])

static void
the_beginning_says_what_a_label_is_about(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "a message", "text Ada that the restaurant is closed", "unrelated" },
        { "after a polite opening", "can you please email the hotel", "unrelated" },
        { "a reply", "reply to Ada about the concert", "unrelated" },
        { "whom to tell", "tell Ada the concert starts at eight", "unrelated" },
        { "but not the user", "tell me about jazz", "music_preferences" },
        { "nor as an agent says it", "tell the user about jazz", "music_preferences" },
        { "a note", "note that the hotel is paid", "unrelated" },
        { "a device", "dim the bedroom lamp", "unrelated" },
        { "where something of the user is", "where are my running shoes", "unrelated" },
        { "but not where others are", "where is the nearest restaurant", "food_profile" },
        { "a verb that a keyword explains", "call a taxi", "travel_profile" },
        { "a verb later in the label", "find a restaurant I can call", "food_profile" },
        { "an errand with one keyword", "verify the hotel", "-" },
        { "and with two", "verify the hotel and the flight", "travel_profile" },
        { "the service itself", "your app plays no music", "unrelated" },
        { "but not what the user makes", "an app that plays music", "music_preferences" },
    };
    CHECK_ROWS(rows);
}

static void
a_request_needs_one_weak_keyword(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "asked for", "suggest an opera for a beginner", "music_preferences" },
        { "only mentioned", "an opera made the mayor leave town", "-" },
        { "what the user owns", "looking for my laptop charger", "-" },
        { "a verb that is also a keyword", "book an appraiser", "-" },
        { "a command to a player", "play Despacito", "media_profile music_preferences" },
        { "the same verb elsewhere", "whose turn to play Despacito", "-" },
        { "a long task that only mentions it",
          "suggest which of the twelve warehouse colleagues should carry the heavy opera crates "
          "upstairs before anybody notices",
          "-" },
    };
    CHECK_ROWS(rows);
}

static void
questions_and_possessions_request_nothing(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "a verb asks", "rent an opera costume", "music_preferences" },
        { "but not in a question", "where do they rent opera costumes", "-" },
        { "except where one can", "where can I rent opera costumes", "music_preferences" },
        { "nor as what somebody owns", "the opera lost my order", "-" },
        { "nor as a number", "order 99231 opera", "-" },
        { "a suggestion asks in any sentence", "is the opera something you recommend",
          "music_preferences" },
        { "but not why", "any idea why operas perish", "-" },
        { "nor the best way", "best way to enter operas backstage", "-" },
        { "any good", "any good operas nearby", "music_preferences" },
        { "a question with one weak keyword only", "whats the opera", "-" },
        { "a distant question with one keyword",
          "how long is the flight between both outermost planets", "-" },
        { "the same about the user", "how do I survive a flight with restless infants",
          "travel_profile" },
    };
    CHECK_ROWS(rows);
}

static void
places_in_passing_are_weak(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "outside of it", "an accident outside the cinema", "-" },
        { "at it", "a table at a restaurant", "food_profile" },
        { "in an office", "log the accident near the cinema", "-" },
        { "which does not mention it", "check cinema seats", "media_profile" },
    };
    CHECK_ROWS(rows);
}

static void
misspelled_keywords_are_corrected(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "a missing vowel", "cheap resturant for six", "food_profile" },
        { "a missing double letter", "acommodation", "travel_profile" },
        { "a letter too many", "restauraant", "food_profile" },
        { "exchanged letters", "restuarant", "food_profile" },
        { "another vowel", "vegatarian ideas", "food_profile" },
        { "a plural", "resturants", "food_profile" },
        { "another consonant", "restaurank", "-" },
        { "the first letter", "estaurant", "-" },
        { "a short keyword", "muvie", "-" },
        { "in a question", "why is the resturant closing", "-" },
        { "only the first of two", "resturant vegatarian", "food_profile" },
        { "a long text", "one two three four five six seven eight nine ten eleven resturant twelve",
          "-" },
    };
    CHECK_ROWS(rows);
}

static void
nouns_of_other_tasks_are_weighed(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "one noun, one keyword", "restaurant wifi", "unrelated" },
        { "one noun, two keywords", "restaurant with a menu and wifi", "food_profile" },
        { "two nouns, two keywords", "insurance premium of the hotel and the flight", "unrelated" },
        { "a long text with one keyword",
          "escalate unanswered letter ombudsmen attach original acknowledgement thirty pages "
          "archive basement restaurant yesterday morning cupboard",
          "-" },
    };
    CHECK_ROWS(rows);
}

static void
a_label_counts_one_name(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "alone", "Lisbon", "travel_profile" },
        { "beside a weak keyword", "cheap tickets to Lisbon", "travel_profile" },
        { "two names", "parcels between Lisbon and Oslo", "-" },
        { "where the user goes", "we are going to Lisbon and wonder", "travel_profile" },
        { "and where something else goes", "the memo was sent to Lisbon and wonders", "-" },
    };
    CHECK_ROWS(rows);
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
    CHECK_ROWS(rows);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_beginning_says_what_a_label_is_about),
        cmocka_unit_test(a_request_needs_one_weak_keyword),
        cmocka_unit_test(questions_and_possessions_request_nothing),
        cmocka_unit_test(places_in_passing_are_weak),
        cmocka_unit_test(misspelled_keywords_are_corrected),
        cmocka_unit_test(nouns_of_other_tasks_are_weighed),
        cmocka_unit_test(a_label_counts_one_name),
        cmocka_unit_test(words_of_other_scripts_have_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
