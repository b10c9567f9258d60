#include "unit/assert_str.h"

#include "app/routes.h"
#include "base/arena.h"
#include "base/embedded.h"
#include "crypt/password.h"
#include "model/scope.h"
#include "model/user.h"
#include "text/catalog.h"
#include "web/language.h"

#define SAME(actual, expected) assert_str((actual), str_of(expected), "")

static struct arena *mem;

static int
make_memory(void **state)
{
    (void)state;
    mem = arena_new();
    return 0;
}

static int
free_memory(void **state)
{
    (void)state;
    arena_free(mem);
    return 0;
}

static void
the_language_follows_accept_language(void **state)
{
    static const struct {
        const char *why;
        const char *accept;
        const char *tag;
    } rows[] = {
        { "nothing asked", NULL, "en" },
        { "nothing asked", "", "en" },
        { "asked", "de", "de" },
        { "in capitals", "DE", "de" },
        { "of a country", "de-AT, en", "de" },
        { "a country of ours", "pt-BR", "pt-br" },
        { "only the country is there", "pt", "en" },
        { "the heavier one", "en;q=0.5, de;q=0.8", "de" },
        { "the first of two", "de, en", "de" },
        { "the first of two", "en, de", "en" },
        { "refused", "de;q=0", "en" },
        { "not there", "fr, nl;q=0.5", "en" },
        { "not there, then one that is", "fr, de;q=0.1", "de" },
        { "a longer word", "den", "en" },
        { "anything", "*", "en" },
        { "nonsense", ";;,,q=1;de", "en" },
    };
    struct language list[] = { { .tag = STR("en") },
                               { .tag = STR("de") },
                               { .tag = STR("pt-br") } };
    struct languages languages = { list, 3 };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        SAME(language_pick(&languages, str_of(rows[i].accept))->tag, rows[i].tag);
}

static void
every_page_loads_in_every_language(void **state)
{
    struct languages languages = { 0 };
    struct why why = { 0 };
    (void)state;
    assert_non_null(routes_public[0]); /* links the pages and their messages */
    if (languages_load(mem, &languages, &why) != ERR_NONE)
        fail_msg("%s", why.text);
    SAME(languages.list[0].tag, "en");
    languages_free(&languages);
}

static void
assert_known(const struct catalog *catalog, const char *sentence)
{
    assert_non_null(sentence);
    if (!str_eq_c(catalog_translate(catalog, catalog, mem, str_of(sentence)), sentence))
        fail_msg("the catalog has no text for: %s", sentence);
}

/* Fails if a sentence changes in a lower layer but not in the catalog. */
static void
sentences_of_lower_layers_are_in_the_catalog(void **state)
{
    static const char *const usernames[] = { "",
                                             "a b",
                                             "1ab",
                                             "ab",
                                             "abcdefghijklmnopqrstuvwxyzabcdefghijkl",
                                             "usr_aaaaaaaaaaaaaaaaaaaaaa",
                                             "admin" };
    static const char *const emails[] = { "", "a b@c", "ab", "a@b@c", "@b" };
    static const char *const names[] = { "\xff", "", "a\xe2\x80\x8b" };
    static const char *const passwords[] = { "\xff",         "a\tbcdefghijk", "short",
                                             "ada.lovelace", "password1234",  "p4ssw0rd!!",
                                             "aaaaaaaaaaaa", "abcdefghijkl",  "qwertyuiop[]",
                                             "12.12.1984.." };
    const struct str own = STR("ada.lovelace");
    struct catalog *catalog = NULL;
    (void)state;
    assert_int_equal(catalog_read(mem, "en", embedded_find("pages/en.strings"), &catalog, NULL),
                     ERR_NONE);
    for (size_t i = 0; i < sizeof usernames / sizeof *usernames; i++)
        assert_known(catalog, user_username_problem(str_of(usernames[i])));
    for (size_t i = 0; i < sizeof emails / sizeof *emails; i++)
        assert_known(catalog, user_email_problem(str_of(emails[i])));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_known(catalog, user_name_problem(str_of(names[i])));
    for (size_t i = 0; i < sizeof passwords / sizeof *passwords; i++)
        assert_known(catalog, password_problem(mem, str_of(passwords[i]), &own, 1));
    for (size_t i = 0; i < scope_count(); i++) {
        assert_known(catalog, scope_row(i)->title);
        assert_known(catalog, scope_row(i)->sentence);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_language_follows_accept_language),
        cmocka_unit_test(every_page_loads_in_every_language),
        cmocka_unit_test(sentences_of_lower_layers_are_in_the_catalog),
    };
    return cmocka_run_group_tests(tests, make_memory, free_memory);
}
