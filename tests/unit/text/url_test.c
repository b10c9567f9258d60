#include "unit/assert_str.h"

#include "base/arena.h"
#include "text/url.h"

static void
escapes_are_decoded_or_refused(void **state)
{
    static const struct {
        const char *why;
        struct str in;
        bool plus;
        struct str out; /* absent: refused */
    } rows[] = {
        { "empty", { "", 0 }, false, { "", 0 } },
        { "plain", { "abc", 3 }, false, { "abc", 3 } },
        { "escape", { "a%20b", 5 }, false, { "a b", 3 } },
        { "both cases of hex", { "%c3%A9", 6 }, false, { "\xc3\xa9", 2 } },
        { "plus stays", { "a+b", 3 }, false, { "a+b", 3 } },
        { "plus is a space", { "+a+b+", 5 }, true, { " a b ", 5 } },
        { "escaped plus is a plus", { "%2B", 3 }, true, { "+", 1 } },
        { "decoded once only", { "%2525", 5 }, false, { "%25", 3 } },
        { "raw UTF-8", { "\xc3\xa9", 2 }, false, { "\xc3\xa9", 2 } },
        { "half raw, half escaped character", { "\xc3%a9", 4 }, false, { "\xc3\xa9", 2 } },
        { "%00", { "a%00b", 5 }, false, { NULL, 0 } },
        { "raw NUL", { "a\0b", 3 }, false, { NULL, 0 } },
        { "lone %", { "%", 1 }, false, { NULL, 0 } },
        { "% at the end", { "a%", 2 }, false, { NULL, 0 } },
        { "one digit", { "%4", 2 }, false, { NULL, 0 } },
        { "no hex", { "%zz", 3 }, false, { NULL, 0 } },
        { "half hex", { "%4z", 3 }, false, { NULL, 0 } },
        { "sign in hex", { "%+4", 3 }, true, { NULL, 0 } },
        { "%u escape", { "%u0041", 6 }, false, { NULL, 0 } },
        { "overlong slash", { "%c0%af", 6 }, false, { NULL, 0 } },
        { "overlong dot", { "%c0%ae", 6 }, false, { NULL, 0 } },
        { "surrogate", { "%ed%a0%80", 9 }, false, { NULL, 0 } },
        { "lone continuation", { "%80", 3 }, false, { NULL, 0 } },
        { "cut off character", { "%e2%82", 6 }, false, { NULL, 0 } },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct str out = STR_NONE;
        bool fine = url_decode(mem, rows[i].in, rows[i].plus, &out);
        assert_row(fine == str_present(rows[i].out), rows[i].why);
        if (fine)
            assert_str(out, rows[i].out, rows[i].why);
    }
    arena_free(mem);
}

static void
everything_but_unreserved_characters_is_encoded(void **state)
{
    struct arena *mem = arena_new();
    struct buf out = buf_in(mem, 1000);
    (void)state;
    url_encode(&out, STR("azAZ09-._~"));
    assert_str(buf_str(&out), STR("azAZ09-._~"), "unreserved");
    out = buf_in(mem, 1000);
    url_encode(&out, STR(" !\"#$%&'()*+,/:;<=>?@[\\]^`{|}\0\x7f\xc3\xa9"));
    assert_str(buf_str(&out),
               STR("%20%21%22%23%24%25%26%27%28%29%2A%2B%2C%2F%3A%3B%3C%3D%3E%3F%40%5B%5C%5D%5E%60"
                   "%7B%7C%7D%00%7F%C3%A9"),
               "reserved and others");
    out = buf_in(mem, 1000);
    url_encode(&out, STR_NONE);
    assert_str(buf_str(&out), STR(""), "absent");
    arena_free(mem);
}

static void
an_origin_is_scheme_host_and_port(void **state)
{
    static const struct {
        const char *url;
        const char *problem; /* a part of it; NULL if it is fine */
    } rows[] = {
        { "https://penchant.example", NULL },
        { "http://localhost:8080", NULL },
        { "http://127.0.0.1:8080", NULL },
        { "https://a-b.c_d.example:65535", NULL },
        { "https://[::1]:8443", NULL },
        { "https://[2001:db8::1]", NULL },
        { "http://xn--bcher-kva.example", NULL },
        { "http://h:443", NULL },
        { "", "must start with" },
        { "penchant.example", "must start with" },
        { "HTTPS://penchant.example", "must start with" },
        { "ftp://penchant.example", "must start with" },
        { "javascript:alert(1)", "must start with" },
        { "https:/penchant.example", "must start with" },
        { "https://", "host" },
        { "https://:8080", "host" },
        { "https://Penchant.example", "lower case" },
        { "https://user@penchant.example", "username" },
        { "https://user:pass@penchant.example", "username" },
        { "https://good.example@evil.example", "username" },
        { "https://penchant.example/", "must end" },
        { "https://penchant.example/path", "must end" },
        { "https://penchant.example?q", "must end" },
        { "https://penchant.example#f", "must end" },
        { "https://penchant.example\\evil", "must end" },
        { "https://penchant.example:", "port" },
        { "https://penchant.example:0", "port" },
        { "https://penchant.example:65536", "port" },
        { "https://penchant.example:080", "port" },
        { "https://penchant.example:80a", "port" },
        { "https://penchant.example:-1", "port" },
        { "https://penchant.example:1:2", "port" },
        { "https://penchant.example:443", "scheme implies" },
        { "http://penchant.example:80", "scheme implies" },
        { "https://pench ant.example", "host" },
        { "https://penchant..example", "host" },
        { "https://.example", "host" },
        { "https://penchant.example.", "host" },
        { "https://-a.example", "host" },
        { "https://a-.example", "host" },
        { "https://b\xc3\xbc"
          "cher.example",
          "host" },
        { "https://a%41.example", "host" },
        { "https://127.1", "host" },
        { "https://256.0.0.1", "host" },
        { "https://0x7f.0.0.0x1", "host" },
        { "https://[::1", "host" },
        { "https://[]", "host" },
        { "https://[::g]", "host" },
        { "https://[::1]x", "must end" },
        { "https://::1", "host" },
    };
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        const char *problem = url_origin_problem(str_of(rows[i].url));
        assert_row((problem == NULL) == (rows[i].problem == NULL), rows[i].url);
        if (problem != NULL)
            assert_row(strstr(problem, rows[i].problem) != NULL, rows[i].url);
    }
    assert_non_null(url_origin_problem(STR_NONE));
    assert_non_null(url_origin_problem(STR("https://a\0b")));
}

static void
host_labels_and_names_have_a_longest_length(void **state)
{
    char url[8 + 300] = "https://";
    (void)state;
    memset(url + 8, 'a', 63);
    assert_null(url_origin_problem((struct str){ url, 8 + 63 }));
    url[8 + 63] = 'a';
    assert_non_null(url_origin_problem((struct str){ url, 8 + 64 }));
    for (size_t i = 0; i < 300; i++)
        url[8 + i] = i % 2 == 0 ? 'a' : '.';
    assert_null(url_origin_problem((struct str){ url, 8 + 253 }));
    assert_non_null(url_origin_problem((struct str){ url, 8 + 255 }));
}

static void
https_is_distinguished_from_http(void **state)
{
    (void)state;
    assert_true(url_is_https(STR("https://a")));
    assert_false(url_is_https(STR("http://a")));
    assert_false(url_is_https(STR("https:/a")));
    assert_false(url_is_https(STR_NONE));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escapes_are_decoded_or_refused),
        cmocka_unit_test(everything_but_unreserved_characters_is_encoded),
        cmocka_unit_test(an_origin_is_scheme_host_and_port),
        cmocka_unit_test(host_labels_and_names_have_a_longest_length),
        cmocka_unit_test(https_is_distinguished_from_http),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
