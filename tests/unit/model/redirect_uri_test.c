/* Covers cases A5 to A19 and B16 of the attack catalog. */
#include "unit/assert_str.h"

#include "base/arena.h"
#include "model/redirect_uri.h"

#define TIMES_10(text) text text text text text text text text text text
#define TIMES_100(text) TIMES_10(TIMES_10(text))

/* `expected` is part of the problem; NULL: valid. */
struct rule_row {
    const char *why;
    struct str input;
    const char *expected;
};

static const struct rule_row registrations[] = {
    { "https", STR("https://c.example/cb"), NULL },
    { "https with a port", STR("https://c.example:8443/cb"), NULL },
    { "https without a path", STR("https://c.example"), NULL },
    { "https with a query", STR("https://c.example/cb?tenant=7&x"), NULL },
    { "a query right after the host", STR("https://c.example?tenant=7"), NULL },
    { "punycode is letters like others", STR("https://xn--bcher-kva.example/cb"), NULL },
    { "an escape in the path", STR("https://c.example/a%20b"), NULL },
    { "an at sign in the path", STR("https://c.example/@me"), NULL },
    { "an at sign in the query", STR("https://c.example?to=a@b"), NULL },
    { "IPv6 by https", STR("https://[2001:db8::1]:8443/cb"), NULL },
    { "http on 127.0.0.1", STR("http://127.0.0.1/cb"), NULL },
    { "http on [::1] with a port", STR("http://[::1]:5000/cb"), NULL },
    { "http on localhost", STR("http://localhost:8080/cb"), NULL },
    { "an app's own scheme", STR("com.example.app:/done"), NULL },
    { "an app's own scheme with a host", STR("com.example.app://done/cb?x=1"), NULL },
    { "dots that are no segment", STR("https://c.example/a..b/...c"), NULL },
    { "a word that only begins like code", STR("https://c.example/cb?codename=7"), NULL },
    { "the last letters it can have",
      STR("https://c.example/" TIMES_100("abcd") TIMES_10("abcdefghi") "abcd"), NULL },

    { "an IPv4 address", STR("https://192.0.2.1/cb"), NULL },
    { "a label of digits before the last", STR("https://1.example/cb"), NULL },
    { "a last label that only begins with digits", STR("https://c.0x7g/cb"), NULL },

    { "an IPv4 address as a number", STR("https://2130706433/cb"), "lowercase host" },
    { "an IPv4 address in hexadecimal", STR("https://0x7f000001/cb"), "lowercase host" },
    { "an IPv4 address in parts", STR("https://0x7f.1/cb"), "lowercase host" },
    { "an IPv4 address in three parts", STR("https://127.0.1/cb"), "lowercase host" },
    { "an IPv4 address with octal", STR("https://127.0.0.01/cb"), "lowercase host" },
    { "an IPv4 address out of range", STR("https://256.0.0.1/cb"), "lowercase host" },
    { "an IPv4 address of five parts", STR("https://1.2.3.4.5/cb"), "lowercase host" },
    { "a name with a number at the end", STR("https://c.example.1/cb"), "lowercase host" },
    { "an empty hexadecimal number", STR("https://c.0x/cb"), "lowercase host" },
    { "an escaped code", STR("https://c.example/cb?%63ode=1"), "cannot contain code" },
    { "an escaped state", STR("https://c.example/cb?x=1&st%61te"), "cannot contain code" },
    { "absent", STR_NONE, "is missing" },
    { "empty", STR(""), "is missing" },
    { "513 characters", STR("https://c.example/" TIMES_100("abcd") TIMES_10("abcdefghi") "abcde"),
      "at most 512" },
    { "B16 javascript", STR("javascript:alert(1)"), "must start with https://" },
    { "B16 data", STR("data:text/html,hi"), "must start with https://" },
    { "B16 vbscript", STR("vbscript:x"), "must start with https://" },
    { "B16 file", STR("file:///etc/passwd"), "must start with https://" },
    { "about", STR("about:blank"), "must start with https://" },
    { "B16 http elsewhere", STR("http://c.example/cb"), "must have a loopback host" },
    { "http on another loopback address", STR("http://127.0.0.2/cb"), "must have a loopback host" },
    { "http on 0", STR("http://0.0.0.0/cb"), "must have a loopback host" },
    { "http on the long form of ::1", STR("http://[0:0:0:0:0:0:0:1]/cb"),
      "must have a loopback host" },
    { "B16 a wildcard host", STR("https://*.c.example/cb"), "instead of using *" },
    { "a wildcard path", STR("https://c.example/*"), "instead of using *" },
    { "B16 A14 a fragment", STR("https://c.example/cb#x"), "cannot have a fragment" },
    { "B16 an empty fragment", STR("https://c.example/cb#"), "cannot have a fragment" },
    { "B16 user info", STR("https://user@c.example/cb"), "cannot contain a username" },
    { "B16 user info with a password", STR("https://user:pw@c.example/cb"),
      "cannot contain a username" },
    { "user info that looks like a host", STR("https://c.example@evil.example/cb"),
      "cannot contain a username" },
    { "user info that looks like a host and a port", STR("https://c.example:443@evil.example/"),
      "cannot contain a username" },
    { "user info that looks like the loopback", STR("http://127.0.0.1@evil.example/"),
      "cannot contain a username" },
    { "user info in brackets", STR("http://[::1]@80/cb"), "cannot contain a username" },
    { "user info in brackets, by https", STR("https://[::1]@8080/"), "cannot contain a username" },
    { "user info in an app's own scheme", STR("com.example.app://user@evil/cb"),
      "cannot contain a username" },
    { "B16 an own scheme without a dot", STR("myapp:/done"),
      "private-use scheme that contains a dot" },
    { "an own scheme in upper case", STR("Com.Example.App:/done"),
      "private-use scheme that contains a dot" },
    { "an own scheme that begins with a digit", STR("1com.example:/done"), "private-use scheme" },
    { "an own scheme that begins with a dot", STR(".example:/done"), "private-use scheme" },
    { "B16 code in the query", STR("https://c.example/cb?code=1"), "cannot contain code" },
    { "B16 state in the query", STR("https://c.example/cb?x=1&state=1"), "cannot contain code" },
    { "iss in the query", STR("https://c.example/cb?iss"), "cannot contain code" },
    { "error in the query of an own scheme", STR("com.example.app:/cb?error=1"),
      "cannot contain code" },
    { "A10 upper case in the scheme", STR("HTTPS://c.example/cb"), "must start with https://" },
    { "A10 upper case in the host", STR("https://C.example/cb"), "needs a lowercase host" },
    { "A11 two dots", STR("https://c.example/x/../cb"), "cannot have . or .." },
    { "two dots at the end", STR("https://c.example/x/.."), "cannot have . or .." },
    { "one dot", STR("https://c.example/./cb"), "cannot have . or .." },
    { "A11 escaped dots", STR("https://c.example/%2e%2E/cb"), "cannot have . or .." },
    { "two dots in an own scheme", STR("com.example.app:/x/../done"), "cannot have . or .." },
    { "A13 a backslash", STR("https://good.example\\.evil.example/"), "only URI characters" },
    { "A13 a tab", STR("https://c.example/\tcb"), "only URI characters" },
    { "A13 a line break", STR("https://c.example/cb\r\nx: y"), "only URI characters" },
    { "A13 a NUL", STR("https://c.example/cb\0"), "only URI characters" },
    { "a blank", STR("https://c.example/a b"), "only URI characters" },
    { "a blank in front", STR(" https://c.example/cb"), "only URI characters" },
    { "a quote", STR("https://c.example/\"cb"), "only URI characters" },
    { "an angle bracket", STR("https://c.example/<cb"), "only URI characters" },
    { "A13 letters past ASCII", STR("https://c\xc3\xa9.example/cb"), "only URI characters" },
    { "not UTF-8", STR("https://c.example/\xff"), "only URI characters" },
    { "an escape cut short", STR("https://c.example/%2"), "only URI characters" },
    { "an escape that is none", STR("https://c.example/%zz"), "only URI characters" },
    { "no scheme", STR("c.example/cb"), "must be absolute" },
    { "only a path", STR("/cb"), "must be absolute" },
    { "no scheme, two slashes", STR("//c.example/cb"), "must be absolute" },
    { "no host", STR("https:///cb"), "needs a lowercase host" },
    { "one slash", STR("https:/c.example/cb"), "needs a lowercase host" },
    { "no slash", STR("https:c.example"), "needs a lowercase host" },
    { "an empty port", STR("https://c.example:/cb"), "needs a lowercase host" },
    { "port 0", STR("https://c.example:0/cb"), "needs a lowercase host" },
    { "port 65536", STR("https://c.example:65536/cb"), "needs a lowercase host" },
    { "a port with a zero in front", STR("https://c.example:0443/cb"), "needs a lowercase host" },
    { "a port that is a word", STR("https://c.example:https/cb"), "needs a lowercase host" },
    { "two ports", STR("https://c.example:1:2/cb"), "needs a lowercase host" },
    { "an escape in the host", STR("https://c%2eexample/cb"), "needs a lowercase host" },
    { "a dot in front of the host", STR("https://.c.example/cb"), "needs a lowercase host" },
    { "a dot after the host", STR("https://c.example./cb"), "needs a lowercase host" },
    { "two dots in the host", STR("https://c..example/cb"), "needs a lowercase host" },
    { "an open bracket", STR("https://[::1/cb"), "needs a lowercase host" },
    { "a letter after the bracket", STR("http://[::1]x80/cb"), "needs a lowercase host" },
    { "digits after the bracket", STR("http://[::1]80/cb"), "needs a lowercase host" },
    { "an IPv6 zone", STR("http://[fe80::1%25eth0]/cb"), "needs a lowercase host" },
};

static void
redirect_uris_are_validated(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS(registrations); i++) {
        const struct rule_row *row = &registrations[i];
        const char *problem = redirect_uri_problem(row->input, STR_NONE);
        if (row->expected == NULL && problem != NULL)
            fail_msg("%s: refused: %s", row->why, problem);
        if (row->expected != NULL && problem == NULL)
            fail_msg("%s: let through", row->why);
        if (problem != NULL && strstr(problem, row->expected) == NULL)
            fail_msg("%s: wrong sentence: %s", row->why, problem);
        if (problem != NULL && problem[strlen(problem) - 1] != '.')
            fail_msg("%s: not a sentence: %s", row->why, problem);
    }
}

static void
listed_schemes_are_allowed_without_a_dot(void **state)
{
    (void)state;
    const struct str schemes = STR("cursor vscode");
    assert_null(redirect_uri_problem(STR("cursor://anysphere.cursor-mcp/cb"), schemes));
    assert_null(redirect_uri_problem(STR("vscode:/cb"), schemes));
    assert_null(redirect_uri_problem(STR("com.example.app:/done"), schemes));
    assert_non_null(redirect_uri_problem(STR("cursor://x/cb"), STR_NONE));
    assert_non_null(redirect_uri_problem(STR("cur://x/cb"), schemes));
    assert_non_null(redirect_uri_problem(STR("CURSOR://x/cb"), schemes));
    assert_non_null(redirect_uri_problem(STR("cursor://x/cb#f"), schemes));
    assert_non_null(redirect_uri_problem(STR("cursor://u@x/cb"), schemes));
    assert_non_null(redirect_uri_problem(STR("://x/cb"), schemes));
    assert_non_null(redirect_uri_problem(STR("javascript:alert(1)"), schemes));
}

static void
schemes_that_browsers_handle_cannot_be_listed(void **state)
{
    (void)state;
    static const char *const refused[] = { "javascript", "cursor data", "vbscript", "file", "blob",
                                           "about",      "http",        "https",    "ws",   "ftp",
                                           "mailto",     "intent",      "Cursor",   "1x",   "a  b",
                                           " a",         "a:" };
    assert_null(redirect_schemes_problem("cursor vscode-insiders x+y z1"));
    for (size_t i = 0; i < ROWS(refused); i++)
        assert_row(redirect_schemes_problem(refused[i]) != NULL, refused[i]);
}

#define WEB "https://c.example/cb"
#define LOOP "http://127.0.0.1/cb"

static void
only_registered_redirect_uris_match(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        const char *registered;
        struct str asked;
        bool expected;
    } rows[] = {
        { "the same", WEB, STR(WEB), true },
        { "A5 another", WEB, STR("https://d.example/cb"), false },
        { "A6 one more segment", WEB, STR(WEB "/x"), false },
        { "A6 one letter more", WEB, STR(WEB "x"), false },
        { "A6 one letter less", WEB, STR("https://c.example/c"), false },
        { "A7 a query where none is registered", WEB, STR(WEB "?x=1"), false },
        { "A9 with its query", WEB "?x=1", STR(WEB "?x=1"), true },
        { "A9 without its query", WEB "?x=1", STR(WEB), false },
        { "A9 with more in its query", WEB "?x=1", STR(WEB "?x=1&y=2"), false },
        { "A10 upper case in the scheme", WEB, STR("HTTPS://c.example/cb"), false },
        { "A10 upper case in the host", WEB, STR("https://C.example/cb"), false },
        { "A11 a slash at the end", WEB, STR(WEB "/"), false },
        { "A11 two dots", WEB, STR("https://c.example/x/../cb"), false },
        { "A11 escaped dots", WEB, STR("https://c.example/%2e%2e/cb"), false },
        { "A11 dots escaped twice", WEB, STR("https://c.example/%252e/cb"), false },
        { "a letter escaped", WEB, STR("https://c.example/c%62"), false },
        { "A13 a backslash", WEB, STR("https://c.example\\.evil.example/cb"), false },
        { "A13 a tab", WEB, STR("https://c.example/\tcb"), false },
        { "A13 a line break at the end", WEB, STR(WEB "\n"), false },
        { "A13 a NUL at the end", WEB, STR(WEB "\0"), false },
        { "A13 a look-alike", WEB, STR("https://\xd1\x81.example/cb"), false },
        { "A13 its punycode", WEB, STR("https://xn--q1a.example/cb"), false },
        { "A14 a fragment", WEB, STR(WEB "#x"), false },
        { "A19 a port of another host", WEB, STR("https://c.example:8443/cb"), false },
        { "A19 the port that https implies", WEB, STR("https://c.example:443/cb"), false },
        { "https on the loopback has a fixed port, too", "https://localhost/cb",
          STR("https://localhost:8443/cb"), false },
        { "user info", WEB, STR("https://c.example@evil.example/cb"), false },
        { "absent", WEB, STR_NONE, false },
        { "empty", WEB, STR(""), false },
        { "an own scheme", "com.example.app:/done", STR("com.example.app:/done"), true },
        { "another own scheme", "com.example.app:/done", STR("com.example.app2:/done"), false },
        { "an own scheme with a port", "com.example.app://h/done",
          STR("com.example.app://h:1/done"), false },

        { "A15 another port on the loopback", LOOP, STR("http://127.0.0.1:51004/cb"), true },
        { "A15 no port where one was registered", "http://127.0.0.1:8080/cb", STR(LOOP), true },
        { "A15 one port for another", "http://127.0.0.1:8080/cb", STR("http://127.0.0.1:1/cb"),
          true },
        { "the last port", LOOP, STR("http://127.0.0.1:65535/cb"), true },
        { "localhost", "http://localhost/cb", STR("http://localhost:3000/cb"), true },
        { "an empty path for a slash", "http://127.0.0.1:33418/", STR("http://127.0.0.1:1"), true },
        { "a slash for an empty path", "http://127.0.0.1", STR("http://127.0.0.1:33418/"), true },
        { "an empty path with a query", "http://127.0.0.1/?x", STR("http://127.0.0.1:1?x"), true },
        { "two slashes for one", "http://127.0.0.1/cb", STR("http://127.0.0.1//cb"), false },
        { "an empty path, not on the loopback", "https://c.example", STR("https://c.example/"),
          false },
        { "another path on the loopback", LOOP, STR("http://127.0.0.1:51004/cb2"), false },
        { "a query on the loopback", LOOP, STR("http://127.0.0.1:51004/cb?x=1"), false },
        { "a fragment on the loopback", LOOP, STR("http://127.0.0.1:51004/cb#x"), false },
        { "https for http on the loopback", LOOP, STR("https://127.0.0.1:51004/cb"), false },
        { "localhost for 127.0.0.1", LOOP, STR("http://localhost:51004/cb"), false },
        { "127.0.0.1 for localhost", "http://localhost/cb", STR("http://127.0.0.1/cb"), false },
        { "A17 a host that begins like the loopback", LOOP, STR("http://127.0.0.1.evil.example/cb"),
          false },
        { "A17 a host that begins like localhost", "http://localhost/cb",
          STR("http://localhost.evil.example:80/cb"), false },
        { "user info that looks like the loopback", LOOP, STR("http://127.0.0.1@evil.example/cb"),
          false },
        { "user info with a port", LOOP, STR("http://127.0.0.1:80@evil.example/cb"), false },
        { "127.1", LOOP, STR("http://127.1/cb"), false },
        { "a port with a zero in front", LOOP, STR("http://127.0.0.1:08080/cb"), false },
        { "an empty port", LOOP, STR("http://127.0.0.1:/cb"), false },
        { "port 0", LOOP, STR("http://127.0.0.1:0/cb"), false },
        { "port 65536", LOOP, STR("http://127.0.0.1:65536/cb"), false },
        { "a port with a sign", LOOP, STR("http://127.0.0.1:-1/cb"), false },
        { "a port with a backslash", LOOP, STR("http://127.0.0.1:80\\@evil.example/cb"), false },
        { "a line break in the port", LOOP, STR("http://127.0.0.1:8\n0/cb"), false },
        { "A18 IPv6", "http://[::1]:5000/cb", STR("http://[::1]:6000/cb"), true },
        { "A18 IPv6 without a port", "http://[::1]:5000/cb", STR("http://[::1]/cb"), true },
        { "A18 IPv6 written out", "http://[::1]/cb", STR("http://[0:0:0:0:0:0:0:1]/cb"), false },
        { "IPv6 as user info of a host that is a number", "http://[::1]/cb",
          STR("http://[::1]@8080/cb"), false },
        { "digits right after the bracket", "http://[::1]/cb", STR("http://[::1]18080/cb"), false },
        { "a dot and digits after the bracket", "http://[::1]/cb", STR("http://[::1].80/cb"),
          false },
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        assert_row(redirect_uri_problem(str_of(rows[i].registered), STR_NONE) == NULL, rows[i].why);
        assert_row(redirect_uri_matches(str_of(rows[i].registered), rows[i].asked) ==
                       rows[i].expected,
                   rows[i].why);
    }
}

static void
destinations_and_csp_sources_are_derived(void **state)
{
    (void)state;
    static const struct {
        const char *uri;
        const char *place;
        const char *origin;
    } rows[] = {
        { WEB, "c.example", "https://c.example" },
        { "https://c.example:8443/cb?x=1", "c.example", "https://c.example:8443" },
        { "https://c.example?x=/../", "c.example", "https://c.example" },
        { "http://127.0.0.1:51004/cb", "an app on this device", "http://127.0.0.1:51004" },
        { "http://localhost/cb", "an app on this device", "http://localhost" },
        { "http://[::1]:5000/cb", "an app on this device", "http:" },
        { "https://[2001:db8::1]:8443/cb", "[2001:db8::1]", "https:" },
        { "com.example.app:/done", "the app com.example.app on this device", "com.example.app:" },
        { "com.example.app://127.0.0.1/done", "the app com.example.app on this device",
          "com.example.app:" },
    };
    struct arena *mem = arena_new();
    for (size_t i = 0; i < ROWS(rows); i++) {
        assert_row(redirect_uri_problem(str_of(rows[i].uri), STR_NONE) == NULL, rows[i].uri);
        assert_str(redirect_uri_display(mem, str_of(rows[i].uri)), str_of(rows[i].place),
                   rows[i].uri);
        assert_str(redirect_uri_origin(mem, str_of(rows[i].uri)), str_of(rows[i].origin),
                   rows[i].uri);
    }
    arena_free(mem);
}

static void
parameters_are_appended_to_the_query(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        const char *uri;
        struct str value;
        const char *expected;
    } rows[] = {
        { "no query", WEB, STR("abc"), WEB "?state=abc" },
        { "no path", "https://c.example", STR("abc"), "https://c.example?state=abc" },
        { "A9 a query is kept", WEB "?x=1", STR("abc"), WEB "?x=1&state=abc" },
        { "an empty query", WEB "?", STR("abc"), WEB "?state=abc" },
        { "an own scheme", "com.example.app:/done", STR("abc"), "com.example.app:/done?state=abc" },
        { "nothing", WEB, STR(""), WEB "?state=" },
        { "what would begin another parameter", WEB, STR("a&code=b"), WEB "?state=a%26code%3Db" },
        { "what would begin a fragment", WEB, STR("a#b"), WEB "?state=a%23b" },
        { "what would end the header", WEB, STR("a\r\nb"), WEB "?state=a%0D%0Ab" },
        { "a blank and a plus", WEB, STR("a b+c"), WEB "?state=a%20b%2Bc" },
        { "letters past ASCII", WEB, STR("\xc3\xa9"), WEB "?state=%C3%A9" },
        { "a percent sign", WEB, STR("%41"), WEB "?state=%2541" },
    };
    struct arena *mem = arena_new();
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_str(redirect_uri_add(mem, str_of(rows[i].uri), "state", rows[i].value),
                   str_of(rows[i].expected), rows[i].why);
    struct str two = redirect_uri_add(mem, STR(WEB), "code", STR("c"));
    assert_str(redirect_uri_add(mem, two, "iss", STR("https://p.example")),
               STR(WEB "?code=c&iss=https%3A%2F%2Fp.example"), "one after another");
    arena_free(mem);
}

static void
differences_of_redirect_uris_are_explained(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        const char *registered;
        const char *asked;
        const char *expected;
    } rows[] = {
        { "nothing sent", WEB, "", "is missing" },
        { "a slash more", "https://c.example/cb", "https://c.example/cb/", "trailing slash" },
        { "a slash less", "https://c.example/", "https://c.example", "trailing slash" },
        { "capital letters", "https://c.example/cb", "https://C.example/CB", "in letter case" },
        { "http", "https://c.example/cb", "http://c.example/cb", "in its scheme" },
        { "a port", "https://c.example/cb", "https://c.example:8443/cb", "in its port" },
        { "a query", "https://c.example/cb", "https://c.example/cb?a=1", "in its query" },
        { "a fragment", "https://c.example/cb", "https://c.example/x#y", "fragment" },
        { "encoded twice", "https://c.example/cb", "https%3A%2F%2Fc.example%2Fcb", "twice" },
        { "a path", "https://c.example/cb", "https://c.example/callback", "in its path" },
        { "a host", "https://c.example/cb", "https://d.example/cb", "in its host" },
        { "all", "https://c.example/cb", "com.example.app:/done", "is not registered" },
        { "http on the loopback", "http://127.0.0.1/cb", "http://127.0.0.1:9/other",
          "in its path" },
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        int distance;
        const char *said =
            redirect_uri_difference(str_of(rows[i].registered), str_of(rows[i].asked), &distance);
        if (strstr(said, rows[i].expected) == NULL)
            fail_msg("%s: %s", rows[i].why, said);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(redirect_uris_are_validated),
        cmocka_unit_test(listed_schemes_are_allowed_without_a_dot),
        cmocka_unit_test(schemes_that_browsers_handle_cannot_be_listed),
        cmocka_unit_test(only_registered_redirect_uris_match),
        cmocka_unit_test(destinations_and_csp_sources_are_derived),
        cmocka_unit_test(differences_of_redirect_uris_are_explained),
        cmocka_unit_test(parameters_are_appended_to_the_query),
    };
    return cmocka_run_group_tests_name("model/redirect_uri", tests, NULL, NULL);
}
