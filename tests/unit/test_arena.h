/* test_arena.h - one arena for each test of a file: cmocka_unit_test_setup_teardown(name,
 * make_memory, free_memory). */
#ifndef UNIT_TEST_ARENA_H
#define UNIT_TEST_ARENA_H

#include "base/arena.h"

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

#endif
