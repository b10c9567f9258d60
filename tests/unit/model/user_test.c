#include "base/arena.h"
#include "model/user.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

#define TIMES_10(text) text text text text text text text text text text

/* `expected` is part of the problem; NULL: valid. */
struct rule_row {
    const char *why;
    struct str input;
    const char *expected;
};

static void
check_row(const struct rule_row *row, const char *problem)
{
    if (row->expected == NULL && problem != NULL)
        fail_msg("%s: refused: %s", row->why, problem);
    if (row->expected != NULL && problem == NULL)
        fail_msg("%s: let through", row->why);
    if (problem != NULL && strstr(problem, row->expected) == NULL)
        fail_msg("%s: wrong sentence: %s", row->why, problem);
    if (problem != NULL && problem[strlen(problem) - 1] != '.')
        fail_msg("%s: not a sentence: %s", row->why, problem);
}

static void
usernames_are_validated(void **state)
{
    (void)state;
    static const struct rule_row rows[] = {
        { "three letters", STR("ada"), NULL },
        { "all that is allowed", STR("ada.b_c-9"), NULL },
        { "upper case folds", STR("ADA"), NULL },
        { "32 characters", STR("a23456789-123456789-123456789-12"), NULL },
        { "near an id, not one", STR("usr_bob"), NULL },
        { "ends in a dot", STR("ada."), NULL },
        { "absent", STR_NONE, "Choose a username" },
        { "empty", STR(""), "Choose a username" },
        { "two letters", STR("ad"), "at least 3" },
        { "33 characters", STR("a23456789-123456789-123456789-123"), "at most 32" },
        { "an operator's name", STR("admin"), "reserved" },
        { "an operator's name in capitals", STR("Root"), "reserved" },
        { "an operator's name with separators", STR("s.u-p_port"), "reserved" },
        { "the product's name", STR("penchant"), "reserved" },
        { "the product's name inside", STR("the-pen.chant-team"), "reserved" },
        { "a name that only begins like a reserved one", STR("rooted"), NULL },
        { "a digit in front", STR("1ada"), "Start the username with a letter" },
        { "a dot in front", STR(".ada"), "Start the username with a letter" },
        { "a hyphen in front", STR("-rf"), "Start the username with a letter" },
        { "a blank", STR("ada l"), "can contain only" },
        { "a NUL", STR("ada\0x"), "can contain only" },
        { "a line break", STR("ada\n"), "can contain only" },
        { "an at sign", STR("ada@x"), "can contain only" },
        { "a slash", STR("../ada"), "can contain only" },
        { "Turkish dotless i", STR("d\xc4\xb1ls\xc4\xb1z"), "can contain only" },
        { "Turkish capital I with a dot", STR("\xc4\xb0stanbul"), "can contain only" },
        { "Kelvin sign for k", STR("ne\xe2\x84\xaan"), "can contain only" },
        { "long s", STR("bo\xc5\xbfs"), "can contain only" },
        { "Cyrillic a that looks Latin", STR("\xd0\xb0lex"), "can contain only" },
        { "full-width letters", STR("\xef\xbd\x81\xef\xbd\x84\xef\xbd\x81"), "can contain only" },
        { "right-to-left override", STR("ada\xe2\x80\xae"), "can contain only" },
        { "not UTF-8", STR("ad\xff"), "can contain only" },
        { "the form of an id", STR("usr_abcdefghijklmnopqrstuv"), "looks like an account ID" },
    };
    struct arena *mem = arena_new();
    for (size_t i = 0; i < COUNT(rows); i++)
        check_row(&rows[i], user_username_problem(user_fold_username(mem, rows[i].input)));
    assert_non_null(user_username_problem(STR("Ada"))); /* the check does not fold */
    assert_true(str_eq_c(user_fold_username(mem, STR("Ada.L-9_Z")), "ada.l-9_z"));
    assert_false(str_present(user_fold_username(mem, STR_NONE)));
    arena_free(mem);
}

#define LOCAL_64 TIMES_10("abcdef") "abcd"
#define DOMAIN_189 TIMES_10("abcdefghij.abcdef.") "abcdefghi"

static void
email_addresses_are_validated(void **state)
{
    (void)state;
    static const struct rule_row rows[] = {
        { "usual", STR("ada@example.org"), NULL },
        { "tagged", STR("ada+penchant@example.org"), NULL },
        { "no dot in the domain", STR("ada@localhost"), NULL },
        { "apostrophe", STR("o'hara@example.org"), NULL },
        { "quotes are allowed in an address", STR("\"ada\"@example.org"), NULL },
        { "international",
          STR("\xc3\xa9milie@b\xc3\xbc"
              "cher.example"),
          NULL },
        { "254 bytes", STR(LOCAL_64 "@" DOMAIN_189), NULL },
        { "255 bytes", STR(LOCAL_64 "@x" DOMAIN_189), "at most 254 bytes" },
        { "absent", STR_NONE, "Enter an email address" },
        { "empty", STR(""), "Enter an email address" },
        { "no at sign", STR("ada.example.org"), "needs an @ sign" },
        { "two at signs", STR("ada@b@example.org"), "only one @ sign" },
        { "two addresses", STR("ada@example.org,bob@example.org"), "only one @ sign" },
        { "an at sign in quotes", STR("\"a@b\"@example.org"), "only one @ sign" },
        { "nothing before", STR("@example.org"), "before and after" },
        { "nothing after", STR("ada@"), "before and after" },
        { "only the sign", STR("@"), "before and after" },
        { "a blank", STR("ada @example.org"), "can't contain spaces" },
        { "with a name", STR("Ada <ada@example.org>"), "can't contain spaces" },
        { "a no-break space", STR("ada@exam\xc2\xa0ple.org"), "can't contain spaces" },
        { "an ideographic space", STR("ada@exam\xe3\x80\x80ple.org"), "can't contain spaces" },
        { "a NUL", STR("ada\0@example.org"), "can't contain spaces" },
        { "header injection", STR("ada@example.org\r\nBcc: all"), "can't contain spaces" },
        { "a tab", STR("ada\t@example.org"), "can't contain spaces" },
        { "zero-width space", STR("ada\xe2\x80\x8b@example.org"), "can't contain spaces" },
        { "right-to-left override", STR("ada\xe2\x80\xae@example.org"), "can't contain spaces" },
        { "not UTF-8", STR("ad\xe9@example.org"), "can't contain spaces" },
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        check_row(&rows[i], user_email_problem(rows[i].input));
}

static void
equal_addresses_fold_to_one_form(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        struct str a;
        struct str b;
        bool same;
    } rows[] = {
        { "capitals", STR("Ada@Example.ORG"), STR("ada@example.org"), true },
        { "composed or not", STR("\xc3\xa9@x.org"), STR("e\xcc\x81@x.org"), true },
        { "capital H and a mark that only h joins", STR("H\xcc\xb1@x.org"),
          STR("\xe1\xba\x96@x.org"), true },
        { "the Kelvin sign is a K",
          STR("mi\xe2\x84\xaa"
              "e@x.org"),
          STR("mike@x.org"), true },
        { "dotless i", STR("m\xc4\xb1ke@x.org"), STR("mike@x.org"), false },
        { "sharp s", STR("gro\xc3\x9f@x.org"), STR("gross@x.org"), false },
        { "long s", STR("bo\xc5\xbfs@x.org"), STR("boss@x.org"), false },
        { "Cyrillic a", STR("\xd0\xb0@x.org"), STR("a@x.org"), false },
        { "a tag", STR("ada+x@x.org"), STR("ada@x.org"), false },
        { "a dot", STR("a.da@x.org"), STR("ada@x.org"), false },
    };
    struct arena *mem = arena_new();
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct str a = user_fold_email(mem, rows[i].a);
        struct str b = user_fold_email(mem, rows[i].b);
        if (str_eq(a, b) != rows[i].same)
            fail_msg("%s: %s, %s", rows[i].why, a.ptr, b.ptr);
        if (!str_eq(user_fold_email(mem, a), a))
            fail_msg("%s: folding twice is not folding once", rows[i].why);
    }
    assert_false(str_present(user_fold_email(mem, STR_NONE)));
    arena_free(mem);
}

#define EIGHTY TIMES_10("abcdefgh")
#define EIGHTY_WIDE                                             \
    TIMES_10("\xe5\xb1\xb1\xe5\xb1\xb1\xe5\xb1\xb1\xe5\xb1\xb1" \
             "\xe5\xb1\xb1\xe5\xb1\xb1\xe5\xb1\xb1\xe5\xb1\xb1")

static void
display_names_are_validated(void **state)
{
    (void)state;
    static const struct rule_row rows[] = {
        { "usual", STR("Ada Lovelace"), NULL },
        { "one character", STR("A"), NULL },
        { "mixed scripts", STR("Ada \xd0\x9b\xd0\xb0\xd0\xb2 \xe5\xb1\xb1\xe7\x94\xb0"), NULL },
        { "right-to-left letters", STR("\xd7\xa2\xd7\x93\xd7\x94"), NULL },
        { "apostrophe and markup are text", STR("O'Hara <b>"), NULL },
        { "an emoji", STR("Ada \xf0\x9f\x8e\xb8"), NULL },
        { "80 characters", STR(EIGHTY), NULL },
        { "80 characters of three bytes", STR(EIGHTY_WIDE), NULL },
        { "80 and blanks around", STR("  " EIGHTY "\t "), NULL },
        { "81 characters", STR(EIGHTY "x"), "at most 80" },
        { "81 characters of three bytes", STR(EIGHTY_WIDE "\xe5\xb1\xb1"), "at most 80" },
        { "empty", STR(""), "at least one visible character" },
        { "blanks only", STR("   \t"), "at least one visible character" },
        { "wide blanks only", STR("\xe3\x80\x80\xc2\xa0"), "at least one visible character" },
        { "absent", STR_NONE, "not valid UTF-8" },
        { "not UTF-8", STR("Ada \xe9"), "not valid UTF-8" },
        { "a NUL", STR("Ada\0L"), "can't contain line breaks" },
        { "a line break", STR("Ada\nLovelace"), "can't contain line breaks" },
        { "a line break at the end", STR("Ada\n"), "can't contain line breaks" },
        { "a line separator", STR("Ada\xe2\x80\xa8L"), "can't contain line breaks" },
        { "right-to-left override", STR("Ada \xe2\x80\xaegnp.exe"), "can't contain line breaks" },
        { "isolate",
          STR("\xe2\x81\xa6"
              "Ada"),
          "can't contain line breaks" },
        { "zero-width space",
          STR("A\xe2\x80\x8b"
              "da"),
          "can't contain line breaks" },
        { "byte order mark",
          STR("\xef\xbb\xbf"
              "Ada"),
          "can't contain line breaks" },
        { "a tag character", STR("Ada\xf3\xa0\x81\x81"), "can't contain line breaks" },
        { "private use", STR("Ada\xee\x80\x80"), "can't contain line breaks" },
    };
    struct arena *mem = arena_new();
    for (size_t i = 0; i < COUNT(rows); i++)
        check_row(&rows[i], user_name_problem(user_clean_name(mem, rows[i].input)));
    arena_free(mem);
}

static void
display_names_are_normalized(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        struct str input;
        const char *expected;
    } rows[] = {
        { "as it is", STR("Ada Lovelace"), "Ada Lovelace" },
        { "blanks around", STR(" \t Ada  L \t"), "Ada  L" },
        { "wide blanks around",
          STR("\xe3\x80\x80"
              "Ada\xc2\xa0"),
          "Ada" },
        { "composed", STR("Bjo\xcc\x88rk"), "Bj\xc3\xb6rk" },
        { "case is kept", STR("ada LOVELACE"), "ada LOVELACE" },
    };
    struct arena *mem = arena_new();
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct str cleaned = user_clean_name(mem, rows[i].input);
        if (!str_eq_c(cleaned, rows[i].expected))
            fail_msg("%s: %.*s", rows[i].why, STR_ARG(cleaned));
    }
    arena_free(mem);
}

static void
user_ids_are_well_formed(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        struct str input;
        bool expected;
    } rows[] = {
        { "an id", STR("usr_AZaz09-_AZaz09-_AZaz09"), true },
        { "too short", STR("usr_AZaz09-_AZaz09-_AZaz0"), false },
        { "too long", STR("usr_AZaz09-_AZaz09-_AZaz090"), false },
        { "of an app", STR("app_AZaz09-_AZaz09-_AZaz09"), false },
        { "capital prefix", STR("USR_AZaz09-_AZaz09-_AZaz09"), false },
        { "a NUL", STR("usr_AZaz09-_AZaz09-_AZaz0\0"), false },
        { "a dot", STR("usr_AZaz09-_AZaz09-_AZaz0."), false },
        { "not ASCII", STR("usr_AZaz09-_AZaz09-_AZaz\xc3\xa9"), false },
        { "absent", STR_NONE, false },
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        if (user_id_well_formed(rows[i].input) != rows[i].expected)
            fail_msg("%s", rows[i].why);
}

static void
only_known_statuses_are_read(void **state)
{
    (void)state;
    static const enum user_status all[] = { USER_ACTIVE, USER_DISABLED };
    for (size_t i = 0; i < COUNT(all); i++) {
        enum user_status read = (enum user_status) - 1;
        assert_true(user_status_read(str_of(user_status_name(all[i])), &read));
        assert_int_equal(read, all[i]);
    }
    enum user_status untouched = USER_DISABLED;
    assert_false(user_status_read(STR("Active"), &untouched));
    assert_false(user_status_read(STR("unknown"), &untouched));
    assert_false(user_status_read(STR(""), &untouched));
    assert_false(user_status_read(STR_NONE, &untouched));
    assert_int_equal(untouched, USER_DISABLED);
}

static void
positions_sort_by_second_then_randomly(void **state)
{
    (void)state;
    const int64_t now = 1794648600;
    assert_true(user_position(now, UINT32_MAX) < user_position(now + 1, 0));
    assert_true(user_position(now, 1) < user_position(now, 2));
    assert_true(user_position(now, 0) > 0);
    assert_true(user_position(0, 7) == 7);
    /* A wrong clock still gives a position without overflow. */
    assert_true(user_position(-5, 7) == user_position(0, 7));
    assert_true(user_position(INT64_MAX, UINT32_MAX) == INT64_MAX);
    assert_true(user_position(now, 0) < user_position(INT64_MAX, 0));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usernames_are_validated),
        cmocka_unit_test(email_addresses_are_validated),
        cmocka_unit_test(equal_addresses_fold_to_one_form),
        cmocka_unit_test(display_names_are_validated),
        cmocka_unit_test(display_names_are_normalized),
        cmocka_unit_test(user_ids_are_well_formed),
        cmocka_unit_test(only_known_statuses_are_read),
        cmocka_unit_test(positions_sort_by_second_then_randomly),
    };
    return cmocka_run_group_tests_name("model/user", tests, NULL, NULL);
}
