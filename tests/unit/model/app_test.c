#include "unit/assert_str.h"

#include "base/arena.h"
#include "crypt/digest.h"
#include "model/app.h"

#define TIMES_10(text) text text text text text text text text text text

/* `expected` is part of the problem; NULL: valid. */
static void
app_names_are_one_line_and_imitate_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        struct str input;
        const char *expected;
    } rows[] = {
        { "usual", STR("Concert Finder"), NULL },
        { "one letter", STR("C"), NULL },
        { "blanks around it go", STR("  Concert Finder\t"), NULL },
        { "accents", STR("Caf\xc3\xa9 R\xc3\xa4tsel"), NULL },
        { "Cyrillic", STR("\xd0\x9c\xd1\x83\xd0\xb7\xd1\x8b\xd0\xba\xd0\xb0"), NULL },
        { "Greek", STR("\xce\x9c\xce\xbf\xcf\x85\xcf\x83\xce\xb9\xce\xba\xce\xae"), NULL },
        { "Chinese", STR("\xe9\x9f\xb3\xe4\xb9\x90"), NULL },
        { "two alphabets in two words", STR("Radio \xd0\x9c\xd0\xb0\xd1\x8f\xd0\xba"), NULL },
        { "two alphabets with a hyphen", STR("e-\xd0\xbc\xd0\xb0\xd0\xb3"), NULL },
        { "an emoji", STR("Concerts \xf0\x9f\x8e\xb5"), NULL },
        { "B14 markup is text", STR("<script>alert(1)</script>"), NULL },
        { "60 characters", STR(TIMES_10("abcdef")), NULL },
        { "60 characters of two bytes",
          STR(TIMES_10("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9")), NULL },

        { "absent", STR_NONE, "not valid UTF-8" },
        { "empty", STR(""), "Enter a name" },
        { "only blanks", STR("   "), "Enter a name" },
        { "61 characters", STR(TIMES_10("abcdef") "g"), "at most 60" },
        { "not UTF-8", STR("Concert \xff"), "not valid UTF-8" },
        { "a NUL", STR("Concert\0Finder"), "invisible character" },
        { "a line break", STR("Concert\nFinder"), "invisible character" },
        { "an escape", STR("Concert\x1b[31m"), "invisible character" },
        { "B14 right-to-left override", STR("Concert \xe2\x80\xaeredniF"), "invisible character" },
        { "an isolate", STR("Concert \xe2\x81\xa6x"), "invisible character" },
        { "a right-to-left mark", STR("Concert\xe2\x80\x8f"), "invisible character" },
        { "a zero-width space",
          STR("Con\xe2\x80\x8b"
              "cert"),
          "invisible character" },
        { "a zero-width joiner in Latin",
          STR("Con\xe2\x80\x8d"
              "cert"),
          "invisible character" },
        { "a soft hyphen",
          STR("Con\xc2\xad"
              "cert"),
          "invisible character" },
        { "a tag", STR("Concert\xf3\xa0\x81\x81"), "invisible character" },
        { "private use", STR("Concert\xee\x80\x80"), "invisible character" },
        { "Cyrillic o in a Latin word", STR("C\xd0\xbencert"), "mixes alphabets" },
        { "Cyrillic a in our name", STR("Pench\xd0\xb0nt"), "mixes alphabets" },
        { "Greek omicron in a Latin word", STR("C\xce\xbfncert"), "mixes alphabets" },
        { "an accented letter beside Cyrillic", STR("\xc3\xa9\xd0\xb0"), "mixes alphabets" },
        { "mixed in the last word", STR("Best C\xd0\xbencert"), "mixes alphabets" },
        { "our name", STR("Penchant"), "name of this service" },
        { "B14 our name, and official", STR("Penchant (official)"), "name of this service" },
        { "our name in capitals", STR("PENCHANT SUPPORT"), "name of this service" },
        { "our name inside a word", STR("MyPenchantApp"), "name of this service" },
        { "our name in Cyrillic", STR("\u0440\u0435\u043f\u0441\u04bb\u0430\u043f\u0442"),
          "name of this service" },
        { "our name in full width", STR("\uff30\uff45\uff4e\uff43\uff48\uff41\uff4e\uff54"),
          "name of this service" },
        { "our name with an accent", STR("P\u00e9nch\u00e4nt"), "name of this service" },
        { "our name in digits", STR("P3nch4nt"), "name of this service" },
        { "our name with a blank", STR("Pen chant"), "name of this service" },
        { "our name with a no-break space", STR("The Pen\u00a0chant"), "name of this service" },
        { "our name letter by letter", STR("P.e.n-c h a n t"), "name of this service" },
        { "words that only join to our name", STR("Open Chant"), NULL },
        { "our name at the end", STR("The real penchant"), "name of this service" },
    };
    struct arena *mem = arena_new();
    for (size_t i = 0; i < ROWS(rows); i++) {
        const char *problem = app_name_problem(mem, app_clean_name(mem, rows[i].input));
        if (rows[i].expected == NULL && problem != NULL)
            fail_msg("%s: refused: %s", rows[i].why, problem);
        if (rows[i].expected != NULL && problem == NULL)
            fail_msg("%s: let through", rows[i].why);
        if (problem != NULL && strstr(problem, rows[i].expected) == NULL)
            fail_msg("%s: wrong sentence: %s", rows[i].why, problem);
    }
    char *much = arena_alloc(mem, 10241);
    memset(much, 'a', 10240);
    assert_non_null(app_name_problem(mem, (struct str){ much, 10240 }));
    assert_str(app_clean_name(mem, STR(" Cafe\xcc\x81 ")), STR("Caf\xc3\xa9"), "NFC and trimmed");
    arena_free(mem);
}

static void
app_ids_are_well_formed(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        struct str input;
        bool expected;
    } rows[] = {
        { "22 characters", STR("app_AAAAAAAAAAAAAAAAAAAAAA"), true },
        { "all kinds of them", STR("app_abcXYZ0189-_abcXYZ0189"), true },
        { "an app that registered itself", STR("dyn_AAAAAAAAAAAAAAAAAAAAAA"), true },
        { "an app with a document", STR("doc_AAAAAAAAAAAAAAAAAAAAAA"), true },
        { "absent", STR_NONE, false },
        { "empty", STR(""), false },
        { "21 characters", STR("app_AAAAAAAAAAAAAAAAAAAAA"), false },
        { "23 characters", STR("app_AAAAAAAAAAAAAAAAAAAAAAA"), false },
        { "a user's", STR("usr_AAAAAAAAAAAAAAAAAAAAAA"), false },
        { "upper case in front", STR("APP_AAAAAAAAAAAAAAAAAAAAAA"), false },
        { "a dot", STR("app_AAAAAAAAAAAAAAAAAAAAA."), false },
        { "a NUL", STR("app_AAAAAAAAAAAAAAAAAAAAA\0"), false },
        { "a quote", STR("app_AAAAAAAAAAAAAAAAAAAAA'"), false },
    };
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_row(app_id_well_formed(rows[i].input) == rows[i].expected, rows[i].why);
}

#define ONE STR("https://c.example/cb")
#define TWO STR("http://127.0.0.1/cb")

static void
redirect_uris_are_joined_only_if_all_are_valid(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    const char *problem;
    const struct str both[] = { ONE, TWO };
    assert_str(app_join_uris(mem, both, 2, &problem),
               STR("https://c.example/cb\nhttp://127.0.0.1/cb"), "one a line");
    assert_null(problem);
    assert_str(app_join_uris(mem, both, 1, &problem), ONE, "one alone");

    assert_str(app_join_uris(mem, both, 0, &problem), STR_NONE, "none");
    assert_non_null(strstr(problem, "is missing"));

    const struct str second_wrong[] = { ONE, STR("http://c.example/cb"), TWO };
    assert_str(app_join_uris(mem, second_wrong, 3, &problem), STR_NONE, "one of three is wrong");
    assert_non_null(strstr(problem, "Redirect URI 2 (http://c.example/cb): "));
    assert_non_null(strstr(problem, "must have a loopback host"));
    const struct str two_wrong[] = { STR("myapp:/x"), ONE, STR("https://c.example/#") };
    assert_str(app_join_uris(mem, two_wrong, 3, &problem), STR_NONE, "two of three are wrong");
    assert_non_null(strstr(problem, "Redirect URI 1 (myapp:/x): "));
    assert_null(strstr(problem, "Redirect URI 2"));
    assert_non_null(strstr(problem, " Redirect URI 3 (https://c.example/#): "));

    const struct str two_in_one[] = { STR("https://c.example/cb\nhttps://evil.example/") };
    assert_str(app_join_uris(mem, two_in_one, 1, &problem), STR_NONE, "a line break in one");
    assert_non_null(problem);

    struct str many[APP_REDIRECT_URIS_MAX + 1];
    for (size_t i = 0; i < ROWS(many); i++)
        many[i] = str_format(mem, "https://c.example/%zu", i);
    assert_true(str_present(app_join_uris(mem, many, APP_REDIRECT_URIS_MAX, &problem)));
    assert_str(app_join_uris(mem, many, ROWS(many), &problem), STR_NONE, "eleven");
    assert_non_null(strstr(problem, "at most 10"));
    arena_free(mem);
}

static void
a_matching_registered_redirect_uri_is_found(void **state)
{
    (void)state;
    const struct app app = { .redirect_uris = STR("https://c.example/cb\nhttp://127.0.0.1/cb") };
    static const struct {
        const char *why;
        struct str asked;
        struct str expected;
    } rows[] = {
        { "the first", ONE, ONE },
        { "the second", TWO, TWO },
        { "the second with a port", STR("http://127.0.0.1:9/cb"), TWO },
        { "another", STR("https://d.example/cb"), STR_NONE },
        { "both at once", STR("https://c.example/cb\nhttp://127.0.0.1/cb"), STR_NONE },
        { "absent", STR_NONE, STR_NONE },
        { "empty", STR(""), STR_NONE },
    };
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_str(app_find_uri(&app, rows[i].asked), rows[i].expected, rows[i].why);
    const struct app none = { 0 };
    assert_str(app_find_uri(&none, STR("")), STR_NONE, "no list, nothing asked");
    assert_str(app_find_uri(&none, STR_NONE), STR_NONE, "no list, absent");
}

static void
a_secret_matches_until_it_expires(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    struct str new = digest_text(mem, STR("new")), old = digest_text(mem, STR("old"));
    struct str other = digest_text(mem, STR("other"));
    const struct app rotated = { .secret_hash = new,
                                 .old_secret_hash = old,
                                 .old_secret_expires_at = 100 };
    assert_true(app_secret_matches(&rotated, new, 50));
    assert_true(app_secret_matches(&rotated, new, 1000));
    assert_true(app_secret_matches(&rotated, old, 99));
    assert_false(app_secret_matches(&rotated, old, 100));
    assert_false(app_secret_matches(&rotated, other, 50));
    assert_false(app_secret_matches(&rotated, STR(""), 50));
    assert_false(app_secret_matches(&rotated, STR_NONE, 50));
    const struct app public = { .is_public = true };
    assert_false(app_secret_matches(&public, STR_NONE, 50));
    assert_false(app_secret_matches(&public, new, 50));
    arena_free(mem);
}

static void
only_known_statuses_are_read(void **state)
{
    (void)state;
    enum app_status status;
    assert_true(app_status_read(str_of(app_status_name(APP_ACTIVE)), &status));
    assert_int_equal(status, APP_ACTIVE);
    assert_true(app_status_read(str_of(app_status_name(APP_DISABLED)), &status));
    assert_int_equal(status, APP_DISABLED);
    static const struct str odd[] = { STR_NONE, STR(""), STR("Active"), STR("active "), STR("1") };
    for (size_t i = 0; i < ROWS(odd); i++) {
        assert_false(app_status_read(odd[i], &status));
        assert_int_equal(status, APP_DISABLED);
    }
}

static void
an_app_needs_a_scope(void **state)
{
    (void)state;
    assert_non_null(app_scopes_problem(0));
    assert_null(app_scopes_problem(SCOPE_AGENT_HINTS));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(app_names_are_one_line_and_imitate_nothing),
        cmocka_unit_test(app_ids_are_well_formed),
        cmocka_unit_test(redirect_uris_are_joined_only_if_all_are_valid),
        cmocka_unit_test(a_matching_registered_redirect_uri_is_found),
        cmocka_unit_test(a_secret_matches_until_it_expires),
        cmocka_unit_test(only_known_statuses_are_read),
        cmocka_unit_test(an_app_needs_a_scope),
    };
    return cmocka_run_group_tests_name("model/app", tests, NULL, NULL);
}
