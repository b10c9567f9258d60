#include "unit/assert_str.h"

#include "base/arena.h"
#include "base/buf.h"

#include <stdalign.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef PENCHANT_ASAN
#include <sanitizer/asan_interface.h>
#endif

static bool
all_zero(const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

static void
fresh_memory_is_zero_and_aligned(void **state)
{
    static const size_t sizes[] = { 0, 1, 7, 8, 15, 16, 17, 100, 4096, 8192, 70000, 1 };
    struct arena *arena = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(sizes); i++) {
        char *memory = arena_alloc(arena, sizes[i]);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % alignof(max_align_t), 0);
        assert_true(all_zero(memory, sizes[i]));
        memset(memory, 0xa5, sizes[i]);
    }
    arena_free(arena);
}

static void
allocations_do_not_overlap(void **state)
{
    enum { COUNT = 2000 };
    static struct {
        unsigned char *at;
        size_t size;
    } made[COUNT];
    struct arena *arena = arena_new();
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        made[i].size = i * 7 % 300;
        made[i].at = arena_alloc(arena, made[i].size);
        memset(made[i].at, (int)(i & 0xff), made[i].size);
    }
    for (size_t i = 0; i < COUNT; i++)
        for (size_t b = 0; b < made[i].size; b++)
            assert_int_equal(made[i].at[b], i & 0xff);
    arena_free(arena);
}

static void
memory_used_again_after_a_reset_is_zero(void **state)
{
    struct arena *arena = arena_new();
    (void)state;
    for (int round = 0; round < 50; round++) {
        for (size_t i = 0; i < 40; i++) {
            size_t size = 13 + i * 37;
            char *memory = arena_alloc(arena, size);
            assert_true(all_zero(memory, size));
            memset(memory, 'p', size);
        }
        arena_reset(arena);
    }
    arena_free(arena);
}

static void
a_reset_overwrites_what_was_there(void **state)
{
    static const char secret[] = "correct horse battery staple";
    struct arena *arena = arena_new();
    (void)state;
    char *memory = arena_alloc(arena, sizeof secret);
    memcpy(memory, secret, sizeof secret);
    arena_reset(arena);
#ifdef PENCHANT_ASAN
    assert_true(__asan_address_is_poisoned(memory)); /* not readable */
    ASAN_UNPOISON_MEMORY_REGION(memory, sizeof secret);
#endif
    assert_true(all_zero(memory, sizeof secret)); /* the chunk is kept, so we can look */
    arena_free(arena);
}

static void
a_reset_gives_oversized_memory_back(void **state)
{
    struct arena *arena = arena_new();
    (void)state;
    size_t fresh = arena_size(arena);
    assert_true(fresh > 0 && fresh <= 64 * 1024);
    arena_alloc(arena, 5 * 1024 * 1024);
    assert_true(arena_size(arena) >= 5 * 1024 * 1024);
    arena_reset(arena);
    assert_true(arena_size(arena) <= 64 * 1024);
    for (int i = 0; i < 1000; i++)
        arena_alloc(arena, 1000);
    assert_true(arena_size(arena) >= 1000 * 1000);
    arena_reset(arena);
    assert_true(arena_size(arena) <= 64 * 1024);
    arena_free(arena);
    arena_free(NULL);
}

static void
a_step_past_an_allocation_is_seen(void **state)
{
    (void)state;
#ifdef PENCHANT_ASAN
    struct arena *arena = arena_new();
    char *first = arena_alloc(arena, 10);
    char *second = arena_alloc(arena, 10);
    assert_false(__asan_address_is_poisoned(first));
    assert_false(__asan_address_is_poisoned(first + 9));
    assert_true(__asan_address_is_poisoned(first + 10));
    assert_true(__asan_address_is_poisoned(second - 1));
    arena_free(arena);
#else
    skip();
#endif
}

/* How a child that does this ends: its status, and the first line it said. */
static int
in_a_child(void (*act)(void), char *said, size_t capacity)
{
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(pipes[1], STDERR_FILENO);
        act();
        _exit(0);
    }
    close(pipes[1]);
    ssize_t length = read(pipes[0], said, capacity - 1);
    said[length > 0 ? length : 0] = '\0';
    close(pipes[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void
ask_for_too_much(void)
{
    arena_alloc(arena_new(), SIZE_MAX - 4);
}

static void
ask_for_too_many(void)
{
    arena_alloc_array(arena_new(), SIZE_MAX / 2, 4);
}

static void
without_memory_the_process_writes_one_line_and_ends(void **state)
{
    static void (*const acts[])(void) = { ask_for_too_much, ask_for_too_many };
    (void)state;
    for (size_t i = 0; i < ROWS(acts); i++) {
        char said[200];
        int status = in_a_child(acts[i], said, sizeof said);
        assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) != 0);
        assert_int_equal(strncmp(said, "penchant: out of memory", 23), 0);
        assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
    }
}

static void
a_block_that_grows_keeps_its_bytes_and_no_copies(void **state)
{
    struct arena *arena = arena_new();
    char *block = NULL;
    size_t used = 0;
    (void)state;
    for (size_t size = 16; size <= (size_t)8 * 1024 * 1024; size *= 2) {
        block = arena_grow(arena, block, used, size);
        assert_true(used == 0 || (block[0] == 'g' && block[used - 1] == 'g'));
        assert_true(all_zero(block + used, size - used));
        memset(block, 'g', size);
        used = size;
    }
    assert_true(arena_size(arena) < (size_t)9 * 1024 * 1024);
    arena_free(arena);
}

static void
an_arena_over_its_limit_remembers_it_until_it_is_reset(void **state)
{
    struct arena *arena = arena_new();
    (void)state;
    arena_limit(arena, 1000000, NULL);
    for (int i = 0; i < 9; i++)
        memset(arena_alloc(arena, 100000), 'x', 100000);
    assert_int_equal(arena_excess(arena), ARENA_WITHIN_LIMITS);
    memset(arena_alloc(arena, 100000), 'x', 100000); /* memory all the same */
    assert_int_equal(arena_excess(arena), ARENA_OVER_MAX);
    struct buf buf = buf_in(arena, 1000);
    buf_add_c(&buf, "text");
    assert_true(buf.overflow);
    arena_reset(arena);
    assert_int_equal(arena_excess(arena), ARENA_WITHIN_LIMITS);
    arena_free(arena);
}

static void
arenas_share_a_budget_and_give_back_what_they_took(void **state)
{
    struct arena_budget budget = { .max = 1000000 };
    struct arena *one = arena_new(), *two = arena_new();
    (void)state;
    arena_limit(one, 0, &budget);
    arena_limit(two, 0, &budget);
    arena_alloc(one, ARENA_OWN_BYTES / 2);
    assert_int_equal(budget.used, 0);
    arena_alloc(one, 900000);
    assert_true(budget.used > 800000);
    assert_int_equal(arena_excess(one), ARENA_WITHIN_LIMITS);
    arena_alloc(two, 900000);
    assert_int_equal(arena_excess(two), ARENA_OVER_BUDGET);
    assert_int_equal(arena_excess(one), ARENA_WITHIN_LIMITS);
    arena_free(one);
    arena_reset(two);
    assert_int_equal(budget.used, 0);
    arena_alloc(two, 900000);
    assert_int_equal(arena_excess(two), ARENA_WITHIN_LIMITS);
    arena_free(two);
    assert_int_equal(budget.used, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_that_grows_keeps_its_bytes_and_no_copies),
        cmocka_unit_test(an_arena_over_its_limit_remembers_it_until_it_is_reset),
        cmocka_unit_test(arenas_share_a_budget_and_give_back_what_they_took),
        cmocka_unit_test(fresh_memory_is_zero_and_aligned),
        cmocka_unit_test(allocations_do_not_overlap),
        cmocka_unit_test(memory_used_again_after_a_reset_is_zero),
        cmocka_unit_test(a_reset_overwrites_what_was_there),
        cmocka_unit_test(a_reset_gives_oversized_memory_back),
        cmocka_unit_test(a_step_past_an_allocation_is_seen),
        cmocka_unit_test(without_memory_the_process_writes_one_line_and_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
