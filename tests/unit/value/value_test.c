/* Validation, spelling, and keys of values. */
#include "unit/assert_str.h"

#include "base/arena.h"
#include "base/buf.h"
#include "domain/value_text.h"
#include "value/value.h"
#include "text/json_read.h"
#include "unit/domains_kit.h"

#define TIMES_10(text) text text text text text text text text text text

static const struct member *
member_of(const char *domain, const char *name)
{
    const struct domain *found = domains_find(kit_domains(), str_of(domain));
    assert_non_null(found);
    const struct member *member = domain_member(found, str_of(name));
    if (member == NULL)
        fail_msg("unknown member %s.%s", domain, name);
    return member;
}

static const char *
read_as(struct arena *mem, const struct member *member, const char *json, struct value *out)
{
    const struct json_value *given;
    struct why why = { 0 };
    if (json_read(mem, str_of(json), 8, &given, &why))
        fail_msg("%s: %s", json, why.text);
    return value_read(mem, member, given, out);
}

struct taken {
    const char *why, *domain, *member, *given, *shown, *key;
};

static void
check_taken(const struct taken *rows, size_t count)
{
    struct arena *mem = arena_new();
    for (size_t i = 0; i < count; i++) {
        const struct member *member = member_of(rows[i].domain, rows[i].member);
        struct value value, again;
        const char *problem = read_as(mem, member, rows[i].given, &value);
        if (problem != NULL)
            fail_msg("%s: %s", rows[i].why, problem);
        assert_str(value.json, str_of(rows[i].shown), rows[i].why);
        assert_str(value.key, str_of(rows[i].key), rows[i].why);
        assert_null(read_as(mem, member, rows[i].shown, &again));
        assert_str(again.json, value.json, rows[i].why);
        assert_str(again.key, value.key, rows[i].why);
    }
    arena_free(mem);
}

static void
values_keep_their_spelling_and_have_a_folded_key(void **state)
{
    (void)state;
    static const struct taken rows[] = {
        { "a name", "music_preferences", "favorite_artists", "\"Sigur Rós\"", "\"Sigur Rós\"",
          "sigur ros" },
        { "blanks go", "music_preferences", "favorite_artists", "\"  Sigur \\u00a0 Rós \"",
          "\"Sigur Rós\"", "sigur ros" },
        { "a mark of its own", "music_preferences", "favorite_artists", "\"Bjo\\u0308rk\"",
          "\"Björk\"", "bjork" },
        { "a typographic apostrophe", "lifestyle_profile", "favorite_brands", "\"LEVI\u2019S\"",
          "\"LEVI\u2019S\"", "levi's" },
        { "two unknown foods that differ in marks", "food_profile", "allergies", "\"bò kho\"",
          "\"bò kho\"", "bò kho" },
        { "Vietnamese", "food_profile", "favorite_foods", "\"phở bò\"", "\"phở bò\"", "phở bò" },
        { "an open vocabulary, as written", "music_preferences", "genres", "\"Trip Hop\"",
          "\"Trip Hop\"", "trip hop" },
        { "an alias of an open one is shown as written", "music_preferences", "genres", "\"DnB\"",
          "\"DnB\"", "drum and bass" },
        { "not in the open vocabulary", "music_preferences", "genres", "\"Zydeco\"", "\"Zydeco\"",
          "zydeco" },
        { "a quote", "music_preferences", "statements", "\"I like \\\"loud\\\"\"",
          "\"I like \\\"loud\\\"\"", "i like loud" },
        { "the same food everywhere", "food_profile", "favorite_foods", "\"Peanut\"", "\"peanuts\"",
          "peanuts" },
        { "the same food as an allergy", "food_profile", "allergies", "\"groundnut\"",
          "\"peanuts\"", "peanuts" },
        { "almonds are not tree nuts", "food_profile", "allergies", "\"almond\"", "\"almonds\"",
          "almonds" },
        { "an allergy in a sentence", "food_profile", "allergies",
          "\"I have a severe peanut allergy\"", "\"peanuts\"", "peanuts" },
        { "no allergy", "food_profile", "allergies", "\"No known allergies\"", "\"none\"", "none" },
        { "none is no diet", "food_profile", "dietary", "\"none\"", "\"none\"", "none" },
        { "a family of four with joiners", "music_preferences", "favorite_artists",
          "\"\\ud83d\\udc68\\u200d\\ud83d\\udc69\\u200d\\ud83d\\udc67\"",
          "\"\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7\"",
          "\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7" },
        { "80 characters of two bytes", "music_preferences", "favorite_artists",
          "\"" TIMES_10("éééééééé") "\"", "\"" TIMES_10("éééééééé") "\"", TIMES_10("eeeeeeee") },
    };
    check_taken(rows, ROWS(rows));
}

static void
closed_vocabularies_replace_the_spelling(void **state)
{
    (void)state;
    static const struct taken rows[] = {
        { "the value", "travel_profile", "cabin_class", "\"premium_economy\"",
          "\"premium_economy\"", "premium economy" },
        { "the label", "travel_profile", "cabin_class", "\"Premium Economy\"",
          "\"premium_economy\"", "premium economy" },
        { "an alias", "travel_profile", "cabin_class", "\"Coach\"", "\"economy\"", "economy" },
        { "in another case", "travel_profile", "airline_alliances", "\"ONEWORLD\"", "\"oneworld\"",
          "oneworld" },
        { "by its label only", "travel_profile", "meal_request", "\"kosher meal\"", "\"KSML\"",
          "ksml" },
        { "signs", "food_profile", "price_range", "\"$$\"", "\"moderate\"", "moderate" },
    };
    check_taken(rows, ROWS(rows));
}

static void
numbers_bools_and_objects_are_canonical(void **state)
{
    (void)state;
    static const struct taken rows[] = {
        { "a whole number", "travel_profile", "max_stops", "1", "1", "1" },
        { "the same with a point", "travel_profile", "max_stops", "1.0", "1", "1" },
        { "the same with an exponent", "travel_profile", "max_stops", "10e-1", "1", "1" },
        { "less than nothing is nothing", "travel_profile", "max_stops", "-0.0", "0", "0" },
        { "a fraction", "coding_profile", "line_length", "99.5", "99.5", "99.5" },
        { "true", "travel_profile", "avoid_red_eye", "true", "true", "true" },
        { "false", "travel_profile", "avoid_red_eye", "false", "false", "false" },
        { "an object in the order of the definition", "coding_profile", "indentation",
          "{\"width\":4.0,\"style\":\" Spaces \"}", "{\"style\":\"Spaces\",\"width\":4}",
          "{\"style\":\"spaces\",\"width\":4}" },
        { "part of an object", "travel_profile", "room", "{\"smoking\":false}",
          "{\"smoking\":false}", "{\"smoking\":false}" },
        { "as much as a number can be", "food_profile", "nutrition_goals",
          "{\"calories\":1000000000000000}", "{\"calories\":1000000000000000}",
          "{\"calories\":1000000000000000}" },
    };
    check_taken(rows, ROWS(rows));
}

static void
invalid_values_are_explained(void **state)
{
    (void)state;
    static const struct {
        const char *why, *domain, *member, *given, *expected;
    } rows[] = {
        { "a number for a text", "music_preferences", "genres", "3", "must be a string" },
        { "nothing", "music_preferences", "genres", "null", "must be a string" },
        { "an array in an array", "music_preferences", "genres", "[\"jazz\"]", "must be a string" },
        { "empty", "music_preferences", "genres", "\"\"", "is empty" },
        { "only blanks", "music_preferences", "genres", "\" \\u3000 \"", "is empty" },
        { "a line break", "music_preferences", "genres", "\"a\\nb\"",
          "contains U+000A, an invisible character; remove it" },
        { "a tab", "music_preferences", "genres", "\"a\\tb\"",
          "contains U+0009, an invisible character; remove it" },
        { "J10 NUL", "music_preferences", "genres", "\"a\\u0000\"",
          "contains U+0000, an invisible character; remove it" },
        { "J10 an escape", "music_preferences", "genres", "\"\\u001b[2J\"",
          "contains U+001B, an invisible character; remove it" },
        { "J8 a zero-width space", "music_preferences", "genres", "\"a\\u200bb\"",
          "contains U+200B, an invisible character; remove it" },
        { "J8 a joiner in Latin", "music_preferences", "genres", "\"a\\u200db\"",
          "contains U+200D, an invisible character; remove it" },
        { "J8 a byte order mark", "music_preferences", "genres", "\"\\ufeffa\"",
          "contains U+FEFF, an invisible character; remove it" },
        { "J8 a variation selector", "music_preferences", "genres", "\"a\\ufe01\"",
          "contains U+FE01, an invisible character; remove it" },
        { "J9 an override", "music_preferences", "genres", "\"a\\u202eb\"",
          "contains U+202E, an invisible character; remove it" },
        { "J9 an isolate", "music_preferences", "genres", "\"a\\u2066b\"",
          "contains U+2066, an invisible character; remove it" },
        { "J8 a tag", "music_preferences", "genres", "\"a\\udb40\\udc41\"",
          "contains U+E0041, an invisible character; remove it" },
        { "J10 private use", "music_preferences", "genres", "\"\\ue000\"",
          "contains U+E000, an invisible character; remove it" },
        { "J10 no character", "music_preferences", "genres", "\"\\uffff\"",
          "contains U+FFFF, an invisible character; remove it" },
        { "a line separator", "music_preferences", "genres", "\"a\\u2028b\"",
          "contains U+2028, an invisible character; remove it" },
        { "J19 81 characters", "music_preferences", "genres", "\"" TIMES_10("éééééééé") "x\"",
          "must have at most 80 characters, not 81" },
        { "J19 201 characters", "music_preferences", "statements",
          "\"" TIMES_10("12345678901234567890") "x\"",
          "must have at most 200 characters, not 201" },
        { "a member's own length", "travel_profile", "home_airport", "\"EDDH\"",
          "must be a code of at most 3 characters, such as ACC, or a known name for one, such as "
          "Accra" },
        { "not in the vocabulary", "travel_profile", "cabin_class", "\"steerage\"",
          "must be one of economy, premium_economy, business, first" },
        { "not in a long vocabulary", "travel_profile", "meal_request", "\"steak\"",
          "must be one of AVML, BBML, BLML, CHML, DBML, FPML, GFML, HNML or 13 others listed in "
          "the schema" },
        { "not in the vocabulary of an array", "travel_profile", "airline_alliances", "\"Sky\"",
          "must be one of Star Alliance, oneworld, SkyTeam" },
        { "a text for a number", "travel_profile", "max_stops", "\"1\"",
          "must be a number from 0 to 3" },
        { "too large", "travel_profile", "max_stops", "4", "must be a number from 0 to 3" },
        { "too small", "travel_profile", "max_stops", "-0.5", "must be a number from 0 to 3" },
        { "1 for true", "travel_profile", "avoid_red_eye", "1", "must be true or false" },
        { "a text for true", "travel_profile", "avoid_red_eye", "\"true\"",
          "must be true or false" },
        { "a text for an object", "travel_profile", "room", "\"big\"", "must be an object" },
        { "an empty object", "travel_profile", "room", "{}", "must have at least one property" },
        { "an unknown property", "travel_profile", "room", "{\"bed\":\"big\",\"sauna\":true}",
          "cannot have the property sauna" },
        { "a property with an odd name", "travel_profile", "room", "{\"a b\\n\":true}",
          "has a property that is not defined" },
        { "a property of another type", "travel_profile", "room", "{\"smoking\":\"no\"}",
          "has an invalid property smoking: it must be true or false" },
        { "no property at all", "travel_profile", "room", "{\"bed\":null}",
          "has an invalid property bed: it must be a string" },
        { "a hidden character in a property", "travel_profile", "room", "{\"bed\":\"a\\u200b\"}",
          "has an invalid property bed: it contains U+200B, an invisible character; remove it" },
        { "an empty property", "travel_profile", "room", "{\"bed\":\" \"}",
          "has an invalid property bed: it is empty" },
        { "a property past all numbers", "food_profile", "nutrition_goals", "{\"calories\":1e16}",
          "has an invalid property calories: it must be a number from -1000000000000000 to "
          "1000000000000000" },
    };
    struct arena *mem = arena_new();
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct value value;
        const char *problem =
            read_as(mem, member_of(rows[i].domain, rows[i].member), rows[i].given, &value);
        assert_str(str_of(problem), str_of(rows[i].expected), rows[i].why);
    }
    arena_free(mem);
}

#define NO_ANSWER "does not name anything; leave it out if it is not known"

/* As an allergy it could hide that nobody asked, so it is refused. In other lists it says as little
 * as an empty list, which "none" stands for there. In a list of names it can be a name. */
static void
no_answer_is_no_value(void **state)
{
    (void)state;
    static const char *const texts[] = { "unknown",           "Unknown.", "yes", "Yes!", "not sure",
                                         "I\u2019m not sure", "idk",      "?",   "maybe" };
    static const char *const critical[][2] = {
        { "food_profile", "allergies" },      { "food_profile", "intolerances" },
        { "food_profile", "medical_diets" },  { "travel_profile", "accessibility_needs" },
        { "lifestyle_profile", "allergies" },
    };
    static const char *const others[][2] = {
        { "food_profile", "cuisines" },
        { "food_profile", "disliked_foods" },
        { "lifestyle_profile", "hobbies" },
        { "travel_profile", "travel_styles" },
    };
    struct arena *mem = arena_new();
    struct value value;
    for (size_t i = 0; i < ROWS(texts); i++) {
        struct json_value given = { .type = JSON_STR, .text = str_of(texts[i]) };
        for (size_t k = 0; k < ROWS(critical); k++) {
            const struct member *member = member_of(critical[k][0], critical[k][1]);
            assert_int_equal(member->safety, SAFETY_CRITICAL);
            assert_str(str_of(value_read(mem, member, &given, &value)), STR(NO_ANSWER), texts[i]);
        }
        for (size_t k = 0; k < ROWS(others); k++) {
            const struct member *member = member_of(others[k][0], others[k][1]);
            assert_null(value_read(mem, member, &given, &value));
            assert_str(value.key, VALUE_NONE, texts[i]);
        }
    }
    struct json_value artist = { .type = JSON_STR, .text = STR("Yes") };
    assert_null(
        value_read(mem, member_of("music_preferences", "favorite_artists"), &artist, &value));
    assert_str(value.json, STR("\"Yes\""), "a band");
    arena_free(mem);
}

/* What trimming leaves is read like a text of its own. */
static void
trimmed_texts_are_read_again(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    struct value value;
    assert_str(str_of(read_as(mem, member_of("food_profile", "allergies"),
                              "\"severe unknown allergy\"", &value)),
               STR(NO_ANSWER), "an unknown allergy");
    assert_null(read_as(mem, member_of("food_profile", "avoided_restaurants"),
                        "\"no corner pub with live loud music lol\"", &value));
    assert_str(value.json, STR("\"corner pub with live loud music\""), "a refusal and a filler");
    assert_null(read_as(mem, member_of("communication_profile", "tones"), "\"!! 👑\"", &value));
    assert_str(value.json, STR("\"!! 👑\""), "nothing but marks and an emoji");
    arena_free(mem);
}

/* One part without an answer refuses the whole text: the rest could look complete. */
static void
a_list_with_no_answer_is_refused(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    struct json_value given = { .type = JSON_STR, .text = STR("peanuts, unknown") };
    struct value *values;
    size_t count;
    assert_str(str_of(value_read_list(mem, member_of("food_profile", "allergies"), &given, &values,
                                      &count)),
               STR(NO_ANSWER), "peanuts, unknown");
    arena_free(mem);
}

static void
too_many_combining_marks_are_rejected(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    struct str text = STR("\"a");
    for (int i = 0; i < 40; i++)
        text = str_format(mem, "%s\\u0301", text.ptr);
    struct value value;
    const struct member *member = member_of("music_preferences", "statements");
    assert_string_equal(read_as(mem, member, str_format(mem, "%s\"", text.ptr).ptr, &value),
                        "has too many combining marks on one letter");
    struct json_value bad = { .type = JSON_STR, .text = STR("a\xff") };
    assert_string_equal(value_read(mem, member, &bad, &value), "is not valid UTF-8");
    arena_free(mem);
}

static void
every_string_of_a_value_is_searched(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        struct str json;
        const char *expected;
    } rows[] = {
        { "a name", STR("\"Booking.com\""), NULL },
        { "a link", STR("\"https://x\""), "a link" },
        { "a number", STR("3"), NULL },
        { "a bool", STR("true"), NULL },
        { "an object", STR("{\"bed\":\"king\",\"smoking\":false}"), NULL },
        { "the last text of an object", STR("{\"smoking\":false,\"view\":\"<script>\"}"),
          "markup" },
        { "escaped", STR("\"\\u003cscript\\u003e\""), "markup" },
        { "no value", STR("nothing"), "no value" },
    };
    struct arena *mem = arena_new();
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct value value = { .json = rows[i].json, .key = STR("") };
        assert_str(str_of(value_suspicion(mem, &value)), str_of(rows[i].expected), rows[i].why);
    }
    arena_free(mem);
}

/* In what harms the user, a misspelled name is the name; other words stay what they are. */
static void
misspelled_dangers_are_known(void **state)
{
    static const char *const rows[][2] = {
        { "hazlenut", "hazelnuts" },
        { "hazel nut", "hazelnuts" },
        { "wallnuts", "walnuts" },
        { "pistacio", "pistachios" },
        { "cashues", "cashews" },
        { "seseme", "sesame" },
        { "musles", "mussels" },
        { "avacado", "avocado" },
        { "bannana", "bananas" },
        { "wheet", "wheat" },
        { "aple", "apples" },
        { "penut butter", "peanut butter" },
        { "macadmia nuts", "macadamia nuts" },
        { "severe pistashio allergy", "pistachios" },
        { "wallnuts and seseme", "walnuts sesame" },
        /* Words of their own. */
        { "barley", "barley" },
        { "barely", "barely" },
        { "quince", "quince" },
        { "muscles", "muscles" },
        { "lactase", "lactase" },
        { "scallions", "scallions" },
        { "millet", "millet" },
        { "perch", "perch" },
        { "cumin", "cumin" },
        { "sulfates", "sulfates" },
        { "lintels", "lintels" },
        { "satin", "satin" },
        { "buts", "buts" },
        { "chestnuts", "chestnuts" },
        { "coconut oil", "coconut oil" },
    };
    struct arena *mem = arena_new();
    const struct member *member =
        domain_member(domains_find(kit_domains(), STR("food_profile")), STR("allergies"));
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct json_value given = { .type = JSON_STR, .text = str_of(rows[i][0]) };
        struct value *read;
        size_t count;
        struct buf keys = buf_in(mem, 1000);
        assert_null(value_read_list(mem, member, &given, &read, &count));
        for (size_t k = 0; k < count; k++)
            buf_add_format(&keys, "%s%.*s", k > 0 ? " " : "", STR_ARG(read[k].key));
        assert_str(buf_str(&keys), str_of(rows[i][1]), rows[i][0]);
        if (!str_eq(read[0].key, str_of(rows[i][0])))
            assert_true(str_present(read[0].wording));
    }
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_keep_their_spelling_and_have_a_folded_key),
        cmocka_unit_test(misspelled_dangers_are_known),
        cmocka_unit_test(closed_vocabularies_replace_the_spelling),
        cmocka_unit_test(numbers_bools_and_objects_are_canonical),
        cmocka_unit_test(invalid_values_are_explained),
        cmocka_unit_test(no_answer_is_no_value),
        cmocka_unit_test(trimmed_texts_are_read_again),
        cmocka_unit_test(a_list_with_no_answer_is_refused),
        cmocka_unit_test(too_many_combining_marks_are_rejected),
        cmocka_unit_test(every_string_of_a_value_is_searched),
    };
    return cmocka_run_group_tests_name("domain/value", tests, NULL, NULL);
}
