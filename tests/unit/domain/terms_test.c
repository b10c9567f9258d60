/* Words reduced to terms. */
#include "unit/assert_str.h"

#include "domain/terms.h"

static size_t
shared(const char *a, const char *b)
{
    struct terms one = { .count = 0 }, other = { .count = 0 };
    size_t count = 0;
    terms_add(&one, str_of(a));
    terms_add(&other, str_of(b));
    for (size_t i = 0; i < other.count; i++)
        count += terms_has(&one, other.list[i]);
    return count;
}

static void
words_are_compared_by_their_stems(void **state)
{
    (void)state;
    static const struct {
        const char *why, *a, *b;
        size_t expected;
    } rows[] = {
        { "plural and case", "Restaurants", "restaurant", 1 },
        { "verb forms", "eating planned", "eat plant planning", 1 },
        { "a name of a tool", "restaurant_search bookFlight", "a flight to a restaurant", 2 },
        { "y and ies", "allergy", "allergies", 1 },
        { "nothing without a topic", "I always want the best of it", "always the best", 0 },
        { "each word once", "soup soup", "soup", 1 },
        { "other scripts", "\u6771\u4EAC ramen", "\u6771\u4EAC", 1 },
        { "no words", "", "?!", 0 },
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        if (shared(rows[i].a, rows[i].b) != rows[i].expected)
            fail_msg("%s: %zu", rows[i].why, shared(rows[i].a, rows[i].b));
    }
}

static void
words_beyond_the_maximum_are_ignored(void **state)
{
    (void)state;
    struct terms terms = { .count = 0 };
    char text[1000];
    size_t length = 0;
    for (int i = 0; i < 100; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "word%d ", i);
    terms_add(&terms, (struct str){ text, length });
    assert_int_equal(terms.count, TERMS_MAX);
    terms_add(&terms, STR("onelongwordthatismuchlongerthanthirtytwobytes"));
    assert_int_equal(terms.count, TERMS_MAX);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_compared_by_their_stems),
        cmocka_unit_test(words_beyond_the_maximum_are_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
