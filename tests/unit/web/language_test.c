#include "unit/assert_str.h"
#include "unit/domains_kit.h"
#include "unit/test_arena.h"

#include "app/routes.h"
#include "base/embedded.h"
#include "crypt/password.h"
#include "model/scope.h"
#include "model/user.h"
#include "template/catalog.h"
#include "web/language.h"

#define SAME(actual, expected) assert_str((actual), str_of(expected), "")

static void
the_language_follows_accept_language(void **state)
{
    static const struct {
        const char *why;
        const char *accept;
        const char *tag;
    } rows[] = {
        { "nothing asked", NULL, NULL },
        { "nothing asked", "", NULL },
        { "asked", "de", "de" },
        { "in capitals", "DE", "de" },
        { "of a country", "de-AT, en", "de" },
        { "a country of ours", "pt-BR", "pt-br" },
        { "only the country is there", "pt", NULL },
        { "the heavier one", "en;q=0.5, de;q=0.8", "de" },
        { "the first of two", "de, en", "de" },
        { "the first of two", "en, de", "en" },
        { "refused", "de;q=0", NULL },
        { "not there", "fr, nl;q=0.5", NULL },
        { "not there, then one that is", "fr, de;q=0.1", "de" },
        { "a longer word", "den", NULL },
        { "anything", "*", NULL },
        { "nonsense", ";;,,q=1;de", NULL },
    };
    struct language list[] = { { .tag = STR("en") },
                               { .tag = STR("de") },
                               { .tag = STR("pt-br") } };
    struct languages languages = { .list = list, .count = 3 };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct language *found = language_pick(&languages, str_of(rows[i].accept));
        assert_str(found == NULL ? STR_NONE : found->tag, str_of(rows[i].tag), rows[i].why);
    }
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

static struct catalog *
english(void)
{
    struct catalog *catalog = NULL;
    assert_int_equal(catalog_read(mem, "en", embedded_find("pages/en.strings"), &catalog, NULL),
                     ERR_NONE);
    return catalog;
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
    const struct catalog *catalog = english();
    (void)state;
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

/* "favorite_artists" -> "Favorite artists", as facts_label() writes it. */
static const char *
label_of(struct str name)
{
    char *label = (char *)(uintptr_t)str_c(mem, name);
    label[0] = (char)(label[0] - 'a' + 'A');
    for (char *c = label; *c != '\0'; c++)
        *c = *c == '_' ? ' ' : *c;
    return label;
}

/* Fails if a text of a built-in domain has no key by which it can be translated. */
static void
texts_of_built_in_domains_are_in_the_catalog(void **state)
{
    const struct catalog *catalog = english();
    const struct domains *domains = kit_domains();
    (void)state;
    for (size_t i = 0; i < domains->count; i++) {
        const struct domain *domain = &domains->list[i];
        assert_known(catalog, str_c(mem, domain->title));
        assert_known(catalog, str_c(mem, domain->description));
        assert_known(catalog, str_c(mem, domain->consent));
        for (size_t c = 0; c < domain->context_count; c++)
            assert_known(catalog, label_of(domain->contexts[c].name));
        for (size_t m = 0; m < domain->member_count; m++) {
            const struct member *member = &domain->members[m];
            assert_known(catalog, str_present(member->title) ? str_c(mem, member->title)
                                                             : label_of(member->name));
            assert_known(catalog, str_c(mem, member->description));
            for (size_t p = 0; p < member->property_count; p++)
                assert_known(catalog, label_of(member->properties[p].name));
            const struct vocabulary *vocabulary = member->vocabulary;
            for (size_t v = 0; vocabulary != NULL && !vocabulary->open && v < vocabulary->count;
                 v++)
                assert_known(catalog, str_c(mem, vocabulary->values[v].label));
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_language_follows_accept_language),
        cmocka_unit_test(every_page_loads_in_every_language),
        cmocka_unit_test(texts_of_built_in_domains_are_in_the_catalog),
        cmocka_unit_test(sentences_of_lower_layers_are_in_the_catalog),
    };
    return cmocka_run_group_tests(tests, make_memory, free_memory);
}
