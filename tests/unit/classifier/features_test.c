/* The features of a text, and the scores that a classifier makes of them. */
#include "unit/assert_str.h"

#include "classifier/linear.h"

static void
features_depend_on_words_and_their_order(void **state)
{
    (void)state;
    static struct features one, same, other;
    features_read(STR("book_a_table"), '_', &one);
    features_read(STR("book_a_table"), '_', &same);
    features_read(STR("table_a_book"), '_', &other);
    assert_int_equal(one.count, same.count);
    assert_memory_equal(one.list, same.list, one.count * sizeof one.list[0]);
    assert_int_equal(one.count, other.count);
    assert_memory_not_equal(one.list, other.list, one.count * sizeof one.list[0]);
    for (size_t i = 0; i < one.count; i++)
        assert_true(one.list[i] < 1 << FEATURE_BITS);
}

static void
features_have_limits(void **state)
{
    (void)state;
    static struct features features;
    static char letters[8192];
    features_read(STR(""), '_', &features);
    assert_int_equal(features.count, 0);
    features_read(STR("__"), '_', &features);
    assert_int_equal(features.count, 0);
    for (uint32_t i = 0, random = 1; i < sizeof letters; i++) {
        random = random * 1664525 + 1013904223;
        letters[i] = (char)('a' + (random >> 24) % 26);
    }
    features_read((struct str){ letters, sizeof letters }, '_', &features);
    assert_int_equal(features.count, FEATURES_MAX);
    memset(letters, '\x80', sizeof letters); /* no character begins */
    features_read((struct str){ letters, sizeof letters }, '_', &features);
    assert_true(features.count < 4);
}

/* A text that repeats a sentence is about the same as the sentence. */
static void
repeated_words_count_once(void **state)
{
    (void)state;
    static struct features once, twice;
    features_read(STR("be_brief_be"), '_', &once);
    features_read(STR("be_brief_be_brief_be"), '_', &twice);
    assert_int_equal(once.count, twice.count);
    assert_memory_equal(once.list, twice.list, once.count * sizeof once.list[0]);
}

/* Outputs of a row beside those asked for do not count. */
static void
a_score_is_the_sum_of_weights_by_the_root_of_their_number(void **state)
{
    (void)state;
    static const int8_t weights[2][3] = { { 1, 20, -3 }, { 1, 40, 7 } };
    static struct features features = { .count = 4, .list = { 0, 1, 2, 3 } };
    int32_t sums[2] = { 0 };
    linear_add(&features, weights[0], 3, 1, 1, 2, sums);
    assert_int_equal(sums[0], 2 * 20 + 2 * 40);
    assert_int_equal(sums[1], 2 * -3 + 2 * 7);
    assert_int_equal(linear_score(sums[0], &features, 5), 120 * 64 / 2 + 5);
    features.count = 0;
    assert_int_equal(linear_score(0, &features, 5), 5);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_depend_on_words_and_their_order),
        cmocka_unit_test(features_have_limits),
        cmocka_unit_test(repeated_words_count_once),
        cmocka_unit_test(a_score_is_the_sum_of_weights_by_the_root_of_their_number),
    };
    return cmocka_run_group_tests_name("classifier/features", tests, NULL, NULL);
}
