/* A remembered task means the same as a new one. */
#include "unit/assert_str.h"

#include "base/arena.h"
#include "context/context_task.h"
#include "unit/domains_kit.h"

#include <string.h>

static void
means_the_same(const struct context_index *index, struct str text)
{
    struct context_match fresh, match;
    struct terms terms, expected = { .count = 0 };
    context_find(index, text, &fresh);
    if (fresh.known)
        terms_add(&expected, text);
    context_task_find(index, text, &match, &terms);
    assert_int_equal(match.known, fresh.known);
    assert_int_equal(match.unrelated, fresh.unrelated);
    assert_int_equal(match.count, fresh.count);
    for (size_t i = 0; i < match.count; i++) {
        assert_ptr_equal(match.list[i].domain, fresh.list[i].domain);
        assert_ptr_equal(match.list[i].context, fresh.list[i].context);
    }
    assert_memory_equal(&terms, &expected, sizeof terms);
}

/* More tasks than are remembered, so that some replace others, each twice in a row and once later.
 */
static void
a_task_means_the_same_every_time(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    const struct domains *domains = kit_domains();
    const struct context_index *index = context_index_make(mem, domains);
    for (int round = 0; round < 2; round++)
        for (size_t d = 0; d < domains->count; d++)
            for (size_t c = 0; c < domains->list[d].context_count; c++) {
                struct str name = domains->list[d].contexts[c].name;
                for (int again = 0; again < 2; again++) {
                    means_the_same(index, name);
                    means_the_same(index, str_format(mem, "something about %.*s", STR_ARG(name)));
                }
            }
    arena_free(mem);
}

static void
similar_tasks_are_distinguished(void **state)
{
    static const char *const tasks[] = {
        "",
        "dinner",
        "tax return",
        "set an alarm",
        "xyzzy",
        "dinner and a concert and a flight and a film and a workout and code", /* many domains */
        /* 64 and 65 bytes */
        "find me a good place for dinner near the main station of Lisbon!",
        "find me a good place for dinner near the main station of Lisbon!!",
    };
    (void)state;
    struct arena *mem = arena_new();
    const struct context_index *index = context_index_make(mem, kit_domains());
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < sizeof tasks / sizeof tasks[0]; i++)
            means_the_same(index, str_of(tasks[i]));
    means_the_same(index, STR("dinner\0"));
    means_the_same(index, STR("dinner"));
    arena_free(mem);
}

/* The second index is often at the address of the first. */
static void
another_index_is_another_memory(void **state)
{
    (void)state;
    const struct domains *domains = kit_domains();
    for (size_t count = 0; count <= domains->count; count++) {
        struct arena *mem = arena_new();
        struct domains *some = ARENA_NEW(mem, struct domains);
        some->list = domains->list;
        some->count = count;
        const struct context_index *index = context_index_make(mem, some);
        for (int again = 0; again < 2; again++) {
            means_the_same(index, STR("restaurant_search"));
            means_the_same(index, STR("flight_search"));
        }
        arena_free(mem);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_means_the_same_every_time),
        cmocka_unit_test(similar_tasks_are_distinguished),
        cmocka_unit_test(another_index_is_another_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
