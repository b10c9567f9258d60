#include "unit/assert_str.h"

#include "base/arena.h"
#include "model/pkce.h"

#define TIMES_10(text) text text text text text text text text text text

/* RFC 7636, appendix B. */
#define VERIFIER "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
#define CHALLENGE "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

static void
challenges_are_hashes_of_nonempty_verifiers(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        struct str input;
        bool expected;
    } rows[] = {
        { "the RFC's", STR(CHALLENGE), true },
        { "absent", STR_NONE, false },
        { "empty", STR(""), false },
        { "42 characters", STR(TIMES_10("abcd") "ab"), false },
        { "43 characters", STR(TIMES_10("abcd") "abc"), true },
        { "44 characters", STR(TIMES_10("abcd") "abcd"), false },
        { "padded", STR(TIMES_10("abcd") "ab="), false },
        { "a padded hash", STR(CHALLENGE "="), false },
        { "a plus, as in base64", STR(TIMES_10("abcd") "ab+"), false },
        { "a slash, as in base64", STR(TIMES_10("abcd") "ab/"), false },
        { "a dot", STR(TIMES_10("abcd") "ab."), false },
        { "a blank", STR(TIMES_10("abcd") "ab "), false },
        { "a NUL", STR(TIMES_10("abcd") "ab\0"), false },
        { "UTF-8", STR(TIMES_10("abcd") "a\xc3\xa9"), false },
        { "the hash of nothing", STR("47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"), false },
    };
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_row(pkce_challenge_valid(rows[i].input) == rows[i].expected, rows[i].why);
}

static void
a_verifier_has_43_to_128_plain_characters(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        struct str input;
        bool expected;
    } rows[] = {
        { "the RFC's", STR(VERIFIER), true },
        { "every sign that is allowed", STR(TIMES_10("-._~") "aZ9"), true },
        { "absent", STR_NONE, false },
        { "empty", STR(""), false },
        { "42 characters", STR(TIMES_10("abcd") "ab"), false },
        { "43 characters", STR(TIMES_10("abcd") "abc"), true },
        { "128 characters", STR(TIMES_10("abcdefghijkl") "abcdefgh"), true },
        { "129 characters", STR(TIMES_10("abcdefghijkl") "abcdefghi"), false },
        { "a plus", STR(TIMES_10("abcd") "ab+"), false },
        { "a slash", STR(TIMES_10("abcd") "ab/"), false },
        { "an equals sign", STR(TIMES_10("abcd") "ab="), false },
        { "a blank", STR(TIMES_10("abcd") "ab "), false },
        { "a NUL", STR(TIMES_10("abcd") "ab\0"), false },
        { "UTF-8", STR(TIMES_10("abcd") "ab\xc3\xa9"), false },
    };
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_row(pkce_verifier_valid(rows[i].input) == rows[i].expected, rows[i].why);
}

static void
only_the_right_verifier_matches_a_challenge(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        struct str verifier;
        struct str challenge;
        bool expected;
    } rows[] = {
        { "the RFC's pair", STR(VERIFIER), STR(CHALLENGE), true },
        { "another verifier", STR(TIMES_10("abcd") "abc"), STR(CHALLENGE), false },
        { "another challenge", STR(VERIFIER), STR(TIMES_10("abcd") "abc"), false },
        { "plain: the challenge itself", STR(CHALLENGE), STR(CHALLENGE), false },
        { "one character more", STR(VERIFIER "A"), STR(CHALLENGE), false },
        { "one character less", STR("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjX"), STR(CHALLENGE),
          false },
        { "absent", STR_NONE, STR(CHALLENGE), false },
        { "nothing proves the hash of nothing", STR(""),
          STR("47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"), false },
        { "no challenge is proved by nothing", STR_NONE, STR_NONE, false },
        { "no challenge is proved by anything", STR(VERIFIER), STR_NONE, false },
    };
    struct arena *mem = arena_new();
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_row(pkce_proves(mem, rows[i].verifier, rows[i].challenge) == rows[i].expected,
                   rows[i].why);
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(challenges_are_hashes_of_nonempty_verifiers),
        cmocka_unit_test(a_verifier_has_43_to_128_plain_characters),
        cmocka_unit_test(only_the_right_verifier_matches_a_challenge),
    };
    return cmocka_run_group_tests_name("model/pkce", tests, NULL, NULL);
}
