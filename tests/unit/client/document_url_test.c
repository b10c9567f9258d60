#include "unit/assert_str.h"

#include "client/document_url.h"

/* `expected` is part of the problem; NULL: valid. */
static const struct {
    const char *url;
    const char *expected;
} rows[] = {
    { "https://claude.ai/oauth/client", NULL },
    { "https://claude.ai:8443/c", NULL },
    { "https://localhost/c", NULL }, /* its address is checked later */
    { "https://xn--bcher-kva.example/c", NULL },
    { "https://a.example/~x/@v1/a;b=c,d!$&'()*+:=", NULL },
    { "https://a.example/a%20b", "cannot have a query" },
    { "https://a.example/a%C3%A9", NULL },
    { "https://a.example/...", NULL },
    { "", "https://" },
    { "http://a.example/c", "https://" },
    { "HTTPS://a.example/c", "https://" },
    { "https:/a.example/c", "https://" },
    { "https:///c", "host name" },
    { "https://A.example/c", "host name" },
    { "https://a.example./c", "host name" },
    { "https://u@a.example/c", "host name" },
    { "https://u:p@a.example/c", "host name" },
    { "https://127.0.0.1/c", "host name" },
    { "https://0x7f000001/c", "host name" },
    { "https://017700000001/c", "host name" },
    { "https://[::1]/c", "host name" },
    { "https://[::ffff:127.0.0.1]/c", "host name" },
    { "https://a.example:/c", "host name" },
    { "https://a.example:0/c", "host name" },
    { "https://a.example:443/c", "host name" },
    { "https://a.example:08443/c", "host name" },
    { "https://a.example:65536/c", "host name" },
    { "https://a.example?c/d", "host name" },
    { "https://a.example#c/d", "host name" },
    { "https://a.example\\c/d", "host name" },
    { "https://a.example", "needs a path" },
    { "https://a.example/", "needs a path" },
    { "https://a.example//", "cannot have a query" },
    { "https://a.example/c/", "cannot have a query" },
    { "https://a.example/c?d", "cannot have a query" },
    { "https://a.example/c?", "cannot have a query" },
    { "https://a.example/c#", "cannot have a query" },
    { "https://a.example/./c", "cannot have a query" },
    { "https://a.example/c/..", "cannot have a query" },
    { "https://a.example/%2e%2E/c", "cannot have a query" },
    { "https://a.example/%2E", "cannot have a query" },
    { "https://a.example/a%2fb", "cannot have a query" },
    { "https://a.example/a%5Cb", "cannot have a query" },
    { "https://a.example/a\\b", "cannot have a query" },
    { "https://a.example/a b", "cannot have a query" },
    { "https://a.example/a\nb", "cannot have a query" },
    { "https://a.example/%00", "cannot have a query" },
    { "https://a.example/%0a", "cannot have a query" },
    { "https://a.example/%7f", "cannot have a query" },
    { "https://a.example/%", "cannot have a query" },
    { "https://a.example/%4", "cannot have a query" },
    { "https://a.example/%4x", "cannot have a query" },
    { "https://a.example/\xc3\xa9", "cannot have a query" },
};

static void
urls_are_checked(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        const char *problem = document_url_problem(str_of(rows[i].url));
        bool right = rows[i].expected == NULL
                         ? problem == NULL
                         : problem != NULL && strstr(problem, rows[i].expected) != NULL;
        assert_row(right, rows[i].url);
    }
}

static void
a_url_has_at_most_512_bytes(void **state)
{
    struct str start = STR("https://a.example/");
    char text[513];
    (void)state;
    memset(text, 'a', sizeof text);
    memcpy(text, start.ptr, start.len);
    assert_null(document_url_problem((struct str){ text, 512 }));
    assert_non_null(strstr(document_url_problem((struct str){ text, 513 }), "512"));
    text[100] = '\0';
    assert_non_null(document_url_problem((struct str){ text, 512 }));
}

static void
the_host_has_no_port(void **state)
{
    (void)state;
    assert_str(document_url_host(STR("https://claude.ai/c")), STR("claude.ai"), "plain");
    assert_str(document_url_host(STR("https://claude.ai:8443/c")), STR("claude.ai"), "with a port");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(urls_are_checked),
        cmocka_unit_test(a_url_has_at_most_512_bytes),
        cmocka_unit_test(the_host_has_no_port),
    };
    return cmocka_run_group_tests_name("client/document_url", tests, NULL, NULL);
}
