#include "base/arena.h"
#include "crypt/random.h"

#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static bool
is_base64url(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
            c != '-' && c != '_')
            return false;
    }
    return true;
}

static void
an_id_is_its_prefix_and_22_base64url_characters(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    for (int i = 0; i < 1000; i++) {
        struct str id = random_id(mem, "usr_");
        assert_int_equal(id.len, 26);
        assert_true(str_starts(id, STR("usr_")));
        assert_true(is_base64url(str_from(id, 4)));
        assert_int_equal(id.ptr[id.len], '\0');
    }
    arena_free(mem);
}

static int
compare_ids(const void *a, const void *b)
{
    return memcmp(((const struct str *)a)->ptr, ((const struct str *)b)->ptr, 26);
}

static void
a_hundred_thousand_ids_are_all_different(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    struct arena *mem = arena_new();
    struct str *ids = ARENA_ARRAY(mem, struct str, COUNT);
    for (size_t i = 0; i < COUNT; i++)
        ids[i] = random_id(mem, "usr_");
    qsort(ids, COUNT, sizeof *ids, compare_ids);
    for (size_t i = 1; i < COUNT; i++)
        assert_false(str_eq(ids[i - 1], ids[i]));
    arena_free(mem);
}

static void
random_below_stays_below_and_reaches_everything(void **state)
{
    (void)state;
    int seen[10] = { 0 };
    for (int i = 0; i < 10000; i++) {
        uint32_t number = random_below(10);
        assert_true(number < 10);
        seen[number]++;
    }
    /* 1000 expected, standard deviation 30: out by ten of those is no accident. */
    for (int i = 0; i < 10; i++)
        assert_in_range(seen[i], 700, 1300);
    assert_int_equal(random_below(1), 0);
}

static void
fork_and_read(unsigned char bytes[32])
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        unsigned char own[32];
        random_bytes(own, sizeof own);
        _exit(write(ends[1], own, sizeof own) == (ssize_t)sizeof own ? 0 : 1);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], bytes, 32), 32);
    close(ends[0]);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void
two_copies_of_the_process_do_not_repeat_each_other(void **state)
{
    (void)state;
    unsigned char first[32], second[32], own[32];
    fork_and_read(first);
    fork_and_read(second);
    random_bytes(own, sizeof own);
    assert_memory_not_equal(first, second, sizeof first);
    assert_memory_not_equal(first, own, sizeof first);
    assert_memory_not_equal(second, own, sizeof first);
}

int
main(void)
{
    random_start();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_id_is_its_prefix_and_22_base64url_characters),
        cmocka_unit_test(a_hundred_thousand_ids_are_all_different),
        cmocka_unit_test(random_below_stays_below_and_reaches_everything),
        cmocka_unit_test(two_copies_of_the_process_do_not_repeat_each_other),
    };
    return cmocka_run_group_tests_name("crypt/random", tests, NULL, NULL);
}
