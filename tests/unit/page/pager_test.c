#include "unit/web/call_by_hand.h"

#include "page/pager.h"

/* Pages of at most 3 items and 100 bytes. */
static struct pager
paged(int64_t wanted, const size_t *bytes, size_t count)
{
    struct pager pager = pager_for(wanted, 3, 100);
    for (size_t i = 0; i < count; i++)
        pager_add(&pager, bytes[i]);
    pager_settle(&pager);
    return pager;
}

static void
a_page_ends_at_its_limit_of_items_or_bytes(void **state)
{
    static const struct {
        const char *why;
        int64_t wanted;
        size_t count;
        size_t bytes[8];
        size_t page, pages, first, last;
    } rows[] = {
        { "nothing is one empty page", 1, 0, { 0 }, 1, 1, 0, 0 },
        { "what fits", 1, 3, { 1, 1, 1 }, 1, 1, 0, 3 },
        { "one more", 1, 4, { 1, 1, 1, 1 }, 1, 2, 0, 3 },
        { "and where it is", 2, 4, { 1, 1, 1, 1 }, 2, 2, 3, 4 },
        { "long ones make short pages", 1, 4, { 60, 60, 20, 20 }, 1, 2, 0, 1 },
        { "of any length", 2, 4, { 60, 60, 20, 20 }, 2, 2, 1, 4 },
        { "exactly full", 1, 3, { 50, 50, 1 }, 1, 2, 0, 2 },
        { "longer than a page is a page", 2, 3, { 500, 500, 500 }, 2, 3, 1, 2 },
        { "the first longer than a page is no empty page", 1, 2, { 500, 1 }, 1, 2, 0, 1 },
        { "past the last is the last", 9, 4, { 1, 1, 1, 1 }, 2, 2, 3, 4 },
        { "before the first is the first", 0, 4, { 1, 1, 1, 1 }, 1, 2, 0, 3 },
        { "one in the middle", 2, 8, { 1, 1, 1, 1, 1, 1, 1, 1 }, 2, 3, 3, 6 },
    };
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct pager pager = paged(rows[i].wanted, rows[i].bytes, rows[i].count);
        size_t found[] = { pager.wanted, pager.pages, pager.first, pager.last, pager.count };
        size_t expected[] = { rows[i].page, rows[i].pages, rows[i].first, rows[i].last,
                              rows[i].count };
        for (size_t f = 0; f < ROWS(found); f++)
            if (found[f] != expected[f])
                fail_msg("%s: %zu is %zu, not %zu", rows[i].why, f, found[f], expected[f]);
    }
}

static void
every_item_is_on_exactly_one_page(void **state)
{
    (void)state;
    size_t bytes[200], seen[200] = { 0 };
    for (size_t i = 0; i < ROWS(bytes); i++)
        bytes[i] = i * 37 % 120;
    size_t pages = paged(1, bytes, ROWS(bytes)).pages;
    assert_in_range(pages, 67, 200);
    for (size_t page = 1; page <= pages; page++) {
        struct pager pager = paged((int64_t)page, bytes, ROWS(bytes));
        size_t sum = 0;
        for (size_t i = 0; i < ROWS(bytes); i++)
            if (pager_shows(&pager, i)) {
                seen[i]++;
                sum += bytes[i];
            }
        assert_true(sum <= 100 || pager.last - pager.first == 1);
    }
    for (size_t i = 0; i < ROWS(seen); i++)
        assert_int_equal(seen[i], 1);
}

static void
links_lead_to_neighbors_and_both_ends(void **state)
{
    static const char pattern[] =
        "{{range}}{{#previous}} from {{previous}}{{/previous}}{{#numbers}}{{#gap}} ..{{/gap}} "
        "{{#here}}[{{number}}]{{/here}}{{^here}}{{number}}{{/here}}{{/numbers}}{{#next}} "
        "to {{next}}{{/next}}";
    static const struct {
        const char *why;
        int64_t wanted;
        size_t count;
        const char *expected;
    } rows[] = {
        { "one page has none", 1, 3, "" },
        { "the first of two", 1, 5, "1 to 3 of 5 [1] 2 to /x?page=2#y" },
        { "the last of two", 2, 5, "4 to 5 of 5 from /x?page=1#y 1 [2]" },
        { "in the middle of many", 10, 60,
          "28 to 30 of 60 from /x?page=9#y 1 .. 8 9 [10] 11 12 .. 20 to /x?page=11#y" },
        { "near an end there is no gap", 4, 60,
          "10 to 12 of 60 from /x?page=3#y 1 2 3 [4] 5 6 .. 20 to /x?page=5#y" },
    };
    (void)state;
    struct call call = call_by_hand();
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct values *values = values_new(call.mem);
        size_t bytes[60] = { 0 };
        struct pager pager = paged(rows[i].wanted, bytes, rows[i].count);
        pager_put(&call, values, &pager, STR("/x?page="), "#y");
        assert_str(values_in(values, pattern), str_of(rows[i].expected), rows[i].why);
    }
}

static void
a_text_is_measured_as_escaped_html(void **state)
{
    (void)state;
    assert_int_equal(pager_bytes(hand.mem, STR("abc")), 3);
    assert_int_equal(pager_bytes(hand.mem, STR("R&B")), 7);
    assert_int_equal(pager_bytes(hand.mem, STR("")), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        CALL_TEST(a_page_ends_at_its_limit_of_items_or_bytes),
        CALL_TEST(every_item_is_on_exactly_one_page),
        CALL_TEST(links_lead_to_neighbors_and_both_ends),
        CALL_TEST(a_text_is_measured_as_escaped_html),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
