#include "base/arena.h"
#include "base/cache.h"
#include "unit/assert_str.h"

#include <string.h>

static struct cache_key
key_of(unsigned number)
{
    struct cache_key key = { { 0 } };
    key.bytes[0] = (unsigned char)number;
    memcpy(key.bytes + 4, &number, sizeof number);
    memcpy(key.bytes + 8, &number, sizeof number);
    return key;
}

static void
what_was_put_is_found_until_it_is_replaced(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    struct cache *cache = cache_new(1 << 20);
    struct cache_key one = key_of(1), two = key_of(17); /* of the same shard */
    assert_false(str_present(cache_get(cache, mem, &one)));
    cache_put(cache, &one, STR("first"));
    cache_put(cache, &two, STR("second"));
    assert_str(cache_get(cache, mem, &one), STR("first"), "kept");
    assert_str(cache_get(cache, mem, &two), STR("second"), "kept");
    cache_put(cache, &one, STR("third, and longer"));
    assert_str(cache_get(cache, mem, &one), STR("third, and longer"), "kept");
    struct cache_counts counts = cache_count(cache);
    assert_int_equal(counts.entries, 2);
    assert_int_equal(counts.hits, 3);
    assert_int_equal(counts.misses, 1);
    cache_free(cache);
    arena_free(mem);
}

static void
the_ceiling_holds_and_what_is_used_stays(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    size_t ceiling = 256 * 1024;
    struct cache *cache = cache_new(ceiling);
    char value[500];
    memset(value, 'x', sizeof value);
    struct cache_key favorite = key_of(0);
    cache_put(cache, &favorite, STR("used all the time"));
    for (unsigned i = 1; i < 20000; i++) {
        struct cache_key key = key_of(i);
        cache_put(cache, &key, (struct str){ value, i % sizeof value });
        assert_true(str_present(cache_get(cache, mem, &favorite)));
        assert_true(cache_count(cache).bytes <= ceiling);
        if (i % 1000 == 0)
            arena_reset(mem);
    }
    assert_true(cache_count(cache).entries > 100);
    struct cache_key old = key_of(1);
    assert_false(str_present(cache_get(cache, mem, &old)));
    cache_free(cache);
    arena_free(mem);
}

static void
what_is_too_large_or_has_no_room_is_not_kept(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    struct cache *small = cache_new(64 * 1024), *none = cache_new(0);
    assert_true(cache_enabled(small));
    assert_false(cache_enabled(none));
    struct cache_key key = key_of(3);
    char large[2000];
    memset(large, 'x', sizeof large);
    cache_put(small, &key, (struct str){ large, sizeof large });
    assert_false(str_present(cache_get(small, mem, &key)));
    cache_put(none, &key, STR("x"));
    assert_false(str_present(cache_get(none, mem, &key)));
    assert_int_equal(cache_count(none).bytes, 0);
    cache_free(small);
    cache_free(none);
    cache_free(NULL);
    arena_free(mem);
}

static void
a_copy_outlives_the_entry(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    struct cache *cache = cache_new(1 << 20);
    struct cache_key key = key_of(5);
    cache_put(cache, &key, STR("mine"));
    struct str copy = cache_get(cache, mem, &key);
    assert_int_equal((uintptr_t)copy.ptr % 16, 0);
    cache_free(cache);
    assert_str(copy, STR("mine"), "kept");
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_put_is_found_until_it_is_replaced),
        cmocka_unit_test(the_ceiling_holds_and_what_is_used_stays),
        cmocka_unit_test(what_is_too_large_or_has_no_room_is_not_kept),
        cmocka_unit_test(a_copy_outlives_the_entry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
