/* task_words_test.c - which members of a domain a task means by its words. */
#include "domain/task_words.h"

#include "unit/domains_kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static bool
means(const char *domain_name, const char *member_name, const char *task)
{
    const struct domain *domain = domains_find(kit_domains(), str_of(domain_name));
    const struct member *member = domain_member(domain, str_of(member_name));
    struct terms terms = { .count = 0 };
    struct member_bits meant;
    assert_non_null(member);
    terms_add(&terms, str_of(task));
    task_words_find(domain->task_words, &terms, &meant);
    return member_bits_has(&meant, (size_t)(member - domain->members));
}

static void
listed_words_mean_their_members(void **state)
{
    (void)state;
    assert_true(means("coding_profile", "commit_style", "squash these commits"));
    assert_true(means("coding_profile", "commit_style", "squashing"));
    assert_false(means("coding_profile", "commit_style", "deploy this"));
    assert_true(means("travel_profile", "seat_preference", "an aisle, please"));
    assert_false(means("travel_profile", "seat_preference", "a room in Porto"));
    assert_true(means("coding_profile", "cloud_platforms", "squash these commits and deploy"));
}

static void
words_of_titles_mean_their_members(void **state)
{
    (void)state;
    assert_true(means("coding_profile", "databases", "write to the database"));
    assert_false(means("coding_profile", "statements", "statements"));
    /* About safety: only listed words. */
    assert_false(means("coding_profile", "license_restrictions", "what to avoid"));
    assert_true(means("coding_profile", "license_restrictions", "explain the license"));
}

/* In the order of the definition, also beyond the first 64 bits. */
static void
bits_are_of_members(void **state)
{
    struct member_bits meant = { { 1, 2 } };
    (void)state;
    assert_true(member_bits_has(&meant, 0));
    assert_false(member_bits_has(&meant, 1));
    assert_false(member_bits_has(&meant, 64));
    assert_true(member_bits_has(&meant, 65));
}

static void
a_domain_that_is_always_relevant_has_no_words(void **state)
{
    (void)state;
    const struct domain *domain = domains_find(kit_domains(), STR("communication_profile"));
    assert_null(domain->task_words);
    assert_false(means("communication_profile", "tones", "tone"));
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(listed_words_mean_their_members),
        cmocka_unit_test(words_of_titles_mean_their_members),
        cmocka_unit_test(bits_are_of_members),
        cmocka_unit_test(a_domain_that_is_always_relevant_has_no_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
