#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/arena.h"
#include "web/field.h"
#include "web/router.h"

static enum err
handler(struct call *call)
{
    (void)call;
    return ERR_NONE;
}

#define ROW(method, path)                                         \
    {                                                             \
        method, path, handler, CALLER_ANYONE, .summary = "A row." \
    }

static const struct route rows[] = {
    ROW(GET, "/"),
    ROW(GET, "/healthz"),
    ROW(GET, "/v1/preferences"),
    ROW(GET, "/v1/preferences/{domain}"),
    ROW(POST, "/v1/preferences/{domain}"),
    ROW(POST, "/v1/preferences/suppress"),
    ROW(GET, "/v1/{kind}/mine"),
    ROW(GET, "/v1/domains/{domain}/{part}"), /* before the narrower one: order must not matter */
    ROW(GET, "/v1/domains/{domain}/stats"),
    { GET, "/mcp", handler, CALLER_ANYONE, .summary = "A row.", .slash = true },
    { 0 },
};

static struct arena *mem;
static struct router *router;

static int
setup(void **state)
{
    (void)state;
    struct why why = { 0 };
    mem = arena_new();
    return router_new((const struct route *const[]){ rows, NULL }, &router, &why) == ERR_NONE ? 0
                                                                                              : -1;
}

static int
teardown(void **state)
{
    (void)state;
    router_free(router);
    arena_free(mem);
    return 0;
}

static void
a_path_matches_its_endpoint_only(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        const char *path;
        const char *endpoint; /* NULL: not found */
        const char *first;
        const char *second;
    } table[] = {
        { "the root", "/", "/", NULL, NULL },
        { "a literal", "/healthz", "/healthz", NULL, NULL },
        { "a slash at the end, where it is allowed", "/mcp/", "/mcp", NULL, NULL },
        { "the same without it", "/mcp", "/mcp", NULL, NULL },
        { "two slashes at the end", "/mcp//", NULL, NULL, NULL },
        { "two slashes", "//", NULL, NULL, NULL },
        { "a slash after a parameter", "/v1/preferences/food_profile/", NULL, NULL, NULL },
        { "a parameter", "/v1/preferences/food_profile", "/v1/preferences/{domain}", "food_profile",
          NULL },
        { "a literal goes before a parameter", "/v1/preferences/suppress",
          "/v1/preferences/suppress", NULL, NULL },
        { "a parameter does not hide a literal further left", "/v1/preferences/mine",
          "/v1/preferences/{domain}", "mine", NULL },
        { "a parameter in the middle", "/v1/atoms/mine", "/v1/{kind}/mine", "atoms", NULL },
        { "a literal behind a parameter", "/v1/domains/x/stats", "/v1/domains/{domain}/stats", "x",
          NULL },
        { "two parameters", "/v1/domains/x/schema", "/v1/domains/{domain}/{part}", "x", "schema" },
        { "decoded once", "/v1/preferences/a%20b%2525", "/v1/preferences/{domain}", "a b%25",
          NULL },
        { "decoded as UTF-8", "/v1/preferences/Bj%C3%B6rk", "/v1/preferences/{domain}",
          "Bj\xc3\xb6rk", NULL },
        { "an overlong dot", "/v1/preferences/%c0%ae", NULL, NULL, NULL },
        { "half a character", "/v1/preferences/%C3", NULL, NULL, NULL },
        { "an escaped literal does not become the literal", "/v1/preferences/%73uppress", NULL,
          NULL, NULL },
        { "an escaped literal", "/%68ealthz", NULL, NULL, NULL },
        { "upper case", "/V1/preferences", NULL, NULL, NULL },
        { "a slash at the end", "/healthz/", NULL, NULL, NULL },
        { "a place's beginning", "/v1", NULL, NULL, NULL },
        { "more than a place", "/v1/preferences/a/b/c", NULL, NULL, NULL },
        { "no parameter at all", "/v1/preferences/", NULL, NULL, NULL },
        { "the pattern itself", "/v1/preferences/{domain}", NULL, NULL, NULL },
        { "a slash in a parameter", "/v1/preferences/a%2Fb", NULL, NULL, NULL },
        { "many segments", "/1/2/3/4/5/6/7/8/9/10/11/12/13", NULL, NULL, NULL },
        { "nothing", "", NULL, NULL, NULL },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct endpoint_match match;
        bool found = router_find(router, mem, str_of(table[i].path), &match);
        if (found != (table[i].endpoint != NULL))
            fail_msg("%s: %s", table[i].why, table[i].path);
        if (!found)
            continue;
        assert_string_equal(match.endpoint->path, table[i].endpoint);
        assert_true(str_eq_c(match.params[0], table[i].first));
        assert_true(str_eq_c(match.params[1], table[i].second));
    }
}

static void
an_endpoint_lists_its_methods(void **state)
{
    (void)state;
    struct endpoint_match match;
    assert_true(router_find(router, mem, STR("/v1/preferences/x"), &match));
    assert_string_equal(match.endpoint->allow, "GET, HEAD, POST, OPTIONS");
    assert_string_equal(match.endpoint->methods, "GET, POST");
    assert_ptr_equal(match.endpoint->rows[POST], &rows[4]);
    assert_ptr_equal(router_row(router, match.endpoint->numbers[POST]), &rows[4]);
    assert_true(router_find(router, mem, STR("/v1/preferences/suppress"), &match));
    assert_string_equal(match.endpoint->allow, "POST, OPTIONS");
    assert_null(match.endpoint->rows[GET]);
}

static void
an_invalid_route_is_an_error_at_startup(void **state)
{
    (void)state;
    static const struct field unbounded[] = { { "q", .kind = FIELD_TEXT } };
    static const struct field nameless[] = { { .kind = FIELD_TEXT, .max = 1 } };
    static const struct field in_form[] = { { "q", FIELD_TEXT, FIELD_IN_FORM, .max = 9 } };
    static const struct {
        const char *problem;
        struct route rows[3];
    } table[] = {
        { "route GET /a has no caller", { { GET, "/a", handler, .summary = "A." } } },
        { "has no method", { { 0, "/a", handler, CALLER_ANYONE, .summary = "A." } } },
        { "has no handler", { { GET, "/a", NULL, CALLER_ANYONE, .summary = "A." } } },
        { "has no summary", { { GET, "/a", handler, CALLER_ANYONE, .summary = NULL } } },
        { "is declared twice", { ROW(GET, "/a"), ROW(GET, "/a") } },
        { "different parameter names", { ROW(GET, "/a/{b}"), ROW(POST, "/a/{c}") } },
        { "does not start with a slash", { ROW(GET, "a") } },
        { "has a path that is not canonical", { ROW(GET, "/a/") } },
        { "has a path that is not canonical", { ROW(GET, "//a") } },
        { "has a path that is not canonical", { ROW(GET, "/a/../b") } },
        { "has a path that is not canonical", { ROW(GET, "/a%20b") } },
        { "has a path that is not canonical", { ROW(GET, "/a{b}") } },
        { "too many parameters", { ROW(GET, "/{a}/{b}/{c}/{d}/{e}") } },
        { "too many segments", { ROW(GET, "/1/2/3/4/5/6/7/8/9/10/11") } },
        { "is a page with cors",
          { { GET, "/a", handler, CALLER_ANYONE, .summary = "A.", .page = true, .cors = true } } },
        { "is rpc, but also a page or cors",
          { { GET, "/a", handler, CALLER_ANYONE, .summary = "A.", .rpc = true } } },
        { "hashes passwords but does not block",
          { { POST, "/a", handler, CALLER_ANYONE, .summary = "A.", .hashes = true } } },
        { "has a body without body_max",
          { { POST, "/a", handler, CALLER_ANYONE, .summary = "A.", .body = BODY_FORM } } },
        { "or body_max without a body",
          { { POST, "/a", handler, CALLER_ANYONE, .summary = "A.", .body_max = 1 } } },
        { "is a GET with a body",
          { { GET, "/a", handler, CALLER_ANYONE, .summary = "A.", .body = BODY_JSON,
              .body_max = 1 } } },
        { "is a page that takes JSON",
          { { POST, "/a", handler, CALLER_ANYONE, .summary = "A.", .body = BODY_JSON, .body_max = 1,
              .page = true } } },
        { "a field without bounds",
          { { GET, "/a", handler, CALLER_ANYONE, .summary = "A.", ROUTE_FIELDS(unbounded) } } },
        { "a field without a name",
          { { GET, "/a", handler, CALLER_ANYONE, .summary = "A.", ROUTE_FIELDS(nameless) } } },
        { "declares a form field but does not take a form",
          { { GET, "/a", handler, CALLER_ANYONE, .summary = "A.", ROUTE_FIELDS(in_form) } } },
        { "differs in page, cors, or rpc from another route of its path",
          { ROW(GET, "/a"),
            { POST, "/a", handler, CALLER_ANYONE, .summary = "A.", .cors = true } } },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct router *none = NULL;
        struct why why = { 0 };
        const struct route *const tables[] = { table[i].rows, NULL };
        assert_int_equal(router_new(tables, &none, &why), ERR_INVALID);
        assert_null(none);
        if (strstr(why.text, table[i].problem) == NULL)
            fail_msg("expected \"%s\", got \"%s\"", table[i].problem, why.text);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_matches_its_endpoint_only),
        cmocka_unit_test(an_endpoint_lists_its_methods),
        cmocka_unit_test(an_invalid_route_is_an_error_at_startup),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
