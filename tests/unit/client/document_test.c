#include "unit/assert_str.h"

#include "base/arena.h"
#include "client/document.h"
#include "model/redirect_uri.h"

#define URL "https://a.example/c"
#define REST "\"client_name\":\"A\",\"redirect_uris\":[\"https://a.example/back\"]"
#define VALID "{\"client_id\":\"" URL "\"," REST "}"
#define WITH(more) "{\"client_id\":\"" URL "\"," REST "," more "}"

static void
freshness_is_bounded(void **state)
{
    static const struct {
        const char *header;
        int64_t seconds;
    } rows[] = {
        { NULL, 300 },
        { "", 300 },
        { "public", 300 },
        { "max-age=0", 300 },
        { "max-age=299", 300 },
        { "max-age=301", 301 },
        { "public, max-age=3600, immutable", 3600 },
        { "MAX-AGE=3600", 3600 },
        { "max-age=86400", 86400 },
        { "max-age=86401", 86400 },
        { "max-age=99999999999999999999999", 86400 },
        { "max-age=3600,max-age=7200", 3600 },
        { "max-age", 300 },
        { "max-age=", 300 },
        { "max-age=-1", 300 },
        { "max-age=36e2", 300 },
        { "s-maxage=3600", 300 },
        { "no-store, max-age=3600", 300 },
        { "No-Cache", 300 },
    };
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_row(document_fresh_seconds(str_of(rows[i].header)) == rows[i].seconds,
                   rows[i].header == NULL ? "(absent)" : rows[i].header);
}

/* `expected` is part of the problem; NULL: accepted. */
static void
responses_are_judged(void **state)
{
    static const struct {
        int status;
        const char *type;
        const char *body;
        const char *expected;
    } rows[] = {
        { 200, "application/json", VALID, NULL },
        { 200, "Application/JSON ; charset=utf-8", VALID, NULL },
        { 200, "application/oauth-client+json", VALID, NULL },
        { 200, "x/y+JSON;v=1", VALID, NULL },
        { 200, NULL, VALID, "Content-Type" },
        { 200, "", VALID, "Content-Type" },
        { 200, "+json", VALID, "Content-Type" },
        { 200, "text/json", VALID, "Content-Type" },
        { 200, "text/html;application/json", VALID, "Content-Type" },
        { 200, "application/jsonx", VALID, "Content-Type" },
        { 200, "application/json, text/html", VALID, "Content-Type" },
        { 204, "application/json", VALID, "status 204" },
        { 301, "application/json", VALID, "redirects" },
        { 399, "application/json", VALID, "redirects" },
        { 404, "application/json", VALID, "status 404" },
        { 500, "application/json", VALID, "status 500" },
        { 200, "application/json", "{", "JSON" },
        { 200, "application/json", "[]", "JSON object" },
        { 200, "application/json", "{" REST "}", "its own URL" },
        { 200, "application/json", "{\"client_id\":\"" URL "/\"," REST "}", "its own URL" },
        { 200, "application/json", "{\"client_id\":\"https://A.example/c\"," REST "}", "own URL" },
        { 200, "application/json",
          "{\"client_id\":\"" URL "\",\"redirect_uris\":[\"https://a.example/back\"]}",
          "no client_name" },
        { 200, "application/json", WITH("\"client_secret\":null"), "client_secret" },
        { 200, "application/json", WITH("\"client_secret_expires_at\":0"), "client_secret" },
        { 200, "application/json", WITH("\"client_secretX\":0"), "client_secret" },
        { 200, "application/json", WITH("\"token_endpoint_auth_method\":\"none\""), NULL },
        { 200, "application/json", WITH("\"token_endpoint_auth_method\":\"client_secret_post\""),
          "auth_method" },
        { 200, "application/json", WITH("\"token_endpoint_auth_method\":\"private_key_jwt\""),
          "auth_method" },
        { 200, "application/json",
          WITH("\"token_endpoint_auth_method\":\"private_key_jwt\",\"jwks_uri\":\"https://k/\""),
          NULL },
    };
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct arena *mem = arena_new();
        struct document_response response = { rows[i].status, str_of(rows[i].type), STR_NONE,
                                              str_of(rows[i].body) };
        struct client_metadata metadata;
        struct str problem = STR_NONE;
        bool read = document_read(mem, STR(URL), &response, STR_NONE, &metadata, &problem);
        bool right = rows[i].expected == NULL
                         ? read
                         : !read && strstr(str_copy(mem, problem).ptr, rows[i].expected) != NULL;
        if (!right)
            print_error("%d %s %s\n", rows[i].status, rows[i].type == NULL ? "" : rows[i].type,
                        rows[i].body);
        assert_true(right);
        arena_free(mem);
    }
}

static void
some_failures_are_temporary(void **state)
{
    (void)state;
    static const int temporary[] = { 408, 429, 500, 503, 599 };
    static const int lasting[] = { 200, 301, 400, 401, 403, 404, 410, 499 };
    for (size_t i = 0; i < ROWS(temporary); i++)
        assert_true(document_status_is_temporary(temporary[i]));
    for (size_t i = 0; i < ROWS(lasting); i++)
        assert_false(document_status_is_temporary(lasting[i]));
}

static struct str
mark_of(struct arena *mem, const char *body)
{
    struct client_metadata metadata;
    struct client_problem problem = { 0 };
    assert_true(client_metadata_read(mem, str_of(body), STR("cursor"), &metadata, &problem));
    return client_metadata_mark(mem, &metadata);
}

static void
the_mark_changes_with_hosts_and_keys_only(void **state)
{
    struct arena *mem = arena_new();
    struct str first = mark_of(mem, VALID);
    static const char *const same[] = {
        "{\"redirect_uris\":[\"https://a.example/other\"],\"client_name\":\"B\"}",
        "{\"redirect_uris\":[\"https://a.example/1\",\"https://a.example/2\"]}",
        WITH("\"scope\":\"x\",\"contacts\":[]"),
        WITH("\"jwks_uri\":null"),
    };
    static const char *const other[] = {
        "{\"redirect_uris\":[\"https://b.example/back\"]}",
        "{\"redirect_uris\":[\"https://a.example/back\",\"https://b.example/back\"]}",
        "{\"redirect_uris\":[\"https://a.example/back\",\"http://localhost/\"]}",
        "{\"redirect_uris\":[\"https://a.example/back\",\"cursor://x\"]}",
        WITH("\"jwks_uri\":\"https://a.example/keys\""),
        WITH("\"jwks_uri\":\"https://b.example/keys\""),
        WITH("\"jwks\":{\"keys\":[{\"x\":\"1\"}]}"),
        WITH("\"jwks\":{\"keys\":[{\"x\":\"2\"}]}"),
        WITH("\"jwks\":{\"keys\":[{\"x\":2}]}"),
        WITH("\"jwks\":{\"keys\":[{\"x\":3}]}"),
        WITH("\"jwks\":{\"keys\":[]}"),
    };
    struct str marks[ROWS(other)];
    (void)state;
    for (size_t i = 0; i < ROWS(same); i++)
        assert_str(mark_of(mem, same[i]), first, same[i]);
    for (size_t i = 0; i < ROWS(other); i++) {
        marks[i] = mark_of(mem, other[i]);
        assert_row(!str_eq(marks[i], first), other[i]);
        for (size_t k = 0; k < i; k++)
            assert_row(!str_eq(marks[i], marks[k]), other[i]);
    }
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(freshness_is_bounded),
        cmocka_unit_test(responses_are_judged),
        cmocka_unit_test(some_failures_are_temporary),
        cmocka_unit_test(the_mark_changes_with_hosts_and_keys_only),
    };
    return cmocka_run_group_tests_name("client/document", tests, NULL, NULL);
}
