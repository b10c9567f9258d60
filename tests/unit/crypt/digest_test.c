#include "base/arena.h"
#include "crypt/digest.h"
#include "crypt/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void
digests_are_those_of_the_standards(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        struct str input;
        const char *expected;
    } rows[] = {
        { "nothing", STR(""), "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU" },
        { "FIPS 180-2 B.1", STR("abc"), "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0" },
        { "RFC 7636 appendix B", STR("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
          "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM" },
    };
    struct arena *mem = arena_new();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct str text = digest_text(mem, rows[i].input);
        if (!str_eq_c(text, rows[i].expected))
            fail_msg("%s: %s", rows[i].why, text.ptr);
        assert_int_equal(text.len, DIGEST_TEXT_LENGTH);
        /* The first 128 bits: 21 characters are theirs alone, the 22nd has two bits of it. */
        char first[DIGEST_SHORT_LENGTH];
        digest_short(rows[i].input, first);
        assert_memory_equal(first, text.ptr, DIGEST_SHORT_LENGTH - 1);
    }
    char of_abc[DIGEST_SHORT_LENGTH];
    digest_short(STR("abc"), of_abc);
    assert_memory_equal(of_abc, "ungWv48Bz-pBQUDeXa4iIw", DIGEST_SHORT_LENGTH);
    assert_false(str_eq(digest_text(mem, STR("a\0b")), digest_text(mem, STR("a\0c"))));
    arena_free(mem);
}

static void
equal_is_equal_in_every_byte(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        struct str a;
        struct str b;
        bool expected;
    } rows[] = {
        { "the same", STR("secret"), STR("secret"), true },
        { "both empty", STR(""), STR(""), true },
        { "the first differs", STR("secret"), STR("Secret"), false },
        { "the last differs", STR("secret"), STR("secreT"), false },
        { "one is longer", STR("secret"), STR("secrets"), false },
        { "they differ behind a NUL", STR("a\0b"), STR("a\0c"), false },
        { "one is absent", STR_NONE, STR(""), false },
        { "both are absent", STR_NONE, STR_NONE, false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (digest_equal(rows[i].a, rows[i].b) != rows[i].expected ||
            digest_equal(rows[i].b, rows[i].a) != rows[i].expected)
            fail_msg("%s", rows[i].why);
}

int
main(void)
{
    random_start();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests_are_those_of_the_standards),
        cmocka_unit_test(equal_is_equal_in_every_byte),
    };
    return cmocka_run_group_tests_name("crypt/digest", tests, NULL, NULL);
}
