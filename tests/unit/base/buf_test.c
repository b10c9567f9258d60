#include "unit/assert_str.h"

#include "base/arena.h"
#include "base/buf.h"

static void
what_is_added_is_there(void **state)
{
    struct arena *mem = arena_new();
    struct buf buf = buf_in(mem, 1000);
    (void)state;
    assert_str(buf_str(&buf), STR(""), "an empty one is present");
    buf_add(&buf, STR("a\0b"));
    buf_add(&buf, STR_NONE);
    buf_add_c(&buf, "cd");
    buf_add_char(&buf, 'e');
    buf_add_int(&buf, INT64_MIN);
    buf_add_char(&buf, ' ');
    buf_add_int(&buf, INT64_MAX);
    buf_add_format(&buf, "[%d%%]", 7);
    assert_str(buf_str(&buf), STR("a\0bcde-9223372036854775808 9223372036854775807[7%]"), "all");
    assert_false(buf.overflow);
    arena_free(mem);
}

static void
it_grows_without_losing_anything(void **state)
{
    enum { COUNT = 20000 };
    struct arena *mem = arena_new();
    struct buf buf = buf_in(mem, COUNT * 6);
    (void)state;
    for (int i = 0; i < COUNT; i++)
        buf_add_format(&buf, "%05d,", i);
    assert_false(buf.overflow);
    assert_int_equal(buf.len, COUNT * 6);
    for (int i = 0; i < COUNT; i++) {
        char expected[16];
        snprintf(expected, sizeof expected, "%05d,", i);
        assert_memory_equal(buf.ptr + i * 6, expected, 6);
    }
    arena_free(mem);
}

static void
long_formats_are_whole(void **state)
{
    struct arena *mem = arena_new();
    (void)state;
    for (int length = 500; length <= 530; length++) { /* around the size of its small buffer */
        struct buf buf = buf_in(mem, 1000);
        buf_add_format(&buf, "%*d", length, 7);
        assert_int_equal(buf.len, length);
        assert_int_equal(buf.ptr[length - 1], '7');
    }
    arena_free(mem);
}

static void
the_ceiling_is_exact_and_remembered(void **state)
{
    struct arena *mem = arena_new();
    struct buf buf = buf_in(mem, 10);
    (void)state;
    buf_add(&buf, STR("0123456789"));
    assert_false(buf.overflow);
    buf_add(&buf, STR(""));
    assert_false(buf.overflow);
    buf_add_char(&buf, 'x');
    assert_true(buf.overflow);
    assert_str(buf_str(&buf), STR("0123456789"), "nothing more");

    buf = buf_in(mem, 10);
    buf_add(&buf, STR("01234"));
    buf_add(&buf, STR("567890"));
    assert_true(buf.overflow);
    buf_add(&buf, STR("5"));
    assert_str(buf_str(&buf), STR("01234"), "not even what would fit: no hole in the middle");

    buf = buf_in(mem, 0);
    buf_add_char(&buf, 'x');
    assert_true(buf.overflow);
    assert_str(buf_str(&buf), STR(""), "no room at all");
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_added_is_there),
        cmocka_unit_test(it_grows_without_losing_anything),
        cmocka_unit_test(long_formats_are_whole),
        cmocka_unit_test(the_ceiling_is_exact_and_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
