#include "unit/assert_str.h"

#include "text/cookie.h"

static void
a_cookie_is_found_if_there_is_exactly_one(void **state)
{
    static const struct {
        const char *why;
        const char *header;
        const char *value; /* NULL: absent */
    } rows[] = {
        { "alone", "sid=abc", "abc" },
        { "first", "sid=abc; x=y", "abc" },
        { "last", "x=y; sid=abc", "abc" },
        { "no space after the semicolon", "x=y;sid=abc", "abc" },
        { "more spaces", "x=y; \t sid=abc \t; z=1", "abc" },
        { "empty value", "sid=", "" },
        { "an equals sign in the value", "sid=a=b", "a=b" },
        { "quotes are kept", "sid=\"a\"", "\"a\"" },
        { "nothing is decoded", "sid=%41+", "%41+" },
        { "twice", "sid=a; sid=b", NULL },
        { "twice the same", "sid=a; sid=a", NULL },
        { "twice, with others between", "sid=a; x=y; sid=b; z=1", NULL },
        { "thrice", "sid=a; sid=b; sid=c", NULL },
        { "other case is another name", "SID=a", NULL },
        { "other case beside it", "SID=a; sid=b", "b" },
        { "a longer name", "sidx=a", NULL },
        { "a shorter name", "si=a", NULL },
        { "a prefix before it", "xsid=a", NULL },
        { "space before the equals sign", "sid =a", NULL },
        { "no equals sign", "sid", NULL },
        { "the name inside a value", "x=sid=a", NULL },
        { "a nameless cookie that looks like it", "=sid=a", NULL },
        { "empty parts", ";; ;sid=a;;", "a" },
        { "empty header", "", NULL },
    };
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_str(cookie_find(str_of(rows[i].header), STR("sid")), str_of(rows[i].value),
                   rows[i].why);
}

static void
absent_headers_and_empty_names_find_nothing(void **state)
{
    (void)state;
    assert_str(cookie_find(STR_NONE, STR("sid")), STR_NONE, "no header");
    assert_str(cookie_find(STR("=a"), STR("")), STR_NONE, "no name");
    assert_str(cookie_find(STR("sid=a\0b"), STR("sid")), STR("a\0b"), "a NUL cuts nothing short");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cookie_is_found_if_there_is_exactly_one),
        cmocka_unit_test(absent_headers_and_empty_names_find_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
