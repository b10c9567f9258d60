#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "web/path.h"

static const struct {
    const char *why;
    struct str path;
    bool canonical;
} table[] = {
    { "the root", STR("/"), true },
    { "one segment", STR("/healthz"), true },
    { "several", STR("/v1/preferences/music_preferences"), true },
    { "dots inside a segment", STR("/.well-known/a..b/..."), true },
    { "every plain character", STR("/aZ09-._~!$&'()*+,=:@"), true },
    { "an escape a name needs", STR("/v1/Bj%C3%B6rk"), true },
    { "hex digits in lower case", STR("/v1/%c3%b6"), true },
    { "an escaped space", STR("/a%20b"), true },
    { "an escaped percent sign, once", STR("/a%25"), true },
    { "an escape of an escape is only text", STR("/%252e%252e"), true },
    { "nothing", STR(""), false },
    { "no slash in front", STR("healthz"), false },
    { "the star of OPTIONS", STR("*"), false },
    { "an absolute address", STR("http://evil/healthz"), false },
    { "two slashes in front", STR("//v1/me"), false },
    { "two slashes inside", STR("/v1//me"), false },
    { "a slash at the end", STR("/v1/"), false },
    { "only slashes", STR("//"), false },
    { "this folder", STR("/./v1"), false },
    { "the folder above", STR("/v1/../admin"), false },
    { "the folder above, at the end", STR("/v1/.."), false },
    { "the folder above, escaped", STR("/v1/%2e%2e/admin"), false },
    { "half of it escaped", STR("/v1/.%2E/admin"), false },
    { "a matrix parameter", STR("/oauth;x/token"), false },
    { "a letter escaped for no reason", STR("/%68ealthz"), false },
    { "an underscore escaped for no reason", STR("/music%5Fpreferences"), false },
    { "an escaped slash", STR("/v1%2Fme"), false },
    { "an escaped slash in lower case", STR("/v1%2fme"), false },
    { "an escaped backslash", STR("/..%5c..%5c"), false },
    { "an escaped NUL", STR("/style.css%00.txt"), false },
    { "an escaped line break", STR("/a%0d%0aSet-Cookie:x"), false },
    { "an escaped DEL", STR("/a%7F"), false },
    { "an escape cut short", STR("/a%"), false },
    { "an escape of one digit", STR("/a%4"), false },
    { "an escape that a slash cuts", STR("/a%2/0"), false },
    { "an escape of no digits", STR("/a%zz"), false },
    { "a raw NUL", STR("/a\0b"), false },
    { "a raw space", STR("/a b"), false },
    { "a raw backslash", STR("/a\\b"), false },
    { "a raw line break", STR("/a\nb"), false },
    { "raw bytes past ASCII", STR("/Bj\xc3\xb6rk"), false },
    { "a fragment", STR("/a#b"), false },
    { "a query is no part of a path", STR("/a?b"), false },
    { "braces", STR("/v1/{domain}"), false },
    { "quotes and angles", STR("/\"><script>"), false },
};

static void
only_canonical_paths_are_accepted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (path_is_canonical(table[i].path) != table[i].canonical)
            fail_msg("%s: %.*s", table[i].why, STR_ARG(table[i].path));
}

int
main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(only_canonical_paths_are_accepted) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
