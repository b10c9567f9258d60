#include "unit/assert_str.h"

#include "model/grant.h"
#include "unit/domains_kit.h"

#define A ((scopes)SCOPE_PROFILE_READ)
#define B ((scopes)SCOPE_PREFERENCES_WRITE)
#define C ((scopes)SCOPE_AGENT_HINTS)

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

#define HINTS ((scopes)SCOPE_AGENT_HINTS)
#define WRITE ((scopes)SCOPE_PREFERENCES_WRITE)
#define READ ((scopes)SCOPE_PREFERENCES_READ)
#define MUSIC ((scopes)SCOPE_FIRST_DOMAIN)
#define FOOD ((scopes)SCOPE_FIRST_DOMAIN << 1)
#define ALL DOMAINS_ALL

static bool
same(struct permissions a, struct permissions b)
{
    return a.scopes == b.scopes && a.hint_domains == b.hint_domains &&
           a.sensitive_domains == b.sensitive_domains && a.write_domains == b.write_domains;
}

static void
the_user_can_limit_an_app_to_domains(void **state)
{
    (void)state;
    const scopes all = HINTS | WRITE | READ;
    static const struct permissions none = { 0, 0, 0, 0 },
                                    wide = { HINTS | WRITE | READ, ALL, ALL, 0 };
    const struct {
        const char *why;
        struct permissions held;
        scopes asked, selected, domains, allowed;
        struct permissions after;
    } rows[] = {
        { "no limit", none, all, all, ALL, all, { all, ALL, ALL, 0 } },
        { "reading becomes the domains' scopes",
          none,
          all,
          all,
          FOOD,
          HINTS | WRITE | FOOD,
          { HINTS | WRITE | FOOD, FOOD, FOOD, 0 } },
        { "what was held before goes",
          wide,
          all,
          all,
          FOOD,
          HINTS | WRITE | FOOD,
          { HINTS | WRITE | FOOD, FOOD, FOOD, 0 } },
        { "hints only", wide, all, HINTS, MUSIC, HINTS, { HINTS, MUSIC, 0, 0 } },
        { "nothing selected", none, all, 0, MUSIC, 0, { 0, 0, 0, 0 } },
        { "the app asked for less",
          none,
          HINTS | MUSIC | FOOD,
          HINTS | MUSIC | FOOD,
          FOOD,
          HINTS | FOOD,
          { HINTS | FOOD, FOOD, 0, 0 } },
        { "not more than it asked for",
          none,
          HINTS | MUSIC,
          HINTS | MUSIC,
          MUSIC | FOOD,
          HINTS | MUSIC,
          { HINTS | MUSIC, MUSIC, 0, 0 } },
        { "what this request did not ask for stays",
          { A, 0, 0, 0 },
          all,
          all,
          FOOD,
          HINTS | WRITE | FOOD,
          { A | HINTS | WRITE | FOOD, FOOD, FOOD, 0 } },
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        assert_row(grant_limited_scopes(rows[i].asked, rows[i].selected, rows[i].domains) ==
                       rows[i].allowed,
                   rows[i].why);
        assert_row(same(grant_after_limited_consent(&rows[i].held, rows[i].asked, rows[i].selected,
                                                    rows[i].domains),
                        rows[i].after),
                   rows[i].why);
    }
}

static void
consent_changes_only_requested_scopes(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        struct permissions held;
        scopes asked, selected;
        struct permissions expected;
    } rows[] = {
        { "the first time, all selected", { 0 }, A | B, A | B, { A | B, 0, ALL, 0 } },
        { "the first time, one deselected", { 0 }, A | B, B, { B, 0, ALL, 0 } },
        { "unticking takes away", { A | B, 0, ALL, 0 }, A | B, A, { A, 0, 0, 0 } },
        { "what was not asked stays", { A | C, ALL, 0, 0 }, B, B, { A | B | C, ALL, ALL, 0 } },
        { "what was not asked stays, the asked is deselected",
          { A | C, ALL, 0, 0 },
          A,
          0,
          { C, ALL, 0, 0 } },
        { "ticking what was not asked gives nothing", { 0 }, A, A | B | C, { A, 0, 0, 0 } },
        { "nothing asked", { A, 0, 0, 0 }, 0, A | B, { A, 0, 0, 0 } },
        { "one domain",
          { 0 },
          MUSIC | HINTS | WRITE,
          ~(scopes)0,
          { MUSIC | HINTS | WRITE, MUSIC, MUSIC, 0 } },
        { "a domain deselected",
          { 0 },
          MUSIC | FOOD | HINTS,
          MUSIC | HINTS,
          { MUSIC | HINTS, MUSIC, 0, 0 } },
        { "a domain deselected that was allowed",
          { MUSIC | FOOD | HINTS, MUSIC | FOOD, 0, 0 },
          MUSIC | FOOD | HINTS,
          MUSIC | HINTS,
          { MUSIC | HINTS, MUSIC, 0, 0 } },
        { "a domain deselected in a request without hints",
          { MUSIC | HINTS, ALL, 0, 0 },
          MUSIC | FOOD,
          FOOD,
          { FOOD | HINTS, ALL & ~MUSIC, 0, 0 } },
        { "two domains, one after the other",
          { MUSIC | HINTS, MUSIC, 0, 0 },
          FOOD | HINTS,
          FOOD | HINTS,
          { MUSIC | FOOD | HINTS, MUSIC | FOOD, 0, 0 } },
        { "hints of one and writing of another",
          { MUSIC | HINTS, MUSIC, 0, 0 },
          FOOD | WRITE,
          FOOD | WRITE,
          { MUSIC | FOOD | HINTS | WRITE, MUSIC, FOOD, 0 } },
        { "hints deselected",
          { MUSIC | HINTS | WRITE, MUSIC, MUSIC, 0 },
          MUSIC | HINTS,
          MUSIC,
          { MUSIC | WRITE, 0, MUSIC, 0 } },
        { "with preferences:read in all domains",
          { 0 },
          READ | MUSIC | HINTS,
          MUSIC | HINTS,
          { MUSIC | HINTS, ALL, 0, 0 } },
    };
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_row(same(grant_after_consent(&rows[i].held, rows[i].asked, rows[i].selected),
                        rows[i].expected),
                   rows[i].why);
}

static void
a_grant_covers_scopes_only_in_their_domains(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        struct permissions held;
        scopes asked, expected;
    } rows[] = {
        { "the same", { A | C, 0, 0, 0 }, A, A },
        { "less", { A | B, 0, ALL, 0 }, B, B },
        { "more", { A, 0, 0, 0 }, A | B, A },
        { "something else", { A, 0, 0, 0 }, B, 0 },
        { "nothing held", { 0 }, A, 0 },
        { "everything held", { ~(scopes)0, ALL, ALL, 0 }, A | B | C, A | B | C },
        { "without the domain, in all of them",
          { MUSIC | HINTS | WRITE, MUSIC, MUSIC, 0 },
          HINTS | WRITE,
          0 },
        { "with preferences:read, in all of them",
          { READ | MUSIC | HINTS, MUSIC, 0, 0 },
          READ | MUSIC | HINTS,
          READ | MUSIC },
        { "in the domain",
          { MUSIC | HINTS | WRITE, MUSIC, MUSIC, 0 },
          MUSIC | HINTS,
          MUSIC | HINTS },
        { "hints in the domain of writing",
          { MUSIC | FOOD | HINTS | WRITE, MUSIC, FOOD, 0 },
          FOOD | HINTS | WRITE,
          FOOD | WRITE },
        { "all domains that exist, but not those to come",
          { HINTS, ALL & ~(ALL << 40), 0, 0 },
          HINTS,
          0 },
    };
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_row(grant_covered(&rows[i].held, rows[i].asked) == rows[i].expected, rows[i].why);
}

static void
narrowing_removes_domains_for_hints_and_writing(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        struct permissions held;
        scopes removed;
        struct permissions expected;
    } rows[] = {
        { "nothing", { MUSIC | HINTS, MUSIC, 0, 0 }, 0, { MUSIC | HINTS, MUSIC, 0, 0 } },
        { "a domain",
          { MUSIC | FOOD | HINTS | WRITE, MUSIC | FOOD, MUSIC, 0 },
          MUSIC,
          { FOOD | HINTS | WRITE, FOOD, 0, 0 } },
        { "a domain of all",
          { MUSIC | HINTS | WRITE, ALL, ALL, 0 },
          MUSIC,
          { HINTS | WRITE, ALL & ~MUSIC, ALL & ~MUSIC, 0 } },
        { "hints", { MUSIC | HINTS | WRITE, ALL, ALL, 0 }, HINTS, { MUSIC | WRITE, 0, ALL, 0 } },
        { "writing", { MUSIC | HINTS | WRITE, ALL, ALL, 0 }, WRITE, { MUSIC | HINTS, ALL, 0, 0 } },
        { "everything", { MUSIC | HINTS | WRITE, ALL, ALL, 0 }, ~(scopes)0, { 0 } },
    };
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_row(same(grant_without(&rows[i].held, rows[i].removed), rows[i].expected),
                   rows[i].why);
}

static void
refresh_tokens_are_judged_by_use_and_age(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        int64_t used_ago; /* -1: not used */
        int64_t reuses;
        enum refresh_state expected;
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
        { "61 s ago", 61, 0, REFRESH_REUSED },
        { "61 s ago, retried twice", 61, 2, REFRESH_REUSED },
        { "61 s ago, retried three times", 61, 3, REFRESH_REUSED },
        { "61 s ago, retried four times", 61, 4, REFRESH_REUSED },
        { "29 days ago", 29 * 86400, 0, REFRESH_REUSED },
        { "a clock that went back a little", -30, 0, REFRESH_RETRY },
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct refresh_token token = { .reuses = rows[i].reuses };
        if (rows[i].used_ago != -1)
            token.used_at = now - rows[i].used_ago;
        assert_row(refresh_classify(&token, REUSES_MAX, now) == rows[i].expected, rows[i].why);
        token.is_lost = true;
        assert_row(refresh_classify(&token, REUSES_MAX, now) == REFRESH_LOST, rows[i].why);
    }
}

static void
sensitive_facts_follow_the_box_and_the_scopes(void **state)
{
    const scopes read = SCOPE_PREFERENCES_READ, food = KIT_FOOD, music = KIT_MUSIC;
    const struct {
        const char *why;
        scopes scopes, held, asked, chosen, expected;
    } rows[] = {
        { "not selected", food, 0, food, 0, 0 },
        { "selected", food, 0, food, food, food },
        { "selected for a domain that was not shown", food | music, 0, food, music, 0 },
        { "a domain that was not shown keeps its state", food | music, music, food, 0, music },
        { "deselected again", food, food, food, 0, 0 },
        { "selected, but the scope is not", music, 0, food | music, food, 0 },
        { "all preferences", read, 0, read, food, food },
        { "all preferences show every domain", read, food, read, 0, 0 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct permissions grant = { .scopes = rows[i].scopes, .sensitive_domains = rows[i].held };
        grant_choose_sensitive(&grant, rows[i].asked, rows[i].chosen);
        assert_row(grant.sensitive_domains == rows[i].expected, rows[i].why);
    }
    /* Narrowing and the scopes of a token take them away. */
    struct permissions both = { food | music | SCOPE_AGENT_HINTS, DOMAINS_ALL, 0, food | music };
    assert_true(grant_without(&both, food).sensitive_domains == music);
    assert_true(permissions_within(food, true, &both).sensitive_domains == food);
    assert_true(permissions_within(SCOPE_AGENT_HINTS, false, &both).sensitive_domains == 0);
    assert_true(grant_reads(&both, STR("food_profile"), true));
    both.sensitive_domains = 0;
    assert_false(grant_reads(&both, STR("food_profile"), true));
    assert_true(grant_reads(&both, STR("food_profile"), false));
}

int
main(void)
{
    kit_domains();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(consent_terms_have_their_lengths),
        cmocka_unit_test(consent_changes_only_requested_scopes),
        cmocka_unit_test(the_user_can_limit_an_app_to_domains),
        cmocka_unit_test(a_grant_covers_scopes_only_in_their_domains),
        cmocka_unit_test(narrowing_removes_domains_for_hints_and_writing),
        cmocka_unit_test(refresh_tokens_are_judged_by_use_and_age),
        cmocka_unit_test(sensitive_facts_follow_the_box_and_the_scopes),
    };
    return cmocka_run_group_tests_name("model/grant", tests, NULL, NULL);
}
