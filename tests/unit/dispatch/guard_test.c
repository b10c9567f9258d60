#include "unit/web/by_hand.h"

#include "dispatch/guard.h"

static void
only_forms_of_our_own_pages_are_accepted(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        struct sent sent[4];
        bool ok;
    } table[] = {
        { "no browser at all", { { 0 } }, true },
        { "our own page",
          { { "Origin", "https://id.example" }, { "Sec-Fetch-Site", "same-origin" } },
          true },
        { "an old browser, our own page", { { "Origin", "https://id.example" } }, true },
        { "typed by the person", { { "Sec-Fetch-Site", "none" } }, true },
        { "another site", { { "Origin", "https://evil.example" } }, false },
        { "another scheme", { { "Origin", "http://id.example" } }, false },
        { "another port", { { "Origin", "https://id.example:8443" } }, false },
        { "a name that begins like ours",
          { { "Origin", "https://id.example.evil.example" } },
          false },
        { "upper case is not an origin", { { "Origin", "https://ID.example" } }, false },
        { "a sandboxed frame", { { "Origin", "null" } }, false },
        { "an empty origin", { { "Origin", "" } }, false },
        { "a sister site", { { "Sec-Fetch-Site", "same-site" } }, false },
        { "another site, by its own admission", { { "Sec-Fetch-Site", "cross-site" } }, false },
        { "our origin, but another site",
          { { "Origin", "https://id.example" }, { "Sec-Fetch-Site", "cross-site" } },
          false },
        { "two origins",
          { { "Origin", "https://id.example" }, { "Origin", "https://id.example" } },
          false },
        { "two of the other",
          { { "Sec-Fetch-Site", "none" }, { "Sec-Fetch-Site", "cross-site" } },
          false },
        { "Host is not asked",
          { { "Host", "evil" }, { "X-Forwarded-Host", "evil" }, { "Origin", "https://evil" } },
          false },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct http_request request = { .headers = (void *)(uintptr_t)table[i].sent };
        if (guard_origin_ok(&request, STR("https://id.example")) != table[i].ok)
            fail_msg("%s", table[i].why);
    }
}

static void
a_body_must_have_the_type_of_its_route(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        enum body body;
        const char *type;
        bool ok;
    } table[] = {
        { "a form", BODY_FORM, "application/x-www-form-urlencoded", true },
        { "a form in UTF-8", BODY_FORM, "application/x-www-form-urlencoded;charset=utf-8", true },
        { "as browsers write it", BODY_FORM, "application/x-www-form-urlencoded; charset=UTF-8",
          true },
        { "quoted", BODY_FORM, "application/x-www-form-urlencoded; charset=\"utf-8\"", true },
        { "upper case", BODY_FORM, "Application/X-WWW-Form-URLencoded", true },
        { "a form in another alphabet", BODY_FORM,
          "application/x-www-form-urlencoded; charset=latin1", false },
        { "a charset without a value", BODY_FORM, "application/x-www-form-urlencoded; charset",
          false },
        { "a name that begins alike", BODY_FORM, "application/x-www-form-urlencodedx", false },
        { "JSON for a form", BODY_FORM, "application/json", false },
        { "plain text, as a cross-site form may send", BODY_FORM, "text/plain", false },
        { "multipart", BODY_FORM, "multipart/form-data; boundary=x", false },
        { "no header", BODY_FORM, NULL, false },
        { "empty", BODY_FORM, "", false },
        { "a file", BODY_FILE, "multipart/form-data; boundary=x", true },
        { "a form for a file", BODY_FILE, "application/x-www-form-urlencoded", false },
        { "JSON", BODY_JSON, "application/json", true },
        { "JSON with a charset", BODY_JSON, "application/json; charset=utf-8", true },
        { "a form for JSON", BODY_JSON, "application/x-www-form-urlencoded", false },
        { "no body, any type", BODY_NONE, "text/plain", true },
        { "no body, no type", BODY_NONE, NULL, true },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct sent sent[2] = { { table[i].type == NULL ? NULL : "Content-Type", table[i].type } };
        struct http_request request = { .headers = sent };
        if (guard_content_type_ok(&request, table[i].body) != table[i].ok)
            fail_msg("%s", table[i].why);
    }
    struct sent twice[3] = { { "Content-Type", "application/json" },
                             { "Content-Type", "application/json" } };
    struct http_request request = { .headers = twice };
    assert_false(guard_content_type_ok(&request, BODY_JSON));
}

static void
a_compressed_body_is_rejected(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        enum body body;
        struct sent sent[3];
        bool ok;
    } table[] = {
        { "no header", BODY_JSON, { { 0 } }, true },
        { "identity", BODY_JSON, { { "Content-Encoding", "identity" } }, true },
        { "in any case, with blanks", BODY_FORM, { { "content-encoding", " Identity " } }, true },
        { "empty", BODY_FORM, { { "Content-Encoding", "" } }, true },
        { "gzip", BODY_JSON, { { "Content-Encoding", "gzip" } }, false },
        { "gzip of a form", BODY_FORM, { { "Content-Encoding", "gzip" } }, false },
        { "gzip of a file", BODY_FILE, { { "Content-Encoding", "gzip" } }, false },
        { "an unknown encoding", BODY_JSON, { { "Content-Encoding", "x-mine" } }, false },
        { "a list", BODY_JSON, { { "Content-Encoding", "identity, gzip" } }, false },
        { "two lines",
          BODY_JSON,
          { { "Content-Encoding", "identity" }, { "Content-Encoding", "gzip" } },
          false },
        { "two lines, one empty",
          BODY_JSON,
          { { "Content-Encoding", "" }, { "Content-Encoding", "gzip" } },
          false },
        { "no body", BODY_NONE, { { "Content-Encoding", "gzip" } }, true },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct http_request request = { .headers = (void *)(uintptr_t)table[i].sent };
        if (guard_encoding_ok(&request, table[i].body) != table[i].ok)
            fail_msg("%s", table[i].why);
    }
}

static void
a_route_without_a_caller_is_forbidden(void **state)
{
    (void)state;
    struct route row = { .caller = CALLER_UNSET };
    struct call call = { .route = &row };
    assert_int_equal(guard_caller(&call), ERR_FORBIDDEN);
    row.caller = CALLER_ANYONE;
    assert_int_equal(guard_caller(&call), ERR_NONE);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_forms_of_our_own_pages_are_accepted),
        cmocka_unit_test(a_body_must_have_the_type_of_its_route),
        cmocka_unit_test(a_compressed_body_is_rejected),
        cmocka_unit_test(a_route_without_a_caller_is_forbidden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
