#include "unit/assert_str.h"

#include "model/grant.h"

#define A ((scopes)1)
#define B ((scopes)2)
#define C ((scopes)4)

static const int64_t now = 1794648600;

static void
consent_terms_have_their_lengths(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        struct str input;
        bool fine;
        int64_t seconds; /* -1: no end */
    } rows[] = {
        { "until revoked", STR("revoked"), true, -1 },
        { "a day", STR("1d"), true, 86400 },
        { "30 days", STR("30d"), true, 2592000 },
        { "a year", STR("1y"), true, 31536000 },
        { "absent", STR_NONE, false, 0 },
        { "empty", STR(""), false, 0 },
        { "not offered", STR("2d"), false, 0 },
        { "for ever", STR("forever"), false, 0 },
        { "in upper case", STR("1D"), false, 0 },
        { "with a blank", STR("1d "), false, 0 },
        { "with a NUL", STR("1d\0"), false, 0 },
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        enum grant_term term;
        assert_row(grant_term_read(rows[i].input, &term) == rows[i].fine, rows[i].why);
        if (!rows[i].fine)
            continue;
        int64_t expected = rows[i].seconds < 0 ? NEVER_EXPIRES : now + rows[i].seconds;
        assert_row(grant_term_end(term, now) == expected, rows[i].why);
    }
}

static void
consent_changes_only_requested_scopes(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        scopes held, asked, ticked, expected;
    } rows[] = {
        { "the first time, all ticked", 0, A | B, A | B, A | B },
        { "the first time, one unticked", 0, A | B, B, B },
        { "more than before", A, A | B, A | B, A | B },
        { "unticking takes away", A | B, A | B, A, A },
        { "what was not asked stays", A | C, B, B, A | B | C },
        { "what was not asked stays, also when the asked is unticked", A | C, A, 0, C },
        { "ticking what was not asked gives nothing", 0, A, A | B | C, A },
        { "nothing asked", A, 0, A | B, A },
    };
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_row(grant_after_consent(rows[i].held, rows[i].asked, rows[i].ticked) ==
                       rows[i].expected,
                   rows[i].why);
}

static void
a_grant_covers_subsets_of_its_scopes(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        scopes held, asked;
        bool expected;
    } rows[] = {
        { "the same", A | B, A | B, true }, { "less", A | B, B, true },
        { "more", A, A | B, false },        { "something else", A, B, false },
        { "nothing held", 0, A, false },    { "everything held", ~(scopes)0, A | B | C, true },
    };
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_row(grant_covers(rows[i].held, rows[i].asked) == rows[i].expected, rows[i].why);
}

static void
refresh_tokens_are_judged_by_use_and_age(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        int64_t used_ago; /* -1: not used */
        int64_t reuses;
        enum refresh_verdict expected;
    } rows[] = {
        { "not used", -1, 0, REFRESH_FRESH },
        { "used this second", 0, 0, REFRESH_RETRY },
        { "used this second, retried twice", 0, 2, REFRESH_RETRY },
        { "used this second, retried three times", 0, 3, REFRESH_TOO_OFTEN },
        { "used this second, retried four times", 0, 4, REFRESH_TOO_OFTEN },
        { "59 s ago", 59, 0, REFRESH_RETRY },
        { "60 s ago", 60, 0, REFRESH_RETRY },
        { "60 s ago, retried twice", 60, 2, REFRESH_RETRY },
        { "60 s ago, retried three times", 60, 3, REFRESH_TOO_OFTEN },
        { "61 s ago", 61, 0, REFRESH_STOLEN },
        { "61 s ago, retried twice", 61, 2, REFRESH_STOLEN },
        { "61 s ago, retried three times", 61, 3, REFRESH_STOLEN },
        { "61 s ago, retried four times", 61, 4, REFRESH_STOLEN },
        { "29 days ago", 29 * 86400, 0, REFRESH_STOLEN },
        { "a clock that went back a little", -30, 0, REFRESH_RETRY },
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct refresh_token token = { .reuses = rows[i].reuses };
        if (rows[i].used_ago != -1)
            token.used_at = now - rows[i].used_ago;
        assert_row(refresh_judge(&token, now) == rows[i].expected, rows[i].why);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(consent_terms_have_their_lengths),
        cmocka_unit_test(consent_changes_only_requested_scopes),
        cmocka_unit_test(a_grant_covers_subsets_of_its_scopes),
        cmocka_unit_test(refresh_tokens_are_judged_by_use_and_age),
    };
    return cmocka_run_group_tests_name("model/grant", tests, NULL, NULL);
}
